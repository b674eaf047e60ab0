"""Declares cells, directions, hexes and the board, a dict from (q, r) to hexes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from .cards import Kind, words

Cell = tuple[int, int]

RADIUS = 8
CELLS: list[Cell] = [
    (q, r) for r in range(-RADIUS, RADIUS + 1) for q in range(-RADIUS, RADIUS + 1) if abs(q + r) <= RADIUS
]
NUMBER_OF = {cell: number for number, cell in enumerate(CELLS)}
DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
ORIGIN: Cell = (0, 0)


def beside(cell: Cell, direction: int) -> Cell:
    """The place next to a cell, on or off the grid."""
    dq, dr = DIRECTIONS[direction]
    return cell[0] + dq, cell[1] + dr


@cache
def around(cell: Cell) -> tuple[Cell, ...]:
    """The six places next to a cell."""
    return tuple(beside(cell, d) for d in range(6))


def opposite(direction: int) -> int:
    return (direction + 3) % 6


@dataclass
class Hex:
    """A map card on the board."""

    kind: Kind
    data: int = 0
    rotation: int = 0

    @property
    def is_planet(self) -> bool:
        return self.kind.type == "planet"

    def is_a(self, what: str) -> bool:
        if what == "walled":
            return bool(self.kind.walls)
        return what in ("hex", self.kind.type)

    def works(self, icon: str) -> bool:
        """HX-25, HR-26: whether it has this effect, and Data if the effect Collects."""
        effect = self.kind.icons.get(icon)
        return effect is not None and not (self.is_planet and not self.data and "collect" in words(effect))

    def wall(self, direction: int) -> bool:
        return (direction - self.rotation) % 6 in self.kind.walls


class Board(dict[Cell, Hex]):
    """All hexes that lie on cells."""

    def lay(self, cell: Cell, kind: Kind, rotation: int = 0) -> None:
        """HX-13: lay a hex with its printed Data."""
        self[cell] = Hex(kind, kind.data, rotation)

    def touching(self, cell: Cell) -> list[Hex]:
        return [self[place] for place in around(cell) if place in self]

    def free_cells(self) -> list[Cell]:
        """Empty cells that touch a hex."""
        places = {place for cell in self for place in around(cell)}
        return [place for place in places if place in NUMBER_OF and place not in self]

    def fits(self, kind: Kind, cell: Cell, rule_11: bool = True) -> bool:
        """HX-11, HX-12: whether the neighbours of a cell allow this kind of hex."""
        neighbours = self.touching(cell)
        if kind.type == "space" or not rule_11:
            return bool(neighbours)
        planets = [hex_ for hex_ in neighbours if hex_.is_planet]
        alone = all(kind.beside_planets or hex_.kind.beside_planets for hex_ in planets)
        return alone and len(planets) < len(neighbours)

    def cells_for(self, kind: Kind, rule_11: bool = True) -> list[Cell]:
        """HX-10: where a map card can be played."""
        return [cell for cell in self.free_cells() if self.fits(kind, cell, rule_11)]

    def takes(self, kind: Kind) -> bool:
        """HX-10: whether a map card can be played anywhere."""
        return any(self.fits(kind, cell) for cell in self.free_cells())

    def without(self, cell: Cell) -> Board:
        return Board({place: hex_ for place, hex_ in self.items() if place != cell})

    def hangs_together_without(self, cell: Cell) -> bool:
        rest = set(self) - {cell}
        if not rest:
            return False
        reached, fringe = set(), [next(iter(rest))]
        while fringe:
            place = fringe.pop()
            if place in rest and place not in reached:
                reached.add(place)
                fringe.extend(around(place))
        return reached == rest

    def cells_to_move_to(self, cell: Cell, rule_11: bool) -> list[Cell]:
        """HX-10 to HX-12: cells to which the hex of a cell may be moved."""
        kind = self[cell].kind
        return [place for place in self.without(cell).cells_for(kind, rule_11) if place != cell]

    def open_step(self, cell: Cell, direction: int) -> bool:
        """HX-20, HX-21: whether a hex lies in that direction and no wall stands between."""
        there = beside(cell, direction)
        return there in self and not (self[cell].wall(direction) or self[there].wall(opposite(direction)))

    def where(self, test: Callable[[Cell, Hex], bool]) -> list[Cell]:
        return [cell for cell, hex_ in self.items() if test(cell, hex_)]


def numbers(cells: Iterable[Cell]) -> list[int]:
    return [NUMBER_OF[cell] for cell in cells]
