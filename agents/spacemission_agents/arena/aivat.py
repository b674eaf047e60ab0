"""Corrects win shares for chance, to reduce their variance (AIVAT; Burch et al. 2018).

A value function estimates each seat's share of the win in a position. At each chance event (the deal, a drawn
card, a move drawn from an agent's policy) the correction is the value of the actual outcome minus the mean
value of all outcomes. It has mean zero for every value function, so a corrected result has the same mean as
the result. A better value function reduces the variance more. The value function is fixed before the games;
its sha256 is in the report. Only AIVAT's control variate is used, not its imaginary observations. A second
correction comes from rollouts (aivat_rollouts.py). The game's `ChanceCorrection` has the factors by which the
two corrections are multiplied.

A win is counted in a fixed number of equal parts, so that all sums are of integers and do not depend on the
order of the games. Variances are between blocks. A block is one set-up, in all rotations of all tables.
"""

from __future__ import annotations

from math import lcm, sqrt
from pkgutil import resolve_name
from typing import Protocol

import numpy as np

from spacemission_agents.arena.aivat_rollouts import Rollouts, RolloutSettings
from spacemission_agents.arena.shares import Z
from spacemission_agents.game_agents import find_game_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.core.reading import Json

PARTS = 1000  # corrections are counted in thousandths of the tally's parts of a win


