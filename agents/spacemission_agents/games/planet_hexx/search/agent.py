"""`ismcts:N` of Planet Hexx: tree search with N simulations a decision; `ismcts:NxT` with T trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.games.planet_hexx.heuristic import HeuristicAgent
from spacemission_agents.games.planet_hexx.search.tree import search_rows
from spacemission_agents.tree_search.agent import SearchAgent
from spacemission_env.core.agents_api import Decisions


class IsmctsAgent(SearchAgent):
    """Searches in worlds sampled from what its seat may know; plays the move searched most."""

    name = "ismcts"
    reads_observations = False

    def __init__(self, parameter: str | None = None, threads: int | None = None) -> None:
        """As `SearchAgent`."""
        super().__init__(parameter, threads)
        self._heuristic = HeuristicAgent()

    def _new_tools(self) -> Any:
        return None

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return self._heuristic.rate(decisions)

    def _search(
        self, worlds: np.ndarray, boxes: Any, keys: np.ndarray, tools: Any, rated: np.ndarray, out: np.ndarray
    ) -> None:
        search_rows(worlds, boxes, self._heuristic.weights, keys, self.simulations, rated, out)
