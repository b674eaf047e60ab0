"""Plays self-play games for PPO over afterstates, for any game.

The learner's seats sample their moves from the policy. At the end of a game each of their positions gets its
TD(lambda) target, as for method td, and each decision its advantage. Only the decisions with the largest
advantages are kept for the policy: they carry most of its gradient, and a decision of twenty moves costs as
much time as twenty positions.

The functions `list_moves`, `judge_moves`, `keep_decisions` and `play_policy` are a template, as in
core/batch.py; `bind_policy_games` binds them.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.afterstates import network
from spacemission_agents.afterstates.moves import WORLD_STREAM, Afterstates
from spacemission_agents.afterstates.network import share_of_move, write_logits
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import hash63
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.settings import Settings
from spacemission_train.td import games
from spacemission_train.td.games import (
    LONGEST,
    SelfPlay,
    Tables,
    chosen,
    discounted,
    leave_out,
)
from spacemission_train.td.network import Policy

MOST_MOVES = 16  # with more legal moves, a decision judges a random choice of this many

njit = make_njit(network.njit, games.njit, Path(__file__))


def _unbound(*_: object) -> Any:
    raise NotImplementedError("of the game")


apply = write_mask = begin_move = write_features = determinize = decision_key = write_move = potential = (
    _unbound
)
begin_game = end_game = _unbound
WORLDS = 0


class Decided(NamedTuple):
    """The decisions of n games, and those kept for the policy, for one thread."""

    worlds: (
        np.ndarray
    )  # the games as the moves were judged: a determinization if something is hidden; (n, LONGEST)
    moves: np.ndarray  # int16 (n, LONGEST, most)
    counts: np.ndarray  # number of moves, int16 (n, LONGEST)
    picks: np.ndarray  # place of the move that was played, int16 (n, LONGEST)
    log_probs: np.ndarray  # its log probability, float32 (n, LONGEST)
    totals: (
        np.ndarray
    )  # kept decisions; decisions with more than one move, their squared advantages; float64 (3,)
    kept: np.ndarray  # `DECISION`, (kept,)
    features: np.ndarray  # of the afterstates of their moves, uint8 (kept, most, features)


DECISION = np.dtype([("moves", "i8"), ("pick", "i8"), ("log_prob", "f4"), ("advantage", "f4")])


def new_decided(of: Afterstates, games: int, kept: int) -> Decided:
    """Allocate memory for `games` games and `kept` decisions."""
    most = min(MOST_MOVES, of.spec.action_count)
    return Decided(
        worlds=of.spec.new_states(games * LONGEST).reshape(games, LONGEST),
        moves=np.zeros((games, LONGEST, most), np.int16),
        counts=np.zeros((games, LONGEST), np.int16),
        picks=np.zeros((games, LONGEST), np.int16),
        log_probs=np.zeros((games, LONGEST), np.float32),
        totals=np.zeros(3),
        kept=np.zeros(kept, DECISION),
        features=np.zeros((kept, most, of.features.size), np.uint8),
    )


def list_moves(s, t, of, most, moves):
    """Write up to `most` legal moves of the seat to act; return how many."""
    mask, count = of.scratch.mask, 0
    write_mask(s, t, s.player, mask)
    leave_out(of.dice, most, mask)
    for action in range(len(mask)):
        if mask[action]:
            of.scratch.actions[count] = moves[count] = action
            count += 1
    return count


def judge_moves(s, t, count, net, scratch, world):
    """Write the logits of the first `count` moves, judged in one world, which is kept."""
    world[0] = s
    if WORLDS > 1:
        determinize(s, t, s.player, 1, hash63(decision_key(s), 0, WORLD_STREAM), world)
    for i in range(count):
        scratch.tried[0] = world[0]
        w, action = scratch.tried[0], scratch.actions[i]
        pending = begin_move(w, t, action)
        write_move(w, t, int(s.player), pending, action, net, scratch, i)
    write_logits(net, count, scratch.logits)


@njit
def mean_share(net, logits, count):
    """The policy's mean of the critic over `count` moves, and the log of the sum of their weights."""
    best, total, value = logits[:count].max(), 0.0, 0.0
    for i in range(count):
        weight = np.exp(logits[i] - best)
        total += weight
        value += weight * share_of_move(net, i)
    return value / total, best + np.log(total)


def keep_decisions(g, t, of, decided, lam, gamma, threshold):
    """Keep the decisions of game g with an advantage of at least `threshold`, while there is place.

    The advantage of a decision is its TD(lambda) return less the mean share of its moves.
    """
    following, rounds = np.full(len(of.ends), -1.0), np.zeros(len(of.ends), np.int64)
    for i in range(of.counts[g] - 1, -1, -1):
        j, seen, count = of.seats[g, i], of.values[g, i], decided.counts[g, i]
        gain = of.ends[j, 0]
        if following[j] >= 0:
            gain = discounted(following[j], gamma, rounds[j] - of.rounds[g, i], of.potentials[g, i])
        following[j], rounds[j] = (1 - lam) * seen + lam * gain, of.rounds[g, i]
        k = int(decided.totals[0])
        if count == 1:
            continue
        decided.totals[1] += 1
        decided.totals[2] += (gain - seen) ** 2
        if abs(gain - seen) < threshold or k == len(decided.kept):
            continue
        decided.totals[0] += 1
        kept = decided.kept[k]
        kept.moves, kept.pick, kept.advantage = count, decided.picks[g, i], gain - seen
        kept.log_prob = decided.log_probs[g, i]
        for m in range(count):
            of.scratch.tried[0] = decided.worlds[g, i]
            w = of.scratch.tried[0]
            pending = begin_move(w, t, decided.moves[g, i, m])
            write_features(w, t, j, pending, of.scratch.seen, of.scratch.means, decided.features[k, m])


