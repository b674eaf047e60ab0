"""Counts the ways in which hidden tiles may lie (SM-75).

Rules bind only space tiles (SM-46, SM-66), so their places are counted. C(64, 16) < 2**49: exact as int64.
"""

from __future__ import annotations

from math import comb

import numpy as np

from spacemission_env.core.rng import next32
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.constants import SPACE_TILES, TILES

# WAYS[n, k]: how many ways there are to choose k of n places, int64 (65, 17).
WAYS = np.array([[comb(n, k) for k in range(SPACE_TILES + 1)] for n in range(TILES + 1)], np.int64)


@njit
def ways_gone(spaces, points, gone, j):
    """Ways in which of `gone` tiles of a pile `j` are space tiles, and at least one point tile stays."""
    if j < 0 or j > spaces or gone - j < 0 or gone - j >= points:
        return np.int64(0)
    return WAYS[spaces, j] * WAYS[points, gone - j]


@njit
def mean_spaces_gone(spaces, points, gone):
    """Space tiles among those gone from a face-down pile, in the mean; with `space_tile_penalty` (SM-66)."""
    total = 0
    weighed = 0
    for j in range(spaces + 1):
        ways = ways_gone(spaces, points, gone, j)
        total += ways
        weighed += j * ways
    return weighed / total


@njit
def below64(s, n):
    """A random integer from 0 to n - 1, n up to 2**49, every one equally likely."""
    limit = (np.int64(1) << 62) - (np.int64(1) << 62) % n
    while True:
        x = (np.int64(next32(s) & 0x3FFFFFFF) << 32) | np.int64(next32(s))
        if x < limit:
            return x % n
