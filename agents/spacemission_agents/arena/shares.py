"""Computes win shares with intervals, and keeps the running sums of a tournament.

In a game with k winners each winner has a share of 1 / k. A *win share* is an agent's mean share over games,
with Wilson's interval. The games of a set-up are not independent, so Wilson's formula gets an effective
number of games: the number of independent games at which the share would have the variance that is estimated
over set-ups (ratio estimate for clusters). The effective number never exceeds the number of games.

An agent *finishes ahead* of another if it has the better place in a game; a tie counts one half.

The size of the sums (`Tally`) does not grow with the games. Complete set-ups are added in order. A win is
split into equal parts, so all sums are integers and do not depend on how the set-ups are grouped.
"""

from __future__ import annotations

from itertools import permutations
from math import lcm, sqrt

import numpy as np

from spacemission_agents.arena.ratings import FOLDS, Ordering
from spacemission_agents.arena.results import CUT_OFF, FORFEITED
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.reading import Json

Z = 1.959964  # 95 %
NO_GAMES: Json = {"games": 0, "share": None, "low": None, "high": None}
AT_ONCE = 200_000  # maximum number of seats in one step; bounds memory


def win_parts(winners: np.ndarray, whole: int) -> np.ndarray:
    """Shares of a win that has `whole` parts, int64 (..., seats); all are 0 in a game without a winner."""
    counts = winners.sum(-1, keepdims=True, dtype=np.int64)
    return whole // np.maximum(1, counts) * winners


def wilson(share: float, games: float) -> tuple[float, float]:
    """The 95 % interval of a share that was observed in `games` independent games."""
    if games <= 0:
        return 0.0, 1.0
    middle = share + Z * Z / (2 * games)
    reach = Z * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    scale = 1 + Z * Z / games
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def share_with_interval(points: np.ndarray, weights: np.ndarray, seeds: np.ndarray) -> Json:
    """A share and its interval: `games`, `share`, `low`, `high`; the last three are None without games.

    Args:
        points: points of each game, from 0 to its weight.
        weights: weight of each game; a game of weight 0 does not count.
        seeds: seed of each game; games with the same seed form one set-up.
    """
    games = int(np.count_nonzero(weights))
    if games == 0:
        return dict(NO_GAMES)
    share = float(points.sum() / weights.sum())
    cluster = np.unique(seeds, return_inverse=True)[1]
    excess = np.bincount(cluster, points - share * weights)
    return _with_interval(games, int(cluster.max()) + 1, share, float((excess**2).sum() / weights.sum() ** 2))


def _with_interval(games: int, clusters: int, share: float, squares: float) -> Json:
    """The interval of a share; `squares`: Σ (x - share w)² over set-ups, divided by (Σ w)²."""
    effective = float(games)
    if clusters > 1:
        variance = squares * clusters / (clusters - 1)
        if variance > 0:
            effective = min(effective, share * (1 - share) / variance)
    low, high = wilson(share, effective)
    return {"games": games, "share": share, "low": low, "high": high}


class Clustered:
    """Sums of several shares over set-ups.

    Attributes:
        whole: number of parts of a win.
        rows: for each game and seat (or pair of seats) of a set-up, the index of its share.
        games: number of games of a set-up that count for each share, int64 (shares,).
        weight: sum of weights of each share in a set-up, int64 (shares,).
        x, xx: for each share, Σ x and Σ x² over set-ups, where x is its points in a set-up in parts of a win.
    """

    def __init__(self, whole: int, rows: np.ndarray, games: np.ndarray, weight: np.ndarray) -> None:
        self.whole = whole
        self.rows = rows
        self.games = games
        self.weight = weight
        self.x = np.zeros(len(weight), np.int64)
        self.xx = np.zeros(len(weight), np.int64)

    def add(self, points: np.ndarray) -> None:
        """Add the points of set-ups, int64 (set-ups, len(rows))."""
        shares = len(self.weight)
        place = np.arange(len(points))[:, None] * shares + self.rows
        # exact in float64: integers below 2**53
        x = np.bincount(place.ravel(), points.ravel(), len(points) * shares).reshape(-1, shares)
        x = x.astype(np.int64)
        self.x += x.sum(0)
        self.xx += (x * x).sum(0)

    def interval(self, i: int, set_ups: int) -> Json:
        """Share i and its interval after `set_ups` set-ups, as `share_with_interval` returns them."""
        games, weight = int(self.games[i]) * set_ups, int(self.weight[i]) * self.whole
        if games == 0:
            return dict(NO_GAMES)
        x, xx = int(self.x[i]), int(self.xx[i])
        squares = (set_ups * xx - x * x) / (weight**2 * set_ups**3)  # every set-up has the same weight
        return _with_interval(games, set_ups, x / (weight * set_ups), squares)


