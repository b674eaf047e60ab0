"""How many decisions the environment makes itself, as there is only one legal move (HR-14)."""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_env.games.planet_hexx.engine.play import apply
from spacemission_env.games.planet_hexx.spec import SPEC


@njit
def _count(states, boxes, index, actions, scratch):
    forced = 0
    for n in range(len(index)):
        scratch[0] = states[index[n]]
        forced += apply(scratch[0], boxes[0], actions[n])
    return forced


def count_forced(states: np.ndarray, boxes: np.ndarray, index: np.ndarray, actions: np.ndarray) -> int:
    """How many decisions will be made for their seats behind these moves; the games stay as they are."""
    return int(_count(states, boxes, index, actions, SPEC.new_states(1)))
