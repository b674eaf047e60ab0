"""Stores a tournament's games in one SQLite file, and returns them in complete set-ups (schedule.py).

Only the process of the command writes to it. A game is finished when its row is committed, so a run that is
killed loses no finished game. The file has a row for each game, with its record if it was recorded, and a
view with a row for each seat. The file must be on a local disk, as SQLite's write-ahead log requires.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from spacemission_agents.arena.schedule import Tournament
from spacemission_env.core.errors import SpaceMissionError, first_line
from spacemission_env.core.reading import Json, checked_path, loads
from spacemission_env.core.writing import write_whole

try:
    import fcntl
except ImportError:  # Windows: two runs in one folder are not detected
    fcntl = None  # type: ignore[assignment]

RESULTS_FILE = "games.sqlite"
RECORDS_FOLDER = "records"
PLAYED_OUT, CUT_OFF, FORFEITED = 0, 1, 2  # values of `ending`
ENDINGS = "finished", "truncated", "forfeited"  # words for these values in the file
NOBODY = -1  # value of `seat` in a game without a forfeit
READ_AT_ONCE = 16_384  # maximum number of rows in one read; bounds memory
MOST_AHEAD = 1 << 18  # maximum distance of a stored set-up from the first incomplete one


class ResultsError(SpaceMissionError):
    """A tournament's folder or file cannot be used; the message names it."""


@dataclass
class Games:
    """Games that have just ended."""

    rows: np.ndarray  # `row_type`, (n,)
    why: dict[int, tuple[str, str]] = field(default_factory=dict)  # kind and text of forfeits, by game
    records: dict[int, str] = field(default_factory=dict)  # game records, by number of the game


def row_type(of: Tournament) -> np.dtype[np.void]:
    """Dtype of one game. All scores of a forfeited game are zero; if a seat forfeits, all others win."""
    seats, categories = of.players, len(of.game_spec.score_names)
    return np.dtype(
        [
            ("game", np.int64),  # its number in the schedule (schedule.py)
            ("scores", np.int64, (seats, categories)),
            ("decisions", np.int64, (seats,)),
            ("seconds", np.float32, (seats,)),  # wall-clock time that the agents took
            ("rounds", np.int64),
            ("winners", bool, (seats,)),
            ("ending", np.int8),
            ("seat", np.int8),  # the seat that forfeited
        ]
    )


