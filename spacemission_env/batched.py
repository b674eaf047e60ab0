"""`BatchedGames`: many games side by side; vector front ends, arena and trainer are thin over it."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.agents_api import Decisions, GameInfo
from spacemission_env.engine import batch
from spacemission_env.engine.constants import ACTION_COUNT, OVER
from spacemission_env.engine.layout import OBSERVATION_SIZE
from spacemission_env.engine.rng import next_seed
from spacemission_env.engine.state import new_states
from spacemission_env.errors import IllegalActionError, SetupError
from spacemission_env.game import Game, check_seed


class BatchedGames:
    """`count` games of the same kind in one array of states.

    Attributes:
        template: a `Game` of the same rules, components and observation mode.
        states: array of `STATE` records, shape (count,). `states["player"]` is who is to act.
        everyone: the index of all games, 0 to count - 1.
    """

    def __init__(
        self,
        count: int,
        num_players: int = 3,
        rules: Any = "printed",
        components: Any = None,
        observation: str = "perfect_recall",
    ) -> None:
        """Make the games; call `deal` before play. Arguments as for `Game`."""
        if type(count) is not int or count < 1:
            raise SetupError(f"count: expected a whole number of games from 1, not {count!r}")
        self.template = Game(num_players, rules, components, observation)
        self.num_players = num_players
        self.count = count
        self.states = new_states(count)
        self.everyone = np.arange(count)
        self._observations = np.zeros((count, OBSERVATION_SIZE), np.float32)
        self._masks = np.zeros((count, ACTION_COUNT), np.int8)
        self._keys = np.zeros(count, np.int64)

    def deal(self, i: int, seed: int) -> None:
        """Deal a new game from a seed into place i: the same game as `Game.reset(seed)`."""
        self.deal_for(i, seed, self.num_players)

    def deal_for(self, i: int, seed: int, num_players: int) -> None:
        """Deal a new game for another number of players, 2 to `num_players` of these games, into place i."""
        if not 2 <= num_players <= self.num_players:  # `Game`s of this batch would not have room
            raise SetupError(f"num_players: expected 2 to {self.num_players}, not {num_players!r}")
        if not isinstance(i, int | np.integer) or not 0 <= i < self.count:  # compiled code would write there
            raise SetupError(f"game: expected 0 to {self.count - 1}, not {i!r}")
        self.template.rules.for_players(num_players)  # is the seat that is to begin there?
        batch.deal_one(self.states, i, self.template.boxes, num_players, check_seed(seed))

    def deal_next(self, index: np.ndarray) -> None:
        """Deal into each place the game that follows there: the same as `Game.reset()` without a seed."""
        batch.deal_next(self.states, self.template.boxes, index)

    @property
    def players(self) -> np.ndarray:
        """Seat to act in each game, int8 (count,); a view."""
        return self.states["player"]

    @property
    def over(self) -> np.ndarray:
        """Which games are over, bool (count,)."""
        return self.states["phase"] == OVER

    @property
    def info(self) -> GameInfo:
        """What agents are told before they play these games (`Agent.prepare`)."""
        return self.template.info

    def view(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Observations (n, size) and masks (n, 101) of the players to act in the games of `index`.

        The arrays are buffers of this object, overwritten by the next call.
        """
        n = len(index)
        observations, masks = self._observations[:n], self._masks[:n]
        template = self.template
        batch.view_batch(self.states, template.boxes, index, template.recall, observations, masks)
        return observations, masks

    def keys(self, index: np.ndarray) -> np.ndarray:
        """The random keys of the decisions at hand, int64 (n,); a buffer like those of `view`."""
        keys = self._keys[: len(index)]
        batch.keys_batch(self.states, index, keys)
        return keys

    def ask(self, index: np.ndarray) -> Decisions:
        """The decisions at hand in the games of `index`; hand an agent its `part` of them."""
        observations, masks = self.view(index)
        keys = self.keys(index)
        boxes = self.template.boxes

        def draw(rows: np.ndarray) -> np.ndarray:
            worlds = new_states(len(rows))
            batch.worlds_batch(self.states, boxes, index[rows], self.template.recall, keys[rows], worlds)
            return worlds

        return Decisions(observations, masks, keys, boxes=boxes, draw=draw)

    def step(self, index: np.ndarray, actions: np.ndarray, masks: Any = None) -> int:
        """Make one move in each game of `index`; `masks` are those that `view` gave for them.

        Returns how many of these games are over now.

        Raises:
            IllegalActionError: naming game and move; no game has moved then.
        """
        if actions.dtype.kind not in "iu":
            raise IllegalActionError(f"actions: expected integers, got {actions.dtype}")
        over = batch.step_batch(self.states, self.template.boxes, index, actions)
        if over < 0:
            wrong = -1 - over
            i = int(index[wrong])
            raise IllegalActionError(f"game {i}: {self.game(i).why_illegal(int(actions[wrong]))}")
        return over

    def game(self, i: int) -> Game:
        """Game i as a `Game`; it shares its state with this batch."""
        game = self.template.clone()
        game.states = self.states[i : i + 1]
        return game

    def next_seed(self, i: int) -> int:
        """Seed of the game that `deal_next` would deal into place i."""
        return int(next_seed(int(self.states[i].seed)))
