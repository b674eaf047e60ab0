"""Plays `ismcts:N`: tree search with N simulations per decision (tree.py).

`NxT` searches T trees of N simulations each (`tree_search.agent`).
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.heuristic.agent import NOT_RATED
from spacemission_agents.games.space_mission.search.leaf_evaluator import (
    VALUE,
    LeafEvaluators,
    new_evaluators,
)
from spacemission_agents.games.space_mission.search.rollout_policy import new_view
from spacemission_agents.games.space_mission.search.tree import search_rows
from spacemission_agents.models.policy import PolicyAgent
from spacemission_agents.tree_search.agent import SearchAgent
from spacemission_env.core.agents import Decisions

Tools = tuple[np.ndarray, LeafEvaluators]  # scratch memory of one thread


class IsmctsAgent(SearchAgent):
    """Searches in sampled worlds that the agent's seat cannot tell from the true one."""

    name = "ismcts"

    def __init__(self, parameter: str | None = None, threads: int | None = None) -> None:
        """See `SearchAgent`."""
        super().__init__(parameter, threads)
        self._value = PolicyAgent(VALUE)

    def _new_tools(self) -> Tools:
        return new_view(), new_evaluators()

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return np.where(decisions.masks > 0, self._value.logits(decisions), 2 * NOT_RATED)

    def _search(
        self,
        worlds: np.ndarray,
        parameters: np.ndarray | None,
        keys: np.ndarray,
        tools: Tools,
        rated: np.ndarray,
        out: np.ndarray,
    ) -> None:
        search_rows(worlds, parameters, keys, self.simulations, *tools, rated, out)
