"""Holds many games for self-play, and what a learner reads of them (`View`).

`Table` keeps the turn logic of `vec_env` free of all games: the tests run that code on toy games.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from spacemission_env.core.agents import Decisions
from spacemission_env.core.arguments import check_seed
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import TRUNCATED
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.rng import hash63
from spacemission_train.settings.settings import Form

NUMBER_STREAM = 0x9A7E  # tells the choice of a number of players from other numbers made of a seed


class Table(Protocol):
    """Many games of one kind, side by side; `index` arrays name the games that a call is about.

    `num_players` is the largest number of players of a game.
    """

    count: int
    num_players: int
    observation_size: int
    action_count: int

    @property
    def players(self) -> np.ndarray:
        """Seat to act in each game, (count,)."""

    @property
    def seats(self) -> np.ndarray:
        """Number of players of each game, integers (count,)."""

    @property
    def over(self) -> np.ndarray:
        """Which games are over, bool (count,)."""

    def deal(self, i: int, seed: int) -> None:
        """Deal a new game from a seed into place i."""

    def view(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Observations (n, size) and masks (n, actions) of the players to act; buffers of the table."""

    def ask(self, index: np.ndarray) -> Decisions:
        """The decisions at hand in these games, for the opponents; buffers of the table."""

    def step(self, index: np.ndarray, actions: np.ndarray) -> int:
        """One legal move in each game of `index`; how many of these games are over now."""

    def final_rewards(self, index: np.ndarray) -> np.ndarray:
        """Every seat's reward in the games of `index`, which are over: float32 (n, num_players)."""

    def truncated(self, index: np.ndarray) -> np.ndarray:
        """Which of these games ended by the round limit, bool (n,)."""

    def seen_by(self, seats: np.ndarray, index: np.ndarray) -> np.ndarray:
        """What seat `seats[n]` sees of each game of `index`, whoever is to act: float32 (n, size), fresh."""

    def margins(self, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Score margin of each seat as the table stands, float32 (n,); only for shaped rewards."""


class GameTable(BatchedGames):
    """`BatchedGames` with the rewards and views that training needs (the `Table` protocol)."""

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


class View(Protocol):
    """What the learner reads. A view may show a game in several symmetric forms and name moves accordingly,
    or have it choose among a few.

    `size`: numbers of an input. `action_count`: names of moves. `masks`: legal actions in the games' own
    terms, as of the last `read`: int8 (count, actions).
    """

    size: int
    action_count: int
    masks: np.ndarray

    def draw(self, rng: np.random.Generator) -> int:
        """The symmetric form in which a new game is shown."""

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Inputs float32 (n, size) and masks int8 (n, actions) for the players to act; fresh arrays."""

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """What a seat reads of each of these games, over or not: float32 (n, size), a fresh array."""

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The games' own actions for those chosen by what `read` gave last, one a game: int64 (count,)."""

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The other way round: the games' own actions as `read` showed them, one a game: int64 (count,)."""


class PlainView:
    """The observation as it is, of any game (the protocol `View`)."""

    def __init__(self, table: Table, form: Form, augment: bool = False) -> None:
        """`form` and `augment` are those of the run; only the plain observation is read here."""
        self.table, self.size = table, table.observation_size
        self.action_count = table.action_count
        self.masks = np.zeros((table.count, table.action_count), np.int8)

    def draw(self, rng: np.random.Generator) -> int:
        """There is one form."""
        return 0

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Copies of observations and masks: learners keep them."""
        observations, masks = self.table.view(index)
        self.masks[index] = masks
        return observations.copy(), masks.copy()

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """The seats' observations."""
        return self.table.seen_by(seats, index)

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The actions themselves."""
        return actions

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The actions themselves."""
        return actions
