"""Shares of the wins with luck taken out, beside the plain ones: what that saves.

The unit is the block: one set-up, in all rotations of the seats of all tables. Sums are of whole numbers of
parts of a win, so they come out the same in whatever portions the set-ups arrive.
"""

from __future__ import annotations

from math import lcm, sqrt
from typing import Any

import numpy as np

from spacemission_agents.arena.endings import Endings
from spacemission_env.core.game_spec import GameSpec

PARTS = 1000  # of the parts in which the tally counts a win
Z = 1.959964  # 95 %


def wins_whole(game: GameSpec) -> int:
    """Parts of a win of which every share is a whole number, half a shared one too."""
    return 2 * lcm(*range(1, game.max_players + 1))


def win_parts(winners: np.ndarray, whole: int) -> np.ndarray:
    """Shares of the win, int64 (..., seats) of `whole` parts, by who won; all are 0 where nobody did."""
    counts = winners.sum(-1, keepdims=True, dtype=np.int64)
    return whole // np.maximum(1, counts) * winners


class LuckSums:
    """Sums over blocks, for each agent: points as they are, and less their luck.

    Attributes:
        blocks: how many are folded in.
    """

    def __init__(self, lineups: np.ndarray, agents: int, whole: int) -> None:
        """Nothing summed; `lineups` of one block; a win counts `whole` parts in the tally."""
        self.blocks = 0
        self._lineups = lineups
        self._agents = agents
        self._whole = whole * PARTS
        self._of_games = np.zeros(agents, object)  # Σ of squared excess over an equal share, by game
        self._sums = np.zeros((4, agents), object)  # Σ x, Σ x², Σ c, Σ c²: whole numbers of any size

    def fold(self, records: np.ndarray) -> None:
        """Add whole blocks: records (blocks, games)."""
        seats = self._lineups.shape[1]
        shares = win_parts(records["winners"][..., :seats], self._whole)
        luck = records["luck"][..., :seats].astype(np.int64)
        for a in range(self._agents):
            own = self._lineups == a
            games = (shares * own).sum(2)
            plain = games.sum(1)
            corrected = plain - (luck * own).sum((1, 2))
            there = own.any(1)
            for row, some in enumerate((plain, plain**2, corrected, corrected**2)):
                self._sums[row, a] += int(some.sum())
            self._of_games[a] += int((games[:, there] ** 2).sum())
        self.blocks += len(records)

    def report(self, names: list[str], digest: str, endings: Endings | None = None) -> dict[str, Any]:
        """Rows by agent: plain and corrected shares with 95 % intervals over blocks, and what is saved.

        `variance_ratio`: of the corrected share to the plain one, both by block; `games_saved`: the share of
        the games that an interval of the same width then does without. `of_single_games` and
        `blocks_of_single_games`: variances of the corrected and the plain share by block, to that of games
        each dealt anew. `endings`: how moves were weighed, if they were.
        """
        return {
            "value_sha256": digest,
            **({} if endings is None else {"endings": endings.to_json()}),
            "blocks": self.blocks,
            "rows": [self._row(a, n) for a, n in enumerate(names)],
        }

    def _row(self, a: int, name: str) -> dict[str, Any]:
        weight = self._whole * int((self._lineups == a).sum())
        row: dict[str, Any] = {"agent": name}
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
        """Variance that the mean of a block would have, were its games dealt one by one."""
        there = int((self._lineups == a).any(1).sum())
        games, weight = max(self.blocks, 1) * there, self._whole * int((self._lineups == a).sum())
        mean = int(self._sums[0, a]) / games
        return (int(self._of_games[a]) / games - mean**2) * there / weight**2


def lines(told: dict[str, Any]) -> list[str]:
    """What `LuckSums.report` tells, as lines for people."""
    by, endings = f"value {told['value_sha256'][:12]}", told.get("endings")
    if endings:
        names = (f"{one['player']} {(one['sha256'] or '')[:12]}".strip() for one in endings["players"])
        by += f", {endings['count']} endings by each of {', '.join(names)}"
    said = [f"luck taken out (AIVAT, {by}), by {told['blocks']} blocks:"]
    for row in told["rows"]:
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
        said.append(f"{row['agent']}: plain {plain}, corrected {corrected}; {saves}")
    return said
