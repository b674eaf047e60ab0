"""Draws random numbers with the generator of the package, run as plain Python."""

from __future__ import annotations

from types import FunctionType

import numpy as np

from spacemission_env.core import rng as house

# The plain forms of these compiled functions call each other.
PLAIN: dict = {"np": np, "M32": house.M32, "GENERATOR": house.GENERATOR}
for _name in ("mul32", "mix32", "seed_rng", "next32", "below", "shuffle"):
    _function = getattr(house, _name)
    PLAIN[_name] = FunctionType(getattr(_function, "py_func", _function).__code__, PLAIN)


class Chance:
    """Draws dice and shuffles. `dice`: the next faces, for positions made by hand."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = [0] * 6
        self.dice: list[int] = []
        PLAIN["seed_rng"](self, seed)

    def below(self, n: int) -> int:
        return int(PLAIN["below"](self, n))

    def shuffle(self, items: list[object]) -> None:
        PLAIN["shuffle"](self, items, len(items))

    def die(self) -> int:
        return self.dice.pop(0) if self.dice else 1 + self.below(6)
