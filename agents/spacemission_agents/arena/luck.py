"""What luck was worth in a game, so that it can be taken out of the result (AIVAT; Burch et al. 2018).

A value tells of each position what share of the win each seat may expect. Wherever chance decides (the deal,
a card drawn, a move that an agent draws by odds which it tells) the position that came about is worth more or
less than the mean over those that might have: the difference is luck. Its mean is zero whatever the value
says, so a result less its luck has the same mean as the result; and the better the value, the less it varies.
The value is fixed before the games, and its sha256 stands in the report. Of AIVAT's two parts this is the
control variate; it has no imaginary observations.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from spacemission_agents.arena.figures.luck import PARTS, wins_whole
from spacemission_agents.game_agents import find_game_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import GameSpec, find_game


class Luck(Protocol):
    """What luck was worth in games of one kind. What is returned is float64 (n, seats), in shares of the win.

    Attributes:
        digest: sha256 of the value.
    """

    digest: str

    def of_deal(self, games: BatchedGames, index: np.ndarray) -> np.ndarray:
        """What the deals of the games of `index` are worth, above the mean of all deals."""

    def of_draws(self, games: BatchedGames, index: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """What chance brings by these moves, not made yet, above the mean of what it might bring."""

    def of_choices(
        self, games: BatchedGames, index: np.ndarray, actions: np.ndarray, odds: np.ndarray
    ) -> np.ndarray:
        """What these moves are worth above the mean by their odds (n, actions), before any draw."""


def find_luck(game: str | GameSpec) -> Luck:
    """What tells luck in a game.

    Raises:
        AgentError: the game has no value.
    """
    found: Luck | None = find_game_agents(game).new_luck()
    if found is None:
        raise AgentError(f"aivat: there is no value of positions for {find_game(game).title}")
    return found


class Corrections:
    """The luck of games that are played side by side."""

    def __init__(self, games: BatchedGames) -> None:
        """To be asked once they are dealt."""
        self._games = games
        self._luck = find_luck(games.spec)
        self._sums: np.ndarray | None = None
        self._whole = wins_whole(games.spec) * PARTS

    def before(self, index: np.ndarray, actions: np.ndarray, odds: np.ndarray) -> None:
        """Add what these moves bring, before they are made; where a row of `odds` is 0 they are not told."""
        if self._sums is None:
            self._sums = self._luck.of_deal(self._games, self._games.everyone)
        drawn = np.flatnonzero(odds.any(1))
        if len(drawn):
            chosen = index[drawn], actions[drawn], odds[drawn]
            self._sums[index[drawn]] += self._luck.of_choices(self._games, *chosen)
        self._sums[index] += self._luck.of_draws(self._games, index, actions)

    def parts(self, i: int) -> np.ndarray:
        """The luck of each seat of game i so far, int64 (seats,), in parts (figures/luck.py)."""
        if self._sums is None:
            return np.zeros(self._games.num_players, np.int64)
        return np.rint(self._sums[i] * self._whole).astype(np.int64)
