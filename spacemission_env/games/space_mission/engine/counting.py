"""Counts the possible places of hidden space tiles (SM-75).

The rules restrict the places of space tiles only (SM-46, SM-66). C(64, 16) < 2**49, so int64 is exact.
"""

from __future__ import annotations

from math import comb

import numpy as np

from spacemission_env.core.rng import next32
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.constants import SPACE_TILES, TILES

# WAYS[n, k]: the number of ways to choose k of n places, int64 (65, 17).
WAYS = np.array([[comb(n, k) for k in range(SPACE_TILES + 1)] for n in range(TILES + 1)], np.int64)


@njit
def ways_gone(spaces, points, gone, j):
    """The ways to take `gone` tiles, `j` of them space tiles, so that at least one point tile stays."""
    if j < 0 or j > spaces or gone - j < 0 or gone - j >= points:
        return np.int64(0)
    return WAYS[spaces, j] * WAYS[points, gone - j]


@njit
def mean_spaces_gone(spaces, points, gone):
    """The mean number of space tiles gone from a face-down pile if they may be taken (SM-66)."""
    total = 0
    weighed = 0
    for j in range(spaces + 1):
        ways = ways_gone(spaces, points, gone, j)
        total += ways
        weighed += j * ways
    return weighed / total


@njit
def below64(s, n):
    """A uniform random integer from 0 to n - 1; n is at most 2**49."""
    limit = (np.int64(1) << 62) - (np.int64(1) << 62) % n
    while True:
        x = (np.int64(next32(s) & 0x3FFFFFFF) << 32) | np.int64(next32(s))
        if x < limit:
            return x % n
