"""Counts deals of unseen tiles to places exactly.

A pool is a multiset of tiles and as many places. Each tile is its own piece, and all deals that respect the
caps are equally likely. A cap is the most space tiles in a group of places, the only restriction by the rules
(SM-31, SM-34, SM-41, SM-46, SM-66).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

SPACE = "space"
Kinds = dict[str, Fraction]


@dataclass(frozen=True)
class Group:
    """A group of `size` places with at most `cap` space tiles."""

    label: Any
    size: int
    cap: int

    def ways(self) -> list[int]:
        """Entry s: the number of ways to choose s places for space tiles."""
        return [comb(self.size, s) for s in range(self.cap + 1)]


def times(a: list[int], b: list[int]) -> list[int]:
    """The product of two polynomials, lowest power first."""
    result = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result


class Pool:
    """A multiset of tiles dealt evenly over groups of places."""

    def __init__(self, tiles: Mapping[str, int], groups: Iterable[Group]) -> None:
        self.tiles = Counter({kind: n for kind, n in tiles.items() if n})
        self.groups = {group.label: group for group in groups}
        if sum(self.tiles.values()) != sum(group.size for group in self.groups.values()):
            raise ValueError(f"{sum(self.tiles.values())} tiles for other places: {self.groups}")

    @property
    def spaces(self) -> int:
        return self.tiles[SPACE]

    @property
    def points(self) -> dict[str, int]:
        """The point tiles by kind."""
        return {kind: n for kind, n in self.tiles.items() if kind != SPACE}

    def expected(self) -> dict[Any, Kinds]:
        """The expected number of tiles of each kind in each group, without zeros."""
        classes = Counter((group.size, group.cap) for group in self.groups.values())
        total = self._ways(classes)
        if total == 0:
            raise ValueError("no deal keeps the caps")
        spaces = {}  # equal groups have equal expectations
        for size, cap in classes:
            rest = self._product(classes - Counter([(size, cap)]))
            hits = sum(
                s * n * rest[self.spaces - s]
                for s, n in enumerate(Group(None, size, cap).ways())
                if 0 <= self.spaces - s < len(rest)
            )
            spaces[size, cap] = Fraction(hits, total)
        number = sum(self.points.values())
        result: dict[Any, Kinds] = {}
        for label, group in self.groups.items():
            space = spaces[group.size, group.cap]
            kinds = {kind: (group.size - space) * Fraction(n, number) for kind, n in self.points.items()}
            kinds[SPACE] = space
            result[label] = {kind: n for kind, n in kinds.items() if n}
        return result

    def _product(self, classes: Counter[tuple[int, int]]) -> list[int]:
        result = [1]
        for (size, cap), times_over in classes.items():
            for _ in range(times_over):
                result = times(result, Group(None, size, cap).ways())
        return result

    def _ways(self, classes: Counter[tuple[int, int]]) -> int:
        product = self._product(classes)
        return product[self.spaces] if self.spaces < len(product) else 0
