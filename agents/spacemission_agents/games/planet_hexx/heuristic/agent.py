"""`heuristic`: plays the move whose outcome it rates highest.

The evaluation (`choice.py`, `evaluation.py`) has a declared table of weights; the shipped values are
`data/heuristic.toml`. It is equal in all worlds that the seat cannot tell apart. Chance only chooses the side
of the Mission File.
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

SHIPPED = "data/heuristic.toml"

# fmt: off
TABLE = WeightTable(
    # The time that a seat still needs, in Actions.
    Weight("data_time", 1.3, "Actions that a Data takes, where no Planet is in view for it", 0.5, 3.0),
    Weight("no_planet", 0.8, "more Actions where no Planet can be reached", 0.0, 5.0),
    Weight("trip", 0.7, "Actions to come to a Space, for each upload that cannot be made here", 0.0, 1.5),
    Weight("missing", 1.6, "Actions that it takes to find a card for an open point", 0.0, 4.0),
    Weight("exposed", 0.05, "Actions for each Data and each card that waits for its upload", 0.0, 0.6),
    Weight("extra_data", 0.1, "Actions that a Data beyond all uploads saves", 0.0, 0.6),
    Weight("scarce", 0.4, "Actions for each Data that is needed and not on Planets in reach", 0.0, 1.5),
    Weight("later", 0.7, "share of a card that counts if it is drawn at the end of the turn", 0.0, 1.0),
    Weight("site", 1.0, "Data that a cell counts where a Planet could be laid", 0.0, 4.0),
    # Cards beyond the open points, in Actions that they save.
    Weight("spare_event", 0.5, "an Event", 0.0, 2.0),
    Weight("spare_surprise", 0.5, "a Surprise that cannot be played on the own turn", 0.0, 2.0),
    Weight("spare_planet", 0.4, "a Planet", 0.0, 2.0),
    Weight("spare_space", 0.2, "a Space", 0.0, 2.0),
    Weight("spare_fresh", 0.4, "a card that has not been seen yet", 0.0, 2.0),
    # The turn.
    Weight("action", 0.9, "an Action left", 0.3, 1.5),
    Weight("event_action", 0.4, "an Action left that was gained for one purpose", 0.0, 1.2),
    Weight("grounded", 0.5, "share of an Action's worth without Moves", 0.0, 1.0),
    Weight("roll_bonus", 0.15, "one more on Move rolls, for each Action left", 0.0, 0.6),
    # The others.
    Weight("finish", 4.0, "Actions that are added before their logarithm is taken", 0.1, 20.0),
    Weight("others", 0.7, "share of the others' progress, against the own", 0.0, 1.5),
    Weight("leader", 0.2, "how much more the one counts who is an Action ahead of another", 0.0, 1.0),
)
# fmt: on

NAMES, WEIGHTS = TABLE.names, TABLE.record
make_weights, load_weights = TABLE.make, TABLE.load


@lru_cache(maxsize=1)
def shipped_weights() -> np.ndarray:
    """The weights that ship, as `make_weights` gives them."""
    return TABLE.shipped("spacemission_agents.games.planet_hexx", SHIPPED)


def shipped_digest() -> str:
    """Digest of the values of the shipped weights: others rate moves differently."""
    values = dict(zip(NAMES, shipped_weights()[0].tolist(), strict=True))
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


class HeuristicAgent(Agent):
    """Plays by a hand-written evaluation; `heuristic:FILE` reads other weights than those that ship."""

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
        asked = check_decisions(decisions, "heuristic", worlds=True, reads=False)
        actions = np.zeros(len(asked), np.int64)
        if len(asked):
            choose_rows(asked.worlds, asked.parameters, self.weights, asked.masks, asked.keys, actions)
        return actions

    def rate(self, decisions: Decisions) -> np.ndarray:
        """The value of each move, float64 (n, 425): larger is better; see `choice.rate`."""
        asked = check_decisions(decisions, "heuristic", worlds=True, reads=False)
        values = np.zeros((len(asked), ACTION_COUNT))
        if len(asked):
            rate_rows(asked.worlds, asked.parameters, self.weights, asked.masks, values)
        return values
