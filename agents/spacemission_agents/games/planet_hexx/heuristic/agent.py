"""Defines the agent `heuristic`, which plays the move with the best evaluated outcome.

`choice.py` looks ahead; `evaluation.py` evaluates positions by the weights in `data/heuristic.toml`. A move
has the same value in all states of an information set. The side of the Mission File is chosen at random.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache

import numpy as np

from spacemission_agents import weights
from spacemission_agents.games.planet_hexx.heuristic.choice import choose_rows, rate_rows
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.decisions import check_decisions
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT


@lru_cache(maxsize=1)
def shipped_weights() -> np.ndarray:
    """The weights of the package (`data/heuristic.toml`)."""
    return weights.shipped_weights("spacemission_agents.games.planet_hexx", "data/heuristic.toml")


def shipped_digest() -> str:
    """Digest of the shipped weights; a network that reads ratings needs the weights of its training."""
    shipped = shipped_weights()
    values = dict(zip(shipped.dtype.names or (), shipped[0].tolist(), strict=True))
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


class HeuristicAgent(Agent):
    """Plays by a hand-written evaluation; `heuristic:FILE` replaces weights by those of a file."""

    for_players = "Plays by rules of thumb that people wrote down. A good opponent."
    needs = {"worlds"}

    def __init__(self, parameter: str | None = None) -> None:
        """Take the shipped weights, some replaced by a TOML file. AgentError: the file is invalid."""
        shipped = shipped_weights()
        self.weights = shipped if parameter is None else weights.load_weights(parameter, shipped)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 of shape (n,).

        Raises:
            AgentError: if the decisions are not valid or have no worlds.
        """
        asked = check_decisions(decisions, "heuristic", worlds=True, reads=False)
        actions = np.zeros(len(asked), np.int64)
        if len(asked):
            choose_rows(asked.worlds, asked.parameters, self.weights, asked.masks, asked.keys, actions)
        return actions

    def rate(self, decisions: Decisions) -> np.ndarray:
        """The value of each move, float64 (n, 425), by `choice.rate`; larger is better."""
        asked = check_decisions(decisions, "heuristic", worlds=True, reads=False)
        values = np.zeros((len(asked), ACTION_COUNT))
        if len(asked):
            rate_rows(asked.worlds, asked.parameters, self.weights, asked.masks, values)
        return values
