"""`ismcts:N`: information-set Monte Carlo tree search with N simulations a decision (`tree.py`).

`ismcts:NxT` searches T trees of N simulations each: see `spacemission_agents.tree_search.agent`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.games.space_mission.heuristic.rating import NOT_RATED
from spacemission_agents.games.space_mission.search.judge import VALUE, new_judges
from spacemission_agents.games.space_mission.search.light import new_view
from spacemission_agents.games.space_mission.search.root import search_rows
from spacemission_agents.models.policy import PolicyAgent
from spacemission_agents.tree_search.agent import SearchAgent
from spacemission_env.core.agents_api import Decisions, GameInfo
from spacemission_env.core.compiling import compile_in_background
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.engine.state import STATE


class IsmctsAgent(SearchAgent):
    """Searches in worlds sampled from what its seat may know; plays the move searched most."""

    name = "ismcts"

    def __init__(self, parameter: str | None = None, threads: int | None = None) -> None:
        """As `SearchAgent`."""
        super().__init__(parameter, threads)
        self._value = PolicyAgent(VALUE)

    def _guide(self) -> Any:
        return None

    def prepare(self, info: GameInfo) -> None:
        """Have what the search is compiled of compiled beside the rest."""
        compile_in_background(f"{__name__}:compile_search", search_rows)

    def _new_tools(self) -> tuple[np.ndarray, Any, Any]:
        return new_view(), new_judges(), self._guide()

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return np.where(decisions.masks > 0, self._value.logits(decisions), 2 * NOT_RATED)

    def _search(
        self, worlds: np.ndarray, boxes: Any, keys: np.ndarray, tools: Any, rated: np.ndarray, out: np.ndarray
    ) -> None:
        search_rows(worlds, boxes, keys, self.simulations, *tools, rated, out)


def compile_search() -> None:
    """Compile the search, by searching nothing."""
    nothing = np.zeros(0, np.int64)
    tools = IsmctsAgent()._new_tools()
    none = np.zeros((0, ACTION_COUNT))
    worlds = np.zeros(0, STATE)
    search_rows(worlds, find_game().default_boxes(), nothing, 1, *tools, none, none.astype(np.int64))
