"""Samples positions to check, and makes arrays that detect writes outside."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.testing.lines import Line, Lines

MOST_POSITIONS = 40  # maximum for each number of players
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
    """Sample positions of random games: first and last ones, and others, half of them after rare moves."""
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
    def kept(self) -> bool:
        """Whether nothing was written outside the array."""
        return bool(
            (self._memory[:GUARD] == SENTINEL).all()
            and (self._memory[GUARD + self.array.nbytes :] == SENTINEL).all()
        )


def among_others(states: np.ndarray) -> np.ndarray:
    """The same games, between other dealt games in memory, which a wrong index would hit."""
    return np.concatenate([states, states, states])[len(states) : 2 * len(states)]
