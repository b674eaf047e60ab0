"""Games of the present value against itself and others, and what each position turned out to be worth.

Every seat of its own plays the move behind which its position is worth most, with some chance. Behind the
last move of a game each position of such a seat gets its target: TD(lambda) (Sutton 1988) backwards over the
seat's own positions, from the seat's share of the win. Other seats may be an agent's (`Outsiders`): nothing
is learnt from their moves, but from what they make of the own ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.games.space_mission import compiled
from spacemission_agents.games.space_mission.afterstate.features import FEATURES
from spacemission_agents.games.space_mission.afterstate.judge import judge_moves, new_room, share_of
from spacemission_agents.games.space_mission.afterstate.network import LEAD_UNIT, POINTS_UNIT, TOLD, Network
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import FINISHED, NO_ORDER, RUNNING
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
from spacemission_train.td.outsiders import Outsiders

njit = make_njit(compiled.njit, Path(__file__).parent)

LONGEST = 1500  # decisions of a game that are kept; one that goes on longer is dropped


class Tables:
    """Games that one thread plays, what is kept of each, and a ring of what has been learnt from them.

    Attributes:
        games: the games; `states` are theirs.
        who: of each seat, 0: plays and learns here; k: outsider k - 1. int8 (n, MAX_PLAYERS).
        features, values, seats, cuts, counts: of the decisions of each so far, in order: the position behind
            the move, the best value that there was to choose, who chose, whether it was made at random.
        x, y: the ring, uint8 (kept, FEATURES) and float32 (kept, TOLD); `filled` of it are positions.
        told: sums since they were last read: moves judged, decisions, games, rounds of these.
    """

    def __init__(self, games: BatchedGames, kept: int, seed: int, outsiders: Outsiders) -> None:
        """Games that have not begun, and room for so many positions."""
        self.games, self.outsiders = games, outsiders
        self.states = games.states
        self.states["over"] = FINISHED
        n = games.count
        self.who = np.zeros((n, MAX_PLAYERS), np.int8)
        self.left = np.zeros(n, np.int64)
        self.features = np.zeros((n, LONGEST, FEATURES), np.uint8)
        self.values = np.zeros((n, LONGEST), np.float32)
        self.seats = np.zeros((n, LONGEST), np.int8)
        self.cuts = np.zeros((n, LONGEST), np.int8)
        self.counts = np.zeros(n, np.int64)
        self.dice = np.zeros(1, STATE)
        self.x = np.zeros((kept, FEATURES), np.uint8)
        self.y = np.zeros((kept, len(TOLD)), np.float32)
        self.at = self.filled = 0
        self.told = np.zeros(4)
        self.room = new_room()
        begin_dice(self.dice, seed)

    def play(self, boxes: Any, net: Network, players: np.ndarray, steps: int, settings: np.ndarray) -> int:
        """Play `steps` own decisions in every game; how many positions have got their target."""
        kept = (self.states, self.who, self.features, self.values, self.seats, self.cuts, self.counts)
        self.left[:] = steps
        all_new = 0
        while self.left.any():
            new = play_on(
                boxes,
                *kept,
                self.dice,
                self.room,
                net,
                players,
                self.outsiders.edges,
                self.left,
                settings,
                self.x,
                self.y,
                self.at,
                self.told,
            )
            self.at = (self.at + new) % len(self.x)
            self.filled = min(len(self.x), self.filled + new)
            all_new += new
            self._let_others_play(np.flatnonzero(self.left))
        return all_new

    def _let_others_play(self, waiting: np.ndarray) -> None:
        # Until none of these games waits for a seat that is an outsider's.
        while len(waiting):
            who = self.who[waiting, self.states["player"][waiting]]
            waiting, who = waiting[who > 0], who[who > 0]
            if len(waiting):
                decisions = self.games.ask(waiting)
                self.games.step(waiting, self.outsiders.act(who - 1, decisions))
                waiting = waiting[self.states["over"][waiting] == RUNNING]


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
def seat_outsiders(dice, edges, n, who):
    """Draw who has each seat of a new game of n: one is an own one, of the others so many as the odds say."""
    who[:] = 0
    if len(edges) == 0:
        return
    own = below(dice[0], n)
    for j in range(n):
        if j != own:
            at = uniform(dice)
            for k in range(len(edges) - 1, -1, -1):
                if at < edges[k]:
                    who[j] = k + 1


@njit
def play_on(
    boxes,
    states,
    who,
    features,
    values,
    seats,
    cuts,
    counts,
    dice,
    room,
    net,
    players,
    edges,
    left,
    settings,
    x,
    y,
    at,
    told,
):
    """Play so many own decisions in every game as `left` says, or up to where a seat of others is to act;
    returns how many positions were written into the ring from `at` on.

    `players`: numbers of players, of which each new game draws one. `edges`: `Outsiders.edges`. `left` is
    counted down. `settings`: temperature, share of random moves, lambda, share of top-ups left out. The rest
    is what `Tables` has, and the present value.
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
        while left[g] > 0:
            n = counts[g]
            if s.over != RUNNING and n > 0:
                write_outcome(s, t, scores, ends)
                begin = (at + new) % len(x)
                keep_game(ends, features[g], values[g], seats[g], cuts[g], n, lam, x, y, begin)
                new += n
                told[2] += 1
                told[3] += s.round_number
            if s.over != RUNNING or n == LONGEST:
                seed = below(dice[0], 1 << 31) * (1 << 31) + below(dice[0], 1 << 31)
                deal(s, t, players[below(dice[0], len(players))], seed)
                seat_outsiders(dice, edges, s.num_players, who[g])
                n = counts[g] = 0
            if who[g, s.player] > 0:
                break
            write_mask(s, t, s.player, mask)
            leave_out(dice, s, left_out, mask)
            count = judge_moves(s, t, mask, net, room, actions, logits)
            best = logits[:count].max()
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
            left[g] -= 1
            told[0] += count
            told[1] += 1
            apply(s, t, actions[i], NO_ORDER)
    return new
