"""The ring of planets with their piles and stations, the ships, and the jump gate in the middle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

from spacemission_env.games.space_mission.engine.constants import RING
from spacemission_env.games.space_mission.picture.pick import pick
from spacemission_env.games.space_mission.picture.pieces import (
    coordinate,
    probe,
    seat_tile,
    station,
    tile,
    tile_back,
)
from spacemission_env.pictures.sky import world
from spacemission_env.pictures.svg import Marks, box, disc, ellipse, path, stroke, text
from spacemission_env.pictures.table import seat_dot, ship

_PLANET, _PILE, _CHIT, _STEP = 50, 68, 17.5, 19  # radii of planet and pile; size of a tile there, degrees
# Where ships of several seats stand around a planet.
_BERTHS = ((52, 14), (-52, 14), (30, 34), (-30, 34), (0, 40))
_FIRST_PROBE, _MOST_PROBES = 60, 20  # radius of the innermost track; probes on a track


@dataclass(frozen=True)
class Orbit:
    """Where the ring is drawn: its middle and its half axes."""

    x: float
    y: float
    across: float
    down: float

    def place(self, p: int) -> tuple[float, float]:
        """The middle of the planet at a ring position; the first is above, the others follow clockwise."""
        turn = radians(360 * p / RING - 90)
        return round(self.x + self.across * cos(turn), 1), round(self.y + self.down * sin(turn), 1)


def ring(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, on: Orbit) -> str:
    """All between title and hand."""
    x, y = on.x, on.y
    parts = [
        ellipse(x, y, on.across, on.down, stroke(ink["line"], 1.5, dash="2 7")),
        _gate(view, ink, marks, on),
    ]
    parts += [_planet(view, p, ink, marks, on) for p in range(RING)]
    parts += [_ship(view, j, ink, marks, on) for j in range(view["num_players"])]
    if view.get("pile_in_view"):
        parts.append(pick(view, ink, marks, x, y))
    return "".join(parts)


# ---------------------------------------------------------------- planets


def _planet(view: Mapping[str, Any], p: int, ink: Mapping[str, str], marks: Marks, on: Orbit) -> str:
    planet, (x, y) = view["planets"][p], on.place(p)
    parts = [world(planet["name"], x, y, _PLANET), _pile(view, p, ink, marks, on)]
    if planet["station"] is not None:
        parts.append(station(ink, planet["station"], x, y - 8))
    numbers = [("jump", planet["jump"]), ("scan", planet["scan"])]
    numbers += [("landing", number) for number in planet["landing"]]
    plate = box(x - 60, y + 50, 120, 32, 16, f'fill="{ink["panel"]}" stroke="{ink["edge"]}"')
    parts.append(plate)
    parts += [coordinate(c, n, x - 42 + 28 * i, y + 66, 0.9) for i, (c, n) in enumerate(numbers)]
    parts.append(text(x, y + 99, planet["name"], 15, ink["ink"], weight=600, within=150))
    parts.append(_scanned(planet, x, y, ink))
    return marks.target(f"planet-{p}", planet_words(view, p), parts, f'<circle cx="{x}" cy="{y}" r="55"/>')


def planet_words(view: Mapping[str, Any], p: int) -> str:
    """A planet in words."""
    planet = view["planets"][p]
    landing = " and ".join(map(str, planet["landing"]))
    words = [f"{planet['name']}: jump {planet['jump']}, scan {planet['scan']}, landing {landing}"]
    if planet["station"] is not None:
        words.append(f"station of player_{planet['station']}")
    for what, seats in (("scanned by", planet["scanned"]), ("looked through by", planet["looked"])):
        if seats:
            words.append(f"{what} {', '.join(f'player_{j}' for j in seats)}")
    return "; ".join(words)


def _scanned(planet: Mapping[str, Any], x: float, y: float, ink: Mapping[str, str]) -> str:
    """Who may develop an undeveloped planet and has no tile reserved there that tells it (SM-40)."""
    if planet["station"] is not None:
        return ""
    only = [j for j in planet["scanned"] if not planet["reserved"][j]]
    return "".join(
        seat_dot(ink, j, x + 16 * (i - (len(only) - 1) / 2), y + 112, 7) for i, j in enumerate(only)
    )


def _pile(view: Mapping[str, Any], p: int, ink: Mapping[str, str], marks: Marks, on: Orbit) -> str:
    """The pile as an arc of tiles over its planet: known, unknown, then those that are reserved."""
    planet, (x, y) = view["planets"][p], on.place(p)
    drawn: list[tuple[str, Any]] = [("open", "space")] * planet["face_up"]
    if not planet["face_up"]:
        known, in_doubt = known_tiles(view, p)
        unknown = planet["tiles_left"] - len(known)
        drawn = [*(("open", kind) for kind in known), *[("doubt" if in_doubt else "back", None)] * unknown]
    for j, count in enumerate(planet["reserved"]):
        own = _own_reserved(view, p) if j == view["seat"] else []
        drawn += [("own", kind) for kind in own] + [("seat", j)] * (count - len(own))
    parts = []
    for i, (how, what) in enumerate(drawn):
        turn = radians(-90 + _STEP * (i - (len(drawn) - 1) / 2))
        cx, cy = round(x + _PILE * cos(turn), 1), round(y + _PILE * sin(turn), 1)
        if how == "own":
            mine = ink[f"seat_{view['seat']}"]
            edge = f'fill="{mine}" stroke="{ink["rim"]}"'
            parts.append(box(cx - 10, cy - 10, 20, 20, 5, edge))
        if how in ("open", "own"):
            parts.append(tile(what, cx, cy, _CHIT - 1 if how == "own" else _CHIT))
        elif how == "seat":
            parts.append(seat_tile(ink, what, cx, cy, _CHIT))
        else:
            parts.append(tile_back(ink, cx, cy, _CHIT, how == "doubt"))
    arc = f"M{x - 72} {y - 24}A76 76 0 0 1 {x + 72} {y - 24}"
    return marks.target(f"pile-{p}", pile_words(view, p), parts, f'<path d="{arc}"/>')


def known_tiles(view: Mapping[str, Any], p: int) -> tuple[list[str], bool]:
    """Tiles that the seat knows to lie in a pile, and whether it has seen more than is still there."""
    if view["seat"] is None:
        return [], False
    gone = view["gone_since"][p]
    seen = view["remembered"][p]
    return [kind for kind, n in seen.items() for _ in range(n - gone)], bool(seen) and bool(gone)


def _own_reserved(view: Mapping[str, Any], p: int) -> list[str]:
    return [kind for kind, n in view["own_reserved"][p].items() for _ in range(n)]


def pile_words(view: Mapping[str, Any], p: int) -> str:
    """A pile in words."""
    planet = view["planets"][p]
    if planet["face_up"]:
        words = f"{planet['face_up']} space tiles, face up"
    else:
        words = f"{planet['tiles_left']} tiles, face down"
    if view["seat"] is not None and view["remembered"][p]:
        seen = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in view["remembered"][p].items())
        gone = view["gone_since"][p]
        words += f"; you saw {seen}" + (f"; {gone} gone since" if gone else "")
    reserved = [f"{n} by player_{j}" for j, n in enumerate(planet["reserved"]) if n]
    return f"Pile of {planet['name']}: {words}" + (f"; reserved: {', '.join(reserved)}" if reserved else "")


# ---------------------------------------------------------------- ships and gate


def _ship(view: Mapping[str, Any], j: int, ink: Mapping[str, str], marks: Marks, on: Orbit) -> str:
    where = view["seats"][j]["ship"]
    if where is None:
        waiting = [k for k, seat in enumerate(view["seats"]) if seat["ship"] is None]
        turn, far = radians(360 * waiting.index(j) / len(waiting) - 90), 0 if len(waiting) == 1 else 26
        x, y = round(on.x + far * cos(turn), 1), round(on.y + far * sin(turn), 1)
        size, at = 0.8, "the jump gate"
    else:
        planet = view["planets"][where]
        dx, dy = _BERTHS[planet["ships"].index(j)]
        x, y = on.place(where)
        x, y, size, at = x + dx, y + dy, 1.0, planet["name"]
    edge = f'<circle cx="{x}" cy="{y}" r="{20 * size:g}"/>'
    return marks.target(f"ship-{j}", f"Ship of player_{j} at {at}", [ship(ink, j, x, y, size)], edge)


def _gate(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, on: Orbit) -> str:
    """The jump gate; around it a track for each seat with its probes (SM-60)."""
    x, y = on.x, on.y
    parts = [
        disc(x, y, 54, f'fill="{ink["gate_glow"]}"'),
        disc(x, y, 45, f'fill="none" stroke="{ink["gate"]}" stroke-width="5" stroke-dasharray="26 9.3"'),
        disc(x, y, 37, f'fill="none" stroke="{ink["gate"]}" stroke-width="1.2" stroke-opacity="0.6"'),
    ]
    for k in range(3):
        d = f"M{x} {y}C{x + 6} {y - 16} {x + 24} {y - 16} {x + 32} {y - 4}"
        turned = f'transform="rotate({120 * k} {x} {y})"'
        parts.append(path(d, f"{stroke(ink['gate'], 1.4, opacity=0.5)} {turned}"))
    words = ", ".join(f"player_{j} {seat['gate']}" for j, seat in enumerate(view["seats"]))
    most = max(_MOST_PROBES, *(seat["gate"] for seat in view["seats"]))
    n = view["num_players"]
    step = 15 if n > 3 else 18
    for j, seat in enumerate(view["seats"]):
        r = _FIRST_PROBE + 5 + step * j
        parts.append(
            disc(x, y, r, f'fill="none" stroke="{ink["line"]}" stroke-width="1" stroke-opacity="0.8"')
        )
        parts.append(seat_dot(ink, j, x, y - r, 7.5))
        for i in range(seat["gate"]):
            turn = radians(-90 + 340 * (i + 1) / (most + 1) + 10)
            parts.append(probe(ink, j, x + r * cos(turn), y + r * sin(turn), 5 if most <= 24 else 3.4))
    if view.get("pile_in_view"):  # it lies over the gate
        parts = [f'<g opacity="0.3">{"".join(parts)}</g>']
    edge = f'<circle cx="{x}" cy="{y}" r="56"/>'
    return marks.target("gate", f"Jump gate, probes: {words}", parts, edge)
