"""Writes game records, format 2 (docs/records.md): JSON Lines that replay without random numbers.

The reader computes the entries that it expects with the same functions, so records have one form.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from spacemission_env.core.errors import IllegalActionError, RecordError, shown
from spacemission_env.core.game import Game
from spacemission_env.core.reading import Json
from spacemission_env.core.writing import TakenError, open_alone

FORMAT = 2


def write_line(entry: Json) -> str:
    """A record line without its line end."""
    return json.dumps(entry, ensure_ascii=False)


def game_entry(game: Game, agents: Sequence[str]) -> Json:
    """The first line of a game just reset: rules, components, seed, agents and set-up."""
    return {
        "type": "game",
        "format": FORMAT,
        "env": game.spec.env,
        "num_players": game.num_players,
        "rules": game.rules.to_json(),
        "components": game.components.to_json(),
        "seed": game.seed,
        "agents": list(agents),
        "setup": game.setup_json(),
    }


def action_entry(game: Game, action: int) -> Json:
    """The line of a legal move; call this before the move."""
    return {
        "type": "action",
        "player": game.player,
        "action": int(action),
        "legal": game.legal_actions(),
        "move": game.move_text(action),
    }


def result_entry(game: Game) -> Json:
    """The last line of a finished game: reason, scores by seat and winners."""
    return {
        "type": "result",
        "reason": game.reason,
        "rounds": game.rounds,
        "scores": game.scores_json(),
        "winners": game.winners(),
    }


def check_names(agents: object, num_players: int) -> None:
    """Raise RecordError unless there is one printable name per seat."""
    if not isinstance(agents, list | tuple) or list(map(type, agents)) != [str] * num_players:
        raise RecordError(f"agents: expected a list of {num_players} names, not {shown(agents)}")
    for name in agents:
        if not name.isprintable():  # names are printed to terminals
            raise RecordError(f"agents: expected printable text, not {shown(name)}")


class GameRecord:
    """The record of one game, collected during play.

    Make it right after the reset, call `before` ahead of each move, and `finish` at the end. The format
    cannot express a game that ended by an illegal move (`illegal="lose"`): do not write its record.

    Attributes:
        lines: the lines so far, without line ends.
    """

    def __init__(self, game: Game, agents: Sequence[str]) -> None:
        """Write the first line.

        Args:
            game: a game just reset; it may share its state with a batch (`BatchedGames.game`).
            agents: one name per seat, seat 0 first.

        Raises:
            RecordError: the game has begun, or the names are wrong.
        """
        if not isinstance(game, Game):
            raise RecordError(f"record: expected a Game, not {shown(game)}")
        if game.states[0].num_players < 1 or game.states[0].decisions:
            raise RecordError("record: expected a game just reset, before its first move")
        check_names(agents, game.num_players)
        self._game = game
        self._shuffles = 0
        self.lines: list[str] = [write_line(game_entry(game, agents))]

    def before(self, action: int) -> None:
        """Write the line of a legal move before it is made; IllegalActionError for an illegal one."""
        reason = self._game.why_illegal(action)
        if reason:
            raise IllegalActionError(reason)
        self.after()
        self.lines.append(write_line(action_entry(self._game, action)))

    def after(self) -> None:
        """Write the shuffle of the last move, if it shuffled; `before` and `finish` call this too."""
        shuffles = self._game.shuffles
        if shuffles > self._shuffles:
            self.lines.append(write_line({"type": "shuffle", "draw_pile": self._game.last_shuffle()}))
            self._shuffles = shuffles

    def finish(self) -> None:
        """Write the result line; RecordError if the game is not over."""
        if not self._game.over:
            raise RecordError("record: the game is not over, it has no result yet")
        self.after()
        self.lines.append(write_line(result_entry(self._game)))

    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)


class RecordWriter:
    """Writes whole games to a record file, each with one write; a context manager.

    The first game replaces the file's contents; without games the file does not change.
    """

    def __init__(self, path: object) -> None:
        """Open a path for writing.

        Raises:
            RecordError: the path cannot be written, or another writer has it open.
        """
        if not isinstance(path, str | Path):
            raise RecordError(f"record: expected a path, not {shown(path)}")
        self.path, self.games = str(path), 0
        self._file: BinaryIO | None = None
        try:
            self._file, self._created = open_alone(self.path)
        except TakenError:
            raise RecordError(
                f"record file {self.path!r}: another environment or program is writing it: give each a file "
                "of its own, or close the other first"
            ) from None
        except (OSError, ValueError) as error:  # ValueError: an invalid file name
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError | ValueError) -> RecordError:
        reason = getattr(error, "strerror", None) or error
        return RecordError(f"record file {self.path!r}: cannot be written: {reason}")

    def add(self, record: GameRecord) -> None:
        """Write a game; without `finish` its record is incomplete.

        Raises:
            RecordError: the file cannot be written; it then ends with its last whole game.
        """
        if not isinstance(record, GameRecord):
            raise RecordError(f"record: expected a GameRecord, not {shown(record)}")
        if self._file is None:
            raise RecordError(f"record file {self.path!r}: is closed")
        try:
            self._write(self._file, record.text().encode("utf-8"))
        except OSError as error:
            raise self._unwritable(error) from None
        self.games += 1

    def _write(self, file: BinaryIO, data: bytes) -> None:
        if self.games == 0:
            file.truncate(0)
        whole = os.fstat(file.fileno()).st_size
        try:
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]
        except BaseException:
            file.truncate(whole)  # remove the partial game
            raise

    def close(self) -> None:
        """Close the file; remove it if it is new and has no game."""
        if self._file is None:
            return
        file, self._file = self._file, None
        with file:
            if self._created and self.games == 0:
                os.unlink(self.path)  # before the lock is released

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Recording:
    """A record file and the games in progress, by place (0, 1, … in a batch).

    Without a path it does nothing, so front ends call it unconditionally.
    """

    def __init__(self, path: object = None) -> None:
        """Open the path; RecordError if that fails."""
        self._writer = None if path is None else RecordWriter(path)
        self._games: dict[int, GameRecord] = {}

    def __bool__(self) -> bool:
        return self._writer is not None

    def __getstate__(self) -> Json:
        """Refuse copies and pickles while recording: two games cannot continue in one file."""
        if self._writer:
            raise RecordError("record: an environment that records cannot be copied or pickled")
        return self.__dict__

    def start(self, game: Game, agents: Sequence[str], place: int = 0) -> None:
        """Start the record of a game just reset; drop an unfinished record in the same place."""
        if self._writer:
            self._games[place] = GameRecord(game, agents)

    def before(self, action: int, place: int = 0) -> None:
        """Record a legal move before it is made."""
        if self._writer:
            self._games[place].before(action)

    def finish(self, place: int = 0) -> None:
        if self._writer:
            record = self._games.pop(place)
            record.finish()
            self._writer.add(record)

    def close(self) -> None:
        """Close the file; unfinished games are dropped."""
        if self._writer:
            self._writer.close()
