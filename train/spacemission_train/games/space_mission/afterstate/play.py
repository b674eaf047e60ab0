"""Games of the present value against itself, and what each position turned out to be worth.

Every seat plays the move behind which its position is worth most, with some chance. Behind the last move of a game
each position of a seat gets its target: TD(lambda) (Sutton 1988) backwards over the seat's own positions, from the
seat's share of the win.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_agents.games.space_mission import compiled
from spacemission_agents.games.space_mission.afterstate.features import FEATURES
from spacemission_agents.games.space_mission.afterstate.judge import judge_moves, new_room
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import below, seed_rng
from spacemission_env.games.space_mission.engine.constants import (
    ACTION,
    ACTION_COUNT,
    JUMP,
    MAX_PLAYERS,
    OVER,
    SCORES,
    TOP_UP,
    TOTAL,
)
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply, deal
from spacemission_env.games.space_mission.engine.scoring import best_other, rank_number, score
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.core.jit import make_njit

njit = make_njit(compiled.njit, Path(__file__).parent)

LONGEST = 1500  # decisions of a game that are kept; behind that a game is dropped


class Tables:
    """Games that one thread plays, with what is kept of each."""

    def __init__(self, games: int, seed: int) -> None:
        self.states = np.zeros(games, STATE)
        self.features = np.zeros((games, LONGEST, FEATURES), np.uint8)
        self.values = np.zeros((games, LONGEST), np.float32)
        self.seats = np.zeros((games, LONGEST), np.int8)
        self.counts = np.zeros(games, np.int64)
        self.dice = np.zeros(1, STATE)
        self.room = new_room()
        begin_dice(self.dice, seed)
        self.states["over"] = 1


@njit
def begin_dice(dice, seed):
    """Random numbers of a thread."""
    seed_rng(dice[0], seed)


@njit
def uniform(dice):
    """A number from 0 to 1."""
    return below(dice[0], 1 << 24) / (1 << 24)


@njit
def chosen(dice, logits, count, temperature, random):
    """The place of the move that is played."""
    if uniform(dice) < random:
        return below(dice[0], count)
    best = 0.0
    values = np.empty(count)
    for i in range(count):
        values[i] = 1.0 / (1.0 + np.exp(-logits[i]))
        best = max(best, values[i])
    total = 0.0
    for i in range(count):
        total += np.exp((values[i] - best) / temperature)
    at = uniform(dice) * total
    for i in range(count):
        at -= np.exp((values[i] - best) / temperature)
        if at < 0:
            return i
    return count - 1


@njit
def leave_out(dice, s, t, share, mask):
    """Leave some top-ups out, to save time: they are most of the moves."""
    if s.phase != ACTION:
        return
    for action in range(TOP_UP + 1, JUMP):
        if mask[action] and uniform(dice) < share:
            mask[action] = 0


@njit
def write_outcome(s, t, scores, told):
    """Share of the win, points / 50, lead / 30 of each seat: told (MAX_PLAYERS, 3)."""
    n = int(s.num_players)
    score(s, t, scores)
    best = -1000000000
    for j in range(n):
        best = max(best, rank_number(scores, j))
    winners = 0
    for j in range(n):
        winners += rank_number(scores, j) == best
    for j in range(n):
        told[j, 0] = 1.0 / winners if rank_number(scores, j) == best else 0.0
        told[j, 1] = scores[j, TOTAL] / 50.0
        told[j, 2] = (scores[j, TOTAL] - best_other(scores, n, j)) / 30.0


@njit
def keep_game(t, told, features, values, seats, count, lam, out_x, out_y, at):
    """Write a game's positions and their targets into the ring `out_x`, `out_y` from place `at`; the next place."""
    following = np.full(MAX_PLAYERS, -1.0)
    for i in range(count - 1, -1, -1):
        j = seats[i]
        if following[j] < 0:
            following[j] = told[j, 0]
        target = following[j]
        out_x[at] = features[i]
        out_y[at, 0] = target
        out_y[at, 1] = told[j, 1]
        out_y[at, 2] = told[j, 2]
        at = (at + 1) % len(out_x)
        following[j] = (1 - lam) * values[i] + lam * target
    return at


@njit
def play(states, boxes, features, values, seats, counts, dice, room, net, players, steps, settings, out_x, out_y, at, stats):
    """Play `steps` decisions in every game; returns the next place of the ring.

    `settings`: temperature, share of random moves, lambda, share of top-ups left out.
    """
    t = boxes[0]
    temperature, random, lam = settings[0], settings[1], settings[2]
    mask = np.zeros(ACTION_COUNT, np.int8)
    actions = np.zeros(ACTION_COUNT, np.int64)
    logits = np.zeros(ACTION_COUNT)
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    told = np.zeros((MAX_PLAYERS, 3))
    for g in range(len(states)):
        s = states[g]
        for _ in range(steps):
            if s.over != 0 or counts[g] == LONGEST:
                seed = below(dice[0], 1 << 31) * (1 << 31) + below(dice[0], 1 << 31)
                deal(s, t, players[below(dice[0], len(players))], seed)
                counts[g] = 0
            write_mask(s, t, s.player, mask)
            leave_out(dice, s, t, settings[3], mask)
            count = judge_moves(s, t, mask, net, room, actions, logits)
            stats[0] += count
            stats[1] += 1
            i = chosen(dice, logits, count, temperature, random)
            at_ = counts[g]
            features[g, at_] = room[3][i]
            values[g, at_] = 1.0 / (1.0 + np.exp(-logits[i]))
            seats[g, at_] = s.player
            counts[g] += 1
            apply(s, t, actions[i], NO_ORDER)
            if s.phase == OVER:
                write_outcome(s, t, scores, told)
                at = keep_game(t, told, features[g], values[g], seats[g], counts[g], lam, out_x, out_y, at)
                stats[2] += 1
                stats[3] += s.round_number
                stats[4] += counts[g]
    return at


@njit
def best_moves(states, boxes, index, masks, net, room, out):
    """The moves that the value likes best, of the games of `index`."""
    actions = np.zeros(ACTION_COUNT, np.int64)
    logits = np.zeros(ACTION_COUNT)
    for n in range(len(index)):
        s = states[index[n]]
        count = judge_moves(s, boxes[0], masks[n], net, room, actions, logits)
        best = 0
        for i in range(1, count):
            if logits[i] > logits[best]:
                best = i
        out[n] = actions[best]
