"""`greedy`: the move that at once brings most of what counts, uploads first, then Data.

The judgement is compiled (`moves.py`). It reads what lies open and the own hand from the world that it is
given, nothing that is hidden in it, and has no chance in it.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.planet_hexx.greedy.moves import choose_greedy
from spacemission_env.core.agents_api import Agent, Decisions
from spacemission_env.core.checked import checked


class GreedyAgent(Agent):
    """Best gain at once; where nothing gains, it flies to where something will, or lays map cards."""

    wants_worlds = True
    reads_observations = False

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 of shape (n,).

        Raises:
            AgentError: where the decisions do not hold, or come without worlds.
        """
        decisions = checked(decisions, "greedy", worlds=True, reads=False)
        actions = np.zeros(len(decisions), np.int64)
        if len(decisions):
            choose_greedy(decisions.worlds, decisions.boxes, decisions.masks, actions)
        return actions
