"""Computes win shares with intervals, and counts the results of a tournament.

In a game with k winners each winner has a share of 1 / k. A *win share* is an agent's mean share over games,
with the interval of Agresti and Coull. The games of a set-up are not independent, so the formula gets an
effective number of games: the number of independent games at which the share would have the variance that
is estimated over set-ups (ratio estimate for clusters). It never exceeds the number of games.

An agent *finishes ahead* of another if it has the better place in a game; a tie counts one half.

A win is split into equal parts, so all sums are integers and do not depend on the order of the games.
"""

from __future__ import annotations

from itertools import permutations
from math import lcm, sqrt

import numpy as np

from spacemission_agents.arena.ratings import FOLDS, Ordering
from spacemission_agents.arena.results import FORFEITED
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.reading import Json

Z = 1.959964  # 95 %
NO_GAMES: Json = {"games": 0, "share": None, "low": None, "high": None}


def parts_of_win(seats: int) -> int:
    """Number of parts of a win; each share of it is an integer, and so is half of each share."""
    return 2 * lcm(*range(1, seats + 1))


def win_parts(winners: np.ndarray) -> np.ndarray:
    """Shares of a win in parts, int64 (..., seats); all are 0 in a game without a winner."""
    counts = winners.sum(-1, keepdims=True, dtype=np.int64)
    return parts_of_win(winners.shape[-1]) // np.maximum(1, counts) * winners


def agresti_coull(share: float, games: float) -> tuple[float, float]:
    """The 95 % interval of a share that was observed in `games` independent games.

    It is Wilson's interval, but wider near 0 and 1. There Wilson's holds the truth too rarely: after one
    lucky game it lies wholly above a share of nearly 0 (Brown, Cai and DasGupta 2001).
    """
    if games <= 0:
        return 0.0, 1.0
    counted = games + Z * Z
    middle = (share * games + Z * Z / 2) / counted
    reach = Z * sqrt(middle * (1 - middle) / counted)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def share_with_interval(points: np.ndarray, weights: np.ndarray, seeds: np.ndarray) -> Json:
    """A share and its interval: `games`, `share`, `low`, `high`; the last three are None without games.

    Args:
        points: points of each game in parts of a win, int64, from 0 to its weight.
        weights: weight of each game in parts of a win, int64; a game of weight 0 does not count.
        seeds: seed of each game; games with the same seed form one set-up.
    """
    games = int(np.count_nonzero(weights))
    if games == 0:
        return dict(NO_GAMES)
    cluster = np.unique(seeds, return_inverse=True)[1]
    # exact in float64: integers below 2**53
    x, w = (np.bincount(cluster, values).astype(np.int64) for values in (points, weights))
    clusters, won, whole = len(x), int(x.sum()), int(w.sum())
    share, effective = won / whole, float(games)
    if clusters > 1:
        # Σ (x - share w)², multiplied by Σ w squared, so that it is an integer
        squares = whole**2 * int(x @ x) - 2 * whole * won * int(x @ w) + won**2 * int(w @ w)
        variance = squares / whole**4 * clusters / (clusters - 1)
        if variance > 0:
            effective = min(effective, share * (1 - share) / variance)
    low, high = agresti_coull(share, effective)
    return {"games": games, "share": share, "low": low, "high": high}