class Tally:
    """Sums of everything that a report needs."""

    def __init__(self, lineups: np.ndarray, agents: int, game: GameSpec) -> None:
        """Start with no games; `lineups`: line-ups of one set-up (`Schedule.lineups`)."""
        self.lineups = lineups
        self.agents = agents
        self.score_names = game.score_names
        self._ranks_of = game.ranks
        # A win has so many parts that each share of it is an integer, and so is half a win divided by the
        # number of meetings of two agents in a game.
        self.whole = 2 * lcm(*range(1, game.max_players + 1))
        games, seats = lineups.shape
        table = np.repeat(np.arange(games // seats), seats)
        playing = np.array([(lineups == agent).any(1).sum() for agent in range(agents)], np.int64)
        seated = np.bincount(lineups.ravel(), minlength=agents)
        self.by_agent = Clustered(self.whole, lineups.ravel(), playing, seated)
        tabled, at_tables = _numbered(table[:, None] * agents + lineups)
        self.at_tables = [divmod(int(code), agents) for code in at_tables]
        at_table = np.full(len(at_tables), seats)  # an agent plays in all rotations of its table
        self.by_table = Clustered(self.whole, tabled.ravel(), at_table, at_table)
        self._make_pairs()
        self._codes_of_table = table * seats**seats
        self.set_ups = 0  # number of set-ups added
        self.played = np.zeros(agents, np.int64)  # seats of each agent in games without a forfeit
        # sums of scores of each agent in these games
        self.scores = np.zeros((agents, len(self.score_names)), np.int64)
        self.decisions = np.zeros(agents, np.int64)  # decisions of each agent in these games
        self.seconds = np.zeros(agents)  # thinking time of each agent in all games
        self.timed = np.zeros(agents, np.int64)  # decisions of each agent in all games
        self.forfeited = np.zeros(agents, np.int64)  # games that each agent forfeited
        self.truncated = self.rounds = 0  # truncated games; sum of rounds over games without a forfeit
        self._orders: dict[int, np.ndarray] = {}

    def _make_pairs(self) -> None:
        seats = self.lineups.shape[1]
        ordered = np.array(list(permutations(range(seats), 2)))
        first, second = self.lineups[:, ordered[:, 0]], self.lineups[:, ordered[:, 1]]
        codes = first * self.agents + second
        at = np.argwhere(first != second)
        self._pair_game, seat_pair = at[:, 0], at[:, 1]
        self._pair_first, self._pair_second = ordered[seat_pair].T
        rows, pairs = _numbered(codes[self._pair_game, seat_pair])
        self.pairs = [divmod(int(code), self.agents) for code in pairs]
        common, counted = _numbered(self._pair_game * len(pairs) + rows)
        met = np.bincount(counted % len(pairs), minlength=len(pairs))
        # Agents with several seats meet several times in a game; all these meetings together count once.
        self._half_point = (self.whole // 2) // np.bincount(common)[common]
        self.by_pair = Clustered(self.whole, rows, met, met)

    @property
    def games(self) -> int:
        return self.set_ups * len(self.lineups)

    def widest(self) -> float:
        """The largest distance from a pair's or a table's share to an end of its 95 % interval."""
        reach = 0.0
        for shares in (self.by_pair, self.by_table):
            for i in range(len(shares.weight)):
                row = shares.interval(i, self.set_ups)
                reach = max(reach, row["high"] - row["share"], row["share"] - row["low"])
        return reach

    def fold(self, records: np.ndarray) -> None:
        """Add the next set-ups, in order; `records`: (set-ups, games of a set-up)."""
        step = max(1, AT_ONCE // self.lineups.size)
        for start in range(0, len(records), step):
            self._fold(records[start : start + step])

    def _fold(self, records: np.ndarray) -> None:
        seats = self.lineups.shape[1]
        forfeited = records["ending"] == FORFEITED
        ranks = self._ranks_of(records["scores"])
        loser = records["seat"][..., None] == np.arange(seats)
        ranks = np.where(forfeited[..., None], -loser.astype(np.int64), ranks)
        shares = win_parts(records["winners"], self.whole)
        flat = shares.reshape(len(records), -1)
        self.by_agent.add(flat)
        self.by_table.add(flat)
        ahead = np.sign(
            ranks[:, self._pair_game, self._pair_first] - ranks[:, self._pair_game, self._pair_second]
        )
        self.by_pair.add(self._half_point * (1 + ahead))
        self._add_orders(ranks)
        self._add_means(records, ~forfeited)
        losers = self.lineups[np.nonzero(forfeited)[1], records["seat"][forfeited]]
        np.add.at(self.forfeited, losers, 1)
        self.set_ups += len(records)

    def _add_means(self, records: np.ndarray, whole: np.ndarray) -> None:
        counted = whole[..., None].astype(np.int64)
        scores = records["scores"] * counted[..., None]
        decisions = records["decisions"]
        np.add.at(self.played, self.lineups, np.broadcast_to(counted, decisions.shape).sum(0))
        np.add.at(self.scores, self.lineups, scores.sum(0))
        np.add.at(self.decisions, self.lineups, (decisions * counted).sum(0))
        np.add.at(self.timed, self.lineups, decisions.sum(0))
        np.add.at(self.seconds, self.lineups, records["seconds"].sum(0, dtype=np.float64))
        self.truncated += int((records["ending"] == CUT_OFF).sum())
        self.rounds += int(records["rounds"][whole].sum())

    def _add_orders(self, ranks: np.ndarray) -> None:
        seats = ranks.shape[2]
        places = (ranks[..., None, :] > ranks[..., :, None]).sum(3)
        by_agent = np.sort(self.lineups * seats + places, axis=2) % seats
        codes = self._codes_of_table + by_agent @ seats ** np.arange(seats)
        folds = (self.set_ups + np.arange(len(ranks))) % FOLDS
        both, times = np.unique(codes * FOLDS + folds[:, None], return_counts=True)
        for code, count in zip(both.tolist(), times.tolist(), strict=True):
            self._orders.setdefault(code // FOLDS, np.zeros(FOLDS))[code % FOLDS] += count

    def orderings(self) -> dict[Ordering, np.ndarray]:
        """Number of games with each ordering in each fold, float64 (FOLDS,); see `ratings.rate`."""
        seats = self.lineups.shape[1]
        found = {}
        for code in sorted(self._orders):
            table, places = divmod(code, seats**seats)
            by_place: dict[int, list[int]] = {}
            for i, agent in enumerate(np.sort(self.lineups[table * seats]).tolist()):
                by_place.setdefault(places // seats**i % seats, []).append(agent)
            found[tuple(tuple(by_place[p]) for p in sorted(by_place))] = self._orders[code]
        return found


def _numbered(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each code among the distinct codes (same shape), and the distinct codes in order."""
    distinct, numbers = np.unique(codes, return_inverse=True)
    return numbers.reshape(codes.shape), distinct