def play_policy(parameters, states, of, net, players, edges, settings, at, decided):
    """Play as `games.play_on`, with a policy, and keep its decisions.

    `settings`: threshold of kept advantages, lambda, gamma, most moves to judge.
    """
    t, scratch, dice, logits = parameters[0], of.scratch, of.dice, of.scratch.logits
    threshold, lam, gamma, most = settings[0], settings[1], settings[2], int(settings[3])
    new = 0
    for g in range(len(states)):
        s = states[g]
        while of.left[g] > 0:
            n = of.counts[g]
            if s.over != RUNNING and n > 0:
                end_game(s, t, g, of, lam, gamma, (at + new) % len(of.x))
                keep_decisions(g, t, of, decided, lam, gamma, threshold)
                new += n
            if s.over != RUNNING or n == LONGEST:
                begin_game(s, t, g, of, players, edges)
                n = 0
            if of.who[g, s.player] > 0:
                break
            count = list_moves(s, t, of, most, decided.moves[g, n])
            judge_moves(s, t, count, net, scratch, decided.worlds[g, n : n + 1])
            i = chosen(dice, logits, count, logits[:count].max(), 1.0)
            of.values[g, n], total = mean_share(net, logits, count)
            decided.counts[g, n], decided.picks[g, n] = count, i
            decided.log_probs[g, n] = logits[i] - total
            seat = of.seats[g, n] = s.player
            of.rounds[g, n] = s.round_number
            of.features[g, n] = net.features[i]
            of.counts[g] += 1
            of.left[g] -= 1
            of.totals[0] += count
            of.totals[1] += 1
            apply(s, t, scratch.actions[i])
            of.potentials[g, n] = potential(s, t, seat)
    return new


@lru_cache(maxsize=64)
def bind_policy_games(of: Afterstates) -> dict[str, Any]:
    """The compiled template for a game, by name."""
    names = {**games.bind_games(of), **globals(), **of.names}
    names |= {name: games.bind_games(of)[name] for name in ("end_game", "begin_game")}
    template = (list_moves, judge_moves, keep_decisions, play_policy)
    return games.bind(of, template, names, njit, __file__)


class PolicyTables(Tables):
    """The games of one thread, their ring buffer of positions, and the decisions kept for the policy."""

    def __init__(self, games: BatchedGames, kept: int, seed: int, opponents: Pool, decisions: int) -> None:
        """`decisions`: how many decisions may be kept; other arguments as for `Tables`."""
        super().__init__(games, kept, seed, opponents)
        self.decided = new_decided(self.of, games.count, decisions)

    def _play_on(self, *arguments: Any) -> int:
        return int(bind_policy_games(self.of)["play_policy"](*arguments, self.decided))


class Kept(NamedTuple):
    """Decisions that the policy learns from, as copies.

    Attributes:
        decisions: `DECISION`, (n,).
        features: of the afterstates of all their moves, one decision after another, uint8 (moves, features).
        scale: root mean square of the advantages of all decisions, also of those not kept.
    """

    decisions: np.ndarray
    features: np.ndarray
    scale: float


class PolicyGames(SelfPlay):
    """The self-play games of a run of PPO over afterstates.

    Attributes:
        settings: see `play_policy`.
    """

    is_policy = True

    def __init__(self, settings: Settings, begun: int = 0) -> None:
        """See `SelfPlay`."""
        super().__init__(settings, begun)
        self.settings = np.array([0.0, settings.gae_lambda, settings.gamma, MOST_MOVES])
        self.share = settings.top_advantages

    def new_tables(self, games: BatchedGames, seed: int, opponents: Pool) -> Tables:
        """The games of one thread."""
        rollout = games.count * self.steps
        return PolicyTables(games, 2 * rollout, seed, opponents, rollout)

    def network(self, settings: Settings) -> Policy:
        """A new network."""
        return Policy(self.of.features, settings.form, settings.temperature)

    def take(self) -> Kept | None:
        """Take the decisions kept since the last call, and adapt the threshold; None without any."""
        tables = [table.decided for table in self.tables if isinstance(table, PolicyTables)]
        count, able, squares = np.sum([of.totals for of in tables], 0)
        if able and self.settings[0] > 0:
            self.settings[0] *= np.exp(0.5 * np.clip(count / able / self.share - 1, -1, 1))
        if not count:
            return None
        stops = [int(of.totals[0]) for of in tables]
        decisions = np.concatenate([of.kept[:stop] for of, stop in zip(tables, stops, strict=True)])
        there = [np.arange(of.features.shape[1]) < of.kept["moves"][:, None] for of in tables]
        features = [of.features[:n][at[:n]] for of, at, n in zip(tables, there, stops, strict=True)]
        for of in tables:
            of.totals[:] = 0
        if self.settings[0] == 0 and self.share < 1:
            self.settings[0] = np.quantile(np.abs(decisions["advantage"]), 1 - self.share)
        return Kept(decisions, np.concatenate(features), float(np.sqrt(squares / able)))
