"""Compiled passes that only training needs: final rewards and score leads of many games at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_env.engine import jit
from spacemission_env.engine.constants import MAX_PLAYERS, SCORES, TOTAL
from spacemission_env.engine.jit import make_njit
from spacemission_env.engine.scoring import rewards, score

njit = make_njit(Path(jit.__file__).parent, Path(__file__).parent)


@njit
def rewards_batch(states, t, index, mode, out):
    """Each seat's final reward (scoring.rewards) in the games of `index`: float, shape (n, seats)."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        s = states[index[n]]
        score(s, t, scores)
        rewards(scores, s.num_players, mode, out[n])


@njit
def lead_batch(states, t, index, seats, out):
    """Own total less the best other total, / 100, as the table stands; seat `seats[n]` of game `index[n]`."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        s = states[index[n]]
        score(s, t, scores)
        best = -1000000
        for j in range(s.num_players):
            if j != seats[n]:
                best = max(best, scores[j, TOTAL])
        out[n] = (scores[seats[n], TOTAL] - best) / 100.0
