"""How many decisions the environment makes itself, as there is only one legal move (HR-14)."""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine.constants import NOTHING, WINDOW
from spacemission_env.games.planet_hexx.engine.legal import next_legal, open_actions
from spacemission_env.games.planet_hexx.engine.play import advance, carry_out, go_without
from spacemission_env.games.planet_hexx.spec import SPEC


@njit
def apply_counting(s, t, action):
    """Make a move as `engine.play.apply` does; how many decisions were made for their seats behind it."""
    carry_out(s, t, action)
    forced = 0
    while s.over == RUNNING:
        if not advance(s, t):
            continue
        kinds = open_actions(s, t, s.player)
        first = next_legal(s, t, kinds, 0)
        if first == NOTHING:
            go_without(s)
            continue
        if (s.asked == WINDOW and t.always_ask) or next_legal(s, t, kinds, first + 1) != NOTHING:
            break
        carry_out(s, t, first)
        forced += 1
    return forced


@njit
def _count(states, boxes, index, actions, scratch):
    forced = 0
    for n in range(len(index)):
        scratch[0] = states[index[n]]
        forced += apply_counting(scratch[0], boxes[0], actions[n])
    return forced


def count_forced(states: np.ndarray, boxes: np.ndarray, index: np.ndarray, actions: np.ndarray) -> int:
    """How many decisions will be made for their seats behind these moves; the games stay as they are."""
    return int(_count(states, boxes, index, actions, SPEC.new_states(1)))
