"""`BatchedGames`: many games side by side; vector front ends, arena and trainer are thin over it."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from spacemission_env.core.agents import GameInfo
from spacemission_env.core.arguments import check_number, check_seed, whole_numbers
from spacemission_env.core.batched_views import BatchedViews
from spacemission_env.core.errors import IllegalActionError, SetupError, shown
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.rng import next_seed

MOST_GAMES = 100_000  # side by side; some 800 MB
# Rows that a thread gets at least, as in batched_views.py.
STEP_ROWS, DEAL_ROWS = 128, 16


class BatchedGames(BatchedViews):
    """`count` games of the same kind in one array of states.

    An `index` is an array (n,) of integers: places of games that have been dealt, at most `count` of them.
    What is not so is refused with SetupError before any game is touched. With more than one thread each
    call is shared out, in parts of the index that follow each other; what comes out is the same to the byte.

    Attributes:
        spec: which game.
        template: a `Game` of the same rules, components and observation mode.
        states: array of records (`spec.state`), shape (count,). `states["player"]` is who is to act.
        everyone: the index of all games, 0 to count - 1.
        dtype: of the observations that `view` gives, "float32" or "uint8" (compact: docs/observation.md).
        threads: how many share the work, the caller's own among them.
    """

    def __init__(
        self,
        count: int,
        num_players: int | None = None,
        rules: Any = None,
        components: Any = None,
        observation: str = "perfect_recall",
        game: str | GameSpec = DEFAULT_GAME,
        threads: int = 1,
        dtype: str = "float32",
    ) -> None:
        """Make the games; call `deal` before play. Arguments as for `Game`; `game`: which one, by name.

        `threads`: 1 to 256; they are started when a batch is large enough for them.
        """
        if type(count) is not int or not 1 <= count <= MOST_GAMES:
            raise SetupError(f"count: expected 1 to {MOST_GAMES:,} games, not {shown(count)}")
        self.spec = find_game(game)
        self.template: Game = make_game(self.spec, num_players, rules, components, observation)
        self.num_players = self.template.num_players
        self.count = count
        self.states = self.spec.new_states(count)
        self.everyone = np.arange(count)
        self._make_buffers(threads, dtype)

    def deal(self, i: int, seed: int) -> None:
        """Deal a new game from a seed into place i: the same game as `Game.reset(seed)`."""
        self.deal_for(i, seed, self.num_players)

    def deal_for(self, i: int, seed: int, num_players: int) -> None:
        """Deal a new game for another number of players, at most that of these games, into place i."""
        # `Game`s of this batch would not have room for more.
        num_players = check_number("num_players", num_players, self.spec.min_players, self.num_players)
        i = self._place(i)
        self.template.rules.for_players(num_players)  # is the seat that is to begin there?
        self.spec.batch.deal_one(self.states, i, self.template.parameters, num_players, check_seed(seed))

    def deal_next(self, index: np.ndarray) -> None:
        """Deal into each place the game that follows there: the same as `Game.reset()` without a seed.

        Raises:
            SetupError: also where a place stands twice.
        """
        index = self.places(index)
        deal, parameters = self.spec.batch.deal_next, self.template.parameters
        if self.threads > 1 and len(index) >= 2 * DEAL_ROWS and not twice(self.dealt(index)):
            self._pool.run(lambda a, z: deal(self.states, parameters, index[a:z]), len(index), DEAL_ROWS)
            return
        wrong = deal(self.states, parameters, index)
        if wrong >= 0:
            raise self._wrong(index, wrong)

    def rows(self, first: int, stop: int) -> BatchedGames:
        """Games `first` to `stop` - 1 as a batch of their own, of one thread, which shares their states."""
        some = copy(self)
        some.states, some.count = self.states[first:stop], stop - first
        some.everyone = np.arange(some.count)
        some._make_buffers(1, self.dtype)
        return some

    def scores_json(self, index: np.ndarray) -> list[list[dict[str, int]]]:
        """Scores of each game of `index` as `Game.scores_json` has them."""
        index, names = self.dealt(index), self.spec.score_names
        scores = np.zeros((len(index), self.num_players, len(names)), np.int64)
        self.spec.batch.scores_batch(self.states, self.template.parameters, index, scores)
        return [[dict(zip(names, row, strict=True)) for row in game] for game in scores.tolist()]

    def margins(self, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Score margin of seat `seats[n]` in game `index[n]`, as `Game.margins` has it: float32 (n,)."""
        index, seats = self.dealt(index), whole_numbers("seats", seats)
        in_game = self.states["num_players"][index]
        if len(seats) != len(index) or (seats < 0).any() or (seats >= in_game).any():
            raise SetupError("seats: expected one for each game, of those that it has")
        out = np.zeros(len(index), np.float32)
        self.spec.batch.margin_batch(self.states, self.template.parameters, index, seats, out)
        return out

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

    def step(self, index: np.ndarray, actions: np.ndarray) -> int:
        """Make one move in each game of `index`; each place at most once.

        Whether a move is legal is found from the game itself.

        Returns how many of these games are over now.

        Raises:
            IllegalActionError: naming game and move; no game has moved then.
            SetupError: of the index; no game has moved then.
        """
        index, moves = self.places(index), whole_numbers("actions", actions, IllegalActionError)
        if len(index) != len(moves):
            raise IllegalActionError(f"actions: expected {len(index)}, one for each game, got {len(moves)}")
        if self.threads > 1 and len(index) >= 2 * STEP_ROWS:
            over = self._step_in_parts(index, moves)
        else:
            over = self.spec.batch.step_batch(self.states, self.template.parameters, index, moves)
        if over < 0:
            row = -1 - over
            raise self._wrong(index, row, int(actions[row]))
        return over

    def check_moves(self, index: np.ndarray, actions: np.ndarray) -> None:
        """Refuse as `step` does, and move nothing."""
        index, moves = self.places(index), whole_numbers("actions", actions, IllegalActionError)
        refuse, states, parameters = self.spec.batch.first_refused, self.states, self.template.parameters
        row = self.share(
            lambda a, z: refuse(states, parameters, index[a:z], moves[a:z]), len(index), STEP_ROWS
        )
        if row >= 0:
            raise self._wrong(index, row, int(actions[row]))

    def _step_in_parts(self, index: np.ndarray, moves: np.ndarray) -> int:
        # As `step_batch`. No game moves before all parts are found right; and none is in two parts.
        batch, states, parameters = self.spec.batch, self.states, self.template.parameters
        refused = self.share(
            lambda a, z: batch.first_refused(states, parameters, index[a:z], moves[a:z]),
            len(index),
            STEP_ROWS,
        )
        if refused >= 0 or twice(index):  # which row is the first to be refused is seen from all of them
            return -1 - int(batch.first_refused(states, parameters, index, moves))
        over = self._pool.run(
            lambda a, z: batch.apply_batch(states, parameters, index[a:z], moves[a:z]), len(index), STEP_ROWS
        )
        return int(sum(over))

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


def twice(index: np.ndarray) -> bool:
    """Whether a place stands twice in an index, all of which are there."""
    return not (index[1:] > index[:-1]).all() and int(np.bincount(index).max()) > 1
