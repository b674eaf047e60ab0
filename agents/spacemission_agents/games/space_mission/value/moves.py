"""Evaluates the moves of a decision by the values of their afterstates.

An afterstate (Sutton and Barto 2018, section 6.8) is the position just before the move reveals something: a
top-up before the first draw; scan, develop and discover before the look into the pile. It is the same in all
possible worlds of the seat, so no world has to be sampled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value import features
from spacemission_agents.games.space_mission.value.network import Network, begin_sums, read_move, write_logits
from spacemission_agents.models.layers import draw, most_probable
from spacemission_env.core.agents import Decisions
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import rules
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.space_mission.engine.observe import observe_compact
from spacemission_env.games.space_mission.engine.scoring import rank_number, score
from spacemission_env.games.space_mission.engine.state import STATE

# The share of the win by which a move becomes e times as probable.
TEMPERATURE = 0.02


@njit
def begin_move(s, t, action):
    """Make a legal move up to its afterstate; returns the pending part (features.py)."""
    if action >= c.TAKE:
        rules.take_tile(s, t, action - c.TAKE)
        return 0
    rules.count_action(s, action)
    seat = s.player
    p = s.ship[seat]
    if action < c.JUMP:
        rules.discard_slots(s, t, seat, action)
        return int(t.hand_size) - int(s.hand_size[seat])
    if action < c.FLY_NEXT:
        rules.jump(s, t, (action - c.JUMP) // c.RING, (action - c.JUMP) % c.RING)
        return 0
    if action < c.SCAN:
        rules.fly(s, 1 if action == c.FLY_NEXT else -1)
        return 0
    if action < c.DEVELOP:
        rules.play_scan_card(s, t, action - c.SCAN)
        return 0 if rules.is_closed(s, p) else features.LOOK_TO_RESERVE
    if action < c.DISCOVER:
        rules.build_station(s, t, rules.pair_bits(action - c.DEVELOP))
        return 0 if rules.is_closed(s, p) else features.LOOK_TO_DEVELOP
    return features.LOOK_TO_DISCOVER


class Scratch(NamedTuple):
    """Scratch memory of a decision, for one thread."""

    tried: np.ndarray  # a game, `STATE` (1,)
    seen: np.ndarray  # `COMPACT` (1,)
    means: np.ndarray  # `OBSERVATION` (1,)
    ratings: features.MoveRatings
    mask: np.ndarray  # int8 (ACTION_COUNT,)
    actions: np.ndarray  # the moves, int64 (ACTION_COUNT,)
    logits: np.ndarray  # logits of the share of the win after each, float64 (ACTION_COUNT,)
    scores: np.ndarray  # int64 (MAX_PLAYERS, SCORES)
    shares: np.ndarray  # float64 (MAX_PLAYERS,)


def new_scratch() -> Scratch:
    games = np.zeros(1, STATE), np.zeros(1, COMPACT), np.zeros(1, OBSERVATION), features.new_ratings()
    moves = np.zeros(c.ACTION_COUNT, np.int8), np.zeros(c.ACTION_COUNT, np.int64), np.zeros(c.ACTION_COUNT)
    return Scratch(*games, *moves, np.zeros((c.MAX_PLAYERS, c.SCORES), np.int64), np.zeros(c.MAX_PLAYERS))


@njit
def evaluate_moves(s, t, mask, net, scratch):
    """Evaluate the legal moves and write them with their logits into `scratch`; returns how many.

    `s`: the game, or any possible world of the seat to act. `net.features` gets the features of the
    afterstates.
    """
    seat, players = int(s.player), int(s.num_players)
    tried, seen = scratch.tried, scratch.seen
    if net.reads_ratings:
        features.rate_moves(s, t, scratch.ratings)
    count = 0
    for action in range(c.ACTION_COUNT):
        if mask[action]:
            tried[0] = s
            pending = begin_move(tried[0], t, action)
            observe_compact(tried[0], t, seat, 1, seen[0], scratch.means)
            features.write_features(seen[0], t, players, pending, net.features[count])
            if net.reads_ratings:
                features.write_rating(action, scratch.ratings, net.features[count, features.RATINGS :])
            if count == 0:
                begin_sums(net, net.features[0])
            read_move(net, count)
            scratch.actions[count] = action
            count += 1
    write_logits(net, count, scratch.logits)
    return count


@njit
def share_of(logit):
    """The share of the win for a logit."""
    return 1.0 / (1.0 + np.exp(-logit))


@njit
def win_shares(s, t, scores, out):
    """Write each seat's share of the win at the end of a game (SM-67), float64 (seats,)."""
    n = int(s.num_players)
    score(s, t, scores)
    best = rank_number(scores, 0)
    for j in range(1, n):
        best = max(best, rank_number(scores, j))
    winners = 0
    for j in range(n):
        winners += rank_number(scores, j) == best
    for j in range(n):
        out[j] = 1.0 / winners if rank_number(scores, j) == best else 0.0


@njit
def choose_rows(worlds, masks, keys, parameters, net, scratch, sample, chosen, logits):
    """Write a move for each row, the best or sampled by the key, and logits, float32 (n, ACTION_COUNT)."""
    for n in range(len(chosen)):
        count = evaluate_moves(worlds[n], parameters[0], masks[n], net, scratch)
        logits[n] = 0.0
        for i in range(count):
            logits[n, scratch.actions[i]] = share_of(scratch.logits[i]) / TEMPERATURE
        chosen[n] = draw(logits[n], masks[n], keys[n]) if sample else most_probable(logits[n], masks[n])


def run_rows(decisions: Decisions, network: Network, sample: bool) -> tuple[np.ndarray, np.ndarray]:
    """Actions int64 (n,) and logits float32 (n, ACTION_COUNT) of decisions with worlds."""
    actions = np.zeros(len(decisions), np.int64)
    logits = np.zeros((len(decisions), c.ACTION_COUNT), np.float32)
    masks = np.ascontiguousarray(decisions.masks, np.int8)
    keys = np.ascontiguousarray(decisions.keys, np.int64)
    worlds, parameters = decisions.worlds, decisions.parameters
    choose_rows(worlds, masks, keys, parameters, network, new_scratch(), sample, actions, logits)
    return actions, logits
