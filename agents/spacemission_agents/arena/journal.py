"""Keeps the journal of a tournament: a record of fixed size for every finished game.

A record is little-endian and ends with a CRC-32 of the bytes before it, which finds accidental damage only.
Whoever played the game appends its record with one write to a file opened with `O_APPEND`. The size divides a
page of memory, so a process killed in the middle of a write leaves whole records, whatever others append
after it.

Locks (`flock`, where the system has it) end with their process. Playing processes share one on the journal; a
run that resumes a tournament waits until it is free.
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
except ImportError:  # no flock on this system: nothing keeps two runs apart there
    fcntl = None  # type: ignore[assignment]

PLAYED_OUT, CUT_OFF, FORFEITED = 0, 1, 2  # `ending`
NOBODY = -1  # `seat` of a game that nobody forfeited
LEAST_TEXT = 64  # bytes for the reason of a forfeit; it gets what is left up to the next power of two
PAGE = 4096  # bytes of memory
CRC = 4  # bytes
READ_AT_ONCE = 16_384  # records
ORPHANS_SECONDS = 10.0  # how long to wait for the playing processes of a run that was killed
SETTLE = (0.0, 0.02, 0.2)  # waits before a record is read (again): one that does not check may be on its way
MOST_AHEAD = 1 << 18  # set-ups; a run hands out far fewer before the first of them is whole


class JournalError(SpaceMissionError):
    """A tournament's folder or journal that cannot be used; the message names it and the record."""


