"""Games on disk: SQLite in WAL mode. Games and their log lines are only ever added, never changed.

A line is on the disk before it is acknowledged (`synchronous=FULL`), so that neither a crash nor a loss of
power takes back what a player was told.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacemission_agents.web.refusals import WebError

FORMAT = 1  # of the file; another one is refused
MOST_GAMES = 20_000
SCHEMA = """
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


@dataclass(frozen=True)
class Line:
    """One line of a game's log: a move, or (`action` None) the taking back of the move before."""

    action: int | None
    order: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Kept:
    """A game as it is kept.

    Attributes:
        id: by which links name it.
        version: of the package that it was begun with.
        laid: whether it was laid by the header's set-up (else dealt from its seed).
        open: whether everybody with a link may see all of it: a record that somebody brought.
        header: first line of its record.
        seats: who sits where, with the tokens of the links.
        watcher: token of those who look on.
    """

    id: str
    version: str
    laid: bool
    open: bool
    header: dict[str, Any]
    seats: list[dict[str, Any]]
    watcher: str


class Store:
    """One file of games. Threads may share it."""

    def __init__(self, path: Path | str) -> None:
        """Open the file, or make it; WebError, one line, where that cannot be."""
        self.path = str(path)
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=5)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            found = self._db.execute("PRAGMA user_version").fetchone()[0]
            if found not in (0, FORMAT):
                raise WebError(f"{self.path}: holds games of format {found}, this version reads {FORMAT}")
            self._db.executescript(SCHEMA)
            self._db.execute(f"PRAGMA user_version={FORMAT}")
        except sqlite3.Error as error:
            raise WebError(f"{self.path}: {error}") from None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def add_game(self, kept: Kept, lines: list[Line]) -> None:
        """Keep a new game, with lines that it begins with."""
        row = (
            kept.id,
            time.time(),
            kept.version,
            int(kept.laid),
            int(kept.open),
            json.dumps(kept.header),
            json.dumps(kept.seats),
            kept.watcher,
        )
        with self._lock:
            if self._db.execute("SELECT COUNT(*) FROM games").fetchone()[0] >= MOST_GAMES:
                raise WebError(f"{MOST_GAMES:,} games are kept; move the file {self.path} away", 507)
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
                for number, line in enumerate(lines, 1):
                    self._insert(kept.id, number, line)
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    def add_line(self, game: str, number: int, line: Line) -> None:
        """Keep a line: it is on the disk when this returns. A second one of the same number is refused."""
        with self._lock:
            try:
                self._insert(game, number, line)
            except sqlite3.Error as error:
                raise WebError(f"the move could not be kept: {error}", 503) from None

    def _insert(self, game: str, number: int, line: Line) -> None:
        order = None if line.order is None else json.dumps(line.order)
        self._db.execute("INSERT INTO lines VALUES (?, ?, ?, ?)", (game, number, line.action, order))

    def game(self, id: str) -> tuple[Kept, list[Line]] | None:
        """A game and its log, or None."""
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
        kept = Kept(key, version, bool(laid), bool(opened), json.loads(header), json.loads(seats), watcher)
        return kept, [Line(a, None if order is None else tuple(json.loads(order))) for a, order in lines]

    def ids(self) -> list[str]:
        """All games, oldest first."""
        with self._lock:
            return [row[0] for row in self._db.execute("SELECT id FROM games ORDER BY made")]
