"""Stores the results of a tournament in a journal: one fixed-size record for each game.

A record is little-endian and ends with a CRC-32 of its other bytes, which detects accidental damage. Each
worker appends with one write to a file opened with `O_APPEND`. The size of a record divides the page size, so
a process that is killed while it writes leaves complete records.

Workers hold a shared lock on the journal (`flock`), which ends with their process. A run that resumes a
tournament waits for an exclusive lock.
"""

from __future__ import annotations

import os
import time
import zlib
from pathlib import Path

import numpy as np

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import GameSpec

try:
    import fcntl
except ImportError:  # Windows: two runs in one folder are not detected
    fcntl = None  # type: ignore[assignment]

PLAYED_OUT, CUT_OFF, FORFEITED = 0, 1, 2  # values of `ending`
NOBODY = -1  # value of `seat` in a game without a forfeit
LEAST_TEXT = 64  # minimum bytes of `text`, which fills the record up to a power of two
PAGE = 4096  # bytes
CRC = 4  # bytes
READ_AT_ONCE = 16_384  # maximum number of records in one read
ORPHANS_SECONDS = 10.0  # how long to wait for workers of a killed run
SETTLE = (0.0, 0.02, 0.2)  # seconds to wait before each try to read: a bad record may be half-written
MOST_AHEAD = 1 << 18  # maximum number of set-ups between the first incomplete one and any other


class JournalError(SpaceMissionError):
    """A tournament's folder or journal cannot be used; the message names it and the record."""


def record_of(spec: GameSpec) -> np.dtype[np.void]:
    """Dtype of a record; its size is a power of two.

    Unused seats are zero, and so are all scores of a forfeited game.
    """
    seats, categories = spec.max_players, len(spec.score_names)

    def fields(text: int) -> np.dtype[np.void]:
        return np.dtype(
            [
                ("game", "<u8"),  # its number in the schedule (schedule.py)
                ("scores", "<i2", (seats, categories)),
                ("decisions", "<u4", (seats,)),
                ("seconds", "<f4", (seats,)),  # wall-clock time that the agents took
                ("rounds", "<u2"),
                ("winners", "u1", (seats,)),  # 1 for a winner; if a seat forfeits, all others win
                ("ending", "u1"),
                ("seat", "i1"),  # the seat that forfeited
                ("reason", "u1"),  # reason of the forfeit (asking.py)
                ("text", f"S{text}"),  # the reason in words, UTF-8
                ("crc", "<u4"),
            ]
        )

    least = fields(LEAST_TEXT).itemsize
    size = 1 << (least - 1).bit_length()
    if size > PAGE:
        raise JournalError(
            f"journal: {spec.title}: a game of {seats} seats and {categories} scores is too large"
        )
    return fields(LEAST_TEXT + size - least)


def empty_record(number: int, dtype: np.dtype[np.void]) -> np.ndarray:
    """An array of one record, empty except for the game's number."""
    record = np.zeros(1, dtype)
    record["game"], record["seat"] = number, NOBODY
    return record


def forfeit_record(record: np.ndarray, seat: int, seats: int, reason: int, text: str) -> np.ndarray:
    """Mark a game as forfeited by a seat: that seat is last, and the others share the win."""
    record["winners"][0, :seats] = 1
    record["winners"][0, seat] = 0
    record["ending"], record["seat"], record["reason"] = FORFEITED, seat, reason
    record["text"] = bounded(text, record.dtype["text"].itemsize)
    return record


def bounded(text: str, size: int) -> bytes:
    """The first line of a text in UTF-8, cut after at most `size` bytes between two characters."""
    line = (text.splitlines() or [""])[0].replace("\0", " ")
    return line.encode("utf-8", "replace")[:size].decode("utf-8", "ignore").encode("utf-8")


def with_checksums(records: np.ndarray) -> bytes:
    """The bytes of records (n,), each with its CRC at the end."""
    size = records.dtype.itemsize
    data = bytearray(np.ascontiguousarray(records).tobytes())
    for start in range(0, len(data), size):
        end = start + size - CRC
        data[end : end + CRC] = zlib.crc32(memoryview(data)[start:end]).to_bytes(CRC, "little")
    return bytes(data)


