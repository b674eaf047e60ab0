"""A bot that plays the first legal action and fails at some decisions, told by their keys.

So it forfeits the same games however they are batched: what tests/golden/earlier/tournament was played with.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.agents_api import Agent, Decisions

EVERY = 40  # decisions, about


class Erring(Agent):
    def act(self, decisions: Decisions) -> np.ndarray:
        if (decisions.keys % EVERY == 0).any():
            raise RuntimeError("out of ideas")
        return decisions.masks.argmax(1).astype(np.int64)