class ResultsFile:
    """The file of one tournament, opened by the only run that writes it."""

    def __init__(self, of: Tournament, folder: str | Path | None = None, resume: bool = False) -> None:
        """Open or make the file in `folder`, and lock the folder; without a folder, keep games in memory.

        Raises:
            ResultsError: the file is damaged or in use, holds a tournament although `resume` is False, or
                holds a different tournament. The file is then unchanged.
        """
        self.folder = None if folder is None else checked_path(folder, "folder")
        self._of, self._type = of, row_type(of)
        self._lock = -1
        self._base: sqlite3.Connection | None = None
        self._where = f"tournament in {str(folder)!r}"
        self._columns = _columns(of)
        try:
            if self.folder is not None:
                self._lock = _locked(self.folder, f"{self._where}: another run uses it")
            with self._errors():
                self._open(resume)
        except BaseException:
            self.close()
            raise

    def _open(self, resume: bool) -> None:
        path = ":memory:" if self.folder is None else str(self.folder / RESULTS_FILE)
        self._base = base = sqlite3.connect(path, isolation_level=None)
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("PRAGMA synchronous=NORMAL")  # only a power failure can lose the last commits
        found = base.execute("SELECT name FROM sqlite_master WHERE name = 'tournament'").fetchone()
        if found is None:
            self._make()
            return
        if not resume:
            refusal = "there is one already; resume it by --resume, or choose another folder"
            raise ResultsError(f"{self._where}: {refusal}")
        ((text,),) = base.execute("SELECT definition FROM tournament").fetchall()
        known = loads(text.encode())
        for name, (old, new) in _differences(known, self._of.to_json()).items():
            raise ResultsError(f"{self._where}: {name}: it was started with {old}, not {new}")

    def _make(self) -> None:
        of, base = self._of, self._base
        assert base is not None
        columns = ", ".join(f"{name} {kind}" for name, kind in self._columns[1:])
        base.execute("BEGIN IMMEDIATE")
        base.execute("CREATE TABLE tournament (definition TEXT)")
        base.execute("CREATE TABLE lineups (lineup INTEGER, seat INTEGER, agent TEXT)")
        base.execute(f"CREATE TABLE games (game INTEGER PRIMARY KEY, {columns})")
        base.execute(f"CREATE VIEW seats AS {_seats_view(of)}")
        lineups = [
            (number, seat, of.names[agent])
            for number, lineup in enumerate(of.schedule.lineups.tolist())
            for seat, agent in enumerate(lineup)
        ]
        base.executemany("INSERT INTO lineups VALUES (?, ?, ?)", lineups)
        base.execute("INSERT INTO tournament VALUES (?)", [json.dumps(of.to_json(), ensure_ascii=False)])
        base.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        # A damaged file can raise many kinds of errors.
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError, OverflowError, OSError) as error:
            if isinstance(error, SpaceMissionError):
                raise
            raise ResultsError(f"{self._where}: {RESULTS_FILE}: {first_line(error)}") from None

    def write(self, games: Games) -> None:
        """Commit games that are not in the file yet; ResultsError if they cannot be written."""
        assert self._base is not None
        rows, schedule = games.rows, self._of.schedule
        numbers = rows["game"].tolist()
        set_ups, lineups = np.divmod(rows["game"], schedule.per_set_up)
        reasons = [games.why.get(number, (None, None)) for number in numbers]
        columns: list[Sequence[object]] = [
            numbers, set_ups.tolist(), lineups.tolist(),
            [ENDINGS[ending] for ending in rows["ending"].tolist()],
            rows["rounds"].tolist(),
            [None if seat == NOBODY else seat for seat in rows["seat"].tolist()],
            *zip(*reasons, strict=True),
            [games.records.get(number) for number in numbers],
        ]  # fmt: skip
        for seat in range(self._of.players):
            scores = (rows["scores"][:, seat, c].tolist() for c in range(rows["scores"].shape[2]))
            own = (rows[name][:, seat].tolist() for name in ("winners", "decisions", "seconds"))
            columns += [*own, *scores]
        marks = ", ".join("?" * len(columns))
        with self._errors():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self._base.executemany(f"INSERT INTO games VALUES ({marks})", zip(*columns, strict=True))
                self._base.execute("COMMIT")
            except BaseException:
                self._base.execute("ROLLBACK")
                raise

    def read(self) -> Iterator[np.ndarray]:
        """Yield the rows of the file by game number, in parts: `row_type`, (n,)."""
        assert self._base is not None
        seats, names = self._of.players, [name for name, _ in self._columns]
        with self._errors():
            chosen = ", ".join(name for name in names if name not in ("record", "forfeit", "forfeit_kind"))
            asked = self._base.execute(f"SELECT {chosen} FROM games ORDER BY game")
            while part := asked.fetchmany(READ_AT_ONCE):
                game, _, _, ending, rounds, seat, *rest = zip(*part, strict=True)
                rows = np.zeros(len(part), self._type)
                rows["game"], rows["rounds"] = game, rounds
                rows["ending"] = [ENDINGS.index(word) for word in ending]
                rows["seat"] = [NOBODY if one is None else one for one in seat]
                width = len(rest) // seats
                for s in range(seats):
                    winners, decisions, seconds, *scores = rest[s * width : (s + 1) * width]
                    rows["winners"][:, s], rows["decisions"][:, s] = winners, decisions
                    rows["seconds"][:, s], rows["scores"][:, s] = seconds, np.transpose(scores)
                yield rows

    def forfeits(self, set_ups: int, most: int) -> list[tuple[int, int, str, str]]:
        """Game, seat, kind and text of the first `most` forfeits in the first `set_ups` set-ups."""
        return self._all(
            "SELECT game, forfeit_seat, forfeit_kind, forfeit FROM games "
            f"WHERE ending = 'forfeited' AND set_up < {set_ups} ORDER BY game LIMIT {most}"
        )

    def _all(self, query: str) -> list[tuple]:
        assert self._base is not None
        with self._errors():
            return self._base.execute(query).fetchall()

    def write_records(self, set_ups: int) -> list[Json]:
        """Write the game records of each table to a file; forfeited games have none.

        Returns:
            For each table: `file` (relative to the folder), `table` (agents by seat before the seats
            rotate) and `games` (their number).
        """
        of, found = self._of, []
        for t, table in enumerate(of.schedule.tables if of.records and self.folder else ()):
            first, end = t * of.players, (t + 1) * of.players
            texts = self._all(
                f"SELECT record FROM games WHERE record IS NOT NULL AND set_up < {min(of.records, set_ups)} "
                f"AND lineup >= {first} AND lineup < {end} ORDER BY game"
            )
            path = Path(RECORDS_FOLDER) / f"table-{t + 1:03}.jsonl"
            assert self.folder is not None
            with self._errors():
                (self.folder / RECORDS_FOLDER).mkdir(exist_ok=True)
                write_whole(self.folder / path, "".join(text for (text,) in texts).encode("utf-8"))
            names = [of.names[a] for a in table]
            found.append({"file": path.as_posix(), "table": names, "games": len(texts)})
        return found

    def close(self) -> None:
        """Move the write-ahead log into the file, and unlock the folder."""
        if self._base is not None:
            try:
                with self._errors():
                    self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                self._base.close()
                self._base = None
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _columns(of: Tournament) -> list[tuple[str, str]]:
    """Names and types of the columns of `games`."""
    whole = "game set_up lineup ending:TEXT rounds forfeit_seat forfeit_kind:TEXT forfeit:TEXT record:TEXT"
    names = [name.partition(":")[::2] for name in whole.split()]
    for seat in range(of.players):
        names += [(f"winner_{seat}", ""), (f"decisions_{seat}", ""), (f"seconds_{seat}", "REAL")]
        names += [(f'"score_{name}_{seat}"', "") for name in of.game_spec.score_names]
    return [(name, kind or "INTEGER") for name, kind in names]


