"""Which ranks an agent may have: who is surely before it, who is surely behind it.

An agent's range of ranks holds its true rank with 95 %: each difference to another agent's rating is tested,
two-sided, at 5 % over the number of others (Bonferroni), so that with 95 % none of these is called wrong. Its
rank is at least 1 + how many are surely before it, at most how many there are less those surely behind it.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

ERROR = 0.05
FEWEST_FOLDS = 11  # below that the spread over folds says too little to rank anybody


def rank_ranges(strengths: np.ndarray, variance: np.ndarray, folds: int) -> list[tuple[int, int]]:
    """First and last rank that each agent may have.

    Args:
        strengths: float64 (agents,), larger is better.
        variance: of the differences of two agents' strengths, float64 (agents, agents).
        folds: that these come from.
    """
    count = len(strengths)
    if count < 2:
        return [(1, 1)] * count
    if folds < FEWEST_FOLDS:
        return [(1, count)] * count
    sure = student(1 - ERROR / (2 * (count - 1)), folds - 1)
    apart = strengths[None, :] - strengths[:, None]
    surely = np.abs(apart) > sure * np.sqrt(np.maximum(variance, 0.0))
    np.fill_diagonal(surely, False)
    before, behind = (surely & (apart > 0)).sum(1), (surely & (apart < 0)).sum(1)
    return [(1 + b, count - a) for b, a in zip(before.tolist(), behind.tolist(), strict=True)]


def student(share: float, freedom: int) -> float:
    """Quantile of Student's t from 10 degrees of freedom on, by the normal one (Fisher and Cornish 1960)."""
    z = NormalDist().inv_cdf(share)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
