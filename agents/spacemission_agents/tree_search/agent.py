"""Defines the base class of agents that search trees in sampled worlds.

`NAME:N` searches one tree with N simulations for each decision. `NAME:NxT` searches T trees with N
simulations each and plays the move with the most visits in all trees (root parallelization; Chaslot, Winands
and van den Herik 2008).
"""

from __future__ import annotations

import multiprocessing
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from spacemission_agents.models.scratch import ScratchPool
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.decisions import check_decisions
from spacemission_env.core.errors import AgentError
from spacemission_env.core.rng import hash63
from spacemission_env.core.thread_pool import cores

DEFAULT = "1000"
MOST = 1_000_000
MOST_TREES = 64
TREE_STREAM = 0x73EE  # hashed with a decision's key to seed its trees


def parse_simulations(name: str, text: str) -> tuple[int, int]:
    """Number of simulations and of trees from `N` or `NxT`; AgentError if one is out of range."""
    numbers = re.fullmatch(r"([0-9]{1,7})(?:x([0-9]{1,2}))?", text)
    simulations, trees = (int(numbers[1]), int(numbers[2] or 1)) if numbers else (0, 0)
    if not (1 <= simulations <= MOST and 1 <= trees <= MOST_TREES):
        raise AgentError(
            f"agent {name!r}: simulations: expected N or NxT, N from 1 to {MOST:,} and T trees from 1 to "
            f"{MOST_TREES}, not {text!r}"
        )
    return simulations, trees


def split_model(name: str, parameter: str | None) -> tuple[str, str]:
    """Model folder and simulations from `PATH:N`; AgentError if one is missing."""
    path, colon, simulations = (parameter or "").rpartition(":")
    if not path or not colon:
        raise AgentError(f"agent {name!r}: expected {name}:PATH:N, a model folder and simulations")
    return path, simulations


def own_cores() -> int:
    """Number of cores for this process: 1 in a worker process, else all that it may use."""
    return 1 if multiprocessing.parent_process() is not None else cores()


class SearchAgent(Agent):
    """Plays the move with the most visits; thread-safe.

    The search agents of a game override `_new_tools`, `_rated` and `_search`.
    """

    for_players = (
        "Thinks ahead: tries as many continuations as its number says. The larger, the stronger and slower."
    )
    wants_worlds = True
    name = "search"

    def __init__(self, parameter: str | None = None, threads: int | None = None) -> None:
        """`parameter`: `N` or `NxT`; `threads`: default one for each core, but one in a worker process."""
        text = DEFAULT if parameter is None else parameter
        self.simulations, self.trees = parse_simulations(self.name, text)
        self.threads = threads or own_cores()
        self._tools = ScratchPool(self._new_tools)

    def _new_tools(self) -> Any:
        """Make the scratch buffers of one thread."""
        raise NotImplementedError

    def _rated(self, decisions: Decisions) -> np.ndarray:
        """Values of the moves at the root, float64 (n, actions)."""
        raise NotImplementedError

    def _search(
        self,
        worlds: np.ndarray,
        parameters: np.ndarray | None,
        keys: np.ndarray,
        tools: Any,
        rated: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Search a tree from each world and key; write the visits of each action to `out`."""
        raise NotImplementedError

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row, int64 (n,); ties go to the lowest index.

        AgentError: the decisions are invalid, or have no worlds.
        """
        visits = self.visits(decisions)
        return np.where(np.asarray(decisions.masks) > 0, visits, -1).argmax(1)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """The share of visits of each move, float64 (n, actions); the agent does not draw from it."""
        visits = self.visits(decisions)
        return visits / np.maximum(visits.sum(1, keepdims=True), 1)

    def visits(self, decisions: Decisions) -> np.ndarray:
        """Visits of each action at the root, summed over trees: int64 (n, actions).

        If a decision has only one sensible move, it is not searched, and the move gets one visit.
        """
        decisions = check_decisions(decisions, self.name, worlds=True, reads=self.reads_observations)
        actions = decisions.masks.shape[1]
        if len(decisions) == 0:
            return np.zeros((0, actions), np.int64)
        keys = np.array(
            [hash63(int(key), TREE_STREAM, i) for key in decisions.keys for i in range(self.trees)], np.int64
        )
        rows = np.repeat(np.arange(len(decisions)), self.trees)
        visits = np.zeros((len(keys), actions), np.int64)
        parts = np.array_split(np.arange(len(keys)), min(self.threads, len(keys)))
        rated = self._rated(decisions)
        all_worlds = decisions.worlds
        assert all_worlds is not None

        def run(part: np.ndarray) -> None:
            out = np.zeros((len(part), actions), np.int64)
            worlds, priors = all_worlds[rows[part]], rated[rows[part]]
            with self._tools.lend() as tools:
                self._search(worlds, decisions.parameters, keys[part], tools, priors, out)
            visits[part] = out

        if len(parts) == 1:
            run(parts[0])
        else:
            with ThreadPoolExecutor(len(parts)) as pool:
                list(pool.map(run, parts))
        return visits.reshape(len(decisions), self.trees, actions).sum(1)
