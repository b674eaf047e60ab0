"""Defines numbers that compiled rules and general code share."""

from __future__ import annotations

import numpy as np

RUNNING, FINISHED, TRUNCATED = 0, 1, 2  # values of a state's field `over`
REASON_NAMES = (None, "finished", "truncated")
ILLEGAL_MOVE, GAME_OVER = -1, -2  # `step_checked` returns one of these or the next seat
NO_ORDER = np.empty(0, np.int8)  # no recorded shuffle: shuffle with the game's random numbers
WORLD_STREAM = 0x0B5E  # hashed with a decision's key to seed its determinization
LEARNER = -1  # in place of an agent's number: whoever steps the games plays this seat
