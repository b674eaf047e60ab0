"""What `heuristic` thinks of the moves, beside the features of the positions behind them.

Only values with input `RATED_INPUT` read it; to others these features are all 0. It rates a decision once,
from the observation of the seat to act, so it costs little beside the positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.belief import BELIEF, DEEPEST, POSITION
from spacemission_agents.games.space_mission.heuristic.rating import NOT_RATED, rate
from spacemission_agents.games.space_mission.heuristic.weights import shipped_weights
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.engine.layout import OBSERVATION, OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.observe import observe

# Of a move: points that it is rated below the best, in 8ths and in 32nds; whether it is the best, whether it
# is not rated (all but some top-ups are); by how much the best is ahead of the next, in 8ths; fillers.
LOSS, LOSS_FINE, BEST, UNRATED, AHEAD = range(5)
RATED = 8  # features are compared eight at a time (network.py)
RATED_SCALES = np.array([1 / 32, 1 / 64, 1, 1, 1 / 32, 0, 0, 0], np.float32)
COARSE, FINE = 8.0, 32.0
MOST = 255  # that a feature holds


class Rater(NamedTuple):
    """Scratch and weights of the ratings of one decision."""

    weights: np.ndarray  # `WEIGHTS` records, for two players and for more
    beliefs: np.ndarray  # (1,)
    path: np.ndarray
    mask: np.ndarray  # legal moves, int8 (ACTION_COUNT,)
    flat: np.ndarray  # an observation, float32 (1, size)
    records: np.ndarray  # the same memory as an `OBSERVATION`
    values: np.ndarray  # points of each move, float64 (ACTION_COUNT,)
    best: np.ndarray  # the highest and the next, float64 (2,)


def new_rater() -> Rater:
    """With the weights that ship."""
    flat = np.zeros((1, OBSERVATION_SIZE), np.float32)
    return Rater(
        weights=np.concatenate([shipped_weights(2), shipped_weights(3)]),
        beliefs=np.zeros(1, BELIEF),
        path=np.zeros(DEEPEST + 1, POSITION),
        mask=np.zeros(ACTION_COUNT, np.int8),
        flat=flat,
        records=flat.view(OBSERVATION)[:, 0],
        values=np.zeros(ACTION_COUNT),
        best=np.zeros(2),
    )


@njit
def rate_moves(s, t, rater):
    """Rate the legal moves of the seat to act: all of them, also where some are left out of the decision.

    A move is so rated alike in training, in simulations and in play.
    """
    write_mask(s, t, s.player, rater.mask)
    observe(s, t, s.player, 1, rater.records[0])
    weights = rater.weights[0 if s.num_players == 2 else 1]
    rate(rater.flat[0], rater.mask, t, weights, rater.beliefs[0], rater.path, rater.values)
    rater.best[:] = NOT_RATED
    for value in rater.values:
        if value > rater.best[0]:
            rater.best[1] = rater.best[0]
            rater.best[0] = value
        elif value > rater.best[1]:
            rater.best[1] = value


@njit
def byte(value):
    """The nearest whole number that a feature can hold."""
    return min(MOST, int(value + 0.5))


@njit
def write_rating(action, rater, x):
    """Write what is thought of a move into x, uint8 (RATED,)."""
    value, best, second = rater.values[action], rater.best[0], rater.best[1]
    if value <= NOT_RATED:
        x[UNRATED] = 1
        return
    x[LOSS] = byte(COARSE * (best - value))
    x[LOSS_FINE] = byte(FINE * (best - value))
    if value == best:
        x[BEST] = 1
        if second > NOT_RATED:
            x[AHEAD] = byte(COARSE * (best - second))
