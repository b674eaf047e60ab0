"""Writes the rating of a move by `heuristic`, a part of the inputs in `RATED_INPUTS`.

The ratings are the same in all worlds that the seat cannot tell apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.afterstates.network import byte, write_two_best
from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.heuristic import choice
from spacemission_agents.games.planet_hexx.heuristic.agent import shipped_weights
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.legal import write_mask

# The features: the rating in 64ths, 128 for 0; how far it is below the best, in 128ths and in 1024ths;
# whether it is the best; whether it has none (a hex far from the ship); of the best, how far it is ahead of
# the next, in 128ths and in 1024ths; a filler.
RATING, LOSS, LOSS_FINE, BEST, UNRATED, AHEAD, AHEAD_FINE = range(7)
SCALES = np.array([1 / 64, 1 / 64, 1 / 64, 1, 1, 1 / 64, 1 / 64, 0], np.float32)
# A new network's logit falls by 2 for each 1 that a move is rated below the best, by half as much beyond 1/4.
RESIDUAL = (0.0, -1 / 2, -1 / 16, 0.0, 0.0, 0.0, 0.0, 0.0)
LEVEL, COARSE, FINE = 64.0, 128.0, 1024.0
MIDDLE = 128


class MoveRatings(NamedTuple):
    """The heuristic's ratings of one decision, with scratch memory."""

    weights: np.ndarray  # of `heuristic`, one record
    scratch: Any  # of `choice.rate`
    mask: np.ndarray  # legal moves, int8 (actions,)
    values: np.ndarray  # rating of each move, float64 (actions,)
    best: np.ndarray  # the two highest ratings, float64 (2,)


def new_ratings() -> MoveRatings:
    mask, values = np.zeros(c.ACTION_COUNT, np.int8), np.zeros(c.ACTION_COUNT)
    return MoveRatings(shipped_weights(), choice.new_scratch(), mask, values, np.zeros(2))


@njit
def rate_moves(s, t, ratings):
    """Rate all legal moves, even if a decision leaves some out, so that training and play agree."""
    write_mask(s, t, s.player, ratings.mask)
    choice.rate(s, t, ratings.weights[0], ratings.mask, ratings.scratch, ratings.values)
    write_two_best(ratings.values, choice.LEFT_OUT, ratings.best)


@njit
def write_rating(action, ratings, x):
    """Write the rating of a move into x, uint8 (8,)."""
    value, best, second = ratings.values[action], ratings.best[0], ratings.best[1]
    if value <= choice.LEFT_OUT:
        x[UNRATED] = 1
        return
    x[RATING] = byte(MIDDLE + LEVEL * value)
    x[LOSS], x[LOSS_FINE] = byte(COARSE * (best - value)), byte(FINE * (best - value))
    if value == best:
        x[BEST] = 1
        if second > choice.LEFT_OUT:
            x[AHEAD], x[AHEAD_FINE] = byte(COARSE * (best - second)), byte(FINE * (best - second))
