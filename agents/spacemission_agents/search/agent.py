"""Plays any game by information-set tree search: `ismcts:[MODEL:]N[xT][?rollouts]`.

The name is read from the right. `ismcts:1000` searches one tree with about 1000 simulations per decision.
`ismcts:1000x4` searches 4 such trees and plays the move with the most visits over all of them (root
parallelization; Chaslot, Winands and van den Herik 2008); on several cores it searches them in parallel.
With `?rollouts` a simulation makes one of the possible moves and then a rollout at once, without a search of
later moves. MODEL is a model folder, or the name of a model in the package; default: `scratch` if the game
has it. A game without a model is searched by random rollouts.
"""

from __future__ import annotations

import multiprocessing
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_agents.afterstates.network import WIN
from spacemission_agents.models.network_input import find_network_input
from spacemission_agents.models.policy import PolicyAgent, ScratchPool
from spacemission_agents.search.template import Memory, bind_search
from spacemission_env.core.agents import Agent, Decisions, GameInfo
from spacemission_env.core.cores import cores
from spacemission_env.core.decisions import check_decisions
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.rng import hash63

NAME = "ismcts"
DEFAULT = "1000"
MOST = 1_000_000
MOST_TREES = 64
ROLLOUTS = "rollouts"
MODEL = "scratch"  # the default model, for the games that have one of this name
TREE_STREAM = 0x73EE  # hashed with a decision's key to seed its trees


class Name(NamedTuple):
    """The parts of the parameter in the agent's name."""

    model: str | None  # a model folder, or the name of a model in the package; None: the default
    simulations: int
    trees: int
    rollouts: bool


def read_name(parameter: str | None) -> Name:
    """Read `[MODEL:]N[xT][?rollouts]` from the right; AgentError if a part is wrong."""
    text = DEFAULT if parameter is None else parameter
    rollouts = text.endswith(f"?{ROLLOUTS}")
    model, colon, numbers = text.removesuffix(f"?{ROLLOUTS}").rpartition(":")
    found = re.fullmatch(r"([0-9]{1,7})(?:x([0-9]{1,2}))?", numbers)
    simulations, trees = (int(found[1]), int(found[2] or 1)) if found else (0, 0)
    if not (1 <= simulations <= MOST and 1 <= trees <= MOST_TREES) or (colon and not model):
        raise AgentError(
            f"agent {NAME!r}: expected {NAME}:N, NxT, MODEL:N or MODEL:NxT, N from 1 to {MOST:,} simulations "
            f"and T from 1 to {MOST_TREES} trees, then ?{ROLLOUTS} or nothing, not {text!r}"
        )
    return Name(model or None, simulations, trees, rollouts)


def own_cores() -> int:
    """Number of cores for this process: 1 in a worker process, else all cores that it may use."""
    return 1 if multiprocessing.parent_process() is not None else cores()


class SearchAgent(Agent):
    """Searches moves in sampled states that its seat cannot tell from the true one; thread-safe."""

    for_players = (
        "Thinks ahead: tries as many continuations as its number says. The larger, the stronger and slower."
    )
    needs = {"worlds"}

    def __init__(
        self, parameter: str | None = None, game: str | GameSpec = DEFAULT_GAME, threads: int | None = None
    ) -> None:
        """Read the name and load the model; AgentError if the name or the model is invalid.

        `parameter`: see the top of this module; `threads`: maximum number; None: `own_cores()`.
        """
        spec, self.name = find_game(game), read_name(parameter)
        self.threads = threads or own_cores()
        self.policy: PolicyAgent | None = None
        shipped = MODEL if MODEL in find_network_input(spec).shipped else None
        if (path := self.name.model or shipped) is not None:
            self.policy = PolicyAgent(path, spec)
            if "worlds" not in self.policy.needs:
                raise AgentError(
                    f"agent {NAME!r}: {path}: expected a model that reads afterstates, not the observation"
                )
        of = find_afterstates(spec).for_network(self.policy is not None and self.policy.reads_ratings)
        self._search = bind_search(of, self.policy is not None)
        self._tools = ScratchPool(self._new_tools)

    def prepare(self, info: GameInfo) -> None:
        """Raise AgentError if a model given by name was trained for other rules or components.

        The default model plays with any rules and components.
        """
        if self.policy is not None and self.name.model is not None:
            self.policy.prepare(info)

    def _new_tools(self) -> tuple[Any, Memory]:
        if self.policy is None:
            return None, self._search.new_memory(self.name.simulations, WIN)
        mind = self.policy.new_network()
        return mind, self._search.new_memory(self.name.simulations, tuple(mind.net.reward))

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row, int64 (n,); ties go to the lowest index.

        AgentError: the decisions are invalid, or have no sampled worlds.
        """
        visits = self.visits(decisions)
        return np.where(np.asarray(decisions.masks) > 0, visits, -1).argmax(1)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """Each move's share of the visits, float64 (n, actions); `act` does not sample from these shares."""
        visits = self.visits(decisions)
        return visits / np.maximum(visits.sum(1, keepdims=True), 1)

    def visits(self, decisions: Decisions) -> np.ndarray:
        """How often each move was tried, summed over the trees: int64 (n, actions).

        Of moves with the same `edge_key` only one is searched. If no other move remains, each tree just gives
        it one visit.
        """
        decisions = check_decisions(decisions, NAME, worlds=True, reads=False)
        actions, trees = decisions.masks.shape[1], self.name.trees
        if len(decisions) == 0:
            return np.zeros((0, actions), np.int64)
        keys = np.array(
            [hash63(int(key), TREE_STREAM, i) for key in decisions.keys for i in range(trees)], np.int64
        )
        rows = np.repeat(np.arange(len(decisions)), trees)
        visits = np.zeros((len(keys), actions), np.int64)
        worlds, parameters = decisions.worlds, decisions.parameters
        assert worlds is not None

        def run(part: np.ndarray) -> None:
            out, chosen = np.zeros((len(part), actions), np.int64), rows[part]
            asked = worlds[chosen], decisions.masks[chosen], keys[part], parameters
            with self._tools.lend() as (mind, memory):
                self._search.compare_rows(
                    *asked, self.name.simulations, not self.name.rollouts, mind, memory, out
                )
            visits[part] = out

        parts = np.array_split(np.arange(len(keys)), min(self.threads, len(keys)))
        if len(parts) == 1:
            run(parts[0])
        else:
            with ThreadPoolExecutor(len(parts)) as pool:
                list(pool.map(run, parts))
        return visits.reshape(len(decisions), trees, actions).sum(1)
