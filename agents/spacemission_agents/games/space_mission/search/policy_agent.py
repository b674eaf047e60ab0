"""`ismcts-policy:PATH:N`: the search of `ismcts:N`, guided by the network of a model folder.

The policy's odds are the priors of the moves, in place of the light policy's; at the root they say which
moves are simulated, by sequential halving (`root.py`); and from each leaf the policy plays on. Where the
folder holds a critic (models/card.py) that reads what a seat may know, that one judges, on the way
(`returns.seen_returns`). With one that also reads what a seat cannot see, which in a world of the search is
what was sampled, the returns of a leaf are the mean of what it and the network of `leaf.py` tell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.games.space_mission.search.agent import IsmctsAgent
from spacemission_agents.games.space_mission.search.guide import new_guide
from spacemission_agents.models.policy import PolicyAgent
from spacemission_agents.tree_search.agent import parse_simulations
from spacemission_env.core.agents_api import Decisions, GameInfo
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import OBSERVATIONS
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT

NAME = "ismcts-policy"


class IsmctsPolicyAgent(IsmctsAgent):
    """Searches with a network's priors and, where there is one, its critic."""

    name = NAME

    def __init__(self, parameter: str | None = None) -> None:
        """Load `PATH:N`; AgentError names the folder and what does not fit."""
        path, colon, simulations = (parameter or "").rpartition(":")
        if not path or not colon:
            raise AgentError(f"agent {NAME!r}: expected {NAME}:PATH:N, a model folder and simulations")
        super().__init__()
        self.simulations, self.trees = parse_simulations(NAME, simulations)
        self._policy = PolicyAgent(path)
        if self._policy.wants_worlds:
            raise AgentError(f"agent {NAME!r}: {path}: judges moves by what they lead to; expected a policy")

    @property
    def card(self) -> dict[str, Any]:
        """The card of the model folder (models/card.py)."""
        return self._policy.card

    def _guide(self) -> Any:
        card = self._policy.card
        recall = OBSERVATIONS.index(card["observation"])
        return new_guide(self._policy.arrays, card["network"], recall)

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return np.zeros((len(decisions), ACTION_COUNT))  # the policy's odds take their place

    def prepare(self, info: GameInfo) -> None:
        """Refuse a game that the model was not trained for, as `policy:PATH` does."""
        self._policy.prepare(info)
