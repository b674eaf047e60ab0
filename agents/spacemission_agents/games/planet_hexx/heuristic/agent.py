"""`heuristic`: tries each move in a world of its own and judges what comes of it.

The judgement is compiled (`choice.py` and what it imports) and weighed by a declared table (`weights.py`). It
is the same in all worlds that the seat cannot tell apart (`worlds.py`). The only chance in it is the choice
of a side of the Mission File.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.planet_hexx.heuristic.choice import choose_rows, rate_rows
from spacemission_agents.games.planet_hexx.heuristic.weights import load_weights, shipped_weights
from spacemission_env.core.agents_api import Agent, Decisions
from spacemission_env.core.checked import checked
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT


class HeuristicAgent(Agent):
    """The hand-written judgement; `heuristic` with the weights that ship, `heuristic:FILE` with others."""

    wants_worlds = True
    reads_observations = False

    def __init__(self, parameter: str | None = None) -> None:
        """Read the weights: those that ship, or a TOML file of them. AgentError where they are bad."""
        self.weights = shipped_weights() if parameter is None else load_weights(parameter)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 of shape (n,).

        Raises:
            AgentError: where the decisions do not hold, or come without worlds.
        """
        asked = checked(decisions, "heuristic", worlds=True, reads=False)
        actions = np.zeros(len(asked), np.int64)
        if len(asked):
            choose_rows(asked.worlds, asked.boxes, self.weights, asked.masks, asked.keys, actions)
        return actions

    def rate(self, decisions: Decisions) -> np.ndarray:
        """The value of each move, float64 (n, 425): larger is better; see `choice.rate`."""
        asked = checked(decisions, "heuristic", worlds=True, reads=False)
        values = np.zeros((len(asked), ACTION_COUNT))
        if len(asked):
            rate_rows(asked.worlds, asked.boxes, self.weights, asked.masks, values)
        return values
