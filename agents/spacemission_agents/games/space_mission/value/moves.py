"""A move up to where chance or a pile answers: the afterstate (Sutton and Barto 2018, section 6.8).

A top-up ends before the first card is drawn; scan, develop and discover end before the seat looks through
the pile. What is left is the same in all worlds that the seat holds possible, so that moves may be compared
without sampling any.


What the moves of a decision are worth, and the agent that plays the best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.features import (
    RATINGS,
    Rater,
    new_rater,
    rate_moves,
    write_features,
    write_rating,
)
from spacemission_agents.games.space_mission.value.network import Network, begin_sums, read_move, write_logits
from spacemission_agents.models.layers import draw, most_probable
from spacemission_env.core.agents_api import Decisions
from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    DEVELOP,
    DISCOVER,
    FLY_NEXT,
    JUMP,
    RING,
    SCAN,
    SLOTS,
    TAKE,
)
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.space_mission.engine.observe import observe_compact
from spacemission_env.games.space_mission.engine.rules import (
    deliver_reserved,
    discard_slots,
    fly,
    is_closed,
    jump,
    note_action,
    pair_bits,
    take_tile,
)
from spacemission_env.games.space_mission.engine.state import STATE

# What is still to come of a move: 0 nothing, 1 to 5 so many cards are drawn, or a look into the pile.
LOOK_TO_RESERVE, LOOK_TO_DEVELOP, LOOK_TO_DISCOVER = SLOTS + 1, SLOTS + 2, SLOTS + 3
PENDING = SLOTS + 4


@njit
def begin_move(s, t, action):
    """Carry out a legal move of the seat to act so far; returns what is to come. The turn does not end."""
    if action >= TAKE:
        take_tile(s, t, action - TAKE)
        return 0
    s.actions_left -= 1
    note_action(s, action)
    seat = s.player
    p = s.ship[seat]
    if action < JUMP:
        discard_slots(s, t, seat, action)
        return int(t.hand_size) - int(s.hand_size[seat])
    if action < FLY_NEXT:
        jump(s, t, (action - JUMP) // RING, (action - JUMP) % RING)
        return 0
    if action < SCAN:
        fly(s, 1 if action == FLY_NEXT else -1)
        return 0
    if action < DEVELOP:
        discard_slots(s, t, seat, 1 << (action - SCAN))
        s.scanned[seat, p] = 1
        return 0 if is_closed(s, p) else LOOK_TO_RESERVE
    if action < DISCOVER:
        discard_slots(s, t, seat, pair_bits(action - DEVELOP))
        s.supply[seat] -= 1
        s.station[p] = seat
        deliver_reserved(s, p)
        return 0 if is_closed(s, p) else LOOK_TO_DEVELOP
    return LOOK_TO_DISCOVER


# A move is as probable as its share of the win says: e times as much for each of these shares more.
TEMPERATURE = 0.02


class Room(NamedTuple):
    """Scratch of `judge_moves`."""

    tried: np.ndarray  # a game, `STATE` (1,)
    seen: np.ndarray  # `COMPACT` (1,)
    means: np.ndarray  # `OBSERVATION` (1,)
    rater: Rater


def new_room() -> Room:
    """For one thread."""
    return Room(np.zeros(1, STATE), np.zeros(1, COMPACT), np.zeros(1, OBSERVATION), new_rater())


@njit
def judge_moves(s, t, mask, net, room, actions, logits):
    """Write the legal moves and the logits of the share of the win behind each; returns how many.

    Args:
        s: the game, or any world that the seat to act cannot tell from it.
        t: the box.
        mask: legal moves, int8 (ACTION_COUNT,).
        net: `Network`; its `features` are those behind the moves afterwards.
        room: `new_room`.
        actions: out, int64 (ACTION_COUNT,).
        logits: out, float64 (ACTION_COUNT,).
    """
    seat, players = int(s.player), int(s.num_players)
    tried, seen, means, rater = room
    if net.reads_ratings:
        rate_moves(s, t, rater)
    count = 0
    for action in range(ACTION_COUNT):
        if mask[action]:
            tried[0] = s
            pending = begin_move(tried[0], t, action)
            observe_compact(tried[0], t, seat, 1, seen[0], means)
            write_features(seen[0], t, players, pending, net.features[count])
            if net.reads_ratings:
                write_rating(action, rater, net.features[count, RATINGS:])
            if count == 0:
                begin_sums(net, net.features[0])
            read_move(net, count)
            actions[count] = action
            count += 1
    write_logits(net, count, logits)
    return count


@njit
def share_of(logit):
    """The share of the win that a logit says."""
    return 1.0 / (1.0 + np.exp(-logit))


@njit
def judge_rows(worlds, masks, keys, boxes, net, room, sample, chosen, logits):
    """Write a move for each row, the best or drawn by the key, and logits, float32 (n, ACTION_COUNT)."""
    actions, values = np.zeros(ACTION_COUNT, np.int64), np.zeros(ACTION_COUNT)
    for n in range(len(chosen)):
        count = judge_moves(worlds[n], boxes[0], masks[n], net, room, actions, values)
        logits[n] = 0.0
        for i in range(count):
            logits[n, actions[i]] = share_of(values[i]) / TEMPERATURE
        chosen[n] = draw(logits[n], masks[n], keys[n]) if sample else most_probable(logits[n], masks[n])


def run_rows(decisions: Decisions, network: Network, sample: bool) -> tuple[np.ndarray, np.ndarray]:
    """Actions int64 (n,) and logits float32 (n, ACTION_COUNT) of decisions that come with worlds."""
    worlds: Any = decisions.worlds
    actions = np.zeros(len(decisions), np.int64)
    logits = np.zeros((len(decisions), ACTION_COUNT), np.float32)
    masks = np.ascontiguousarray(decisions.masks, np.int8)
    keys = np.ascontiguousarray(decisions.keys, np.int64)
    judge_rows(worlds, masks, keys, decisions.boxes, network, new_room(), sample, actions, logits)
    return actions, logits
