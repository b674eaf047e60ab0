"""Draws the map: hexes with Data, walls and ships, and empty cells for choices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, pi, sin, sqrt

from spacemission_env.games.planet_hexx.engine.grid import COORDINATES
from spacemission_env.games.planet_hexx.picture.pieces import STAR, data, effect
from spacemission_env.games.planet_hexx.words.cards import without_article
from spacemission_env.pictures.parts import Drawing, View, ship
from spacemission_env.pictures.sky import world
from spacemission_env.pictures.svg import lines, path, stroke, text

LARGEST, ROOMY = 74, 42  # radii of the largest hex, and of the smallest with its name below its picture
_BERTHS = ((-0.54, -0.36), (0.54, -0.36), (-0.62, 0.1), (0.62, 0.1))  # places of ships on a hex of radius 1


@dataclass(frozen=True)
class Layout:
    """The radius of a hex, and the place of the cell (0, 0)."""

    size: float
    x: float
    y: float

    def place(self, cell: int) -> tuple[float, float]:
        q, r = COORDINATES[cell]
        return round(self.x + self.size * sqrt(3) * (q + r / 2), 1), round(self.y + self.size * 1.5 * r, 1)

    def corners(self, cell: int, share: float = 1) -> list[tuple[float, float]]:
        """The corners of a cell, clockwise from the lower right; edge d lies between corners d - 1 and d."""
        x, y = self.place(cell)
        far = self.size * share
        turns = [pi / 6 + pi / 3 * k for k in range(6)]
        return [(round(x + far * cos(turn), 1), round(y + far * sin(turn), 1)) for turn in turns]

    def outline(self, cell: int, share: float = 1) -> str:
        return f"M{'L'.join(f'{x} {y}' for x, y in self.corners(cell, share))}Z"

    def edges(self, cell: int, edges: Iterable[int], share: float = 1) -> str:
        at = self.corners(cell, share)
        return "".join(f"M{at[d - 1][0]} {at[d - 1][1]}L{at[d][0]} {at[d][1]}" for d in edges)


def fitted(
    cells: Iterable[int], left: float, top: float, width: float, height: float, most: float = LARGEST
) -> Layout:
    """The largest layout in which the cells fit into a rectangle, centred."""
    unit = Layout(1, 0, 0)
    places = [unit.place(cell) for cell in cells]
    low_x, high_x = min(x for x, _ in places) - sqrt(3) / 2, max(x for x, _ in places) + sqrt(3) / 2
    low_y, high_y = min(y for _, y in places) - 1, max(y for _, y in places) + 1
    size = min(most, width / (high_x - low_x), height / (high_y - low_y))
    x = left + width / 2 - size * (low_x + high_x) / 2
    y = top + height / 2 - size * (low_y + high_y) / 2
    return Layout(round(size, 2), round(x, 1), round(y, 1))


def hexes(d: Drawing, on: Layout) -> str:
    """Draw all hexes, then walls and ships above them."""
    view = d.view
    there = {one["cell"] for one in view["hexes"]}
    parts = [_empty(d, cell, on) for cell in empty_cells(d) if cell not in there]
    parts += [_hex(d, one, on) for one in view["hexes"]]
    parts += [_effects(d, one, on) for one in view["hexes"]]
    parts += [_walls(one, on) for one in view["hexes"] if one["walls"]]
    parts += [_ship(d, one, j, on) for one in view["hexes"] for j in one["ships"]]
    return "".join(parts)


def empty_cells(d: Drawing) -> list[int]:
    """Cells that can be clicked, in order."""
    return sorted(int(name[5:]) for name in d.marks.legal if name.startswith("cell-"))


def _empty(d: Drawing, cell: int, on: Layout) -> str:
    """An empty cell that can be chosen."""
    outline = on.outline(cell, 0.86)
    paint = f'fill="{d.ink["panel"]}" fill-opacity="0.5" stroke="{d.ink["line"]}" stroke-dasharray="4 5"'
    q, r = COORDINATES[cell]
    drawn = [path(outline, paint)]
    return d.marks.target(f"cell-{cell}", f"Empty cell ({q}, {r})", drawn, f'<path d="{outline}"/>')


def _hex(d: Drawing, one: View, on: Layout) -> str:
    cell, card, size = one["cell"], d.view["cards"][one["card"]], on.size
    x, y = on.place(cell)
    planet = card["type"] == "planet"
    ink = d.ink["ink" if planet else "space_ink"]
    parts = [path(on.outline(cell, 0.965), d.paint("hex" if planet else "space", "edge", 1.5))]
    parts += _planet(one, card, x, y, size, ink) if planet else [_star(d, x, y, size)]
    parts += _name(card, x, y, size, ink)
    edge = f'<path d="{on.outline(cell, 0.93)}"/>'
    return d.marks.target(f"cell-{cell}", _words(one, card), parts, edge)


def _effects(d: Drawing, one: View, on: Layout) -> str:
    """The marks of effects at the foot of a hex; they come after all hexes, so that no hex covers them."""
    (x, y), size, parts = on.place(one["cell"]), on.size, []
    effects = [mark for mark in d.view["cards"][one["card"]]["effects"] if mark != "enter"]
    for i, mark in enumerate(effects):
        ex, scale = x + 0.3 * size * (i - (len(effects) - 1) / 2), round(max(size / 96, 0.55), 2)
        parts.append(effect(mark, round(ex, 1), round(y + 0.83 * size, 1), scale, d.ink["panel"]))
    return f'<g pointer-events="none">{"".join(parts)}</g>' if parts else ""


def _planet(one: View, card: View, x: float, y: float, size: float, ink: str) -> list[str]:
    """The planet with its Data; in a small hex the planet is smaller, to leave room for the name."""
    share, up = (0.41, 0.13) if size >= ROOMY else (0.27, 0.24)
    drawn = world(card["name"], x, round(y - up * size, 1), round(share * size, 1))
    scale = round(max(size / 68, 0.62), 2)
    left, high = (x - 0.08 * size, 0.7) if size >= ROOMY else (x - 6, 0.74)
    return [drawn, data(round(left, 1), round(y - high * size, 1), str(one["data"]), scale, ink)]


def _star(d: Drawing, x: float, y: float, size: float) -> str:
    up, scale = (0.22, size / 30) if size >= ROOMY else (0.38, size / 50)
    how = f'transform="translate({x:g} {y - up * size:g}) scale({scale:.2f})"'
    return path(STAR, f'{how} fill="{d.ink["space_star"]}"')


def _name(card: View, x: float, y: float, size: float, ink: str) -> list[str]:
    """The name, as large as possible: below the picture, or across the lower half of a small hex."""
    roomy = size >= ROOMY
    shares, most, across = ((0.17, 0.155, 0.14), 2, 1.56) if roomy else ((0.25, 0.22, 0.2), 3, 1.6)
    name = without_article(card["name"])
    high = next(
        (one for one in shares if len(lines(name, one * size, across * size, 9, 600)) <= most), shares[-1]
    )
    rows = lines(name, high * size, across * size, most, 600)
    apart = 0.175 if roomy else 0.9 * high
    top = (0.49, 0.45)[len(rows) - 1] if roomy else (0.36, 0.25, 0.17)[len(rows) - 1]
    within = (1.58, 1.16) if roomy else (1.64, 1.64, 1.2)
    return [
        text(
            x, round(y + (top + apart * i) * size, 1), row, round(high * size, 1), ink,
            weight=600, within=within[i] * size,
        )
        for i, row in enumerate(rows)
    ]  # fmt: skip


def _words(one: View, card: View) -> str:
    parts = [f"{card['name']}, a {card['type'].capitalize()} at ({one['q']}, {one['r']})"]
    if card["type"] == "planet":
        parts.append(f"Data {one['data']}")
    parts += [f"player_{j} landed here last" for j in one["landed"]]
    return "; ".join(parts) + (f". {card['text']}" if card["text"] else "")


def _walls(one: View, on: Layout) -> str:
    """Draw the walls as black-and-white edges (HX-20)."""
    edges, wide = on.edges(one["cell"], one["walls"], 0.95), max(3.5, on.size / 10)
    white = f'stroke="#ffffff" stroke-width="{wide * 0.55:.1f}" stroke-dasharray="{wide * 1.1:.1f}"'
    return path(edges, stroke("#10131c", round(wide, 1))) + path(edges, white)


def _ship(d: Drawing, one: View, j: int, on: Layout) -> str:
    x, y = on.place(one["cell"])
    dx, dy = _BERTHS[one["ships"].index(j)]
    x, y, scale = round(x + dx * on.size, 1), round(y + dy * on.size, 1), round(max(on.size / 72, 0.7), 2)
    words = f"Ship of player_{j} at {d.view['cards'][one['card']]['name']}"
    edge = f'<circle cx="{x}" cy="{y}" r="{20 * scale:.1f}"/>'
    return d.marks.target(f"ship-{j}", words, [ship(d.ink, j, x, y, scale)], edge)
