"""Compiled passes that only training needs: what the learner's networks read.

`njit` is the decorator for the compiled functions of this folder; its cache follows all their sources.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_agents.games.planet_hexx import compiled
from spacemission_agents.games.planet_hexx.policy.inputs import new_scratch, write_input
from spacemission_env.core.compiling import make_njit
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT
from spacemission_env.games.planet_hexx.engine.legal import write_mask

njit = make_njit(compiled.njit, Path(__file__).parent)


@njit
def read_batch(states, boxes, weights, index, actions, inputs):
    """Inputs float32 (n, INPUT_SIZE) and moves int64 (n, MOVES) of the seats to act in these games.

    A game is a world that its seat to act holds possible.
    """
    t, w = boxes[0], weights[0]
    scratch, mask = new_scratch(), np.zeros(ACTION_COUNT, np.int8)
    for n in range(len(index)):
        s = states[index[n]]
        write_mask(s, t, s.player, mask)
        write_input(s, t, w, mask, scratch, actions[n], inputs[n])
