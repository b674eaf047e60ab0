"""Draws the table in 256 by 256 pixels: map, story points and hand."""

from __future__ import annotations

from functools import lru_cache

from spacemission_env.games.planet_hexx.picture.hexes import Layout, fitted
from spacemission_env.games.planet_hexx.picture.pieces import STAR, TYPE_COLOURS, emblem
from spacemission_env.games.planet_hexx.picture.whole import description
from spacemission_env.pictures.parts import SMALL_SHIP, Drawing, View
from spacemission_env.pictures.sky import night, world
from spacemission_env.pictures.strokes import strokes
from spacemission_env.pictures.svg import Marks, box, disc, document, path
from spacemission_env.pictures.themes import colours

SIZE = 256
_BERTHS = ((-0.55, -0.3), (0.55, -0.3), (-0.55, 0.4), (0.55, 0.4))


def draw_small(view: View, *, theme: str = "light") -> str:
    """An SVG document of a view for few pixels; texts are drawn as strokes."""
    ink = colours(theme)
    d = Drawing(view, ink, Marks(ink))
    on = fitted([one["cell"] for one in view["hexes"]], 6, 6, SIZE - 12, 186, 30)
    planets = [one for one in view["hexes"] if view["cards"][one["card"]]["type"] == "planet"]
    parts = [_data(one["cell"], on, one["data"], theme) for one in planets]
    parts += [_walls(one, on) for one in view["hexes"] if one["walls"]]
    parts += [_ship(d, one, j, on) for one in view["hexes"] for j in one["ships"]]
    parts += [_seat(d, j) for j in range(view["num_players"])]
    parts += _hand(view)
    return document(SIZE, SIZE, parts, description(view), _ground(view, on, theme))


def _ground(view: View, on: Layout, theme: str) -> str:
    """The background: sky and hexes, without Data and ships."""
    cards = view["cards"]
    hexes = (
        _hex(one["cell"], on, cards[one["card"]]["name"], cards[one["card"]]["type"] == "planet", theme)
        for one in view["hexes"]
    )
    return night(SIZE, SIZE, theme, 128, 100, 30) + "".join(hexes)


@lru_cache(maxsize=4096)
def _hex(cell: int, on: Layout, name: str, planet: bool, theme: str) -> str:
    ink, (x, y) = colours(theme), on.place(cell)
    fill = ink["hex"] if planet else ink["space"]
    outline = path(on.outline(cell, 0.95), f'fill="{fill}" stroke="{ink["edge"]}"')
    if planet:
        return outline + world(name, x, y, round(on.size * 0.62, 1))
    more = f'transform="translate({x:g} {y:g}) scale({on.size / 30:.2f})" fill="{ink["space_star"]}"'
    return outline + path(STAR, more)


@lru_cache(maxsize=4096)
def _data(cell: int, on: Layout, amount: int, theme: str) -> str:
    ink, (x, y) = colours(theme), on.place(cell)
    wide = max(on.size * 0.5, 11)
    plate = box(x - wide / 2, y - wide / 2, wide, wide, 3, f'fill="{ink["panel"]}" fill-opacity="0.88"')
    return plate + strokes(x, y + wide * 0.3, str(amount), wide * 0.84, ink["ink"], weight=700)


def _walls(one: View, on: Layout) -> str:
    edges = on.edges(one["cell"], one["walls"], 0.93)
    black = path(edges, 'stroke="#10131c" stroke-width="3.4" stroke-linecap="round"')
    return black + path(edges, 'stroke="#ffffff" stroke-width="1.6" stroke-dasharray="2.5 2.5"')


def _ship(d: Drawing, one: View, j: int, on: Layout) -> str:
    (x, y), (dx, dy) = on.place(one["cell"]), _BERTHS[one["ships"].index(j)]
    at = f"translate({x + dx * on.size:.1f} {y + dy * on.size:.1f})"
    return path(SMALL_SHIP, f'transform="{at}" {d.seat(j, 1.1)} stroke-linejoin="round"')


def _seat(d: Drawing, j: int) -> str:
    """The number of a seat, its story points and its Data."""
    seat, x, y = d.view["seats"][j], 4 + 63 * j, 197
    edge = "ink" if j == d.view["active"] and not d.view["over"] else "edge"
    parts = [
        box(x, y, 59, 26, 4, d.paint("panel", edge, 1.3)),
        disc(x + 11, y + 13, 8, d.seat(j)),
        strokes(x + 11, y + 17, str(j), 11, d.ink[f"seat_{j}_on"], weight=700),
        strokes(x + 55, y + 12, str(seat["data"]), 9, d.ink["ink"], weight=700, anchor="end"),
    ]
    for p, point in enumerate(seat["points"]):
        fill = TYPE_COLOURS[point["type"]][0]
        hollow = f'fill="none" stroke="{fill}" stroke-width="1.4"'
        paint = hollow if point["filled"] is None else f'fill="{fill}"'
        parts.append(disc(x + 24.5 + 6.1 * p, y + 19, 2.4, paint))
    return "".join(parts)


def _hand(view: View) -> list[str]:
    types = [view["cards"][name]["type"] for name in view["hand"] or ()]
    step = min(27, 248 / max(len(types), 1))
    return [emblem(kind, 16 + step * i, 240, min(23, step - 2)) for i, kind in enumerate(types)]
