"""Tests whether counts agree with probabilities."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import SupportsFloat

import numpy as np


def too_far(observed: Counter[Hashable], shares: Mapping[Hashable, SupportsFloat]) -> bool:
    """Whether chi-square rejects the probabilities: p below 0.001 (Wilson and Hilferty 1931)."""
    assert set(observed) <= set(shares), "a world that is not possible was sampled"
    draws = sum(observed.values())
    expected = np.array([float(share) * draws for share in shares.values()])
    found = np.array([observed[state] for state in shares], float)
    rare = expected < 5
    if rare.any():  # group the rare states
        expected = np.append(expected[~rare], expected[rare].sum())
        found = np.append(found[~rare], found[rare].sum())
    freedom = len(expected) - 1
    if freedom == 0:
        return False
    value = ((found - expected) ** 2 / expected).sum()
    normal = ((value / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / (2 / (9 * freedom)) ** 0.5
    return bool(normal > 3.09)


def is_even(counts: np.ndarray, mean: float | np.ndarray, variance: float | np.ndarray) -> bool:
    """Whether counts are close to their means by a chi-square test of all counts.

    The mean of chi-square is about the number of counts; six standard deviations more are allowed.
    """
    distance = ((counts - mean) ** 2 / variance).sum()
    return bool(distance < counts.size + 6 * np.sqrt(2 * counts.size))
