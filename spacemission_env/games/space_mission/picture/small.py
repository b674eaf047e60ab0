"""Draws the table in 256 by 256 pixels, for image observations."""

from __future__ import annotations

from functools import lru_cache

from spacemission_env.games.space_mission.picture.pieces import BLACK, COORDINATES, Face
from spacemission_env.games.space_mission.picture.ring import Orbit
from spacemission_env.games.space_mission.picture.whole import alt_text, face_of
from spacemission_env.pictures.parts import SMALL_SHIP, Drawing, View
from spacemission_env.pictures.sky import night, world
from spacemission_env.pictures.strokes import strokes
from spacemission_env.pictures.svg import Marks, box, disc, document, path
from spacemission_env.pictures.themes import colours

SIZE = 256
_ORBIT, _PLANET = Orbit(128, 104, 98, 80), 18
_BERTHS = ((19, 2), (-19, 2), (12, 15), (-12, 15), (0, 19))


def draw_small(view: View, *, theme: str = "light") -> str:
    """An SVG document of a view; its texts are drawn as strokes, which few pixels can show."""
    ink = colours(theme)
    d = Drawing(view, ink, Marks(ink))
    planets = view["planets"]
    parts = _gate(d)
    parts += [
        _planet(p, one["station"], one["tiles_left"], one["face_up"], theme) for p, one in enumerate(planets)
    ]
    parts += _ships(d)
    parts += _end_track(d)
    parts += [_card(face_of(view, name), i) for i, name in enumerate(view["hand"] or ())]
    parts += [_seat(d, j) for j in range(view["num_players"])]
    return document(SIZE, SIZE, parts, alt_text(view), _ground(tuple(one["name"] for one in planets), theme))


@lru_cache(maxsize=64)
def _ground(names: tuple[str, ...], theme: str) -> str:
    """Draw the sky and the planets, which stay the same during a game."""
    worlds = (world(name, *_ORBIT.place(p), _PLANET) for p, name in enumerate(names))
    return night(SIZE, SIZE, theme, _ORBIT.x, _ORBIT.y, 30) + "".join(worlds)


@lru_cache(maxsize=4096)
def _planet(p: int, owner: int | None, left: int, open_: int, theme: str) -> str:
    """Draw how many tiles a planet has (on black if they are space tiles), and its station as a ring."""
    ink, (x, y) = colours(theme), _ORBIT.place(p)
    parts = []
    if owner is not None:
        parts += [
            disc(x, y, _PLANET + 1, f'fill="none" stroke="{line}" stroke-width="{width}"')
            for line, width in ((ink["rim"], 5), (ink[f"seat_{owner}"], 3.4))
        ]
    fill, on = (BLACK, "#ffffff") if open_ else (ink["panel"], ink["ink"])
    if open_ or left:
        parts.append(box(x - 7, y - 8, 14, 16, 4, f'fill="{fill}" fill-opacity="0.88"'))
        parts.append(strokes(x, y + 4.6, str(open_ or left), 13, on, weight=700))
    return "".join(parts)


def _ships(d: Drawing) -> list[str]:
    parts, seats = [], d.view["seats"]
    waiting = [j for j, seat in enumerate(seats) if seat["ship"] is None]
    for j, seat in enumerate(seats):
        if seat["ship"] is None:
            x, y = _ORBIT.x + 13 * (waiting.index(j) - (len(waiting) - 1) / 2), _ORBIT.y - 26.0
        else:
            dx, dy = _BERTHS[d.view["planets"][seat["ship"]]["ships"].index(j)]
            x, y = _ORBIT.place(seat["ship"])
            x, y = x + dx, y + dy
        more = f'transform="translate({x:g} {y:g})" {d.seat(j, 1.1)} stroke-linejoin="round"'
        parts.append(path(SMALL_SHIP, more))
    return parts


def _gate(d: Drawing) -> list[str]:
    """Draw the probes on the gate as a bar for each seat."""
    n, x, y = d.view["num_players"], _ORBIT.x, _ORBIT.y
    top = y - 16 + (5 - n) * 3
    parts = [box(x - 42, top - 4, 84, 9 * n + 6, 6, d.paint("panel", "edge"))]
    for j, seat in enumerate(d.view["seats"]):
        row = top + 9 * j
        parts.append(strokes(x - 34, row + 6.5, str(j), 8, d.ink["soft"], weight=700))
        wide = min(66, seat["gate"] * 5)
        if wide:
            parts.append(box(x - 28, row, wide, 6.5, 2, d.seat(j, 0.6)))
    return parts


def _end_track(d: Drawing) -> list[str]:
    """Draw a dot for each space tile that the end needs, half in each upper corner; found ones are filled."""
    found, most = d.view["revealed"], max(d.view["space_tiles_to_end"], d.view["revealed"])
    parts = []
    for i in range(most):
        side, k = divmod(i, (most + 1) // 2)
        x = 8 + 10 * k if not side else SIZE - 8 - 10 * (most - 1 - i)
        more = f'fill="{d.ink["ink"]}"' if i < found else f'fill="none" stroke="{d.ink["soft"]}"'
        parts.append(disc(x, 8, 3.4, more))
    return parts


@lru_cache(maxsize=512)
def _card(face: Face, i: int) -> str:
    (a, first), (b, second) = face
    x, y, w, h = 5 + 25.5 * i, 210, 23, 20.5
    upper = f"M{x + 3} {y}h{w - 6}a3 3 0 0 1 3 3v{h - 3}h{-w}v{3 - h}a3 3 0 0 1 3-3Z"
    lower = f"M{x} {y + h}h{w}v{h - 3}a3 3 0 0 1-3 3h{6 - w}a3 3 0 0 1-3-3Z"
    return (
        path(upper, f'fill="{COORDINATES[a][0]}"')
        + path(lower, f'fill="{COORDINATES[b][0]}"')
        + strokes(x + w / 2, y + 15, str(first), 13, COORDINATES[a][1], weight=700)
        + strokes(x + w / 2, y + 36, str(second), 13, COORDINATES[b][1], weight=700)
    )


def _seat(d: Drawing, j: int) -> str:
    """Draw the number of a seat and its known points."""
    points = d.view["seats"][j]["points"]
    x = 251 - 12 - 23.5 * (d.view["num_players"] - 1 - j)
    n = points.get("total", points["gate"] + points["stations"])
    edge = "ink" if j == d.view["player_to_act"] else "edge"
    return (
        box(x - 11, 210, 22, 41, 4, d.paint("panel", edge, 1.4))
        + disc(x, 221, 8, d.seat(j))
        + strokes(x, 225, str(j), 11, d.ink[f"seat_{j}_on"], weight=700)
        + strokes(x, 245, str(n), 11.5 if n < 100 else 9, d.ink["ink"], weight=700)
    )
