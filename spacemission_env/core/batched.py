"""`BatchedGames`: many games side by side; vector front ends, arena and trainer are thin over it."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.core.agents_api import Decisions, GameInfo
from spacemission_env.core.arguments import check_number, check_seed, whole_numbers
from spacemission_env.core.errors import IllegalActionError, SetupError, SpaceMissionError, shown
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.rng import next_seed

MOST_GAMES = 100_000  # side by side; some 800 MB


class BatchedGames:
    """`count` games of the same kind in one array of states.

    An `index` is an array (n,) of integers: places of games that have been dealt, at most `count` of them.
    What is not so is refused with SetupError before any game is touched.

    Attributes:
        spec: which game.
        template: a `Game` of the same rules, components and observation mode.
        states: array of records (`spec.state`), shape (count,). `states["player"]` is who is to act.
        everyone: the index of all games, 0 to count - 1.
    """

    def __init__(
        self,
        count: int,
        num_players: int = 3,
        rules: Any = None,
        components: Any = None,
        observation: str = "perfect_recall",
        game: str | GameSpec = DEFAULT_GAME,
    ) -> None:
        """Make the games; call `deal` before play. Arguments as for `Game`; `game`: which one, by name."""
        if type(count) is not int or not 1 <= count <= MOST_GAMES:
            raise SetupError(f"count: expected 1 to {MOST_GAMES:,} games, not {shown(count)}")
        self.spec = find_game(game)
        self.template: Game = self.spec.game(num_players, rules, components, observation)
        self.num_players = self.template.num_players
        self.count = count
        self.states = self.spec.new_states(count)
        self.everyone = np.arange(count)
        self._observations = np.zeros((count, self.spec.observation_size), np.float32)
        self._masks = np.zeros((count, self.spec.action_count), np.int8)
        self._keys = np.zeros(count, np.int64)

    def deal(self, i: int, seed: int) -> None:
        """Deal a new game from a seed into place i: the same game as `Game.reset(seed)`."""
        self.deal_for(i, seed, self.num_players)

    def deal_for(self, i: int, seed: int, num_players: int) -> None:
        """Deal a new game for another number of players, at most that of these games, into place i."""
        # `Game`s of this batch would not have room for more.
        num_players = check_number("num_players", num_players, self.spec.min_players, self.num_players)
        i = self._place(i)
        self.template.rules.for_players(num_players)  # is the seat that is to begin there?
        self.spec.batch.deal_one(self.states, i, self.template.boxes, num_players, check_seed(seed))

    def deal_next(self, index: np.ndarray) -> None:
        """Deal into each place the game that follows there: the same as `Game.reset()` without a seed.

        Raises:
            SetupError: also where a place stands twice.
        """
        index = self.places(index)
        wrong = self.spec.batch.deal_next(self.states, self.template.boxes, index)
        if wrong >= 0:
            raise self._wrong(index, wrong)

    @property
    def players(self) -> np.ndarray:
        """Seat to act in each game, int8 (count,); a view."""
        return self.states["player"]

    @property
    def over(self) -> np.ndarray:
        """Which games are over, bool (count,)."""
        return self.states["over"] != 0

    @property
    def info(self) -> GameInfo:
        """What agents are told before they play these games (`Agent.prepare`)."""
        return self.template.info

    def view(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Observations (n, size) and masks (n, actions) of the players to act in the games of `index`.

        The arrays are buffers of this object, overwritten by the next call.
        """
        index = self.places(index)
        n = len(index)
        observations, masks = self._observations[:n], self._masks[:n]
        template = self.template
        wrong = self.spec.batch.view_batch(
            self.states, template.boxes, index, template.recall, observations, masks
        )
        if wrong >= 0:
            raise self._wrong(index, wrong)
        return observations, masks

    def keys(self, index: np.ndarray) -> np.ndarray:
        """The random keys of the decisions at hand, int64 (n,); a buffer like those of `view`."""
        index = self.places(index)
        keys = self._keys[: len(index)]
        wrong = self.spec.batch.keys_batch(self.states, index, keys)
        if wrong >= 0:
            raise self._wrong(index, wrong)
        return keys

    def ask(self, index: np.ndarray) -> Decisions:
        """The decisions at hand in the games of `index`; hand an agent its `part` of them."""
        index = self.places(index)
        observations, masks = self.view(index)
        keys = self.keys(index)
        boxes = self.template.boxes

        def draw(rows: np.ndarray) -> np.ndarray:
            places = whole_numbers("index", index[rows])
            worlds = self.spec.new_states(len(places))
            recall = self.template.recall
            wrong = self.spec.batch.worlds_batch(self.states, boxes, places, recall, keys[rows], worlds)
            if wrong >= 0:
                raise self._wrong(places, wrong)
            return worlds

        return Decisions(observations, masks, keys, boxes=boxes, game=self.spec.name, draw=draw)

    def step(self, index: np.ndarray, actions: np.ndarray, masks: Any = None) -> int:
        """Make one move in each game of `index`; each place at most once.

        Whether a move is legal is found from the game itself. `masks` is not read: callers of earlier
        versions hand in those that `view` gave.

        Returns how many of these games are over now.

        Raises:
            IllegalActionError: naming game and move; no game has moved then.
            SetupError: of the index; no game has moved then.
        """
        index, moves = self.places(index), whole_numbers("actions", actions, IllegalActionError)
        if len(index) != len(moves):
            raise IllegalActionError(f"actions: expected {len(index)}, one for each game, got {len(moves)}")
        over = self.spec.batch.step_batch(self.states, self.template.boxes, index, moves)
        if over < 0:
            row = -1 - over
            raise self._wrong(index, row, int(actions[row]))
        return over

    def places(self, index: Any) -> np.ndarray:
        """An index as compiled code takes it; SetupError where it is no array of integers, or longer than the
        batch. Whether the games are there is seen in compiled code.
        """
        if index is not self.everyone:
            index = whole_numbers("index", index)
        if len(index) > self.count:
            raise SetupError(f"index: expected at most {self.count} games, got {len(index)}")
        return index

    def dealt(self, index: Any) -> np.ndarray:
        """An index as compiled code takes it; SetupError also where a place has no game. It is for what does
        not look itself whether the games are there.
        """
        index = self.places(index)
        wrong = (index < 0) | (index >= self.count)
        wrong |= self.states["num_players"][np.where(wrong, 0, index)] == 0
        if wrong.any():
            raise self._wrong(index, int(wrong.argmax()))
        return index

    def _wrong(self, index: np.ndarray, row: int, action: int | None = None) -> SpaceMissionError:
        # Why compiled code refused a row.
        i = int(index[row])
        if not 0 <= i < self.count:
            return SetupError(f"index: row {row}: expected 0 to {self.count - 1}, not {i}")
        if not self.states[i].num_players:
            return SetupError(f"game {i}: it has not been dealt yet")
        reason = None if action is None else self.game(i).why_illegal(action)
        if reason:
            return IllegalActionError(f"game {i}: {reason}")
        return SetupError(f"index: row {row}: game {i} stands twice")

    def _place(self, i: Any) -> int:
        return check_number("game", i, 0, self.count - 1)

    def game(self, i: int) -> Game:
        """Game i as a `Game`; it shares its state with this batch."""
        i = self._place(i)
        game = self.template.clone()
        game.states = self.states[i : i + 1]
        return game

    def next_seed(self, i: int) -> int:
        """Seed of the game that `deal_next` would deal into place i."""
        return int(next_seed(int(self.states[self._place(i)].seed)))
