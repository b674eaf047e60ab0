"""`Recording`: what a front end needs to write game records while others play its games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spacemission_env.core.errors import RecordError
from spacemission_env.core.game import Game
from spacemission_env.records.writer import GameRecord, RecordWriter


class Recording:
    """A record file and the games under way, one a place (places are 0, 1, … in a batch).

    Without a target it does nothing, so that front ends call it without asking.
    """

    def __init__(self, target: Any = None) -> None:
        """Open the target: a path or a text stream, or None. Raises RecordError, one line."""
        self._writer = None if target is None else RecordWriter(target)
        self._games: dict[int, GameRecord] = {}

    def __bool__(self) -> bool:
        """Whether anything is recorded."""
        return self._writer is not None

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles are refused while recording: two games cannot go on in one file."""
        if self._writer:
            raise RecordError("record: an environment that records cannot be copied or pickled")
        return self.__dict__

    def start(self, game: Game, agents: Sequence[str], place: int = 0) -> None:
        """A game just reset; one under way there before is left out."""
        if self._writer:
            self._games[place] = GameRecord(game, agents)

    def before(self, action: int, place: int = 0) -> None:
        """Ahead of a legal move."""
        if self._writer:
            self._games[place].before(action)

    def finish(self, place: int = 0) -> None:
        """The game there is over by the rules: write it."""
        if self._writer:
            record = self._games.pop(place)
            record.finish()
            self._writer.add(record)

    def close(self) -> None:
        """Close the file; games under way are left out."""
        if self._writer:
            self._writer.close()
