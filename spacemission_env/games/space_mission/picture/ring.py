"""Draws the ring of planets, piles, stations and ships around the jump gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, radians, sin

from spacemission_env.games.space_mission.picture.pieces import (
    coordinate,
    probe,
    seat_tile,
    station,
    tile,
    tile_back,
)
from spacemission_env.games.space_mission.text import visit_words
from spacemission_env.pictures.parts import Drawing, View, seat_dot, ship
from spacemission_env.pictures.sky import world
from spacemission_env.pictures.svg import box, disc, ellipse, path, stroke

# Radius of a planet, radius of the arc of its pile, size of a tile in the pile, degrees between tiles.
_PLANET, _PILE, _CHIT, _STEP = 50, 68, 17.5, 19
# Places of up to five ships around a planet.
_BERTHS = ((52, 14), (-52, 14), (30, 34), (-30, 34), (0, 40))
_FIRST_PROBE, _MOST_PROBES = 65, 20  # radius of the innermost track; probes that fit on a track
_PICK_STEP = 62  # distance between the tiles of a tile pick


@dataclass(frozen=True)
class Orbit:
    """The centre and half axes of the ring, and the number of its planets."""

    x: float
    y: float
    across: float
    down: float
    planets: int = 8

    def place(self, p: int) -> tuple[float, float]:
        """The centre of the planet at a ring position; position 0 is at the top, the next is clockwise."""
        turn = radians(360 * p / self.planets - 90)
        return round(self.x + self.across * cos(turn), 1), round(self.y + self.down * sin(turn), 1)


def ring(d: Drawing, on: Orbit) -> str:
    """Draw gate, planets, piles and ships."""
    on = replace(on, planets=len(d.view["planets"]))
    parts = [ellipse(on.x, on.y, on.across, on.down, stroke(d.ink["line"], 1.5, dash="2 7")), _gate(d, on)]
    parts += [_planet(d, p, on) for p in range(on.planets)]
    parts += [_ship(d, j, on) for j in range(d.view["num_players"])]
    if d.view.get("pile_in_view"):
        parts.append(_pick(d, on.x, on.y))
    return "".join(parts)


# ---------------------------------------------------------------- planets


def _planet(d: Drawing, p: int, on: Orbit) -> str:
    planet, (x, y) = d.view["planets"][p], on.place(p)
    parts = [world(planet["name"], x, y, _PLANET), _pile(d, p, on)]
    if planet["station"] is not None:
        parts.append(station(d.ink, planet["station"], x, y - 8))
    numbers = [("jump", planet["jump"]), ("scan", planet["scan"])]
    numbers += [("landing", number) for number in planet["landing"]]
    parts.append(box(x - 60, y + 50, 120, 32, 16, d.paint("panel", "edge")))
    parts += [coordinate(c, n, x - 42 + 28 * i, y + 66, 0.9) for i, (c, n) in enumerate(numbers)]
    parts.append(d.text(x, y + 99, planet["name"], 15, weight=600, within=150))
    if planet["station"] is None:  # mark seats that have scanned (SM-40) without a reserved tile
        only = [j for j in planet["scanned"] if not planet["reserved"][j]]
        middle = (len(only) - 1) / 2
        parts += [seat_dot(d.ink, j, x + 16 * (i - middle), y + 112, 7) for i, j in enumerate(only)]
    edge = f'<circle cx="{x}" cy="{y}" r="55"/>'
    return d.marks.target(f"planet-{p}", _planet_words(d.view, p), parts, edge)


def _visit(view: View, p: int) -> str:
    return visit_words(view["visits"][p], view["remembered_age"][p])


def _planet_words(view: View, p: int) -> str:
    planet = view["planets"][p]
    landing = " and ".join(map(str, planet["landing"]))
    words = [f"{planet['name']}: jump {planet['jump']}, scan {planet['scan']}, landing {landing}"]
    if planet["station"] is not None:
        words.append(f"station of player_{planet['station']}")
    for what, seats in (("scanned by", planet["scanned"]), ("looked through by", planet["looked"])):
        if seats:
            words.append(f"{what} {', '.join(f'player_{j}' for j in seats)}")
    if view["seat"] is not None and view["visits"][p]:
        words.append(f"last: {_visit(view, p)}")
    return "; ".join(words)


def _pile(d: Drawing, p: int, on: Orbit) -> str:
    """Draw a pile as an arc of known, unknown and reserved tiles above its planet."""
    (x, y), drawn = on.place(p), _tiles_of(d.view, p)
    parts = []
    for i, (how, what) in enumerate(drawn):
        turn = radians(-90 + _STEP * (i - (len(drawn) - 1) / 2))
        cx, cy = round(x + _PILE * cos(turn), 1), round(y + _PILE * sin(turn), 1)
        if how == "own":
            parts.append(box(cx - 10, cy - 10, 20, 20, 5, d.seat(d.view["seat"])))
            parts.append(tile(what, cx, cy, _CHIT - 1))
        elif how == "open":
            parts.append(tile(what, cx, cy, _CHIT))
        elif how == "seat":
            parts.append(seat_tile(d.ink, int(what), cx, cy, _CHIT))
        else:
            parts.append(tile_back(d.ink, cx, cy, _CHIT, how == "doubt"))
    arc = f"M{x - 72} {y - 24}A76 76 0 0 1 {x + 72} {y - 24}"
    return d.marks.target(f"pile-{p}", _pile_words(d.view, p), parts, f'<path d="{arc}"/>')


def _tiles_of(view: View, p: int) -> list[tuple[str, str]]:
    """The style of each tile of a pile ("open", "back", "doubt", "own", "seat") and its kind or owner."""
    planet = view["planets"][p]
    if planet["face_up"]:
        drawn: list[tuple[str, str]] = [("open", "space")] * planet["face_up"]
    else:
        known, in_doubt = _known_tiles(view, p)
        drawn = [("open", kind) for kind in known]
        drawn += [("doubt" if in_doubt else "back", "")] * (planet["tiles_left"] - len(known))
    for j, count in enumerate(planet["reserved"]):
        own = []
        if j == view["seat"]:
            own = [kind for kind, n in view["own_reserved"][p].items() for _ in range(n)]
        drawn += [("own", kind) for kind in own] + [("seat", str(j))] * (count - len(own))
    return drawn


def _known_tiles(view: View, p: int) -> tuple[list[str], bool]:
    """The tiles that the seat knows to be in a pile, and whether tiles have gone since its last look."""
    if view["seat"] is None:
        return [], False
    gone = view["gone_since"][p]
    seen = view["remembered"][p]
    return [kind for kind, n in seen.items() for _ in range(n - gone)], bool(seen) and bool(gone)


def _pile_words(view: View, p: int) -> str:
    planet = view["planets"][p]
    if planet["face_up"]:
        words = f"{planet['face_up']} space tiles, face up"
    else:
        words = f"{planet['tiles_left']} tiles, face down"
    if view["seat"] is not None and view["remembered"][p]:
        seen = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in view["remembered"][p].items())
        gone = view["gone_since"][p]
        words += f"; {_visit(view, p)} left {seen}" + (f"; {gone} gone since" if gone else "")
    reserved = [f"{n} by player_{j}" for j, n in enumerate(planet["reserved"]) if n]
    return f"Pile of {planet['name']}: {words}" + (f"; reserved: {', '.join(reserved)}" if reserved else "")


# ---------------------------------------------------------------- ships and gate


def _ship(d: Drawing, j: int, on: Orbit) -> str:
    where = d.view["seats"][j]["ship"]
    if where is None:
        waiting = [k for k, seat in enumerate(d.view["seats"]) if seat["ship"] is None]
        turn, far = radians(360 * waiting.index(j) / len(waiting) - 90), 0 if len(waiting) == 1 else 26
        x, y = round(on.x + far * cos(turn), 1), round(on.y + far * sin(turn), 1)
        size, at = 0.8, "the jump gate"
    else:
        planet = d.view["planets"][where]
        dx, dy = _BERTHS[planet["ships"].index(j)]
        x, y = on.place(where)
        x, y, size, at = x + dx, y + dy, 1.0, planet["name"]
    edge = f'<circle cx="{x}" cy="{y}" r="{20 * size:g}"/>'
    return d.marks.target(f"ship-{j}", f"Ship of player_{j} at {at}", [ship(d.ink, j, x, y, size)], edge)


def _gate(d: Drawing, on: Orbit) -> str:
    """Draw the jump gate, and around it a track of probes for each seat (SM-60)."""
    x, y, gate, seats = on.x, on.y, d.ink["gate"], d.view["seats"]
    parts = [
        disc(x, y, 54, f'fill="{d.ink["gate_glow"]}"'),
        disc(x, y, 45, f'fill="none" stroke="{gate}" stroke-width="5" stroke-dasharray="26 9.3"'),
        disc(x, y, 37, f'fill="none" stroke="{gate}" stroke-width="1.2" stroke-opacity="0.6"'),
    ]
    arm = f"M{x} {y}C{x + 6} {y - 16} {x + 24} {y - 16} {x + 32} {y - 4}"
    for k in range(3):
        parts.append(path(arm, f'{stroke(gate, 1.4, opacity=0.5)} transform="rotate({120 * k} {x} {y})"'))
    most = max(_MOST_PROBES, *(seat["gate"] for seat in seats))
    step = 15 if len(seats) > 3 else 18
    track = f'fill="none" stroke="{d.ink["line"]}" stroke-width="1" stroke-opacity="0.8"'
    for j, seat in enumerate(seats):
        r = _FIRST_PROBE + step * j
        parts += [disc(x, y, r, track), seat_dot(d.ink, j, x, y - r, 7.5)]
        for i in range(seat["gate"]):
            turn = radians(-90 + 340 * (i + 1) / (most + 1) + 10)
            parts.append(probe(d.ink, j, x + r * cos(turn), y + r * sin(turn), 5 if most <= 24 else 3.4))
    if d.view.get("pile_in_view"):  # the tiles to pick are drawn over the gate
        parts = [f'<g opacity="0.3">{"".join(parts)}</g>']
    words = ", ".join(f"player_{j} {seat['gate']}" for j, seat in enumerate(seats))
    edge = f'<circle cx="{x}" cy="{y}" r="56"/>'
    return d.marks.target("gate", f"Jump gate, probes: {words}", parts, edge)


def _pick(d: Drawing, x: float, y: float) -> str:
    """Draw the kinds of tiles to choose from in a tile pick, around (x, y)."""
    view = d.view
    kinds = view["pile_in_view"]
    name = view["planets"][view["seats"][view["seat"]]["ship"]]["name"]
    what = "reserve" if view["phase"] == "reserve" else "take"
    width = max(300, _PICK_STEP * len(kinds) + 40)
    parts = [
        box(x - width / 2, y - 62, width, 124, 14, d.paint("panel", "gate", 2)),
        d.text(x, y - 36, f"{name}: {what} a tile", 15, weight=600, within=width - 24),
    ]
    for i, (kind, count) in enumerate(kinds.items()):
        cx = x + _PICK_STEP * (i - (len(kinds) - 1) / 2)
        edge = f'<rect x="{cx - 25:g}" y="{y - 25:g}" width="50" height="50" rx="10"/>'
        drawn = [tile(kind, cx, y, 40), d.text(cx, y + 45, f"× {count}", 14, "soft")]
        parts.append(d.marks.target(f"tile-{kind}", f"{count} {kind.replace('_', ' ')}", drawn, edge))
    return f'<g id="pick">{"".join(parts)}</g>'
