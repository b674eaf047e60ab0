"""Compiled passes that only training needs: what the learner's networks read.

`njit` is the decorator for the compiled functions of this folder; its cache follows all their sources.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_agents.games.space_mission import compiled
from spacemission_agents.games.space_mission.hidden_inputs import write_hidden
from spacemission_agents.games.space_mission.inputs import write_input
from spacemission_env.core.compiling import make_njit
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.engine.scoring import score
from spacemission_env.games.space_mission.engine.symmetry import ACTION_SOURCES

_HERE = Path(__file__).parent
njit = make_njit(compiled.njit, _HERE, _HERE / "afterstate", _HERE / "luck")


@njit
def read_batch(observations, masks, boxes, kind, turns, scratch, inputs, turned_masks):
    """Inputs and masks as the network has them; `turns` is overwritten by the turns that they stand in."""
    t = boxes[0]
    for n in range(len(observations)):
        turn = write_input(observations[n], masks[n], t, kind, turns[n], scratch, inputs[n])
        turns[n] = turn
        for a in range(ACTION_COUNT):
            turned_masks[n, a] = masks[n, ACTION_SOURCES[turn, a]]


@njit
def hidden_batch(states, t, index, seats, turns, out):
    """What the seats cannot see in their games (hidden_inputs.py), float32 (n, HIDDEN_SIZE)."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        s = states[index[n]]
        score(s, t, scores)
        write_hidden(s, t, int(seats[n]), turns[n], scores, out[n])
