"""Draws positions to check, and arrays that show when something is written behind their ends."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import GameSpec

MOST_POSITIONS = 40  # of one number of players
GUARD = 4096  # bytes before and behind an array
SENTINEL = 0xA5


@dataclass(frozen=True)
class Sample:
    """Positions of games of random moves, all for one number of players.

    Attributes:
        states: the positions, of games under way and of such as are over.
        template: a game of the same rules; its own state is of no matter.
    """

    spec: GameSpec
    template: Game
    states: np.ndarray

    @property
    def players(self) -> int:
        """How many play."""
        return self.template.num_players

    @property
    def parameters(self) -> np.ndarray:
        """The box that they are played with."""
        return self.template.parameters

    @property
    def running(self) -> np.ndarray:
        """Places of the games under way."""
        return np.flatnonzero(self.states["over"] == 0)

    def game(self, i: int) -> Game:
        """A position as a game of its own."""
        game: Game = self.template.from_world(self.states[i : i + 1])
        return game

    def where(self, i: int) -> str:
        """Which position, as messages have it."""
        s = self.states[i]
        return f"{self.players} players, seed {int(s['seed'])}, after {int(s['decisions'])} decisions"


def sample(spec: GameSpec, players: int, rules: object, games: int, seed: int) -> Sample:
    """Positions on the way of so many random games: the first and the last ones, and others by chance."""
    template = make_game(spec, players, rules)
    rng = np.random.default_rng(seed)
    first, between, last = [], [], []
    for number in range(games):
        template.reset(seed + number)
        first.append(template.states.copy())
        while not template.over:
            template.step(int(rng.choice(template.legal_actions())))
            between.append(template.states.copy())
        last.append(between.pop())
    rng.shuffle(between)
    third = MOST_POSITIONS // 4
    chosen = first[:third] + last[:third]
    return Sample(spec, template, np.concatenate(chosen + between[: MOST_POSITIONS - len(chosen)]))


class Room:
    """An array (`array`) that compiled code may write into, with sentinels before and behind it."""

    def __init__(self, dtype: str | np.dtype[np.void], *shape: int, fill: int = 0) -> None:
        """All bytes of the array are `fill`."""
        size = prod(shape) * np.dtype(dtype).itemsize
        self._memory = np.full(size + 2 * GUARD, SENTINEL, np.uint8)
        self._memory[GUARD : GUARD + size] = fill
        self.array = self._memory[GUARD : GUARD + size].view(dtype).reshape(shape)

    @property
    def kept(self) -> bool:
        """Whether nothing was written before and behind the array."""
        return bool(
            (self._memory[:GUARD] == SENTINEL).all()
            and (self._memory[GUARD + self.array.nbytes :] == SENTINEL).all()
        )


def among_others(states: np.ndarray) -> np.ndarray:
    """The same games, with dealt games in the memory before and behind them: who looks there finds some."""
    return np.concatenate([states, states, states])[len(states) : 2 * len(states)]