class ChanceCorrection(Protocol):
    """The chance correction of one game. Methods return shares of the win, float64 (n, seats).

    Attributes:
        digest: sha256 of the value function.
        of_rollouts: factor of the correction by rollouts; only for games with `draw_anew`.
        beside_rollouts: factor of `of_draws` if there are rollouts; only for games with `draw_anew`.
    """

    digest: str
    of_rollouts: float
    beside_rollouts: float

    def of_deal(self, games: BatchedGames, index: np.ndarray) -> np.ndarray:
        """The value of the deals of these games, minus the mean over all deals."""

    def of_draws(self, games: BatchedGames, index: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """The value of what these moves will draw, minus the mean over all draws; called before the moves."""

    def of_choices(
        self, games: BatchedGames, index: np.ndarray, actions: np.ndarray, policy: np.ndarray
    ) -> np.ndarray:
        """The value of these moves, before any draw, minus the mean under `policy` (n, actions)."""

    def draw_anew(self, games: BatchedGames, index: np.ndarray, count: int, states: np.ndarray) -> None:
        """Write `count` copies of each game into `states`, with new draws of what no player knows.

        Equal positions get equal draws. A game without this method has no rollouts.
        """


def find_chance_correction(game: str | GameSpec) -> ChanceCorrection:
    """The chance correction of a game; AgentError if the game has none."""
    name = find_game_agents(game).correction
    if name is None:
        raise AgentError(f"aivat: {find_game(game).title} has no value function for positions")
    found: ChanceCorrection = resolve_name(name)()
    return found


class Corrections:
    """The chance corrections of a batch of games."""

    def __init__(self, games: BatchedGames, settings: RolloutSettings | None = None) -> None:
        """`settings`: settings of the correction by rollouts; None: do not correct by rollouts."""
        self._games = games
        self._correction = find_chance_correction(games.spec)
        self._whole = wins_whole(games.spec) * PARTS
        self._settings = settings
        self._rollouts: list[Rollouts] = []
        self._sums: np.ndarray | None = None  # None before the first move

    def before(self, index: np.ndarray, actions: np.ndarray, policies: np.ndarray) -> None:
        """Add the corrections of these moves before they are made.

        `policies`: the probabilities with which each agent drew its move, (n, actions); a row of zeros if the
        agent does not draw its moves.
        """
        if self._sums is None:
            self._sums = self._correction.of_deal(self._games, self._games.everyone)
            if self._settings is not None:
                self._rollouts = [
                    Rollouts(self._games, self._correction.draw_anew, player, self._settings.count)
                    for player in self._settings.players
                ]
        drawn = np.flatnonzero(policies.any(1))
        if len(drawn):
            chosen = index[drawn], actions[drawn], policies[drawn]
            self._sums[index[drawn]] += self._correction.of_choices(self._games, *chosen)
        draws = self._correction.of_draws(self._games, index, actions)
        if self._rollouts:
            draws *= self._correction.beside_rollouts
        for one in self._rollouts:
            one.before(index, actions)
        self._sums[index] += draws

    def parts(self, i: int) -> np.ndarray:
        """The correction of each seat of game i at its end or forfeit, int64 (seats,), in parts of a win."""
        if self._sums is None:
            return np.zeros(self._games.num_players, np.int64)
        correction = self._sums[i]
        for one in self._rollouts:
            correction = correction + self._correction.of_rollouts / len(self._rollouts) * one.correction(i)
        return np.rint(correction * self._whole).astype(np.int64)


# ---------------------------------------------------------------- sums and report


def wins_whole(game: GameSpec) -> int:
    """Number of parts of a win such that every share, and half of it, is an integer."""
    return 2 * lcm(*range(1, game.max_players + 1))


def win_parts(winners: np.ndarray, whole: int) -> np.ndarray:
    """Shares of the win in parts, int64 (..., seats); all are 0 in a game without a winner."""
    counts = winners.sum(-1, keepdims=True, dtype=np.int64)
    return whole // np.maximum(1, counts) * winners


class CorrectionSums:
    """Sums of the plain and the corrected shares of each agent over blocks."""

    def __init__(self, lineups: np.ndarray, agents: int, whole: int) -> None:
        """Start at zero; `lineups`: those of one block; `whole`: parts of a win in the tally."""
        self.blocks = 0
        self._lineups = lineups
        self._agents = agents
        self._whole = whole * PARTS
        self._of_games = np.zeros(agents, object)  # Σ over games of the squared share
        self._sums = np.zeros((4, agents), object)  # Σ x, Σ x², Σ c, Σ c² over blocks: Python integers

    def fold(self, records: np.ndarray) -> None:
        """Add whole blocks: records (blocks, games)."""
        seats = self._lineups.shape[1]
        shares = win_parts(records["winners"][..., :seats], self._whole)
        correction = records["luck"][..., :seats].astype(np.int64)
        for a in range(self._agents):
            own = self._lineups == a
            games = (shares * own).sum(2)
            plain = games.sum(1)
            corrected = plain - (correction * own).sum((1, 2))
            there = own.any(1)
            for row, some in enumerate((plain, plain**2, corrected, corrected**2)):
                self._sums[row, a] += int(some.sum())
            self._of_games[a] += int((games[:, there] ** 2).sum())
        self.blocks += len(records)

    def report(self, names: list[str], digest: str, rollouts: RolloutSettings | None = None) -> Json:
        """A row for each agent: plain and corrected share with 95 % intervals, and four ratios.

        `variance_ratio`: variance of the corrected share divided by that of the plain share.
        `games_saved`: share of the games that are not needed for an interval of the same width.
        `of_single_games`, `blocks_of_single_games`: variance of the corrected and of the plain share divided
        by the variance without common deals.
        """
        found: Json = {"value_sha256": digest}
        if rollouts is not None:
            found["rollouts"] = rollouts.to_json()
        return {**found, "blocks": self.blocks, "rows": [self._row(a, n) for a, n in enumerate(names)]}

    def _row(self, a: int, name: str) -> Json:
        weight = self._whole * int((self._lineups == a).sum())
        row: Json = {"agent": name}
        variances = []
        for key, at in (("share", 0), ("corrected", 2)):
            total, squares = int(self._sums[at, a]), int(self._sums[at + 1, a])
            n = max(self.blocks, 1)
            mean = total / n / weight
            variance = (squares * n - total * total) / (n * max(n - 1, 1)) / weight**2
            reach = Z * sqrt(max(variance, 0.0) / n)
            row |= {key: mean, f"{key}_low": mean - reach, f"{key}_high": mean + reach}
            variances.append(variance)
        ratio = variances[1] / variances[0] if variances[0] > 0 else None
        single = self._single(a)
        row |= {
            "variance_ratio": ratio,
            "games_saved": None if ratio is None else 1 - ratio,
            "of_single_games": variances[1] / single if single > 0 else None,
            "blocks_of_single_games": variances[0] / single if single > 0 else None,
        }
        return row

    def _single(self, a: int) -> float:
        """What the variance of a block's mean would be if each of its games had its own deal."""
        there = int((self._lineups == a).any(1).sum())
        games, weight = max(self.blocks, 1) * there, self._whole * int((self._lineups == a).sum())
        mean = int(self._sums[0, a]) / games
        return (int(self._of_games[a]) / games - mean**2) * there / weight**2


def lines(found: Json) -> list[str]:
    """Format the result of `CorrectionSums.report` as lines of text."""
    by, rollouts = f"value {found['value_sha256'][:12]}", found.get("rollouts")
    if rollouts:
        names = (f"{one['player']} {(one['sha256'] or '')[:12]}".strip() for one in rollouts["players"])
        by += f", {rollouts['count']} rollouts by each of {', '.join(names)}"
    text = [f"corrected for chance (AIVAT, {by}), by {found['blocks']} blocks:"]
    for row in found["rows"]:
        plain, corrected = (
            f"{100 * row[key]:.2f} % ({100 * row[f'{key}_low']:.2f} – {100 * row[f'{key}_high']:.2f} %)"
            for key in ("share", "corrected")
        )
        saves = "the blocks do not vary"
        if row["variance_ratio"] is not None:
            saves = (
                f"variance {row['variance_ratio']:.3f} of that of the plain blocks, "
                f"{row['of_single_games']:.3f} of that of single games; "
                f"{100 * row['games_saved']:.0f} % of the games saved"
            )
        text.append(f"{row['agent']}: plain {plain}, corrected {corrected}; {saves}")
    return text
