"""Computes potential-based shaping rewards, for front ends and training alike (docs/shaping.md)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from spacemission_env.core.errors import SetupError, shown

Margin = np.float32 | np.ndarray  # of one seat, or of many


@dataclass(frozen=True)
class Shaping:
    """What is paid for the change of a seat's score margin from one of its decisions to its next.

    Attributes:
        weight: of the margin, at least 0; 0 pays nothing.
        discount: the learner's own; with another, shaping changes what is optimal.
        final: whether the margin counts at the end of a game. If not, the potential is 0 there, so that what
            is optimal stays.

    Raises:
        SetupError: weight or discount is no such number.
    """

    weight: float = 0.0
    discount: float = 1.0
    final: bool = False

    def __post_init__(self) -> None:
        """Refuse other numbers."""
        if not _is_number(self.weight) or not 0 <= self.weight < inf:
            raise SetupError(f"shaping: expected a number of at least 0, not {shown(self.weight)}")
        if not _is_number(self.discount) or not 0 <= self.discount <= 1:
            raise SetupError(f"shaping_discount: expected 0 to 1, not {shown(self.discount)}")

    def __bool__(self) -> bool:
        """Whether anything is paid."""
        return self.weight > 0

    def paid(self, before: Margin, margin: Margin, over: bool | np.ndarray = False) -> np.ndarray:
        """What a step adds to the reward; float32, numbers or arrays.

        Args:
            before: the margin at the seat's last decision, float32.
            margin: the margin now, at its next decision or at the end, float32.
            over: whether the game has ended, bool.
        """
        potential = margin if self.final else np.where(over, np.float32(0), margin)
        return np.asarray(np.float32(self.weight) * (np.float32(self.discount) * potential - before))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
