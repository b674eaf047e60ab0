"""Holds many games for self-play, and writes what a learner reads of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from spacemission_env.core.arguments import check_seed
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import TRUNCATED
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.rng import hash63
from spacemission_train.settings.settings import Form

NUMBER_STREAM = 0x9A7E  # tells the choice of a number of players from other numbers made of a seed


class GameTable(BatchedGames):
    """`BatchedGames` with the rewards and observations that training needs.

    `vec_env` calls nothing else of a game, so the tests run its turn logic on toy games.
    """

    def __init__(
        self,
        count: int,
        num_players: int | tuple[int, ...] = 2,
        rules: Any = None,
        components: Any = None,
        observation: str = "perfect_recall",
        reward: str = "win",
        game: str | GameSpec = DEFAULT_GAME,
        threads: int = 1,
        dtype: str = "float32",
    ) -> None:
        """Arguments as for `BatchedGames`; `reward`: one of the game's `reward_names`.

        `num_players`: of all games, or several numbers: the seed of a game says which of them it has.
        """
        self.numbers = (num_players,) if isinstance(num_players, int) else tuple(num_players)
        spec = find_game(game)
        for number in self.numbers:
            spec.check_num_players(number)
        super().__init__(count, max(self.numbers), rules, components, observation, spec, threads, dtype)
        self.reward_mode = spec.reward_mode(reward)
        self.observation_size, self.action_count = spec.observation_size, spec.action_count

    @property
    def seats(self) -> np.ndarray:
        """Number of players of each game, int8 (count,)."""
        return self.states["num_players"]

    def deal(self, i: int, seed: int) -> None:
        """Deal a new game from a seed into place i, for as many players as the seed says."""
        number = self.numbers[hash63(check_seed(seed), NUMBER_STREAM, 0) % len(self.numbers)]
        self.deal_for(i, seed, number)

    def final_rewards(self, index: np.ndarray) -> np.ndarray:
        """Every seat's final reward, equal to `Game.rewards` of those games: float32 (n, num_players)."""
        index = self.dealt(index)
        out = np.zeros((len(index), self.num_players), np.float32)
        self.spec.batch.rewards_batch(self.states, self.template.parameters, index, self.reward_mode, out)
        return out

    def truncated(self, index: np.ndarray) -> np.ndarray:
        """Which of these games ended by the round limit, bool (n,)."""
        return self.states["over"][self.dealt(index)] == TRUNCATED

    def seen_by(self, seats: np.ndarray, index: np.ndarray) -> np.ndarray:
        """The observation of a seat of each game of `index`, over or not, of `dtype`: (n, size), fresh."""
        index = self.places(index)
        out = np.empty((len(index), self.observation_size), self.dtype)
        self.seats_view(seats, out, np.empty((len(index), self.action_count), np.int8), index)
        return out


class View:
    """What the learner reads of a table, and how it names moves: here the observation and the game's own.

    A game's view may show games in several symmetric forms, or have the learner choose among a few moves.

    Attributes:
        space: of an input.
        action_count: names of moves.
    """

    def __init__(self, table: GameTable, form: Form | None = None, augment: bool = False) -> None:
        """`form` of the run's networks; `augment`: draw a symmetric form for each game."""
        self.table, self.action_count = table, table.action_count
        high, dtype = (255, np.uint8) if table.dtype == "uint8" else (1, np.float32)
        self.space = spaces.Box(0, high, (table.observation_size,), dtype)

    def draw(self, rng: np.random.Generator) -> int:
        """The symmetric form in which a new game is shown."""
        return 0

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Inputs (n, size) and masks int8 (n, actions) for the players to act; fresh: learners keep them."""
        observations, masks = self.table.view(index)
        return observations.copy(), masks.copy()

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """What a seat reads of each of these games, over or not: (n, size), a fresh array."""
        return self.table.seen_by(seats, index)

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The games' own actions for those chosen by what `read` gave last, one a game: int64 (count,)."""
        return actions

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The other way round: the games' own actions as `read` showed them, one a game: int64 (count,)."""
        return actions
