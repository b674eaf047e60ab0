"""Plays self-play games for PPO over afterstates, for any game.

The learner's seats sample their moves from the policy. At the end of a game each of their positions gets its
TD(lambda) target, as for method td, and each decision its advantage. Only the decisions with the largest
advantages are kept for the policy: they carry most of its gradient, and a decision of twenty moves costs as
much time as twenty positions.

The functions `judge_moves`, `keep_decisions` and `play_policy` are a template, as in
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
from spacemission_agents.afterstates.network import share_of_move
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import LEARNER, RUNNING
from spacemission_env.core.rng import hash63
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.settings import Settings
from spacemission_train.td import games
from spacemission_train.td.games import (
    LONGEST,
    MOST_MOVES,
    SelfPlay,
    Tables,
    chosen,
    leave_out,
    note_best,
)
from spacemission_train.td.network import Policy

njit = make_njit(network.njit, games.njit, Path(__file__))


def _unbound(*_: object) -> Any:
    raise NotImplementedError("of the game")


# Of the game, its afterstates and games.py; `bind_policy_games` replaces these names.
write_mask = begin_move = write_afterstate = determinize = decision_key = _unbound
rate_moves = list_moves = evaluate_in = end_game = begin_game = make_move = _unbound
WORLDS = 0


class Decided(NamedTuple):
    """The decisions of n games, and those kept for the policy, for one thread."""

    worlds: np.ndarray  # the games, or determinizations, in which the moves were judged; (n, LONGEST)
    moves: np.ndarray  # int16 (n, LONGEST, most)
    counts: np.ndarray  # number of moves, int16 (n, LONGEST)
    picks: np.ndarray  # place of the move that was played, int16 (n, LONGEST)
    log_probs: np.ndarray  # its log probability, float32 (n, LONGEST)
    totals: np.ndarray  # number of kept decisions, and of decisions with a choice; float64 (2,)
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
        totals=np.zeros(2),
        kept=np.zeros(kept, DECISION),
        features=np.zeros((kept, most, of.features.size), np.uint8),
    )


def judge_moves(s, t, of, most, net, moves, world):
    """Judge up to `most` legal moves in one world; keep both and return the number of moves."""
    scratch = of.scratch
    write_mask(s, t, s.player, scratch.mask)
    leave_out(of.dice, most, of.often, of.keys, scratch.mask)
    count = list_moves(scratch.mask, scratch.actions)
    moves[:count] = scratch.actions[:count]
    if net.reads_ratings:
        rate_moves(s, t, scratch.ratings)
    world[0] = s
    if WORLDS > 1:
        determinize(s, t, s.player, 1, hash63(decision_key(s), 0, WORLD_STREAM), world)
    evaluate_in(world[0], t, count, net, scratch)
    return count


@njit
def mean_share(net, logits, count):
    """The policy's mean of the critic over `count` moves, and the log of the sum of their weights."""
    best, total, value = logits[:count].max(), 0.0, 0.0
    for i in range(count):
        weight = np.exp(logits[i] - best)
        total += weight
        value += weight * share_of_move(net, i)
    return value / total, best + np.log(total)


def keep_decisions(g, t, of, decided, threshold, reads_ratings):
    """Keep the decisions of game g with an advantage of at least `threshold`, while there is place.

    The advantage of a decision is its TD(lambda) target (`keep_game`) less the mean share of its moves.
    """
    for i in range(of.counts[g] - 1, -1, -1):
        j, count, advantage = of.seats[g, i], decided.counts[g, i], of.targets[i] - of.values[g, i]
        k = int(decided.totals[0])
        if count == 1:
            continue
        decided.totals[1] += 1
        if abs(advantage) < threshold or k == len(decided.kept):
            continue
        decided.totals[0] += 1
        kept = decided.kept[k]
        kept.moves, kept.pick, kept.advantage = count, decided.picks[g, i], advantage
        kept.log_prob = decided.log_probs[g, i]
        if reads_ratings:
            rate_moves(decided.worlds[g, i], t, of.scratch.ratings)
        for m in range(count):
            of.scratch.tried[0] = decided.worlds[g, i]
            w = of.scratch.tried[0]
            action, x = decided.moves[g, i, m], decided.features[k, m]
            pending = begin_move(w, t, action)
            write_afterstate(w, t, j, pending, action, reads_ratings, of.scratch, x)


def play_policy(parameters, states, of, net, players, edges, settings, at, decided):
    """Play as `games.play_on`, with a policy, and keep its decisions.

    `settings`: threshold of kept advantages, lambda, gamma, most moves to judge.
    """
    t, logits = parameters[0], of.scratch.logits
    threshold, lam, gamma, most = settings[0], settings[1], settings[2], int(settings[3])
    new = 0
    for g in range(len(states)):
        s = states[g]
        while of.left[g] > 0:
            n = of.counts[g]
            if s.over != RUNNING and n > 0:
                end_game(s, t, g, of, lam, gamma, (at + new) % len(of.x))
                keep_decisions(g, t, of, decided, threshold, net.reads_ratings)
                new += n
            if s.over != RUNNING or n == LONGEST:
                begin_game(s, t, g, of, players, edges)
                n = 0
            if of.who[g, s.player] != LEARNER:
                break
            world = decided.worlds[g, n : n + 1]
            count = judge_moves(s, t, of, most, net, decided.moves[g, n], world)
            top = logits[:count].argmax()
            note_best(of.often, of.scratch.actions, count, top)
            i = chosen(of.dice, logits, count, logits[top], 1.0)
            value, total = mean_share(net, logits, count)
            decided.counts[g, n], decided.picks[g, n] = count, i
            decided.log_probs[g, n] = logits[i] - total
            of.features[g, n] = net.features[i]
            make_move(s, t, g, of, of.scratch.actions[i], value, count)
    return new


@lru_cache(maxsize=64)
def bind_policy_games(of: Afterstates) -> dict[str, Any]:
    """The compiled template for a game, by name."""
    shared = {function.__name__: games.bind_games(of)[function.__name__] for function in games.TEMPLATE}
    names = {**globals(), **of.names, **shared}
    return games.bind(of, (judge_moves, keep_decisions, play_policy), names, njit, __file__)


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
    """

    decisions: np.ndarray
    features: np.ndarray


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
        count, able = np.sum([of.totals for of in tables], 0)
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
        return Kept(decisions, np.concatenate(features))
