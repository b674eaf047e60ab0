"""Whether counts agree with the probabilities that they should have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np


def too_far(observed: Counter[Any], shares: Mapping[Any, Any]) -> bool:
    """Whether chi-square finds the counts unlikely: p below 0.001 (Wilson and Hilferty 1931)."""
    assert set(observed) <= set(shares), "a world that is not possible was sampled"
    draws = sum(observed.values())
    expected = np.array([float(share) * draws for share in shares.values()])
    found = np.array([observed[state] for state in shares], float)
    rare = expected < 5
    if rare.any():  # states that are too rare to be counted one by one are counted together
        expected = np.append(expected[~rare], expected[rare].sum())
        found = np.append(found[~rare], found[rare].sum())
    freedom = len(expected) - 1
    if freedom == 0:
        return False
    value = ((found - expected) ** 2 / expected).sum()
    normal = ((value / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / (2 / (9 * freedom)) ** 0.5
    return bool(normal > 3.09)