def record_of(spec: GameSpec, correction: bool = False) -> np.dtype[np.void]:
    """Dtype of one record of a game, a power of two of bytes long.

    Seats that a game lacks are zero; in a forfeited game the scores are. `correction`: also the chance
    corrections (aivat.py).
    """
    seats, categories = spec.max_players, len(spec.score_names)

    def fields(text: int) -> np.dtype[np.void]:
        return np.dtype(
            [
                ("game", "<u8"),  # its number in the schedule (schedule.py)
                ("scores", "<i2", (seats, categories)),
                ("decisions", "<u4", (seats,)),
                ("seconds", "<f4", (seats,)),  # wall-clock time in the agents' answers
                ("rounds", "<u2"),
                ("winners", "u1", (seats,)),  # 1 for a winner; where a seat forfeits, the others win
                ("ending", "u1"),
                ("seat", "i1"),  # who forfeited
                ("reason", "u1"),  # why, by number (asking.py)
                *([("luck", "<i4", (seats,))] if correction else ()),  # in parts of a win (aivat.py)
                ("text", f"S{text}"),  # why, in words: UTF-8
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
    """The record (1,) of a game of which nothing is known yet."""
    record = np.zeros(1, dtype)
    record["game"], record["seat"] = number, NOBODY
    return record


def forfeit_record(record: np.ndarray, seat: int, seats: int, reason: int, text: str) -> np.ndarray:
    """Mark the game of `record` as forfeited by a seat: it is placed last, the others share the win."""
    record["winners"][0, :seats] = 1
    record["winners"][0, seat] = 0
    record["ending"], record["seat"], record["reason"] = FORFEITED, seat, reason
    record["text"] = bounded(text, record.dtype["text"].itemsize)
    return record


def bounded(text: str, size: int) -> bytes:
    """The first line of a text as UTF-8 of at most so many bytes, cut between characters."""
    line = (text.splitlines() or [""])[0].replace("\0", " ")
    return line.encode("utf-8", "replace")[:size].decode("utf-8", "ignore").encode("utf-8")


def with_checksums(records: np.ndarray) -> bytes:
    """Records (`record_of`) of shape (n,) as the bytes to append, each with its CRC at the end."""
    size = records.dtype.itemsize
    data = bytearray(np.ascontiguousarray(records).tobytes())
    for start in range(0, len(data), size):
        end = start + size - CRC
        data[end : end + CRC] = zlib.crc32(memoryview(data)[start:end]).to_bytes(CRC, "little")
    return bytes(data)


def first_damaged(data: bytes, size: int) -> int:
    """Index of the first record, each of so many bytes, whose CRC is wrong, or -1."""
    view = memoryview(data)
    for i in range(len(data) // size):
        end = (i + 1) * size - CRC
        stored = int.from_bytes(view[end : end + CRC], "little")
        if zlib.crc32(view[i * size : end]) != stored:
            return i
    return -1


class JournalWriter:
    """Appends records; each playing process has its own. Holds a shared lock while it lives."""

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        if fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def append(self, data: bytes) -> None:
        """Append whole records with one write; JournalError where they could not be written."""
        try:
            written = os.write(self._file, data)
        except OSError as error:
            raise unwritable(self._path, error) from None
        if written != len(data):
            raise JournalError(f"journal {self._path!r}: could not be written whole")

    def close(self) -> None:
        os.close(self._file)


def unwritable(path: str, error: OSError) -> JournalError:
    """The error where a journal, or a record beside it, cannot be written."""
    return JournalError(f"journal {path!r}: cannot be written: {error.strerror or error}")


class JournalReader:
    """Reads a journal from its beginning on; `read_so_far`: whole records returned so far."""

    def __init__(self, path: str | Path, record: np.dtype[np.void]) -> None:
        """Open a journal that exists; `record`: of its game (`record_of`)."""
        self.path = Path(path)
        self.read_so_far = 0
        self._record = record
        self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115 (closed by close)

    def read(self) -> np.ndarray:
        """What was appended since the last call, at most `READ_AT_ONCE`: records (n,).

        Raises:
            JournalError: a record does not check; the message gives its number, from 1.
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
    """Cut off a last record of `size` bytes that is torn; JournalError where somebody still writes."""
    with open(path, "r+b") as file:
        lock(file.fileno(), ORPHANS_SECONDS, f"journal {str(path)!r}: another process still plays into it")
        whole = file.seek(0, os.SEEK_END) // size
        if whole:
            file.seek((whole - 1) * size)
            whole -= first_damaged(file.read(size), size) == 0
        file.truncate(whole * size)


def lock(file: int, seconds: float, refusal: str) -> None:
    """Take an exclusive lock on an open file, waiting for it at most so long; JournalError(refusal)."""
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
    """Takes games in any order and gives whole set-ups in theirs.

    Attributes:
        first: the set-up that is to be given next.
        games: how many different games it has been given.
    """

    def __init__(
        self, per_set_up: int, set_ups: int | None, journal: Path, record: np.dtype[np.void]
    ) -> None:
        """Of a tournament of so many set-ups (None: no limit) of `per_set_up` games, kept as `record`."""
        self.first = 0
        self.games = 0
        self._journal = journal
        self._set_ups = set_ups
        self._waiting = np.zeros((1, per_set_up), record)
        self._there = np.zeros((1, per_set_up), bool)

    def add(self, records: np.ndarray, before: int = 0) -> np.ndarray:
        """Take records of the journal (n,), `before` of them after others; which are new, bool (n,).

        Raises:
            JournalError: a game that the tournament does not have.
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
        # Nobody plays so far ahead of a set-up that is not whole; memory is taken for all in between.
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
        """Which of these games have not been given yet, bool (n,)."""
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
        """Whole set-ups from `first` on, at most `most`: records (set-ups, games of one), perhaps none."""
        whole = np.asarray(self._there[:most].all(1))
        count = len(whole) if whole.all() else int(whole.argmin())
        taken = self._waiting[:count]
        if count:
            self._waiting, self._there = self._waiting[count:].copy(), self._there[count:].copy()
            if not len(self._there):
                self._waiting, self._there = np.zeros_like(taken[:1]), np.zeros((1, taken.shape[1]), bool)
            self.first += count
        return taken
