"""The table in 256 by 256: the map with Data and ships, how far the seats are, the hand by its types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from spacemission_env.games.planet_hexx.picture.hexes import Chart, chart
from spacemission_env.games.planet_hexx.picture.pieces import STAR, TYPE_COLOURS, emblem
from spacemission_env.games.planet_hexx.picture.words import told
from spacemission_env.pictures.sky import night, world
from spacemission_env.pictures.strokes import strokes
from spacemission_env.pictures.svg import box, disc, document, path
from spacemission_env.pictures.themes import colours

SIZE = 256
_SHIP = "M0-7L5.5 6L0 3L-5.5 6Z"
_BERTHS = ((-0.55, -0.3), (0.55, -0.3), (-0.55, 0.4), (0.55, 0.4))


def draw_small(view: Mapping[str, Any], *, theme: str = "light") -> str:
    """An SVG document of a view, for few pixels: its texts are strokes."""
    ink = colours(theme)
    on = chart([one["cell"] for one in view["hexes"]], 6, 6, SIZE - 12, 186, 30)
    planets = [one for one in view["hexes"] if view["cards"][one["card"]]["type"] == "planet"]
    parts = [_data(one["cell"], on, one["data"], theme) for one in planets]
    parts += [_walls(one, on) for one in view["hexes"] if one["walls"]]
    parts += [_ship(one, j, on, ink) for one in view["hexes"] for j in one["ships"]]
    parts += [_seat(view, j, ink) for j in range(view["num_players"])]
    parts += _hand(view, ink)
    return document(SIZE, SIZE, parts, told(view), _ground(view, on, theme))


def _ground(view: Mapping[str, Any], on: Chart, theme: str) -> str:
    """The night, and the hexes without what changes on them."""
    cards = view["cards"]
    hexes = (
        _hex(one["cell"], on, cards[one["card"]]["name"], cards[one["card"]]["type"] == "planet", theme)
        for one in view["hexes"]
    )
    return night(SIZE, SIZE, theme, 128, 100, 30) + "".join(hexes)


@lru_cache(maxsize=4096)
def _hex(cell: int, on: Chart, name: str, planet: bool, theme: str) -> str:
    ink, (x, y) = colours(theme), on.place(cell)
    fill = ink["hex"] if planet else ink["space"]
    outline = path(on.outline(cell, 0.95), f'fill="{fill}" stroke="{ink["edge"]}"')
    if planet:
        return outline + world(name, x, y, round(on.size * 0.62, 1))
    more = f'transform="translate({x:g} {y:g}) scale({on.size / 30:.2f})" fill="{ink["space_star"]}"'
    return outline + path(STAR, more)


@lru_cache(maxsize=4096)
def _data(cell: int, on: Chart, amount: int, theme: str) -> str:
    ink, (x, y) = colours(theme), on.place(cell)
    wide = max(on.size * 0.5, 11)
    plate = box(x - wide / 2, y - wide / 2, wide, wide, 3, f'fill="{ink["panel"]}" fill-opacity="0.88"')
    return plate + strokes(x, y + wide * 0.3, str(amount), wide * 0.84, ink["ink"], weight=700)


def _walls(one: Mapping[str, Any], on: Chart) -> str:
    corners = on.corners(one["cell"], 0.93)
    d = "".join(
        f"M{corners[d - 1][0]} {corners[d - 1][1]}L{corners[d][0]} {corners[d][1]}" for d in one["walls"]
    )
    return path(d, 'stroke="#10131c" stroke-width="3.4" stroke-linecap="round"') + path(
        d, 'stroke="#ffffff" stroke-width="1.6" stroke-dasharray="2.5 2.5"'
    )


def _ship(one: Mapping[str, Any], j: int, on: Chart, ink: Mapping[str, str]) -> str:
    (x, y), (dx, dy) = on.place(one["cell"]), _BERTHS[one["ships"].index(j)]
    more = f'fill="{ink[f"seat_{j}"]}" stroke="{ink["rim"]}" stroke-width="1.1" stroke-linejoin="round"'
    return path(_SHIP, f'transform="translate({x + dx * on.size:.1f} {y + dy * on.size:.1f})" {more}')


def _seat(view: Mapping[str, Any], j: int, ink: Mapping[str, str]) -> str:
    """The number of the seat, its story points (full: filled), and its Data."""
    seat, x, y = view["seats"][j], 4 + 63 * j, 197
    edge = ink["ink"] if j == view["active"] and not view["over"] else ink["edge"]
    parts = [
        box(x, y, 59, 26, 4, f'fill="{ink["panel"]}" stroke="{edge}" stroke-width="1.3"'),
        disc(x + 11, y + 13, 8, f'fill="{ink[f"seat_{j}"]}" stroke="{ink["rim"]}"'),
        strokes(x + 11, y + 17, str(j), 11, ink[f"seat_{j}_on"], weight=700),
        strokes(x + 55, y + 12, str(seat["data"]), 9, ink["ink"], weight=700, anchor="end"),
    ]
    for p, point in enumerate(seat["points"]):
        fill = TYPE_COLOURS[point["type"]][0]
        paint = (
            f'fill="{fill}"'
            if point["filled"] is not None
            else f'fill="none" stroke="{fill}" stroke-width="1.4"'
        )
        parts.append(disc(x + 24.5 + 6.1 * p, y + 19, 2.4, paint))
    return "".join(parts)


def _hand(view: Mapping[str, Any], ink: Mapping[str, str]) -> list[str]:
    """The emblems of the own cards."""
    names = view["hand"] or ()
    step = min(27, 248 / max(len(names), 1))
    return [
        emblem(view["cards"][name]["type"], 16 + step * i, 240, min(23, step - 2))
        for i, name in enumerate(names)
    ]
