"""Games of the present value against itself, and what each position turned out to be worth.

Every seat plays the move behind which its position is worth most, with some chance. Behind the last move of
a game each position of a seat gets its target: TD(lambda) (Sutton 1988) backwards over the seat's own
positions, from the seat's share of the win.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.games.space_mission import compiled
from spacemission_agents.games.space_mission.afterstate.features import FEATURES
from spacemission_agents.games.space_mission.afterstate.judge import judge_moves, new_room, share_of
from spacemission_agents.games.space_mission.afterstate.network import LEAD_UNIT, POINTS_UNIT, TOLD, Network
from spacemission_env.core.constants import FINISHED, NO_ORDER, RUNNING
from spacemission_env.core.jit import make_njit
from spacemission_env.core.rng import below, seed_rng
from spacemission_env.games.space_mission.engine.constants import (
    ACTION,
    ACTION_COUNT,
    JUMP,
    MAX_PLAYERS,
    SCORES,
    TOP_UP,
    TOTAL,
)
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply, deal
from spacemission_env.games.space_mission.engine.scoring import best_other, rank_number, score
from spacemission_env.games.space_mission.engine.state import STATE

njit = make_njit(compiled.njit, Path(__file__).parent)

LONGEST = 1500  # decisions of a game that are kept; one that goes on longer is dropped


class Tables:
    """Games that one thread plays, what is kept of each, and a ring of what has been learnt from them.

    Attributes:
        states: games (n,).
        features, values, seats, cuts, counts: of the decisions of each so far, in order: the position behind
            the move, the best value that there was to choose, who chose, whether it was made at random.
        x, y: the ring, uint8 (kept, FEATURES) and float32 (kept, TOLD); `filled` of it are positions.
        told: sums since they were last read: moves judged, decisions, games, rounds of these.
    """

    def __init__(self, games: int, kept: int, seed: int) -> None:
        """So many games, not begun, and room for so many positions."""
        self.states = np.zeros(games, STATE)
        self.states["over"] = FINISHED
        self.features = np.zeros((games, LONGEST, FEATURES), np.uint8)
        self.values = np.zeros((games, LONGEST), np.float32)
        self.seats = np.zeros((games, LONGEST), np.int8)
        self.cuts = np.zeros((games, LONGEST), np.int8)
        self.counts = np.zeros(games, np.int64)
        self.dice = np.zeros(1, STATE)
        self.x = np.zeros((kept, FEATURES), np.uint8)
        self.y = np.zeros((kept, len(TOLD)), np.float32)
        self.at = self.filled = 0
        self.told = np.zeros(4)
        self.room = new_room()
        begin_dice(self.dice, seed)

    def play(self, boxes: Any, net: Network, players: np.ndarray, steps: int, settings: np.ndarray) -> int:
        """Play `steps` decisions in every game (`play_on`); how many positions have got their target."""
        kept = (self.states, self.features, self.values, self.seats, self.cuts, self.counts)
        new = play_on(
            boxes,
            *kept,
            self.dice,
            self.room,
            net,
            players,
            steps,
            settings,
            self.x,
            self.y,
            self.at,
            self.told,
        )
        self.at = (self.at + new) % len(self.x)
        self.filled = min(len(self.x), self.filled + new)
        return new


@njit
def begin_dice(dice, seed):
    """Random numbers of a thread."""
    seed_rng(dice[0], seed)


@njit
def uniform(dice):
    """A number from 0 to 1."""
    return below(dice[0], 1 << 24) / (1 << 24)


@njit
def chosen(dice, logits, count, best, temperature):
    """The place of the move that is played, by its logit; `best`: the highest."""
    total = 0.0
    for i in range(count):
        total += np.exp((logits[i] - best) / temperature)
    left = uniform(dice) * total
    for i in range(count):
        left -= np.exp((logits[i] - best) / temperature)
        if left < 0:
            return i
    return count - 1


@njit
def leave_out(dice, s, share, mask):
    """Leave some top-ups out, to save time: they are most of the moves. One move at least stays."""
    if s.phase != ACTION:
        return
    stay = 0
    for action in range(ACTION_COUNT):
        stay += mask[action]
    for action in range(TOP_UP + 1, JUMP):
        if mask[action] and uniform(dice) < share and stay > 1:
            mask[action] = 0
            stay -= 1


@njit
def write_outcome(s, t, scores, told):
    """What each seat is told in the end: share of the win, points, lead; told float64 (MAX_PLAYERS, 3)."""
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
        told[j, 1] = scores[j, TOTAL] / POINTS_UNIT
        told[j, 2] = (scores[j, TOTAL] - best_other(scores, n, j)) / LEAD_UNIT


@njit
def keep_game(told, features, values, seats, cuts, count, lam, x, y, at):
    """Write a game's positions and their targets into the ring from place `at` on.

    `lam`: what the seat's later positions turned out to be worth counts so much, the value that it saw in its
    next decision the rest; where the move there was made at random, that value alone (Watkins 1989).
    """
    following = np.full(MAX_PLAYERS, -1.0)
    for i in range(count - 1, -1, -1):
        j = seats[i]
        target = told[j, 0] if following[j] < 0 else following[j]
        x[at] = features[i]
        y[at, 0] = target
        y[at, 1] = told[j, 1]
        y[at, 2] = told[j, 2]
        at = (at + 1) % len(x)
        following[j] = values[i] if cuts[i] else (1 - lam) * values[i] + lam * target


@njit
def play_on(
    boxes,
    states,
    features,
    values,
    seats,
    cuts,
    counts,
    dice,
    room,
    net,
    players,
    steps,
    settings,
    x,
    y,
    at,
    told,
):
    """Play `steps` decisions in every game; returns how many positions were written into the ring from `at`
    on.

    `players`: numbers of players, of which each new game draws one. `settings`: temperature, share of random
    moves, lambda, share of top-ups left out. The rest is what `Tables` has, and the present value.
    """
    t = boxes[0]
    temperature, random, lam, left_out = settings[0], settings[1], settings[2], settings[3]
    mask = np.zeros(ACTION_COUNT, np.int8)
    actions = np.zeros(ACTION_COUNT, np.int64)
    logits = np.zeros(ACTION_COUNT)
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    ends = np.zeros((MAX_PLAYERS, 3))
    new = 0
    for g in range(len(states)):
        s = states[g]
        for _ in range(steps):
            if s.over != RUNNING or counts[g] == LONGEST:
                seed = below(dice[0], 1 << 31) * (1 << 31) + below(dice[0], 1 << 31)
                deal(s, t, players[below(dice[0], len(players))], seed)
                counts[g] = 0
            write_mask(s, t, s.player, mask)
            leave_out(dice, s, left_out, mask)
            count = judge_moves(s, t, mask, net, room, actions, logits)
            best = logits[:count].max()
            n = counts[g]
            if uniform(dice) < random:
                i = below(dice[0], count)
                cuts[g, n] = 1
            else:
                i = chosen(dice, logits, count, best, temperature)
                cuts[g, n] = 0
            features[g, n] = net.features[i]
            values[g, n] = share_of(best)
            seats[g, n] = s.player
            counts[g] += 1
            told[0] += count
            told[1] += 1
            apply(s, t, actions[i], NO_ORDER)
            if s.over != RUNNING:
                write_outcome(s, t, scores, ends)
                keep_game(
                    ends, features[g], values[g], seats[g], cuts[g], counts[g], lam, x, y, (at + new) % len(x)
                )
                new += counts[g]
                told[2] += 1
                told[3] += s.round_number
    return new
