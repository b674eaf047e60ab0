"""The table in 256 by 256: planets with the number of their tiles, ships, stations, probes, points, hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import cos, radians, sin
from typing import Any

from spacemission_env.games.space_mission.engine.constants import RING
from spacemission_env.games.space_mission.picture.hand import face_of
from spacemission_env.games.space_mission.picture.pieces import BLACK, COORDINATES
from spacemission_env.games.space_mission.picture.words import told
from spacemission_env.pictures.sky import night, world
from spacemission_env.pictures.strokes import strokes
from spacemission_env.pictures.svg import box, disc, document, path
from spacemission_env.pictures.themes import colours

SIZE = 256
_MIDDLE, _ACROSS, _DOWN, _PLANET = (128, 104), 98, 80, 18
_BERTHS = ((19, 2), (-19, 2), (12, 15), (-12, 15), (0, 19))
_SHIP = "M0-7L5.5 6L0 3L-5.5 6Z"


def draw_small(view: Mapping[str, Any], *, theme: str = "light") -> str:
    """An SVG document of a view, for few pixels: its texts are strokes."""
    ink = colours(theme)
    parts = _gate(view, ink)
    parts += [_planet(view, p, theme) for p in range(RING)]
    parts += _ships(view, ink)
    parts += _end_track(view, ink)
    parts += [_card(face_of(view, name), i) for i, name in enumerate(view["hand"] or ())]
    parts += [_seat(view, j, ink) for j in range(view["num_players"])]
    return document(SIZE, SIZE, parts, told(view), _ground(tuple(p["name"] for p in view["planets"]), theme))


@lru_cache(maxsize=64)
def _ground(names: tuple[str, ...], theme: str) -> str:
    """What stays while a game lasts."""
    worlds = (world(name, *_place(p), _PLANET) for p, name in enumerate(names))
    return night(SIZE, SIZE, theme, *_MIDDLE, 30) + "".join(worlds)


def _place(p: int) -> tuple[float, float]:
    turn = radians(360 * p / RING - 90)
    return round(_MIDDLE[0] + _ACROSS * cos(turn), 1), round(_MIDDLE[1] + _DOWN * sin(turn), 1)


def _planet(view: Mapping[str, Any], p: int, theme: str) -> str:
    planet = view["planets"][p]
    return _piece(p, planet["station"], planet["tiles_left"], planet["face_up"], theme)


@lru_cache(maxsize=4096)
def _piece(p: int, owner: int | None, left: int, open_: int, theme: str) -> str:
    """On a planet the number of its tiles, on black where they are space tiles; its station as a ring."""
    ink, (x, y) = colours(theme), _place(p)
    parts = []
    if owner is not None:
        ring = f'fill="none" stroke="{ink[f"seat_{owner}"]}" stroke-width="3.4"'
        parts += [disc(x, y, _PLANET + 1, f'fill="none" stroke="{ink["rim"]}" stroke-width="5"')]
        parts += [disc(x, y, _PLANET + 1, ring)]
    fill, on = (BLACK, "#ffffff") if open_ else (ink["panel"], ink["ink"])
    if open_ or left:
        parts.append(box(x - 7, y - 8, 14, 16, 4, f'fill="{fill}" fill-opacity="0.88"'))
        parts.append(strokes(x, y + 4.6, str(open_ or left), 13, on, weight=700))
    return "".join(parts)


def _ships(view: Mapping[str, Any], ink: Mapping[str, str]) -> list[str]:
    parts = []
    waiting = [j for j, seat in enumerate(view["seats"]) if seat["ship"] is None]
    for j, seat in enumerate(view["seats"]):
        if seat["ship"] is None:
            x, y = _MIDDLE[0] + 13 * (waiting.index(j) - (len(waiting) - 1) / 2), _MIDDLE[1] - 26.0
        else:
            dx, dy = _BERTHS[view["planets"][seat["ship"]]["ships"].index(j)]
            x, y = _place(seat["ship"])
            x, y = x + dx, y + dy
        more = f'fill="{ink[f"seat_{j}"]}" stroke="{ink["rim"]}" stroke-width="1.1" stroke-linejoin="round"'
        parts.append(path(_SHIP, f'transform="translate({x:g} {y:g})" {more}'))
    return parts


def _gate(view: Mapping[str, Any], ink: Mapping[str, str]) -> list[str]:
    """A bar of probes for each seat."""
    n, (x, y) = view["num_players"], _MIDDLE
    top = y - 16 + (5 - n) * 3
    parts = [box(x - 42, top - 4, 84, 9 * n + 6, 6, f'fill="{ink["panel"]}" stroke="{ink["edge"]}"')]
    for j, seat in enumerate(view["seats"]):
        row = top + 9 * j
        parts.append(strokes(x - 34, row + 6.5, str(j), 8, ink["soft"], weight=700))
        wide = min(66, seat["gate"] * 5)
        if wide:
            parts.append(
                box(
                    x - 28,
                    row,
                    wide,
                    6.5,
                    2,
                    f'fill="{ink[f"seat_{j}"]}" stroke="{ink["rim"]}" stroke-width="0.6"',
                )
            )
    return parts


def _end_track(view: Mapping[str, Any], ink: Mapping[str, str]) -> list[str]:
    """Space tiles found of those that end the game, up in the corners: half of them on each side."""
    most = max(view["space_tiles_to_end"], view["revealed"])
    parts = []
    for i in range(most):
        side, k = divmod(i, (most + 1) // 2)
        x = 8 + 10 * k if not side else SIZE - 8 - 10 * (most - 1 - i)
        more = f'fill="{ink["ink"]}"' if i < view["revealed"] else f'fill="none" stroke="{ink["soft"]}"'
        parts.append(disc(x, 8, 3.4, more))
    return parts


@lru_cache(maxsize=512)
def _card(face: tuple[tuple[str, Any], ...], i: int) -> str:
    (a, first), (b, second) = face
    x, y, w, h = 5 + 25.5 * i, 210, 23, 20.5
    upper = f"M{x + 3} {y}h{w - 6}a3 3 0 0 1 3 3v{h - 3}h{-w}v{3 - h}a3 3 0 0 1 3-3Z"
    lower = f"M{x} {y + h}h{w}v{h - 3}a3 3 0 0 1-3 3h{6 - w}a3 3 0 0 1-3-3Z"
    parts = [
        path(upper, f'fill="{COORDINATES[a][0]}"'),
        path(lower, f'fill="{COORDINATES[b][0]}"'),
        strokes(x + w / 2, y + 15, str(first), 13, COORDINATES[a][1], weight=700),
        strokes(x + w / 2, y + 36, str(second), 13, COORDINATES[b][1], weight=700),
    ]
    return "".join(parts)


def _seat(view: Mapping[str, Any], j: int, ink: Mapping[str, str]) -> str:
    """The number of the seat, and the points that are known of it below."""
    points = view["seats"][j]["points"]
    x, n = (
        251 - 12 - 23.5 * (view["num_players"] - 1 - j),
        points.get("total", points["gate"] + points["stations"]),
    )
    edge = ink["ink"] if j == view["player_to_act"] else ink["edge"]
    parts = [
        box(x - 11, 210, 22, 41, 4, f'fill="{ink["panel"]}" stroke="{edge}" stroke-width="1.4"'),
        disc(x, 221, 8, f'fill="{ink[f"seat_{j}"]}" stroke="{ink["rim"]}"'),
        strokes(x, 225, str(j), 11, ink[f"seat_{j}_on"], weight=700),
        strokes(x, 245, str(n), 11.5 if n < 100 else 9, ink["ink"], weight=700),
    ]
    return "".join(parts)
