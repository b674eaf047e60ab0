"""`greedy`: the move that adds most to the own score at once; judged from observation and box alone.

The judgement is compiled (`kernel.py`), so that a batch costs little more than the rules
themselves. The agent has no chance in it: the same observation and mask give the same move.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.aids import PLAN
from spacemission_agents.games.space_mission.greedy.kernel import choose_greedy
from spacemission_env.core.agents_api import Agent, Decisions
from spacemission_env.core.checked import checked


class GreedyAgent(Agent):
    """Best immediate gain in own score; where nothing gains, it moves to where something will.

    With `observation="table"` it plays by what lies open, as it has no memory of its own.
    """

    in_parts = True

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 of shape (n,).

        Raises:
            AgentError: where the decisions do not hold, or are of another version's layout.
        """
        decisions = checked(decisions, "greedy")
        actions = np.zeros(len(decisions), np.int64)
        choose_greedy(decisions.observations, decisions.masks, decisions.boxes, np.zeros(1, PLAN), actions)
        return actions