def _seats_view(of: Tournament) -> str:
    """The query of the view `seats`: a row for each game and seat."""
    wins = " + ".join(f"winner_{seat}" for seat in range(of.players))
    parts = []
    for seat in range(of.players):
        scores = "".join(f', "score_{n}_{seat}" AS "score_{n}"' for n in of.game_spec.score_names)
        parts.append(
            f"SELECT game, set_up, {seat} AS seat, agent, 1.0 * winner_{seat} / max(1, {wins}) AS share, "
            f"decisions_{seat} AS decisions, seconds_{seat} AS seconds, ending, "
            f"forfeit_seat IS {seat} AS forfeited{scores} FROM games JOIN lineups "
            f"ON lineups.lineup = games.lineup AND lineups.seat = {seat}"
        )
    return " UNION ALL ".join(parts)


def _locked(folder: Path, refusal: str) -> int:
    """Lock a folder for this process; ResultsError if another run has locked it."""
    if fcntl is None:
        return -1
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise ResultsError(refusal) from None
    return handle


def _differences(found: Json, wanted: Json, prefix: str = "") -> dict[str, tuple[str, str]]:
    different: dict[str, tuple[str, str]] = {}
    for key in dict.fromkeys([*wanted, *found]):
        old, new = found.get(key), wanted.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            different |= _differences(old, new, f"{prefix}{key}: ")
        elif old != new:
            different[f"{prefix}{key}".replace("_", " ")] = json.dumps(old), json.dumps(new)
    return different


class Collector:
    """Collects games in any order and returns complete set-ups in order.

    Attributes:
        rows: games by set-up and place in the set-up: `row_type`, (set-ups, games of a set-up).
        first: the next set-up to be returned.
        games: number of different games so far.
    """

    def __init__(self, of: Tournament) -> None:
        self.first = self.games = 0
        self._set_ups = of.set_ups
        self.rows = np.zeros((1, of.schedule.per_set_up), row_type(of))
        self._there = np.zeros(self.rows.shape, bool)

    def add(self, rows: np.ndarray) -> np.ndarray:
        """Add rows (n,) of different games; return the new ones. ResultsError: a row has no game."""
        set_ups = rows["game"] // self.rows.shape[1]
        most = self.first + MOST_AHEAD  # no run plays further ahead, and all set-ups in between need memory
        if self._set_ups is not None:
            most = min(most, self._set_ups)
        wrong = (set_ups < 0) | (set_ups >= most)
        if wrong.any():
            raise ResultsError(f"{RESULTS_FILE} is damaged: there is no game {rows['game'][wrong][0]}")
        new: np.ndarray = rows[self.missing(rows["game"])]
        set_ups, games = np.divmod(new["game"], self.rows.shape[1])
        if len(new):
            self._grow(int(set_ups.max()) + 1)
            self.rows[set_ups, games] = new
            self._there[set_ups, games] = True
            self.games += len(new)
        return new

    def missing(self, numbers: np.ndarray) -> np.ndarray:
        """Which of these games have not been added yet, bool (n,)."""
        set_ups, games = np.divmod(numbers, self.rows.shape[1])
        missing = np.ones(len(numbers), bool)
        known = set_ups < len(self._there)
        missing[known] = ~self._there[set_ups[known], games[known]]
        return missing

    def _grow(self, set_ups: int) -> None:
        old = len(self.rows)
        if set_ups > old:
            rows, there = self.rows, self._there
            shape = max(set_ups, 2 * old), rows.shape[1]
            self.rows, self._there = np.zeros(shape, rows.dtype), np.zeros(shape, bool)
            self.rows[:old], self._there[:old] = rows, there

    def take(self, most: int | None = None) -> np.ndarray:
        """The next complete set-ups from `first` on, at most `most`: rows (set-ups, games)."""
        whole = np.asarray(self._there[self.first :][:most].all(1))
        count = len(whole) if whole.all() else int(whole.argmin())
        self.first += count
        return self.rows[self.first - count : self.first]
