"""Evaluates the leaves of a search and the ends of games.

Without networks, the value of `policy:scratch` evaluates what the searching seat would know at the leaf, so
it does not rely on hidden tiles or cards of a sampled world.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from spacemission_agents.afterstates.moves import Scratch
from spacemission_agents.afterstates.network import Network, share_of
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.leaf_network import new_leaf, promise
from spacemission_agents.games.space_mission.search.networks import (
    RETURNED,
    has_value,
    legal_moves,
    outlook,
    paid_out,
    seen_outlook,
)
from spacemission_agents.games.space_mission.search.rollout_policy import rollout_moves
from spacemission_agents.games.space_mission.value.afterstates import new_network, new_scratch
from spacemission_agents.games.space_mission.value.worlds import standing
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import next32
from spacemission_env.games.space_mission.engine.constants import ACTION, OVER, TOTAL
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.scoring import best_other, better, score

VALUE = "scratch"  # policy:scratch, trained from scratch for 2 to 5 players


class LeafEvaluators(NamedTuple):
    """The evaluators of leaves with scratch memory, for one thread."""

    value: Network  # evaluates what the searching seat knows
    scratch: Scratch
    leaf: tuple[np.ndarray, ...]  # evaluates a sampled world if the policy has no critic (`new_leaf`)


@cache
def shipped_value() -> dict[str, np.ndarray]:
    """Load the tensors of `policy:scratch`."""
    return PolicyAgent(VALUE).arrays


def new_evaluators(arrays: dict[str, np.ndarray] | None = None) -> LeafEvaluators:
    """Make evaluators with these tensors of a value, or with those of `policy:scratch`."""
    return LeafEvaluators(new_network(arrays or shipped_value()), new_scratch(), new_leaf())


@njit
def evaluate_position(s, t, me, evaluators):
    """The expected share of the win of a seat, 0 to 1."""
    return share_of(standing(s, t, me, evaluators.value, evaluators.scratch))


# Number of decisions of a rollout before the last evaluation: by a critic that reads only observations, and
# by any other critic.
SEEN_PLAY_ON, PLAY_ON = 8, 30
LAMBDA = 0.85  # weight of later evaluations by a critic that reads only observations
NOISE = 2.0  # maximum noise on the values of the rollout policy, in points
MARGIN_SHARE = 0.3  # share of the score margin in a return; the rest is the share of the win
MARGIN_SCALE = 30.0  # score margin, in points, that counts as clear


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
def play_on(s, t, networks, mask, actions, values):
    """Play some moves of the policy network before a critic evaluates the position.

    Truncated rollouts: Tesauro and Galperin, "On-line policy improvement using Monte-Carlo search" (1996).
    """
    for _ in range(PLAY_ON):
        if s.phase == OVER:
            return
        apply(s, t, likeliest(legal_moves(s, t, networks, mask, actions, values), actions, values), NO_ORDER)


@njit
def likeliest(count, actions, values):
    best = 0
    for i in range(count):
        if values[i] > values[best]:
            best = i
    return actions[best]


@njit
def seen_returns(s, t, networks, mask, actions, values, scores, seat, out):
    """The returns by a critic of observations along a rollout of the policy.

    The critic evaluates each decision of the searching seat, later ones with less weight: a λ-return (Sutton
    1988). It never reads the sampled world: it was trained on real games, where hidden cards and tiles are
    not evenly dealt. The other seats share the rest evenly (paranoid search; Sturtevant and Korf 2000).
    """
    own, share = 0.0, 1.0
    step = 0
    while s.phase != OVER:
        count = legal_moves(s, t, networks, mask, actions, values)
        if s.player == seat:
            value = seen_outlook(s, t, networks, scores)
            if step >= SEEN_PLAY_ON:
                own += share * value
                break
            own += (1.0 - LAMBDA) * share * value
            share *= LAMBDA
        apply(s, t, likeliest(count, actions, values), NO_ORDER)
        step += 1
    if s.phase == OVER:
        if networks.reward == RETURNED:
            returns(s, t, scores, out)
        else:
            paid_out(s, t, networks, scores, out)
        own += share * out[seat]
    for i in range(s.num_players):
        out[i] = own if i == seat else (1.0 - own) / (s.num_players - 1)


@njit
def known_returns(s, t, v, evaluators, actions, values, seat, out):
    """The returns of a leaf by what the searching seat knows; the rollout policy makes a pending tile pick.

    The value is used at the end of the game too: a sampled world deals the others' tiles evenly, and these
    are worth less than the tiles that real players take. The other seats share the rest.
    """
    while s.phase != OVER and s.phase != ACTION:
        rollout_step(s, t, v, actions, values)
    own = evaluate_position(s, t, seat, evaluators)
    for i in range(s.num_players):
        out[i] = own if i == seat else (1.0 - own) / (s.num_players - 1)


@njit
def leaf_returns(s, t, v, leaf, networks, actions, values, scores, out):
    """The returns of a leaf, 0 to 1 each; the rollout policy makes a pending tile pick.

    With a critic, the mean of critic and leaf network, which halves the errors of each.
    """
    while s.phase != OVER and s.phase != ACTION:
        rollout_step(s, t, v, actions, values)
    if s.phase == OVER:
        returns(s, t, scores, out)
    else:
        promise(s, t, v, leaf, scores, out)
    if has_value(networks):
        expectations(s, t, v, networks, actions, values, scores, networks.returns)
        for seat in range(s.num_players):
            out[seat] = 0.5 * (out[seat] + networks.returns[seat])


@njit
def expectations(s, t, v, networks, actions, values, scores, out):
    """Each seat's return by the critic, at the seat's first decision in a rollout.

    A critic trained against weaker players overestimates the seat that it evaluates; therefore each seat is
    evaluated. If the game ends first, its result counts.
    """
    evaluated = 0
    seats = (1 << int(s.num_players)) - 1
    while s.phase != OVER:
        seat = int(s.player)
        if not evaluated >> seat & 1:
            out[seat] = outlook(s, t, networks, scores)
            evaluated |= 1 << seat
            if evaluated == seats:
                return
        rollout_step(s, t, v, actions, values)
    paid_out(s, t, networks, scores, out)


@njit
def returns(s, t, scores, out):
    """Each seat's return at the end of the game, 0 to 1: its share of the win and its margin (SM-67)."""
    score(s, t, scores)
    n = int(s.num_players)
    winners = 0  # winners as bits
    count = 0
    for i in range(n):
        ahead = 0
        for j in range(n):
            ahead += better(scores, j, i)
        margin = (scores[i, TOTAL] - best_other(scores, n, i)) / MARGIN_SCALE
        out[i] = MARGIN_SHARE * (0.5 + 0.5 * min(1.0, max(-1.0, margin)))
        if ahead == 0:
            winners |= 1 << i
            count += 1
    for i in range(n):
        if winners >> i & 1:
            out[i] += (1.0 - MARGIN_SHARE) / count