def first_damaged(data: bytes, size: int) -> int:
    """Index of the first record with a wrong CRC, or -1; `size`: bytes of a record."""
    view = memoryview(data)
    for i in range(len(data) // size):
        end = (i + 1) * size - CRC
        stored = int.from_bytes(view[end : end + CRC], "little")
        if zlib.crc32(view[i * size : end]) != stored:
            return i
    return -1


class JournalWriter:
    """Appends records to a journal, and holds a shared lock on it; each worker has one."""

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        if fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def append(self, data: bytes) -> None:
        """Append complete records with one write; JournalError if that fails."""
        try:
            written = os.write(self._file, data)
        except OSError as error:
            raise unwritable(self._path, error) from None
        if written != len(data):
            raise JournalError(f"journal {self._path!r}: could not be written whole")

    def close(self) -> None:
        os.close(self._file)


def unwritable(path: str, error: OSError) -> JournalError:
    """The error for a journal, or a game record beside it, that cannot be written."""
    return JournalError(f"journal {path!r}: cannot be written: {error.strerror or error}")


class JournalReader:
    """Reads a journal from its beginning; `read_so_far`: number of records returned so far."""

    def __init__(self, path: str | Path, record: np.dtype[np.void]) -> None:
        """Open an existing journal; `record`: dtype of its records."""
        self.path = Path(path)
        self.read_so_far = 0
        self._record = record
        self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115 (closed by close)

    def read(self) -> np.ndarray:
        """The next records (n,), at most `READ_AT_ONCE`.

        JournalError: the CRC of a record is wrong; the message has its number, from 1.
        """
        size = self._record.itemsize
        for wait in SETTLE:
            time.sleep(wait)
            self._file.seek(self.read_so_far * size)
            data = self._file.read(READ_AT_ONCE * size)
            data = data[: len(data) - len(data) % size]
            bad = first_damaged(data, size)
            if bad < 0:
                self.read_so_far += len(data) // size
                return np.frombuffer(data, self._record)
        number = self.read_so_far + bad + 1
        raise JournalError(f"journal {str(self.path)!r}: record {number} is damaged: its CRC is wrong")

    def close(self) -> None:
        self._file.close()


def mend(path: str | Path, size: int) -> None:
    """Cut off an incomplete or damaged last record; JournalError if a process still writes."""
    with open(path, "r+b") as file:
        lock(file.fileno(), ORPHANS_SECONDS, f"journal {str(path)!r}: another process still writes to it")
        whole = file.seek(0, os.SEEK_END) // size
        if whole:
            file.seek((whole - 1) * size)
            whole -= first_damaged(file.read(size), size) == 0
        file.truncate(whole * size)


def lock(file: int, seconds: float, refusal: str) -> None:
    """Lock an open file exclusively; JournalError(refusal) if that takes more than `seconds`."""
    if fcntl is None:
        return
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() > end:
                raise JournalError(refusal) from None
            time.sleep(0.05)


class Collector:
    """Collects games in any order and returns complete set-ups in order.

    Attributes:
        first: the next set-up to be returned.
        games: number of different games so far.
    """

    def __init__(
        self, per_set_up: int, set_ups: int | None, journal: Path, record: np.dtype[np.void]
    ) -> None:
        """`per_set_up`: games per set-up; `set_ups`: number of set-ups, None: no limit; `record`: dtype."""
        self.first = 0
        self.games = 0
        self._journal = journal
        self._set_ups = set_ups
        self._waiting = np.zeros((1, per_set_up), record)
        self._there = np.zeros((1, per_set_up), bool)

    def add(self, records: np.ndarray, before: int = 0) -> np.ndarray:
        """Add records (n,) and return which are new, bool (n,).

        `before`: number of records before these in the journal. JournalError: a game's number is impossible.
        """
        numbers = records["game"].astype(np.int64)
        self._check(numbers, before)
        new = np.zeros(len(records), bool)
        new[np.unique(numbers, return_index=True)[1]] = True
        new &= self.missing(numbers)
        set_ups, games = np.divmod(numbers[new], self._there.shape[1])
        if len(set_ups):
            self._grow(int(set_ups.max()) + 1 - self.first)
            self._waiting[set_ups - self.first, games] = records[new]
            self._there[set_ups - self.first, games] = True
            self.games += len(set_ups)
        return new

    def _check(self, numbers: np.ndarray, before: int) -> None:
        per_set_up = self._there.shape[1]
        most = np.iinfo(np.int64).max if self._set_ups is None else self._set_ups * per_set_up
        # No run plays so far ahead, and the collector needs memory for all set-ups between.
        farthest = (self.first + MOST_AHEAD) * per_set_up
        for wrong, why in (
            ((numbers < 0) | (numbers >= most), "there is no game {}"),
            (numbers >= farthest, "game {} is too far ahead of those before it"),
        ):
            if wrong.any():
                i = int(wrong.argmax())
                where = f"journal {str(self._journal)!r}: record {before + i + 1}"
                raise JournalError(f"{where} is damaged: {why.format(numbers[i])}")

    def missing(self, numbers: np.ndarray) -> np.ndarray:
        """Which of these games have not been added yet, bool (n,)."""
        set_ups, games = np.divmod(numbers, self._there.shape[1])
        rows = set_ups - self.first
        missing = rows >= 0
        known = missing & (rows < len(self._there))
        missing[known] = ~self._there[rows[known], games[known]]
        return missing

    def _grow(self, rows: int) -> None:
        if rows > len(self._there):
            more = max(rows, 2 * len(self._there)) - len(self._there), self._there.shape[1]
            self._waiting = np.concatenate([self._waiting, np.zeros(more, self._waiting.dtype)])
            self._there = np.concatenate([self._there, np.zeros(more, bool)])

    def take(self, most: int | None = None) -> np.ndarray:
        """The complete set-ups from `first` on, at most `most`: records (set-ups, games of a set-up)."""
        whole = np.asarray(self._there[:most].all(1))
        count = len(whole) if whole.all() else int(whole.argmin())
        taken = self._waiting[:count]
        if count:
            self._waiting, self._there = self._waiting[count:].copy(), self._there[count:].copy()
            if not len(self._there):
                self._waiting, self._there = np.zeros_like(taken[:1]), np.zeros((1, taken.shape[1]), bool)
            self.first += count
        return taken
