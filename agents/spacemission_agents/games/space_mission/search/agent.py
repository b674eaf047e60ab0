"""Plays `ismcts:N` and `ismcts-policy:PATH:N`: tree search with N simulations per decision (tree.py).

`NxT` searches T trees of N simulations each (`tree_search.agent`). `ismcts-policy` takes the priors from the
policy of a model folder and plays a rollout of this policy from each leaf. If the model's critic reads only
observations, it evaluates the decisions of the rollout. If it also reads hidden pieces, the value of a leaf
is the mean of the critic and the network of leaf_network.py.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.heuristic.agent import NOT_RATED
from spacemission_agents.games.space_mission.search.leaf_evaluator import (
    VALUE,
    LeafEvaluators,
    new_evaluators,
)
from spacemission_agents.games.space_mission.search.networks import SearchNetworks, new_search_networks
from spacemission_agents.games.space_mission.search.rollout_policy import new_view
from spacemission_agents.games.space_mission.search.tree import search_rows
from spacemission_agents.models.policy import PolicyAgent
from spacemission_agents.tree_search.agent import SearchAgent, split_model
from spacemission_env.core.agents import Decisions, GameInfo
from spacemission_env.core.compiling import compile_in_background
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import OBSERVATIONS, find_game
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.engine.state import STATE

Tools = tuple[np.ndarray, LeafEvaluators, SearchNetworks | None]  # scratch memory of one thread


class IsmctsAgent(SearchAgent):
    """Searches in sampled worlds that the agent's seat cannot tell from the true one."""

    name = "ismcts"

    def __init__(self, parameter: str | None = None, threads: int | None = None) -> None:
        """See `SearchAgent`."""
        super().__init__(parameter, threads)
        self._value = PolicyAgent(VALUE)

    def prepare(self, info: GameInfo) -> None:
        """Compile the search in the background."""
        compile_in_background(f"{__name__}:compile_search", search_rows)

    def _new_tools(self) -> Tools:
        return new_view(), new_evaluators(), None

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


def compile_search() -> None:
    """Compile the search by a call without rows."""
    nothing = np.zeros(0, np.int64)
    tools = IsmctsAgent()._new_tools()
    none = np.zeros((0, ACTION_COUNT))
    worlds = np.zeros(0, STATE)
    search_rows(worlds, find_game().default_parameters(), nothing, 1, *tools, none, none.astype(np.int64))


class ModelSearchAgent(SearchAgent):
    """Searches with a model folder: `NAME:PATH:N`."""

    afterstates = False  # whether the model must be a value of afterstates; else it must be a policy

    def __init__(self, parameter: str | None = None) -> None:
        """Load `PATH:N`; AgentError names the folder and the problem."""
        path, simulations = split_model(self.name, parameter)
        super().__init__(simulations)
        self._policy = PolicyAgent(path)
        if self._policy.wants_worlds != self.afterstates:
            kinds = "a policy", "a value of afterstates (preset scratch)"
            expected = f"{kinds[self.afterstates]}, not {kinds[not self.afterstates]}"
            raise AgentError(f"agent {self.name!r}: {path}: expected {expected}")

    @property
    def card(self) -> Json:
        """The card of the model folder (models/card.py)."""
        return self._policy.card

    def prepare(self, info: GameInfo) -> None:
        """Refuse a game that the model was not trained for, as `policy:PATH` does."""
        self._policy.prepare(info)


class IsmctsPolicyAgent(ModelSearchAgent):
    """Searches with the policy and, if it has one, the critic of a model folder."""

    name = "ismcts-policy"
    _search = IsmctsAgent._search

    def _new_tools(self) -> Tools:
        recall = OBSERVATIONS.index(self.card["observation"])
        networks = new_search_networks(self._policy.arrays, self.card["network"], recall)
        return new_view(), new_evaluators(), networks

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return np.zeros((len(decisions), ACTION_COUNT))  # unused: the policy gives the priors
