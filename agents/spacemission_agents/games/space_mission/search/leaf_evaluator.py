"""Evaluates the leaves of a search.

The value of `policy:scratch` evaluates what the searching seat would know at the leaf, so it does not rely on
hidden tiles or cards of a sampled world.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from spacemission_agents.afterstates.moves import Scratch
from spacemission_agents.afterstates.network import Network, share_of
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.rollout_policy import rollout_moves
from spacemission_agents.games.space_mission.value.afterstates import new_network, new_scratch
from spacemission_agents.games.space_mission.value.worlds import standing
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import next32
from spacemission_env.games.space_mission.engine.constants import ACTION, OVER
from spacemission_env.games.space_mission.engine.rules import apply

VALUE = "scratch"  # policy:scratch, trained from scratch for 2 to 5 players


class LeafEvaluators(NamedTuple):
    """The evaluators of leaves with scratch memory, for one thread."""

    value: Network  # evaluates what the searching seat knows
    scratch: Scratch


@cache
def shipped_value() -> dict[str, np.ndarray]:
    """Load the tensors of `policy:scratch`."""
    return PolicyAgent(VALUE).arrays


def new_evaluators(arrays: dict[str, np.ndarray] | None = None) -> LeafEvaluators:
    """Make evaluators with these tensors of a value, or with those of `policy:scratch`."""
    return LeafEvaluators(new_network(arrays or shipped_value()), new_scratch())


@njit
def evaluate_position(s, t, me, evaluators):
    """The expected share of the win of a seat, 0 to 1."""
    return share_of(standing(s, t, me, evaluators.value, evaluators.scratch))


NOISE = 2.0  # maximum noise on the values of the rollout policy, in points


@njit
def rollout_step(s, t, v, actions, values):
    """Make a move of the rollout policy, with noise."""
    best = 0
    best_value = -1e9
    for i in range(rollout_moves(s, t, v, False, actions, values)):
        value = values[i] + NOISE * (next32(s) * 2.0**-32)
        if value > best_value:
            best = i
            best_value = value
    apply(s, t, actions[best], NO_ORDER)


@njit
def write_returns(s, t, v, evaluators, actions, values, seat, out):
    """The returns of a leaf by what the searching seat knows; the rollout policy makes a pending tile pick.

    The value is used at the end of the game too: a sampled world deals the others' tiles evenly, and these
    are worth less than the tiles that real players take. The other seats share the rest.
    """
    while s.phase != OVER and s.phase != ACTION:
        rollout_step(s, t, v, actions, values)
    own = evaluate_position(s, t, seat, evaluators)
    for i in range(s.num_players):
        out[i] = own if i == seat else (1.0 - own) / (s.num_players - 1)
