"""`heuristic`: plans its turn by what its cards, the piles it remembers and the odds allow.

The judgement is compiled (`choice.py` and what it imports) and weighed by a declared table
(`weights.py`). There is no chance in it: the same observation and mask give the same move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.games.space_mission.heuristic.belief import BELIEF, DEEPEST, POSITION
from spacemission_agents.games.space_mission.heuristic.choice import choose_heuristic
from spacemission_agents.games.space_mission.heuristic.rating import rate_heuristic
from spacemission_agents.games.space_mission.heuristic.weights import load_weights, shipped_weights
from spacemission_env.core.agents_api import Agent, Decisions
from spacemission_env.core.checked import checked
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT


class HeuristicAgent(Agent):
    """The strongest hand-written judgement; `heuristic` with the tuned weights, `heuristic:FILE` with others.

    With `observation="table"` it plays by what lies open, as it has no memory of its own.
    """

    in_parts = True

    def __init__(self, parameter: str | None = None) -> None:
        """Read the weights: those that ship, or a TOML file of them. AgentError where they are bad."""
        if parameter is None:
            self.weights = np.concatenate([shipped_weights(2), shipped_weights(3)])
        else:
            self.weights = load_weights(parameter)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 of shape (n,).

        Raises:
            AgentError: where the decisions do not hold, or are of another version's layout.
        """
        inputs = self._inputs(decisions)
        actions = np.zeros(len(decisions), np.int64)
        choose_heuristic(*inputs, actions)
        return actions

    def rate(self, decisions: Decisions) -> np.ndarray:
        """The value of each move in points, float64 (n, 101); see `rating.rate_heuristic`."""
        inputs = self._inputs(decisions)
        values = np.zeros((len(decisions), ACTION_COUNT))
        rate_heuristic(*inputs, values)
        return values

    def _inputs(self, decisions: Decisions) -> tuple[Any, ...]:
        asked = checked(decisions, "heuristic")
        beliefs, path = np.zeros(1, BELIEF), np.zeros(DEEPEST + 1, POSITION)
        return asked.observations, asked.masks, asked.boxes, self.weights, beliefs, path
