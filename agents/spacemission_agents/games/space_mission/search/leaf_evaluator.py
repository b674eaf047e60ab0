"""Evaluates the leaves of a search, and pays out games that are over.

Without networks a leaf is worth what the value of `policy:scratch` says of what the searching seat would know
there, so that it believes in no hidden tiles or cards of a sampled world.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

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
from spacemission_agents.games.space_mission.value.moves import Scratch, new_scratch, share_of
from spacemission_agents.games.space_mission.value.network import Network, new_network
from spacemission_agents.games.space_mission.value.worlds import standing
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import next32
from spacemission_env.games.space_mission.engine.constants import ACTION, OVER, TOTAL
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.scoring import best_other, better, score

VALUE = "scratch"  # policy:scratch: learnt from nothing, by 2 to 5 players


class LeafEvaluators(NamedTuple):
    """What evaluates leaves, with scratch memory, for one thread."""

    value: Network  # of what the searching seat knows
    scratch: Scratch
    leaf: tuple[np.ndarray, ...]  # of a sampled world, where a policy network has no critic (`new_leaf`)


@cache
def shipped_value() -> dict[str, np.ndarray]:
    """The tensors of `policy:scratch`."""
    return PolicyAgent(VALUE).arrays


def new_evaluators(arrays: dict[str, np.ndarray] | None = None) -> LeafEvaluators:
    """With these tensors of a value, or those of `policy:scratch`."""
    return LeafEvaluators(new_network(arrays or shipped_value()), new_scratch(), new_leaf())


@njit
def evaluate_position(s, t, me, evaluators):
    """The share of the win that a seat may expect, 0 to 1."""
    return share_of(standing(s, t, me, evaluators.value, evaluators.scratch))


# Decisions that the policy plays on before the last word of a critic that reads what the seat may know, or
# before another is asked.
SEEN_PLAY_ON, PLAY_ON = 8, 30
LAMBDA = 0.85  # share left to later answers of the former, at each
NOISE = 2.0  # points: spread of the rollout policy's values
MARGIN_SHARE = 0.3  # of a return: the margin of points, beside the win itself
MARGIN_SCALE = 30.0  # points of margin that count as clear


@njit
def rollout_step(s, t, v, actions, values):
    """Make the rollout policy's move, with some noise."""
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
    """Play some moves as the policy network would, before a critic is asked.

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
    """Returns by a critic that reads what the searching seat may know, as all play on by the policy.

    It is asked at each of that seat's decisions, later ones counting less: a λ-return (Sutton 1988). The
    sampled world is never read: real games are no even deals, and this critic has learnt from real games.
    What the seat does not win is split evenly among the others (paranoid search; Sturtevant and Korf 2000).
    """
    own, share = 0.0, 1.0
    step = 0
    while s.phase != OVER:
        count = legal_moves(s, t, networks, mask, actions, values)
        if s.player == seat:
            told = seen_outlook(s, t, networks, scores)
            if step >= SEEN_PLAY_ON:
                own += share * told
                break
            own += (1.0 - LAMBDA) * share * told
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
    """Returns of a leaf by what the searching seat knows there; a pick is made by the rollout policy first.

    The end of a game too: in a sampled world the others' tiles are dealt evenly, and worth less than what
    others really take. What the seat does not win goes to the others.
    """
    while s.phase != OVER and s.phase != ACTION:
        rollout_step(s, t, v, actions, values)
    own = evaluate_position(s, t, seat, evaluators)
    for i in range(s.num_players):
        out[i] = own if i == seat else (1.0 - own) / (s.num_players - 1)


@njit
def leaf_returns(s, t, v, leaf, networks, actions, values, scores, out):
    """Returns of a leaf, 0 to 1 each: a pick is made by the rollout policy, then a network tells.

    With a critic, the mean of both: what only one of them misjudges counts half.
    """
    while s.phase != OVER and s.phase != ACTION:
        rollout_step(s, t, v, actions, values)
    if s.phase == OVER:
        returns(s, t, scores, out)
    else:
        promise(s, t, v, leaf, scores, out)
    if has_value(networks):
        expectations(s, t, v, networks, actions, values, scores, networks.told)
        for seat in range(s.num_players):
            out[seat] = 0.5 * (out[seat] + networks.told[seat])


@njit
def expectations(s, t, v, networks, actions, values, scores, out):
    """Each seat's return by the critic, asked at the seat's first decision as the rollout policy plays on.

    A critic that has learnt in games against weaker players expects too much for the seat that it is asked
    for, so each seat is asked. Where the game ends before, its end tells.
    """
    asked = 0
    seats = (1 << int(s.num_players)) - 1
    while s.phase != OVER:
        seat = int(s.player)
        if not asked >> seat & 1:
            out[seat] = outlook(s, t, networks, scores)
            asked |= 1 << seat
            if asked == seats:
                return
        rollout_step(s, t, v, actions, values)
    paid_out(s, t, networks, scores, out)


@njit
def returns(s, t, scores, out):
    """Each seat's return, 0 to 1: its share of the win and how clear the margin is (SM-67)."""
    score(s, t, scores)
    n = int(s.num_players)
    winners = 0  # bits of the seats
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
