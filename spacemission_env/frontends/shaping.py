"""Computes potential-based shaping rewards for the environments (docs/environments.md)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from spacemission_env.core.errors import SetupError, shown

Margin = np.float32 | np.ndarray  # the margin of one seat, or of many


@dataclass(frozen=True)
class Shaping:
    """Shaping of rewards by the change of a seat's score margin between two of its decisions.

    The margin at the end of a game counts as 0, so that shaping does not change which policy is optimal.

    Attributes:
        weight: factor of the change of the margin, at least 0; 0: no shaping.
        discount: the learner's discount; any other value would change which policy is optimal.

    Raises:
        SetupError: weight or discount is out of range.
    """

    weight: float = 0.0
    discount: float = 1.0

    def __post_init__(self) -> None:
        if not _is_number(self.weight) or not 0 <= self.weight < inf:
            raise SetupError(f"shaping: expected a number of at least 0, not {shown(self.weight)}")
        if not _is_number(self.discount) or not 0 <= self.discount <= 1:
            raise SetupError(f"shaping_discount: expected 0 to 1, not {shown(self.discount)}")

    def __bool__(self) -> bool:
        """Whether rewards are shaped."""
        return self.weight > 0

    def paid(self, before: Margin, margin: Margin, over: bool | np.ndarray = False) -> np.ndarray:
        """What shaping adds to the reward of a step: float32, numbers or arrays.

        Args:
            before: the margin at the seat's last decision, float32.
            margin: the margin at its next decision or at the end, float32.
            over: whether the game has ended, bool.
        """
        potential = np.where(over, np.float32(0), margin)
        return np.asarray(np.float32(self.weight) * (np.float32(self.discount) * potential - before))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
