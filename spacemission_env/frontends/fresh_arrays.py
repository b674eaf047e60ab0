"""Arrays that are handed out for good, without the cost of new memory each time."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

KEPT = 3  # arrays; a learner holds one or two at a time
UNUSED = 3  # references to one that only we hold: of the list, of the loop and of the call that counts them


class FreshArrays:
    """Arrays of one shape and dtype, each the caller's own for as long as anybody holds it or a view of it.

    The system clears new memory page by page, which takes as long as writing the observations of many games.
    So an array that nobody has any more is handed out again.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype
        self._kept: list[np.ndarray] = []

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy: it has arrays of its own."""
        return {"shape": self.shape, "dtype": self.dtype, "_kept": []}

    def take(self) -> np.ndarray:
        """An array that nobody else holds; what is in it means nothing."""
        for array in self._kept:
            if sys.getrefcount(array) == UNUSED:
                return array
        array = np.empty(self.shape, self.dtype)
        self._kept = [*self._kept[1 - KEPT :], array]
        return array
