"""A recorded game as positions to go to and fro among."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.records.reader import ReplayedGame

SHUFFLED = "the discard pile is shuffled and becomes the draw pile"


class Film:
    """The positions of one game: place 0 is the deal, place k comes after k moves.

    Attributes:
        number: its place in the record file, from 1.
        agents: names by seat.
        players: how many sit at the table.
        rounds: by place.
        cut: None, or how the record was cut short.
    """

    def __init__(self, replayed: ReplayedGame) -> None:
        """Play the record to its end.

        Raises:
            RecordError: a line of it does not hold.
        """
        self.number, self.agents, self._game = replayed.number, replayed.agents, replayed.game
        self._states: list[np.ndarray] = []
        self._actions: list[int] = []
        self.rounds: list[int] = []
        for decision in replayed:
            self._keep()
            self._actions.append(decision.action)
        self._keep()
        self.cut = replayed.cut
        self.players, self.seed = self._game.num_players, self._game.seed

    def _keep(self) -> None:
        self._states.append(self._game.states.copy())
        self.rounds.append(self._game.rounds)

    def __len__(self) -> int:
        """How many moves it has."""
        return len(self._actions)

    def game(self, place: int) -> Any:
        """The game there; the next call moves it on."""
        self._game.states[:] = self._states[place]
        return self._game

    def board(self, place: int, seat: int | None) -> str:
        """The table there as a seat knew it; None: all hands open."""
        game = self.game(place)
        text: str = game.spec.text.open_board(game) if seat is None else game.spec.text.board(game, seat)
        return text

    def move(self, place: int, seat: int | None) -> str:
        """The move that led there, as a seat saw it; None: all of it."""
        words: str = self.game(place - 1).words(self._actions[place - 1], seat)
        shuffles = self._game.shuffles
        return f"{words}; {SHUFFLED}" if self.game(place).shuffles > shuffles else words

    def result(self) -> str:
        """How it ended."""
        game = self.game(len(self))
        if self.cut:
            return f"{self.cut}\n"
        return f"{game.reason} after {game.rounds} rounds\n\n{game.spec.text.result_words(game, self.agents)}"

    def round_from(self, place: int, step: int) -> int:
        """The first place of the next round (step 1), or of this one or the one before (step -1)."""
        if step > 0:
            later = range(place + 1, len(self._states))
            return next((k for k in later if self.rounds[k] > self.rounds[place]), len(self))
        return next((k for k in range(place - 1, 0, -1) if self.rounds[k] > self.rounds[k - 1]), 0)
