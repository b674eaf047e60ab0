"""What luck was worth in a game, so that it can be taken out of the result (AIVAT; Burch et al. 2018).

A value tells of each position what share of the win each seat may expect. Wherever chance decides (the deal,
a card drawn, a move that an agent draws by odds which it tells) the position that came about is worth more or
less than the mean over those that might have: the difference is luck. Its mean is zero whatever the value
says, so a result less its luck has the same mean as the result; and the better the value, the less it varies.
The value is fixed before the games, and its sha256 stands in the report. Of AIVAT's two parts this is the
control variate; it has no imaginary observations.

Where moves are weighed by endings too (played_on.py), the luck that those tell and that of the value are
added, each times a factor that the game's `Luck` fixes: the mean of either is zero.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from spacemission_agents.arena.endings import Endings
from spacemission_agents.arena.figures.luck import PARTS, wins_whole
from spacemission_agents.arena.played_on import PlayedOn
from spacemission_agents.game_agents import find_game_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import GameSpec, find_game


class Luck(Protocol):
    """What luck was worth in games of one kind. What is returned is float64 (n, seats), in shares of the win.

    Attributes:
        digest: sha256 of the value.
        of_endings, beside_endings: what the luck that endings tell counts, and that of the value's draws
            beside it; asked for where `draw_anew` is there.
    """

    digest: str
    of_endings: float
    beside_endings: float

    def of_deal(self, games: BatchedGames, index: np.ndarray) -> np.ndarray:
        """What the deals of the games of `index` are worth, above the mean of all deals."""

    def of_draws(self, games: BatchedGames, index: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """What chance brings by these moves, not made yet, above the mean of what it might bring."""

    def of_choices(
        self, games: BatchedGames, index: np.ndarray, actions: np.ndarray, odds: np.ndarray
    ) -> np.ndarray:
        """What these moves are worth above the mean by their odds (n, actions), before any draw."""

    def draw_anew(self, games: BatchedGames, index: np.ndarray, count: int, states: np.ndarray) -> None:
        """Write `count` copies of each game, what nobody knows drawn anew, into `states`; the same again for
        the same position. A game that has none cannot be played on.
        """


def find_luck(game: str | GameSpec) -> Luck:
    """What tells luck in a game.

    Raises:
        AgentError: the game has no value.
    """
    found: Luck | None = find_game_agents(game).new_luck()
    if found is None:
        raise AgentError(f"aivat: there is no value of positions for {find_game(game).title}")
    return found


def can_be_played_on(luck: Luck) -> bool:
    """Whether a game's luck can be told by endings."""
    return hasattr(luck, "draw_anew")


class Corrections:
    """The luck of games that are played side by side."""

    def __init__(self, games: BatchedGames, endings: Endings | None = None) -> None:
        """To be asked once they are dealt. `endings`: moves are weighed by these too."""
        self._games = games
        self._luck = find_luck(games.spec)
        self._sums: np.ndarray | None = None
        self._whole = wins_whole(games.spec) * PARTS
        self._endings = endings
        self._played_on: list[PlayedOn] = []

    def before(self, index: np.ndarray, actions: np.ndarray, odds: np.ndarray) -> None:
        """Add what these moves bring, before they are made; where a row of `odds` is 0 they are not told."""
        if self._sums is None:
            self._begin()
        assert self._sums is not None
        drawn = np.flatnonzero(odds.any(1))
        if len(drawn):
            chosen = index[drawn], actions[drawn], odds[drawn]
            self._sums[index[drawn]] += self._luck.of_choices(self._games, *chosen)
        draws = self._luck.of_draws(self._games, index, actions)
        if self._played_on:
            draws *= self._luck.beside_endings
        for one in self._played_on:
            one.before(index, actions)
        self._sums[index] += draws

    def _begin(self) -> None:
        self._sums = self._luck.of_deal(self._games, self._games.everyone)
        if self._endings is not None:
            self._played_on = [
                PlayedOn(self._games, self._luck, player, self._endings.count)
                for player in self._endings.players
            ]

    def parts(self, i: int) -> np.ndarray:
        """The luck of each seat of game i, over or forfeited, int64 (seats,), in parts (figures/luck.py)."""
        if self._sums is None:
            return np.zeros(self._games.num_players, np.int64)
        luck = self._sums[i]
        for one in self._played_on:
            luck = luck + self._luck.of_endings / len(self._played_on) * one.luck(i)
        return np.rint(luck * self._whole).astype(np.int64)
