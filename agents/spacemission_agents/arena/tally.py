"""Keeps the running sums of a tournament; their size does not grow with the games.

Whole set-ups are added in order. All sums are of whole numbers, so they come out the same in whatever
portions the set-ups arrive: shares of a win are counted in parts of which every share 1 / winners is a whole
number.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from spacemission_agents.arena.aivat import win_parts, wins_whole
from spacemission_agents.arena.journal import CUT_OFF, FORFEITED
from spacemission_agents.arena.ratings import FOLDS, Ordering
from spacemission_agents.arena.shares import interval_of_sums
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.reading import Json

LISTED_FORFEITS = 100
AT_ONCE = 200_000  # seats folded in one go: bounds the memory of the sums on the way


class Clustered:
    """Sums of several shares over set-ups.

    `rows`: which share each game and seat (or pair of seats) counts for; `games`: of a set-up in which it
    counts, int64 (shares,); `weight`: Σ of the weights in a set-up, in games or seats, int64 (shares,).
    """

    def __init__(self, whole: int, rows: np.ndarray, games: np.ndarray, weight: np.ndarray) -> None:
        self.whole = whole
        self.rows = rows
        self.games = games
        self.weight = weight
        # Σ x and Σ x² over set-ups, in parts of which a win has `whole`
        self.x = np.zeros(len(weight), np.int64)
        self.xx = np.zeros(len(weight), np.int64)

    def add(self, points: np.ndarray) -> None:
        """Add points of some set-ups, int64 (set-ups, len(rows))."""
        shares = len(self.weight)
        place = np.arange(len(points))[:, None] * shares + self.rows
        # float64 holds these sums exactly: they are whole numbers far below 2**53
        x = np.bincount(place.ravel(), points.ravel(), len(points) * shares).reshape(-1, shares)
        x = x.astype(np.int64)
        self.x += x.sum(0)
        self.xx += (x * x).sum(0)

    def interval(self, i: int, set_ups: int) -> Json:
        """`games`, `share`, `low` and `high` of share i after so many set-ups."""
        return interval_of_sums(**self.sums(i, set_ups))

    def sums(self, i: int, set_ups: int) -> dict[str, int]:
        """The arguments of shares.interval_of_sums for share i."""
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
    """Everything that a report needs of the games so far."""

    def __init__(self, lineups: np.ndarray, agents: int, game: GameSpec) -> None:
        """An empty tally; `lineups` are those of one set-up (`Schedule.lineups`)."""
        self.lineups = lineups
        self.agents = agents
        self.score_names = game.score_names
        self._ranks_of = game.rank_scores
        # Half a win has to be whole too, also split over the meetings of two agents with several seats.
        self.whole = wins_whole(game)
        games, seats = lineups.shape
        table = np.repeat(np.arange(games // seats), seats)
        self.by_agent = Clustered(self.whole, lineups.ravel(), *_counts(lineups, lineups, agents))
        tabled, at_tables = _numbered(table[:, None] * agents + lineups)
        self.at_tables = [divmod(int(code), agents) for code in at_tables]
        at_table = np.full(len(at_tables), seats)  # every agent of a table is in all its rotations
        self.by_table = Clustered(self.whole, tabled.ravel(), at_table, at_table)
        self._make_pairs()
        self._codes_of_table = table * seats**seats
        self.set_ups = 0  # folded in, with every game of theirs
        # by agent, in games not forfeited: seats, and sums of scores and decisions
        self.played = np.zeros(agents, np.int64)
        self.scores = np.zeros((agents, len(self.score_names)), np.int64)
        self.decisions = np.zeros(agents, np.int64)
        # by agent, in all games: time in answers and the decisions it was for, games forfeited
        self.seconds = np.zeros(agents)
        self.timed = np.zeros(agents, np.int64)
        self.forfeited = np.zeros(agents, np.int64)
        self.truncated = self.rounds = 0  # games stopped by the round limit; rounds of all not forfeited
        self.forfeits: list[tuple[int, int, int, str]] = []  # the first: number, seat, reason, words
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
        # an agent with several seats meets another several times in a game that counts once
        self._half_point = (self.whole // 2) // np.bincount(common)[common]
        self.by_pair = Clustered(self.whole, rows, met, met)

    @property
    def games(self) -> int:
        return self.set_ups * len(self.lineups)

    def widest(self) -> float:
        """The farthest that the 95 % interval of a pair's or a table's share reaches from the share."""
        reach = 0.0
        for shares in (self.by_pair, self.by_table):
            for i in range(len(shares.weight)):
                row = shares.interval(i, self.set_ups)
                reach = max(reach, row["high"] - row["share"], row["share"] - row["low"])
        return reach

    def fold(self, records: np.ndarray) -> None:
        """Add the next set-ups: records (set-ups, games of a set-up), ordered by number."""
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
        """How often each ordering came about in each fold, float64 (FOLDS,).

        An ordering is a tuple of groups, best first, each the sorted indices of the agents that tied; an
        agent with several seats stands in it several times.
        """
        seats = self.lineups.shape[1]
        found = {}
        for code in sorted(self._orders):
            table, places = divmod(code, seats**seats)
            by_place: dict[int, list[int]] = {}
            for i, agent in enumerate(np.sort(self.lineups[table * seats]).tolist()):
                by_place.setdefault(places // seats**i % seats, []).append(agent)
            found[tuple(tuple(by_place[p]) for p in sorted(by_place))] = self._orders[code]
        return found


def _numbered(codes: np.ndarray) -> tuple[Any, np.ndarray]:
    """Codes as numbers from 0 in the order of the codes (same shape), and the code of each number."""
    distinct, numbers = np.unique(codes, return_inverse=True)
    return numbers.reshape(codes.shape), distinct


def _counts(lineups: np.ndarray, rows: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Games in which each row occurs, and how often it occurs."""
    games = np.array([(rows == row).any(1).sum() for row in range(count)], np.int64)
    return games, np.bincount(rows.ravel(), minlength=count)