class Tally:
    """The complete set-ups of a tournament, and what a report counts in them.

    Attributes:
        rows: the games, `row_type`, (set-ups, games of a set-up).
        lineups: line-ups of one set-up (`Schedule.lineups`).
        forfeited: whether each game was forfeited, bool (set-ups, games of a set-up).
        losers: the seat that forfeited, bool (set-ups, games of a set-up, seats).
        ranks: rank of each seat, larger is better, int64 (set-ups, games of a set-up, seats). The seat that
            forfeits is last; the others tie.
    """

    def __init__(self, rows: np.ndarray, lineups: np.ndarray, game: GameSpec) -> None:
        self.rows, self.lineups, self.game = rows, lineups, game
        seats = lineups.shape[1]
        self.forfeited = rows["ending"] == FORFEITED
        self.losers = rows["seat"][..., None] == np.arange(seats)
        ranks = game.ranks(rows["scores"])
        self.ranks = np.where(self.forfeited[..., None], -self.losers.astype(np.int64), ranks)
        self._parts, self._whole = win_parts(rows["winners"]), parts_of_win(seats)

    @property
    def set_ups(self) -> int:
        return len(self.rows)

    @property
    def games(self) -> int:
        return self.rows.size

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All ordered pairs of agents."""
        return list(permutations(range(int(self.lineups.max()) + 1), 2))

    @property
    def at_tables(self) -> list[tuple[int, int]]:
        """Each table with each of its agents."""
        seats = self.lineups.shape[1]
        return [(t, a) for t, table in enumerate(self.lineups[::seats]) for a in np.unique(table).tolist()]

    def win_share(self, agent: int) -> Json:
        """The win share of an agent; a game counts as often as the agent has seats."""
        marked = self.lineups == agent
        return self._share((self._parts * marked).sum(2), self._whole * marked.sum(1))

    def at_table(self, table: int, agent: int) -> Json:
        """The win share of all seats of an agent together, at one table."""
        seats = self.lineups.shape[1]
        games = slice(table * seats, (table + 1) * seats)
        marked = self.lineups[games] == agent
        return self._share((self._parts[:, games] * marked).sum(2), np.full(seats, self._whole))

    def ahead(self, agent: int, other: int) -> Json:
        """How often an agent finished ahead of another.

        Agents with several seats meet several times in a game; all these meetings together count once.
        """
        meet = (self.lineups == agent)[:, :, None] & (self.lineups == other)[:, None, :]
        games = np.flatnonzero(meet.any((1, 2)))
        points = np.zeros((self.set_ups, len(games)), np.int64)  # 2 for each meeting
        for n, i, j in np.argwhere(meet[games]):
            ranks = self.ranks[:, games[n]]
            points[:, n] += 1 + np.sign(ranks[:, i] - ranks[:, j])
        meetings = meet[games].sum((1, 2))
        return self._share(points * (self._whole // 2) // meetings, np.full(len(games), self._whole))

    def _share(self, points: np.ndarray, weights: np.ndarray) -> Json:
        """`share_with_interval` of some games of each set-up, (set-ups, n), of weights (n,)."""
        seeds = np.repeat(np.arange(self.set_ups), len(weights))
        return share_with_interval(points.ravel(), np.tile(weights, self.set_ups), seeds)

    def widest(self) -> float:
        """The largest distance from a pair's or a table's share to an end of its 95 % interval."""
        rows = [self.ahead(*pair) for pair in self.pairs] + [self.at_table(*at) for at in self.at_tables]
        return max(max(row["high"] - row["share"], row["share"] - row["low"]) for row in rows)

    def orderings(self) -> dict[Ordering, np.ndarray]:
        """Number of games with each ordering in each fold, float64 (FOLDS,); see `ratings.rate`."""
        games, seats = self.lineups.shape
        places = (self.ranks[..., None, :] > self.ranks[..., :, None]).sum(3)
        by_agent = np.sort(self.lineups * seats + places, axis=2) % seats
        codes = np.arange(games) // seats * seats**seats + by_agent @ seats ** np.arange(seats)
        folds = np.arange(self.set_ups) % FOLDS
        both, times = np.unique(codes * FOLDS + folds[:, None], return_counts=True)
        found: dict[Ordering, np.ndarray] = {}
        for one, count in zip(both.tolist(), times.tolist(), strict=True):
            code, fold = divmod(one, FOLDS)
            table, order = divmod(code, seats**seats)
            by_place: dict[int, list[int]] = {}
            for i, agent in enumerate(np.sort(self.lineups[table * seats]).tolist()):
                by_place.setdefault(order // seats**i % seats, []).append(agent)
            ordering = tuple(tuple(by_place[place]) for place in sorted(by_place))
            found.setdefault(ordering, np.zeros(FOLDS))[fold] = count
        return found
