"""The judge of the leaves of `ismcts`: what a position is worth to a seat, by the value of `policy:scratch`.

It reads what the seat would know there, so that it believes in no hidden tiles or cards of a sampled world.


Returns: what the end of a game pays the seats, and what a leaf of the search is expected to pay."""

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
from spacemission_agents.games.space_mission.search.rollout_policy import light_moves
from spacemission_agents.games.space_mission.value.moves import Room, new_room, share_of
from spacemission_agents.games.space_mission.value.network import Network, new_network
from spacemission_agents.games.space_mission.value.worlds import standing
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import next32
from spacemission_env.games.space_mission.engine.constants import ACTION, OVER, TOTAL
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.scoring import best_other, better, score

VALUE = "scratch"  # policy:scratch: learnt from nothing, by 2 to 5 players


class Judge(NamedTuple):
    """The value as compiled code takes it, with scratch."""

    value: Network
    room: Room
    logits: np.ndarray


class Judges(NamedTuple):
    """What judges leaves: what the seat knows; with a guide the sampled world."""

    known: Judge
    world: tuple[np.ndarray, ...]  # `leaf.new_leaf`


@cache
def shipped_value() -> dict[str, np.ndarray]:
    """The tensors of `policy:scratch`."""
    return PolicyAgent(VALUE).arrays


def new_judge(arrays: dict[str, np.ndarray] | None = None) -> Judge:
    """The value of such tensors, of `policy:scratch` unless said otherwise."""
    return Judge(new_network(shipped_value() if arrays is None else arrays), new_room(), np.zeros(1))


def new_judges() -> Judges:
    """Those that ship."""
    return Judges(new_judge(), new_leaf())


@njit
def judge_position(s, t, me, judge):
    """The share of the win that a seat may expect, 0 to 1."""
    return share_of(standing(s, t, me, judge.value, judge.room, judge.logits))


# Decisions that the policy plays on before the last word of a critic that reads what the seat may know, or
# before another is asked.
SEEN_PLAY_ON, PLAY_ON = 8, 30
LAMBDA = 0.85  # share left to later answers of the former, at each
NOISE = 2.0  # points: spread of the light policy's values
MARGIN_SHARE = 0.3  # of a return: the margin of points, beside the win itself
MARGIN_SCALE = 30.0  # points of margin that count as clear


@njit
def light_step(s, t, v, actions, values):
    """Make the light policy's move, with some noise."""
    best = 0
    best_value = -1e9
    for i in range(light_moves(s, t, v, False, actions, values)):
        value = values[i] + NOISE * (next32(s) * 2.0**-32)
        if value > best_value:
            best = i
            best_value = value
    apply(s, t, actions[best], NO_ORDER)


@njit
def play_on(s, t, guide, mask, actions, values):
    """Play some moves as the policy network would: what a move leads to shows before a critic is asked.

    Truncated rollouts of a policy: Tesauro and Galperin, "On-line policy improvement using Monte-Carlo
    search" (1996).
    """
    for _ in range(PLAY_ON):
        if s.phase == OVER:
            return
        apply(s, t, likeliest(legal_moves(s, t, guide, mask, actions, values), actions, values), NO_ORDER)


@njit
def likeliest(count, actions, values):
    """The move that the policy finds likeliest."""
    best = 0
    for i in range(count):
        if values[i] > values[best]:
            best = i
    return actions[best]


@njit
def seen_returns(s, t, guide, mask, actions, values, scores, seat, out):
    """Returns by a critic that reads what the searching seat may know, as all play on by the policy.

    The critic is asked at each of that seat's decisions on the way, and the more of them have passed the less
    each counts: a λ-return (Sutton, "Learning to predict by the methods of temporal differences", 1988). An
    early answer knows less of what the moves lead to, a late one has more luck in it. The sampled world is
    never asked itself: real games have other odds than an even deal, and this critic has learnt those. What
    the seat does not win is split evenly among the others: each is taken to play against it (paranoid search;
    Sturtevant and Korf 2000).
    """
    own, share = 0.0, 1.0
    step = 0
    while s.phase != OVER:
        count = legal_moves(s, t, guide, mask, actions, values)
        if s.player == seat:
            told = seen_outlook(s, t, guide, scores)
            if step >= SEEN_PLAY_ON:
                own += share * told
                break
            own += (1.0 - LAMBDA) * share * told
            share *= LAMBDA
        apply(s, t, likeliest(count, actions, values), NO_ORDER)
        step += 1
    if s.phase == OVER:
        if guide.reward == RETURNED:
            returns(s, t, scores, out)
        else:
            paid_out(s, t, guide, scores, out)
        own += share * out[seat]
    for i in range(s.num_players):
        out[i] = own if i == seat else (1.0 - own) / (s.num_players - 1)


@njit
def known_returns(s, t, v, judge, actions, values, scores, seat, out):
    """Returns of a leaf by what the searching seat knows there; a pick is made by the light policy first.

    So the end of a game too: in a sampled world the others' tiles are dealt evenly, and worth less than what
    others really take. What the seat does not win goes to the others.
    """
    while s.phase != OVER and s.phase != ACTION:
        light_step(s, t, v, actions, values)
    own = judge_position(s, t, seat, judge)
    for i in range(s.num_players):
        out[i] = own if i == seat else (1.0 - own) / (s.num_players - 1)


@njit
def leaf_returns(s, t, v, leaf, guide, actions, values, scores, out):
    """Returns of a leaf, 0 to 1 each: a pick is made by the light policy, then a network tells.

    Where the guide has a critic, the mean of both: one has learnt from games of `heuristic`, the other from
    those of its policy, and what only one of them misjudges counts half.
    """
    while s.phase != OVER and s.phase != ACTION:
        light_step(s, t, v, actions, values)
    if s.phase == OVER:
        returns(s, t, scores, out)
    else:
        promise(s, t, v, leaf, scores, out)
    if has_value(guide):
        expectations(s, t, v, guide, actions, values, scores, guide.told)
        for seat in range(s.num_players):
            out[seat] = 0.5 * (out[seat] + guide.told[seat])


@njit
def expectations(s, t, v, guide, actions, values, scores, out):
    """Each seat's return by the critic, asked at the seat's first decision as the light policy plays on.

    Not by one seat's: a critic that has learnt in games against weaker players expects too much for the seat
    that it is asked for, so that moves that end a turn would be taken for worse or better than those that
    do not. Where the game ends before, its end tells.
    """
    asked = 0
    seats = (1 << int(s.num_players)) - 1
    while s.phase != OVER:
        seat = int(s.player)
        if not asked >> seat & 1:
            out[seat] = outlook(s, t, guide, scores)
            asked |= 1 << seat
            if asked == seats:
                return
        light_step(s, t, v, actions, values)
    paid_out(s, t, guide, scores, out)


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
