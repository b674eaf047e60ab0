"""Stores games in an SQLite file; games and log lines are never changed or deleted.

A line is on the disk before it is acknowledged (`synchronous=FULL`), so that a crash or a power failure loses
no move that a player has seen.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from spacemission_agents.web.settings import WebError
from spacemission_env.core.reading import Json

FORMAT = 1  # version of the file format; files of other versions are refused
OURS = 0x53504D57  # "SPMW": the application id of a file of games
PRIVATE = 0o600
MOST_GAMES = 20_000
SCHEMA = f"""
PRAGMA application_id={OURS};
PRAGMA user_version={FORMAT};
CREATE TABLE IF NOT EXISTS games (
  id TEXT PRIMARY KEY, made REAL NOT NULL, version TEXT NOT NULL,
  laid INTEGER NOT NULL, open INTEGER NOT NULL,
  header TEXT NOT NULL, seats TEXT NOT NULL, watcher TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lines (
  game TEXT NOT NULL REFERENCES games (id), number INTEGER NOT NULL, action INTEGER, shuffled TEXT,
  PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS games_stay BEFORE UPDATE ON games BEGIN SELECT RAISE (ABORT, 'games stay'); END;
CREATE TRIGGER IF NOT EXISTS lines_stay BEFORE UPDATE ON lines BEGIN SELECT RAISE (ABORT, 'lines stay'); END;
CREATE TRIGGER IF NOT EXISTS lines_last BEFORE DELETE ON lines BEGIN SELECT RAISE (ABORT, 'lines last'); END;
"""


def damaged(id: str, why: object) -> WebError:
    """The error for a stored game that cannot be read."""
    return WebError(f"game {id} is damaged: {why}", 503)


@dataclass(frozen=True)
class Move:
    """A move; `order`: the pile that the move shuffled, as in a record; None if it shuffled none."""

    action: int
    order: tuple[str, ...] | None = None


Line: TypeAlias = Move | None  # a line of a game's log; None takes the last move back


@dataclass(frozen=True)
class StoredGame:
    id: str
    version: str  # version of the package that started the game
    laid: bool  # whether the game starts from the header's set-up, not from its seed
    open: bool  # whether all viewers may see all hands, as in an uploaded record
    header: Json  # header of the game's record
    seats: list[Json]  # fields of `match.Seat`
    watcher: str  # token of spectators


class Store:
    """A file of games, for one server and one user; thread-safe."""

    def __init__(self, path: Path | str) -> None:
        """Open or make the file; WebError if that fails."""
        self.path = str(path)
        self._lock = threading.Lock()
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, PRIVATE))
        except OSError as error:
            raise WebError(f"{self.path}: {error.strerror}") from None
        self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=0)
        try:
            self._open()
        except (sqlite3.Error, OSError, WebError) as error:
            self._db.close()
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
                taken = "another server uses this file: choose another --data"
                raise WebError(f"{self.path}: {taken}") from None
            raise error if isinstance(error, WebError) else WebError(f"{self.path}: {error}") from None

    def _open(self) -> None:
        run = self._db.execute
        run("PRAGMA locking_mode=EXCLUSIVE")  # locked until the file is closed or this process ends
        tables = run("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]
        ours, found = (run(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        if tables and ours != OURS:
            raise WebError(f"{self.path}: is not a file of games")
        if tables and found != FORMAT:
            raise WebError(f"{self.path}: has format {found}, this version reads {FORMAT}")
        damage = run("PRAGMA quick_check(1)").fetchone()[0]
        if damage != "ok":
            raise WebError(f"{self.path}: damaged: {' '.join(damage.split())}")
        for path in (self.path, f"{self.path}-wal"):  # these files contain the tokens of all links
            if os.path.exists(path):
                os.chmod(path, PRIVATE)
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=FULL")
        self._db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT")

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def add_game(self, stored: StoredGame, lines: list[Line]) -> None:
        """Store a new game with its first lines."""
        texts = json.dumps(stored.header), json.dumps(stored.seats), stored.watcher
        row = (stored.id, time.time(), stored.version, int(stored.laid), int(stored.open), *texts)
        with self._lock, self._refused("the game"):
            if self._db.execute("SELECT COUNT(*) FROM games").fetchone()[0] >= MOST_GAMES:
                raise WebError(f"the file {self.path} is full with {MOST_GAMES:,} games; move it away", 507)
            self._db.execute("BEGIN IMMEDIATE")
            with self._db:  # commits, or rolls back
                self._db.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
                for number, line in enumerate(lines, 1):
                    self._insert(stored.id, number, line)

    def add_line(self, game: str, number: int, line: Line) -> None:
        """Store a line; it is on the disk when this returns. WebError if the number exists already."""
        with self._lock, self._refused("the move"):
            self._insert(game, number, line)

    @contextmanager
    def _refused(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise WebError(f"{what} could not be stored: {error}", 503) from None

    def _insert(self, game: str, number: int, line: Line) -> None:
        action, order = (None, None) if line is None else (line.action, line.order)
        shuffled = None if order is None else json.dumps(order)
        self._db.execute("INSERT INTO lines VALUES (?, ?, ?, ?)", (game, number, action, shuffled))

    def game(self, id: str) -> tuple[StoredGame, list[Line]] | None:
        """A game and its log, or None; WebError if its data are damaged."""
        try:
            with self._lock:
                row = self._db.execute(
                    "SELECT id, version, laid, open, header, seats, watcher FROM games WHERE id = ?", (id,)
                ).fetchone()
                if row is None:
                    return None
                lines = self._db.execute(
                    "SELECT action, shuffled FROM lines WHERE game = ? ORDER BY number", (id,)
                ).fetchall()
            key, version, laid, opened, header, seats, watcher = row
            header, seats = json.loads(header), json.loads(seats)
            stored = StoredGame(key, version, bool(laid), bool(opened), header, seats, watcher)
            return stored, [
                None if action is None else Move(action, shuffled and tuple(json.loads(shuffled)))
                for action, shuffled in lines
            ]
        except (sqlite3.Error, ValueError) as error:
            raise damaged(id, error) from None
