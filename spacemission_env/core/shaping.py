"""Computes potential-based shaping rewards, for front ends and training alike (docs/shaping.md)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from spacemission_env.core.errors import SetupError, shown


@dataclass(frozen=True)
class Shaping:
    """What is paid for the change of a seat's score margin from one of its decisions to its next.

    Attributes:
        weight: of the margin, at least 0; 0 pays nothing.
        discount: the learner's own; with another, shaping changes what is optimal.
        final: whether the margin counts at the end of a game. If not, the potential is 0 there, so that what
            is optimal stays.

    Raises:
        SetupError: the weight is no such number.
    """

    weight: float = 0.0
    discount: float = 1.0
    final: bool = False

    def __post_init__(self) -> None:
        """Refuse other weights."""
        weight = self.weight
        number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not number or not isfinite(weight) or weight < 0:
            raise SetupError(f"shaping: expected a number of at least 0, not {shown(weight)}")

    def __bool__(self) -> bool:
        return self.weight > 0

    def paid(self, before: Any, margin: Any, over: Any = False) -> Any:
        """What a step adds to the reward; float32, numbers or arrays.

        Args:
            before: the margin at the seat's last decision, float32.
            margin: the margin now, at its next decision or at the end, float32.
            over: whether the game has ended, bool.
        """
        potential = margin if self.final else np.where(over, np.float32(0), margin)
        return np.float32(self.weight) * (self.discount * potential - before)
