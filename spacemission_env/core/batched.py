"""Runs many games in one array: `BatchedGames`, which vector environments, the arena and training use."""

from __future__ import annotations

from copy import copy

import numpy as np

from spacemission_env.core.agents import Decisions, GameInfo
from spacemission_env.core.arguments import check_number, check_room, check_seed, whole_numbers
from spacemission_env.core.errors import IllegalActionError, SetupError, SpaceMissionError, shown
from spacemission_env.core.failed import GiveUpOnError, since
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, check_choice, find_game
from spacemission_env.core.rng import next_seed

MOST_GAMES = 100_000  # maximum number of games; so many take about 800 MB
DTYPES = ("float32", "uint8")  # possible types of observations


class BatchedGames:
    """`count` games of the same kind in one array of states.

    An `index` is an int array (n,) of dealt games, n ≤ `count`. A wrong index raises SetupError before any
    game changes.

    Attributes:
        spec: which game.
        template: a `Game` with the same rules, components and observation mode.
        states: array of records (`spec.state`), shape (count,). `states["player"]` is the seat to act.
        everyone: the index of all games, 0 to count - 1.
        dtype: type of the observations from `view`: "float32", or "uint8" (compact; docs/observation.md).
    """

    def __init__(
        self,
        count: int,
        num_players: int | None = None,
        rules: object = None,
        components: object = None,
        observation: str = "perfect_recall",
        game: str | GameSpec = DEFAULT_GAME,
        dtype: str = "float32",
    ) -> None:
        """Make the games; call `deal` before play. Arguments as for `Game`."""
        if type(count) is not int or not 1 <= count <= MOST_GAMES:
            raise SetupError(f"count: expected 1 to {MOST_GAMES:,} games, not {shown(count)}")
        self.spec = find_game(game)
        self.template = make_game(self.spec, num_players, rules, components, observation)
        self.num_players = self.template.num_players
        self.count = count
        self.states = self.spec.new_states(count)
        self.everyone = np.arange(count)
        self._make_buffers(dtype)

    def deal(self, i: int, seed: int) -> None:
        """Deal the game of a seed into place i, as `Game.reset(seed)`."""
        i, seed = self._place(i), check_seed(seed)
        with GiveUpOnError(self.states[i : i + 1]):
            self.spec.batch.deal_one(self.states, i, self.template.parameters, self.num_players, seed)

    def deal_next(self, index: np.ndarray) -> None:
        """Deal the next game into each place of `index`, without repeats, as `Game.reset()`."""
        index = self.places(index)
        with GiveUpOnError(self.states):
            wrong = self.spec.batch.deal_next(self.states, self.template.parameters, index)
        if wrong >= 0:
            raise self._wrong(index, wrong)

    def rows(self, first: int, stop: int) -> BatchedGames:
        """A batch of the games `first` to `stop` - 1, which shares their states."""
        some = copy(self)
        some.states, some.count = self.states[first:stop], stop - first
        some.everyone = np.arange(some.count)
        some._make_buffers(self.dtype)
        return some

    def outcome(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores, int64 (n, seats, categories), ranks, int64 (n, seats), and winners, bool (n, seats)."""
        index = self.dealt(index)
        scores = np.zeros((len(index), self.num_players, len(self.spec.score_names)), np.int64)
        self.spec.batch.scores_batch(self.states, self.template.parameters, index, scores)
        ranks = self.spec.ranks(scores)
        return scores, ranks, self.spec.winners(ranks, self.states["over"][index])

    def margins(self, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Score margin of seat `seats[n]` in game `index[n]`, as `Game.margins`: float32 (n,)."""
        index, seats = self.dealt(index), whole_numbers("seats", seats)
        in_game = self.states["num_players"][index]
        if len(seats) != len(index) or (seats < 0).any() or (seats >= in_game).any():
            raise SetupError("seats: expected one existing seat for each game")
        out = np.zeros(len(index), np.float32)
        self.spec.batch.margin_batch(self.states, self.template.parameters, index, seats, out)
        return out

    @property
    def players(self) -> np.ndarray:
        """Seat to act in each game, int8 (count,); a view."""
        return np.asarray(self.states["player"])

    @property
    def over(self) -> np.ndarray:
        """Which games are over, bool (count,)."""
        over: np.ndarray = self.states["over"] != 0
        return over

    @property
    def info(self) -> GameInfo:
        """Facts for `Agent.prepare`."""
        return self.template.info

    def step(self, index: np.ndarray, actions: np.ndarray) -> int:
        """Make one move in each game of `index`, without repeats; return how many games are over.

        Raises:
            IllegalActionError, SetupError: the message names the game; no game has moved.
        """
        index, moves = self.places(index), whole_numbers("actions", actions, IllegalActionError)
        if len(index) != len(moves):
            raise IllegalActionError(f"actions: expected {len(index)}, one for each game, got {len(moves)}")
        with GiveUpOnError(self.states):
            over = self.spec.batch.step_batch(self.states, self.template.parameters, index, moves)
        if over < 0:
            row = -1 - over
            raise self._wrong(index, row, int(actions[row]))
        return over

    def check_moves(self, index: np.ndarray, actions: np.ndarray) -> None:
        """Raise as `step` does, but move nothing."""
        index, moves = self.places(index), whole_numbers("actions", actions, IllegalActionError)
        row = self.spec.batch.first_refused(self.states, self.template.parameters, index, moves)
        if row >= 0:
            raise self._wrong(index, row, int(actions[row]))

    def _place(self, i: object) -> int:
        return check_number("game", i, 0, self.count - 1)

    def game(self, i: int) -> Game:
        """Game i as a `Game` that shares its state with this batch."""
        i = self._place(i)
        game = self.template.clone()
        game.states = self.states[i : i + 1]
        return game

    def next_seed(self, i: int) -> int:
        """Seed of the game that `deal_next` deals into place i."""
        return int(next_seed(int(self.states[self._place(i)].seed)))

    # ------------------------------------------------------------ observations and decisions

    def _make_buffers(self, dtype: str) -> None:
        self.dtype = DTYPES[check_choice("dtype", dtype, DTYPES)]
        self._observations = np.zeros((self.count, self.spec.observation_size), self.dtype)
        self._floats = self._observations if self.dtype == "float32" else None  # for agents; made on demand
        self._masks = np.zeros((self.count, self.spec.action_count), np.int8)
        self._keys = np.zeros(self.count, np.int64)

    @property
    def units(self) -> np.ndarray:
        """Factors that turn the numbers of `view` into floats in [0, 1]: float32 (observation_size,)."""
        if self.dtype == "float32":
            return np.ones(self.spec.observation_size, np.float32)
        return self.spec.compact_units(self.template.parameters)

    def view(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Observations (n, size) of `dtype` and masks (n, actions) of the seats to act in these games.

        The arrays are buffers that the next call overwrites.
        """
        index = self.places(index)
        observations, masks = self._observations[: len(index)], self._masks[: len(index)]
        self._look(index, observations, masks, None)
        return observations, masks

    def seats_view(
        self,
        seats: np.ndarray,
        observations: np.ndarray,
        masks: np.ndarray,
        index: np.ndarray | None = None,
    ) -> None:
        """Write observation (n, size) and mask (n, actions) of seat `seats[n]` in each game of `index` (None:
        all).

        The mask is zero if the seat is not to act.
        """
        batch, parameters, recall = self.spec.batch, self.template.parameters, self.template.recall
        look = batch.seats_view_batch if self.dtype == "float32" else batch.compact_seats_view_batch
        index = self.everyone if index is None else self.dealt(index)
        states = self.states if index is self.everyone else self.states[index]
        seats, n = whole_numbers("seats", seats), len(index)
        check_room("observations", observations, np.dtype(self.dtype), n, self.spec.observation_size)
        check_room("masks", masks, np.dtype(np.int8), n, self.spec.action_count)
        if len(seats) != n:
            raise SetupError(f"seats: expected {n}, one for each game, got {len(seats)}")
        wrong = look(states, parameters, seats, recall, observations, masks)
        if wrong >= 0:
            self.dealt(index)
            raise SetupError(f"seats: row {wrong}: game {index[wrong]} has no seat {seats[wrong]}")

    def _look(
        self,
        index: np.ndarray,
        observations: np.ndarray | None,
        masks: np.ndarray,
        keys: np.ndarray | None,
    ) -> None:
        # Write masks, and observations and keys if given.
        batch, states, parameters = self.spec.batch, self.states, self.template.parameters
        if observations is None:
            wrong = batch.mask_batch(states, parameters, index, masks)
        else:
            view = batch.compact_view_batch if observations.dtype == np.uint8 else batch.view_batch
            wrong = view(states, parameters, index, self.template.recall, observations, masks)
        if wrong >= 0:
            raise self._wrong(index, wrong)
        if keys is not None:
            batch.keys_batch(states, index, keys)

    def keys(self, index: np.ndarray) -> np.ndarray:
        """The random keys of the current decisions, int64 (n,); a buffer like those of `view`."""
        index = self.places(index)
        keys = self._keys[: len(index)]
        wrong = self.spec.batch.keys_batch(self.states, index, keys)
        if wrong >= 0:
            raise self._wrong(index, wrong)
        return keys

    def _float_rows(self, n: int) -> np.ndarray:
        if self._floats is None:
            self._floats = np.zeros(self._observations.shape, np.float32)
        return self._floats[:n]

    def ask(self, index: np.ndarray, observations: bool = True) -> Decisions:
        """The current decisions in the games of `index`; `Decisions.part` takes those of one agent.

        Observations are floats, whatever `dtype` is; without `observations` they are (n, 0)
        (`Agent.needs`).
        """
        index = self.places(index)
        n = len(index)
        masks, keys = self._masks[:n], self._keys[:n]
        seen = self._float_rows(n) if observations else None
        self._look(index, seen, masks, keys)
        parameters = self.template.parameters

        def draw(rows: np.ndarray) -> np.ndarray:
            places = whole_numbers("index", index[rows])
            worlds = self.spec.new_states(len(places))
            wrong = self.spec.batch.worlds_batch(self.states, parameters, places, keys[rows], worlds)
            if wrong >= 0:
                raise self._wrong(places, wrong)
            return worlds

        def look(rows: np.ndarray) -> np.ndarray:
            places = whole_numbers("index", index[rows])
            whole = np.empty((len(places), self.spec.observation_size), np.uint8)
            self._look(places, whole, np.empty((len(places), self.spec.action_count), np.int8), None)
            return whole

        nothing = np.empty((n, 0), np.float32)
        return Decisions(
            nothing if seen is None else seen,
            masks,
            keys,
            parameters=parameters,
            game=self.spec.name,
            draw=draw,
            look=look,
            games=lambda row: self.game(int(index[row])),
        )

    def places(self, index: np.ndarray) -> np.ndarray:
        """Check the type and length of an index; compiled code checks the games in it."""
        if index is not self.everyone:
            index = whole_numbers("index", index)
        if len(index) > self.count:
            raise SetupError(f"index: expected at most {self.count} games, got {len(index)}")
        return index

    def dealt(self, index: np.ndarray) -> np.ndarray:
        """Check an index fully, for code that does not check games; SetupError if a game is not dealt."""
        index = self.places(index)
        wrong = (index < 0) | (index >= self.count)
        wrong |= self.states["num_players"][np.where(wrong, 0, index)] < 1
        if wrong.any():
            raise self._wrong(index, int(wrong.argmax()))
        return index

    def _wrong(self, index: np.ndarray, row: int, action: int | None = None) -> SpaceMissionError:
        # The reason why compiled code refused a row.
        i = int(index[row])
        if not 0 <= i < self.count:
            return SetupError(f"index: row {row}: expected 0 to {self.count - 1}, not {i}")
        players = int(self.states[i].num_players)
        if players < 1:
            return SetupError(f"game {i}: it has not been dealt{since(players)}")
        reason = None if action is None else self.game(i).why_illegal(action)
        if reason:
            return IllegalActionError(f"game {i}: {reason}")
        return SetupError(f"index: row {row}: game {i} is listed twice")
