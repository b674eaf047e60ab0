"""What is seen of many games side by side: the half of `BatchedGames` that moves nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spacemission_env.core.agents import Agent, Decisions, answered, reads_observations
from spacemission_env.core.arguments import check_room, whole_numbers
from spacemission_env.core.errors import IllegalActionError, SetupError, SpaceMissionError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import GameSpec, check_choice
from spacemission_env.core.thread_pool import ThreadPool, first_wrong

DTYPES = ("float32", "uint8")  # of observations
# Rows that a thread gets at least: below some ten microseconds of work it is not worth waking it.
VIEW_ROWS, MASK_ROWS, KEY_ROWS, WORLD_ROWS = 64, 128, 512, 2


Then = Callable[[slice, np.ndarray, np.ndarray, np.ndarray], None]  # what is done with rows looked at


class BatchedViews:
    """Observations, masks, keys and decisions of the games of `BatchedGames`, which makes them."""

    spec: GameSpec
    template: Game
    count: int
    states: np.ndarray
    everyone: np.ndarray

    def _make_buffers(self, threads: int, dtype: str) -> None:
        self.dtype = DTYPES[check_choice("dtype", dtype, DTYPES)]
        self._pool = ThreadPool(threads)
        self.threads = self._pool.threads
        self._observations = np.zeros((self.count, self.spec.observation_size), self.dtype)
        self._floats = self._observations if self.dtype == "float32" else None  # for agents, made on demand
        self._masks = np.zeros((self.count, self.spec.action_count), np.int8)
        self._keys = np.zeros(self.count, np.int64)

    @property
    def units(self) -> np.ndarray:
        """What the numbers that `view` gives are worth, float32 (observation_size,): times these they are the
        float observation (ones where they are that already).
        """
        if self.dtype == "float32":
            return np.ones(self.spec.observation_size, np.float32)
        return self.spec.compact_units(self.template.parameters)

    def view(self, index: np.ndarray, then: Then | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Observations (n, size) and masks (n, actions) of the players to act in the games of `index`.

        Observations are of `dtype`. The arrays are buffers of this object, overwritten by the next call.

        Args:
            index: places of games (n,).
            then: called with (rows, observations, masks, keys) once these rows, a slice, are written: in each
                thread with those that it has written itself, which lie in its core's cache. `keys`: as the
                method of this name gives them.
        """
        index = self.places(index)
        n = len(index)
        observations, masks = self._observations[:n], self._masks[:n]
        if then is None:
            self._look(index, observations, masks, None)
        else:
            keys = self._keys[:n]
            self._look(
                index,
                observations,
                masks,
                keys,
                lambda a, z: then(slice(a, z), observations[a:z], masks[a:z], keys[a:z]),
            )
        return observations, masks

    def seats_view(
        self,
        seats: np.ndarray,
        observations: np.ndarray,
        masks: np.ndarray,
        index: np.ndarray | None = None,
    ) -> None:
        """Write observation and mask of seat `seats[n]` of each game of `index`, whoever is to act there.

        Args:
            seats: integers (n,), of seats that are there.
            observations: (n, size) of `dtype`, to be written.
            masks: int8 (n, actions), to be written; zeros where the seat is not to act.
            index: None: all games.
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
        wrong = self.share(
            lambda a, z: look(states[a:z], parameters, seats[a:z], recall, observations[a:z], masks[a:z]), n
        )
        if wrong >= 0:
            self.dealt(index)
            raise SetupError(f"seats: row {wrong}: game {index[wrong]} has no seat {seats[wrong]}")

    def share(self, part: Callable[[int, int], Any], rows: int, least: int = VIEW_ROWS) -> int:
        """Call `part(first, stop)` on parts of so many rows, in the threads; each has at least `least` rows.

        `part` returns the wrong row of its part, or -1 (or None); the wrong row of the whole is returned.
        """
        wrongs = [-1 if wrong is None else wrong for wrong in self._pool.run(part, rows, least)]
        return first_wrong(wrongs, rows)

    def _look(
        self,
        index: np.ndarray,
        observations: np.ndarray | None,
        masks: np.ndarray,
        keys: np.ndarray | None,
        then: Callable[[int, int], None] | None = None,
    ) -> None:
        # Observations where asked for, masks, and keys where asked for, all in one go; and what is then done.
        batch, states, parameters, recall = (
            self.spec.batch,
            self.states,
            self.template.parameters,
            self.template.recall,
        )
        compact = observations is not None and observations.dtype == np.uint8
        view = batch.compact_view_batch if compact else batch.view_batch

        def part(first: int, stop: int) -> int:
            rows = slice(first, stop)
            places = index[rows]
            if observations is None:
                wrong = batch.mask_batch(states, parameters, places, masks[rows])
            else:
                wrong = view(states, parameters, places, recall, observations[rows], masks[rows])
            if wrong < 0 and keys is not None:
                batch.keys_batch(states, places, keys[rows])
                if then is not None:
                    then(first, stop)
            return int(wrong)

        wrong = self.share(part, len(index), MASK_ROWS if observations is None else VIEW_ROWS)
        if wrong >= 0:
            raise self._wrong(index, wrong)

    def keys(self, index: np.ndarray) -> np.ndarray:
        """The random keys of the decisions at hand, int64 (n,); a buffer like those of `view`."""
        index = self.places(index)
        keys = self._keys[: len(index)]
        look = self.spec.batch.keys_batch
        wrong = self.share(lambda a, z: look(self.states, index[a:z], keys[a:z]), len(index), KEY_ROWS)
        if wrong >= 0:
            raise self._wrong(index, wrong)
        return keys

    def _float_rows(self, n: int) -> np.ndarray:
        if self._floats is None:
            self._floats = np.zeros(self._observations.shape, np.float32)
        return self._floats[:n]

    def answers(self, index: np.ndarray, agent: Agent) -> np.ndarray:
        """What an agent that `acts_in_parts` plays in the games of `index`, int64 (n,).

        Each thread asks it about the games that it has looked at itself.

        Raises:
            AgentError: the agent fails, or its answer is no integers.
        """
        index = self.places(index)
        n, parameters, name = len(index), self.template.parameters, self.spec.name
        masks, keys, actions = self._masks[:n], self._keys[:n], np.zeros(n, np.int64)
        seen = self._float_rows(n) if reads_observations(agent) else None
        given = np.empty((n, 0), np.float32) if seen is None else seen

        def act(first: int, stop: int) -> None:
            rows = slice(first, stop)
            own = Decisions(given[rows], masks[rows], keys[rows], parameters=parameters, game=name)
            actions[rows] = answered(agent, own)

        self._look(index, seen, masks, keys, act)
        return actions

    def ask(self, index: np.ndarray, observations: bool = True) -> Decisions:
        """The decisions at hand in the games of `index`; hand an agent its `part` of them.

        Agents get float observations, whatever `dtype` is; without `observations` they get none, (n, 0): for
        agents that do not read them (`Agent.reads_observations`).
        """
        index = self.places(index)
        n = len(index)
        masks, keys = self._masks[:n], self._keys[:n]
        seen = self._float_rows(n) if observations else None
        self._look(index, seen, masks, keys)
        parameters = self.template.parameters

        def draw(rows: np.ndarray) -> np.ndarray:
            places = whole_numbers("index", index[rows])
            chosen = keys[rows]
            worlds = self.spec.new_states(len(places))
            recall, sample = self.template.recall, self.spec.batch.worlds_batch
            wrong = self.share(
                lambda a, z: sample(self.states, parameters, places[a:z], recall, chosen[a:z], worlds[a:z]),
                len(places),
                WORLD_ROWS,
            )
            if wrong >= 0:
                raise self._wrong(places, wrong)
            return worlds

        nothing = np.empty((n, 0), np.float32)
        return Decisions(
            nothing if seen is None else seen,
            masks,
            keys,
            parameters=parameters,
            game=self.spec.name,
            draw=draw,
        )

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

    def game(self, i: int) -> Game:
        """Game i."""
        raise NotImplementedError
