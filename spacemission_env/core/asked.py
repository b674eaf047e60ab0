"""Whether decisions hold what compiled agents take for granted, in one pass over them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__))

WRONG_OBSERVATION, WRONG_MASK, NO_MOVE, WRONG_KEY = range(4)  # what is wrong with a row
WRONGS = 4


@njit
def first_wrong(observations, masks, keys):
    """`WRONGS` times the first row that is wrong, plus what is wrong with it; -1 where all is right.

    Observations float32 (n, size) are numbers from 0 to 1; masks int8 (n, 101) are 0 or 1, with a move at
    least; keys int64 (n,) are not negative.
    """
    for n in range(len(keys)):
        numbers = observations[n]
        right = True
        for i in range(len(numbers)):  # without a way out, so that it is done eight at a time
            right &= (numbers[i] >= 0) & (numbers[i] <= 1)
        if not right:
            return n * WRONGS + WRONG_OBSERVATION
        moves = masks[n]
        bits = np.int8(0)
        for a in range(len(moves)):
            bits |= moves[a]
        if bits != 1:
            return n * WRONGS + (NO_MOVE if bits == 0 else WRONG_MASK)
        if keys[n] < 0:
            return n * WRONGS + WRONG_KEY
    return -1
