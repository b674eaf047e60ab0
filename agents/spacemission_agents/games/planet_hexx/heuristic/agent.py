"""Defines the agent `heuristic`, which plays the move with the best evaluated outcome.

`choice.py` looks ahead; `evaluation.py` evaluates positions by the weights in `data/heuristic.toml`. A move
has the same value in all states of an information set. The side of the Mission File is chosen at random.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache

import numpy as np

from spacemission_agents.games.planet_hexx.heuristic.choice import choose_rows, rate_rows
from spacemission_agents.weights import Weight, WeightTable
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.decisions import check_decisions
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT

# fmt: off
TABLE = WeightTable(
    # The Actions that a seat still needs.
    Weight("data_time", 1.3, "Actions to collect a Data without a known Planet", 0.5, 3.0),
    Weight("no_planet", 0.8, "further Actions if no Planet can be reached", 0.0, 5.0),
    Weight("trip", 0.7, "Actions to reach a Space, for each upload that cannot be made here", 0.0, 1.5),
    Weight("missing", 1.6, "Actions to find a card for an open point", 0.0, 4.0),
    Weight("exposed", 0.05, "Actions for each Data and each card held for a later upload", 0.0, 0.6),
    Weight("extra_data", 0.1, "Actions saved by a Data beyond the cost of all uploads", 0.0, 0.6),
    Weight("scarce", 0.4, "Actions for each needed Data that lies on no Planet", 0.0, 1.5),
    Weight("later", 0.7, "value of a card drawn at the end of the turn, as a share of a card", 0.0, 1.0),
    Weight("site", 1.0, "Data expected from a cell where a Planet may be laid", 0.0, 4.0),
    # Actions saved by cards without an open point.
    Weight("spare_event", 0.5, "an Event", 0.0, 2.0),
    Weight("spare_surprise", 0.5, "a Surprise that cannot be played in its owner's turn", 0.0, 2.0),
    Weight("spare_planet", 0.4, "a Planet", 0.0, 2.0),
    Weight("spare_space", 0.2, "a Space", 0.0, 2.0),
    Weight("spare_fresh", 0.4, "a card that the seat has not seen yet", 0.0, 2.0),
    # The turn.
    Weight("action", 0.9, "an Action left", 0.3, 1.5),
    Weight("event_action", 0.4, "an Action left of one kind only", 0.0, 1.2),
    Weight("grounded", 0.5, "value of an Action while Moves are banned, as a share of an Action", 0.0, 1.0),
    Weight("roll_bonus", 0.15, "a bonus of 1 on Move rolls, for each Action left", 0.0, 0.6),
    # The other players.
    Weight("finish", 4.0, "Actions added before the logarithm is taken", 0.1, 20.0),
    Weight("others", 0.7, "weight of the other players' progress; 1: as much as one's own", 0.0, 1.5),
    Weight("leader", 0.2, "additional weight of an opponent for each Action that it is ahead", 0.0, 1.0),
)
# fmt: on

NAMES, WEIGHTS = TABLE.names, TABLE.record
make_weights, load_weights = TABLE.make, TABLE.load


@lru_cache(maxsize=1)
def shipped_weights() -> np.ndarray:
    """The weights of the package (`data/heuristic.toml`)."""
    return TABLE.shipped("spacemission_agents.games.planet_hexx", "data/heuristic.toml")


def shipped_digest() -> str:
    """Digest of the shipped weights; a network that reads ratings needs the weights of its training."""
    values = dict(zip(NAMES, shipped_weights()[0].tolist(), strict=True))
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


class HeuristicAgent(Agent):
    """Plays by a hand-written evaluation; `heuristic:FILE` takes its weights from a file."""

    for_players = "Plays by rules of thumb that people wrote down. A good opponent."
    needs = {"worlds"}

    def __init__(self, parameter: str | None = None) -> None:
        """Read the weights from a TOML file or take the shipped ones. AgentError: they are not valid."""
        self.weights = shipped_weights() if parameter is None else load_weights(parameter)

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
