"""Plays random games and records all chance outcomes; samples positions of these games and varies them."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np

from spacemission_env.core.errors import SpaceMissionError, failure
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import GameSpec

EARLIER = 20  # a new game may repeat the beginning of one of this many latest games
NEAR = 6  # a position within this many moves after a rare move counts as near it


class Move(NamedTuple):
    """A move, or the deal (seat -1, action None), with its chance outcomes.

    `tape`: the outcomes in their order; `sizes`: how many outcomes were possible each time.
    """

    seat: int
    action: int | None
    tape: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass
class Line:
    """A game: its states, from the one before the deal, and the moves between them, the deal included."""

    states: list[np.ndarray]
    moves: list[Move] = field(default_factory=list)


class Lines:
    """Plays random games. About half of the moves are sampled from the legal moves that were played least
    so far, and about half of the games begin like an earlier game, up to its rarest move.
    """

    def __init__(self, template: Game, seed: int) -> None:
        self.template, self.seed = template, seed
        self.rng, self.blind = np.random.default_rng(seed), ""  # `blind`: why chance outcomes are unknown
        self.seen, self.earlier = Counter[tuple[int, int | None]](), list[Line]()

    def at(self, states: np.ndarray) -> Game:
        """The game in this state, which is not copied."""
        game: Game = copy(self.template)
        game.states = states
        return game

    def legal(self, states: np.ndarray) -> list[int]:
        """Legal actions; faster than `Game.legal_actions`, which also makes an observation."""
        mask, spec = np.zeros((1, self.template.spec.action_count), np.int8), self.template.spec
        spec.batch.mask_batch(states, self.template.parameters, np.zeros(1, np.int64), mask)
        return [int(action) for action in np.flatnonzero(mask[0])]

    def play(self) -> Line:
        """Play a game to its end."""
        line = self._begin()
        while not line.moves or not self.at(line.states[-1]).over:
            game = self.at(line.states[-1])
            seat, action = -1, None
            if line.moves:
                seat, legal = int(game.states["player"][0]), self.legal(game.states)
                if self.rng.random() < 0.5:
                    least = min(self.seen[seat, move] for move in legal)
                    legal = [move for move in legal if self.seen[seat, move] == least]
                action = int(self.rng.choice(legal))
                self.seen[seat, action] += 1
            move, after = self.move(game, seat, action)
            line.states.append(after)
            line.moves.append(move)
        self.earlier = [*self.earlier, line][-EARLIER:]
        return line

    def move(self, game: Game, seat: int, action: int | None) -> tuple[Move, np.ndarray]:
        """Make a move of a game, or the deal; return it with its chance outcomes, and the state after it."""
        try:
            after, draws = game.by_chance(action, ())
        except Exception as error:  # too many outcomes, or an uncompiled game: they are unknown
            self.blind, after, draws = failure(error), self._plain(game, action), []
        sizes, tape = zip(*draws, strict=True) if draws else ((), ())
        return Move(seat, action, tape, sizes), after

    def _plain(self, game: Game, action: int | None) -> np.ndarray:
        after = game.clone()
        after.step(action) if action is not None else after.reset(game.seed)
        return after.states

    def _begin(self) -> Line:
        """Begin a new game, not dealt yet, or repeat the earlier game with the rarest move, up to it."""
        if not self.earlier or self.rng.random() < 0.5:
            game = self.template.clone()
            game.reset(self.seed)
            self.seed += 1
            return Line([game.states])
        moves = [
            (self.seen[move.seat, move.action], self.rng.random(), old, k)
            for old, line in enumerate(self.earlier)
            for k, move in enumerate(line.moves)
            if k
        ]
        _, _, old, k = min(moves)
        line = self.earlier[old]
        return Line(line.states[: k + 1], line.moves[:k])

    def positions(self, lines: list[Line], count: int) -> list[tuple[Line, int]]:
        """Sample `count` positions, as pairs (game, moves made): half near rare moves, half at random."""
        some = [(line, k) for line in lines for k in range(1, len(line.states))]
        self.rng.shuffle(some)
        order = sorted(some, key=self._times)
        return some if len(some) <= count else order[: count // 2] + some[: count - count // 2]

    def _times(self, place: tuple[Line, int]) -> int:
        moves = place[0].moves[max(1, place[1] - NEAR) : place[1]]
        return min((self.seen[move.seat, move.action] for move in moves), default=len(self.earlier))

    def other(self, states: np.ndarray, move: Move) -> np.ndarray:
        """The state after the same move with one of its chance outcomes changed."""
        game, tape = self.at(states), move.tape
        places = [i for i, size in enumerate(move.sizes) if size > 1]
        if not places:
            return self.move(game, move.seat, move.action)[1]
        i = int(self.rng.choice(places))
        drawn = int((tape[i] + self.rng.integers(1, move.sizes[i])) % move.sizes[i])
        try:
            return game.by_chance(move.action, (*tape[:i], drawn, *tape[i + 1 :]))[0]
        except SpaceMissionError:  # the later outcomes do not fit
            return game.by_chance(move.action, (*tape[:i], drawn))[0]

    def twin(self, line: Line, k: int, seat: int) -> tuple[list[np.ndarray], bool]:
        """Change a chance outcome, or another seat's move, before position `k`; then repeat the later moves.

        Returns:
            The new states, up to the first in which the seat's information-state key differs from its key in
            `line` after as many moves; and whether position `k` was reached without such a difference.
        """
        moves = line.moves[:k]
        places = [
            m for m, move in enumerate(moves) if max(move.sizes, default=0) > 1 or move.seat not in (seat, -1)
        ]
        if not places:
            return [], False
        recent = [m for m in places if m >= k - NEAR] or places
        m = int(
            self.rng.choice((places[:1], recent, recent, places)[self.rng.integers(4)])
        )  # `places[:1]` is the deal, if it has chance outcomes
        state, made = line.states[m], list[np.ndarray]()
        for n in range(m, k):
            move, game = moves[n], self.at(state)
            if n > m:
                if game.over or int(game.states["player"][0]) != move.seat:
                    return made, False
                if game.why_illegal(move.action):
                    if move.seat == seat:
                        return made, False
                    move = Move(move.seat, int(self.rng.choice(self.legal(game.states))), (), ())
                state = self._again(game, move)
            elif move.seat in (seat, -1) or self.rng.random() < 0.5:
                state = self.other(state, move)
            else:
                state = self.move(game, move.seat, int(self.rng.choice(self.legal(game.states))))[1]
            made.append(state)
            if self.key(state, seat) != self.key(line.states[n + 1], seat):
                return made, False
        return made, True

    def _again(self, game: Game, move: Move) -> np.ndarray:
        if move.tape:
            with suppress(SpaceMissionError):
                return game.by_chance(move.action, move.tape)[0]
        return self.move(game, move.seat, move.action)[1]

    def key(self, states: np.ndarray, seat: int) -> bytes:
        """The information-state key of a seat."""
        key = np.empty(self.template.spec.key_size, np.int32)
        self.template.spec.batch.key_one(states, 0, self.template.parameters, seat, key)
        return key.tobytes()


MOST_POSITIONS = 40  # maximum number of positions for each number of players
GUARD = 4096  # bytes before and after an array
SENTINEL = 0xA5


@dataclass(frozen=True)
class Sample:
    """Positions of random games with one number of players.

    Attributes:
        spec: which game.
        template: a game with the same rules; its own state does not matter.
        states: the positions, running and finished.
    """

    spec: GameSpec
    template: Game
    states: np.ndarray

    @property
    def players(self) -> int:
        """Number of players."""
        return self.template.num_players

    @property
    def parameters(self) -> np.ndarray:
        return self.template.parameters

    @property
    def running(self) -> np.ndarray:
        """Indices of running games."""
        return np.flatnonzero(self.states["over"] == 0)

    def game(self, i: int) -> Game:
        """A position as a separate game."""
        game: Game = self.template.from_world(self.states[i : i + 1])
        return game

    def where(self, i: int) -> str:
        """Describe a position in messages."""
        return where(self.players, self.states[i : i + 1])


def where(players: int, states: np.ndarray) -> str:
    """Describe a position in messages."""
    seed, decisions = int(states["seed"][0]), int(states["decisions"][0])
    return f"{players} players, seed {seed}, after {decisions} decisions"


def sample(spec: GameSpec, players: int, rules: object, games: int, seed: int) -> Sample:
    """Sample first, last and other positions of random games (half of the others near rare moves)."""
    lines = Lines(make_game(spec, players, rules), seed)
    played = [lines.play() for _ in range(games)]
    quarter = MOST_POSITIONS // 4
    chosen = [line.states[1] for line in played[:quarter]] + [line.states[-1] for line in played[:quarter]]
    between = [Line(line.states[:-1], line.moves[:-1]) for line in played]
    places = lines.positions(between, MOST_POSITIONS - len(chosen))
    return Sample(spec, lines.template, np.concatenate(chosen + [line.states[k] for line, k in places]))


class Room:
    """An output array for compiled code (`array`), with sentinel bytes before and after it."""

    def __init__(self, dtype: str | np.dtype[np.void], *shape: int, fill: int = 0) -> None:
        """Fill all bytes of the array with `fill`."""
        size = prod(shape) * np.dtype(dtype).itemsize
        self._memory = np.full(size + 2 * GUARD, SENTINEL, np.uint8)
        self._memory[GUARD : GUARD + size] = fill
        self.array = self._memory[GUARD : GUARD + size].view(dtype).reshape(shape)

    @property
    def intact(self) -> bool:
        """Whether nothing was written outside the array."""
        return bool(
            (self._memory[:GUARD] == SENTINEL).all()
            and (self._memory[GUARD + self.array.nbytes :] == SENTINEL).all()
        )


def among_others(states: np.ndarray) -> np.ndarray:
    """Copy the games to the middle of an array of dealt games.

    So a function that accepts an index out of bounds finds a dealt game there, and is caught.
    """
    return np.concatenate([states, states, states])[len(states) : 2 * len(states)]
