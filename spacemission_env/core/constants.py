"""Numbers that the compiled rules of every game and the code for all games agree on."""

from __future__ import annotations

import numpy as np

RUNNING, FINISHED, TRUNCATED = 0, 1, 2  # `over` of a state
REASON_NAMES = (None, "finished", "truncated")
ILLEGAL_MOVE, GAME_OVER = -1, -2  # what `step_checked` returns besides the seat to act next
NO_ORDER = np.empty(0, np.int8)  # "use the game's own random numbers" where a shuffle may be given
WORLD_STREAM = 0x0B5E  # tells the seeds of worlds from other numbers made of a decision's key
