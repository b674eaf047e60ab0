"""Keeps the running sums of a tournament; their size does not grow with the games.

Complete set-ups are added in order. A win is counted in equal parts, so that all sums are of integers and do
not depend on how the set-ups are grouped.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from spacemission_agents.arena.journal import CUT_OFF, FORFEITED
from spacemission_agents.arena.ratings import FOLDS, Ordering
from spacemission_agents.arena.shares import interval_of_sums, win_parts, wins_whole
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.reading import Json

LISTED_FORFEITS = 100
AT_ONCE = 200_000  # maximum number of seats in one step; bounds memory


class Clustered:
    """Sums of several shares over set-ups.

    Attributes:
        whole: parts of a win.
        rows: for each game and seat (or pair of seats) of a set-up, the index of its share.
        games: number of games of a set-up that count for each share, int64 (shares,).
        weight: sum of weights of each share in a set-up, int64 (shares,).
        x, xx: Σ x and Σ x² of each share over set-ups, where x is in parts of a win.
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
        """`games`, `share`, `low` and `high` of share i after `set_ups` set-ups."""
        return interval_of_sums(**self.sums(i, set_ups))

    def sums(self, i: int, set_ups: int) -> dict[str, int]:
        """The arguments of `interval_of_sums` for share i."""
        weight, x = int(self.weight[i]) * self.whole, int(self.x[i])
        return {
            "games": int(self.games[i]) * set_ups,
            "clusters": set_ups,
            "x": x,
            "w": weight * set_ups,
            "xx": int(self.xx[i]),
            "xw": x * weight,
            "ww": weight * weight * set_ups,
        }


class Tally:
    """Sums of everything that a report needs."""

    def __init__(self, lineups: np.ndarray, agents: int, game: GameSpec) -> None:
        """Start with no games; `lineups`: those of one set-up (`Schedule.lineups`)."""
        self.lineups = lineups
        self.agents = agents
        self.score_names = game.score_names
        self._ranks_of = game.ranks
        # Half a win, and half a win divided by the meetings of two agents in a game, must be integers too.
        self.whole = wins_whole(game)
        games, seats = lineups.shape
        table = np.repeat(np.arange(games // seats), seats)
        self.by_agent = Clustered(self.whole, lineups.ravel(), *_counts(lineups, lineups, agents))
        tabled, at_tables = _numbered(table[:, None] * agents + lineups)
        self.at_tables = [divmod(int(code), agents) for code in at_tables]
        at_table = np.full(len(at_tables), seats)  # an agent plays in all rotations of its table
        self.by_table = Clustered(self.whole, tabled.ravel(), at_table, at_table)
        self._make_pairs()
        self._codes_of_table = table * seats**seats
        self.set_ups = 0  # number of set-ups added
        # by agent, without forfeited games: number of seats, sums of scores and of decisions
        self.played = np.zeros(agents, np.int64)
        self.scores = np.zeros((agents, len(self.score_names)), np.int64)
        self.decisions = np.zeros(agents, np.int64)
        # by agent, in all games: time, number of timed decisions, number of forfeits
        self.seconds = np.zeros(agents)
        self.timed = np.zeros(agents, np.int64)
        self.forfeited = np.zeros(agents, np.int64)
        self.truncated = self.rounds = 0  # games stopped by the round limit; rounds of games without forfeit
        self.forfeits: list[tuple[int, int, int, str]] = []  # game, seat, reason, text of the first forfeits
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
        # two agents with several seats meet several times in a game, which counts once
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
        """Add the next set-ups: records (set-ups, games of a set-up), in order."""
        step = max(1, AT_ONCE // self.lineups.size)
        for start in range(0, len(records), step):
            self._fold(records[start : start + step])

    def _fold(self, records: np.ndarray) -> None:
        seats = self.lineups.shape[1]
        forfeited = records["ending"] == FORFEITED
        ranks = self._ranks_of(records["scores"][..., :seats, :])
        loser = records["seat"][..., None] == np.arange(seats)
        ranks = np.where(forfeited[..., None], -loser.astype(np.int64), ranks)
        shares = win_parts(records["winners"][..., :seats], self.whole)
        flat = shares.reshape(len(records), -1)
        self.by_agent.add(flat)
        self.by_table.add(flat)
        ahead = np.sign(
            ranks[:, self._pair_game, self._pair_first] - ranks[:, self._pair_game, self._pair_second]
        )
        self.by_pair.add(self._half_point * (1 + ahead))
        self._add_orders(ranks)
        self._add_means(records, ~forfeited)
        self._add_forfeits(records[forfeited], self.lineups[np.nonzero(forfeited)[1]])
        self.set_ups += len(records)

    def _add_means(self, records: np.ndarray, whole: np.ndarray) -> None:
        seats = self.lineups.shape[1]
        counted = whole[..., None].astype(np.int64)
        scores = records["scores"][..., :seats, :].astype(np.int64) * counted[..., None]
        decisions = records["decisions"][..., :seats].astype(np.int64)
        np.add.at(self.played, self.lineups, np.broadcast_to(counted, decisions.shape).sum(0))
        np.add.at(self.scores, self.lineups, scores.sum(0))
        np.add.at(self.decisions, self.lineups, (decisions * counted).sum(0))
        np.add.at(self.timed, self.lineups, decisions.sum(0))
        np.add.at(self.seconds, self.lineups, records["seconds"][..., :seats].sum(0, dtype=np.float64))
        self.truncated += int((records["ending"] == CUT_OFF).sum())
        self.rounds += int(records["rounds"][whole].sum(dtype=np.int64))

    def _add_forfeits(self, records: np.ndarray, lineups: np.ndarray) -> None:
        np.add.at(self.forfeited, lineups[np.arange(len(records)), records["seat"]], 1)
        for one in records[: LISTED_FORFEITS - len(self.forfeits)]:
            words = bytes(one["text"]).decode("utf-8", "replace")
            self.forfeits.append((int(one["game"]), int(one["seat"]), int(one["reason"]), words))

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
    """The rank of each code among the different codes (same shape), and these codes in order."""
    distinct, numbers = np.unique(codes, return_inverse=True)
    return numbers.reshape(codes.shape), distinct


def _counts(lineups: np.ndarray, rows: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Number of games in which each of `count` agents plays, and number of its seats in all games."""
    games = np.array([(rows == row).any(1).sum() for row in range(count)], np.int64)
    return games, np.bincount(rows.ravel(), minlength=count)
