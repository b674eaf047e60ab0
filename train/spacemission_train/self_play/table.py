"""Holds many games for self-play."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.arguments import check_seed
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import TRUNCATED
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.rng import hash63

NUMBER_STREAM = 0x9A7E  # hashed with a game's seed to draw its number of players


class GameTable(BatchedGames):
    """`BatchedGames` with the rewards and observations that training needs."""

    def __init__(
        self,
        count: int,
        num_players: int | tuple[int, ...] = 2,
        rules: object = None,
        components: object = None,
        observation: str = "perfect_recall",
        reward: str = "win",
        game: str | GameSpec = DEFAULT_GAME,
        threads: int = 1,
        dtype: str = "float32",
    ) -> None:
        """See `BatchedGames`; `reward`: one of the game's `reward_names`.

        `num_players` may hold several numbers; the seed of each game chooses one.
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
        """The number of players of each game, int8 (count,)."""
        return self.states["num_players"]

    def deal(self, i: int, seed: int) -> None:
        """Deal a new game from a seed into place i; the seed also chooses its number of players."""
        number = self.numbers[hash63(check_seed(seed), NUMBER_STREAM, 0) % len(self.numbers)]
        self.deal_for(i, seed, number)

    def final_rewards(self, index: np.ndarray) -> np.ndarray:
        """Each seat's final reward, equal to `Game.rewards`: float32 (n, num_players)."""
        index = self.dealt(index)
        out = np.zeros((len(index), self.num_players), np.float32)
        self.spec.batch.rewards_batch(self.states, self.template.parameters, index, self.reward_mode, out)
        return out

    def truncated(self, index: np.ndarray) -> np.ndarray:
        """Whether each of these games ended by the round limit, bool (n,)."""
        return self.states["over"][self.dealt(index)] == TRUNCATED

    def seen_by(self, seats: np.ndarray, index: np.ndarray) -> np.ndarray:
        """The observation of one seat in each game of `index`, in a new array (n, size) of `dtype`."""
        index = self.places(index)
        out = np.empty((len(index), self.observation_size), self.dtype)
        self.seats_view(seats, out, np.empty((len(index), self.action_count), np.int8), index)
        return out
