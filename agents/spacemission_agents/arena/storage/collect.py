"""Games that wait until their set-up is whole and those before it are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.arena.storage.journal import JournalError

MOST_AHEAD = 1 << 18  # set-ups; a run hands out far fewer before the first of them is whole


class Collector:
    """Takes games in any order and gives whole set-ups in theirs.

    Attributes:
        first: the set-up that is to be given next.
        games: how many different games it has been given.
    """

    def __init__(self, per_set_up: int, set_ups: int | None, journal: Path, record: np.dtype[Any]) -> None:
        """Of a tournament of so many set-ups (None: no limit) of `per_set_up` games, kept as `record`."""
        self.first = 0
        self.games = 0
        self._journal = journal
        self._set_ups = set_ups
        self._waiting = np.zeros((1, per_set_up), record)
        self._there = np.zeros((1, per_set_up), bool)

    def add(self, records: np.ndarray, before: int = 0) -> np.ndarray:
        """Take records of the journal (n,); `before`: how many of it came before these.

        Returns:
            Which of them are new, bool (n,): a game counts once.

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
        most = np.iinfo(np.int64).max if self._set_ups is None else self._set_ups * self._there.shape[1]
        strange = np.flatnonzero((numbers < 0) | (numbers >= most))
        if len(strange):
            i = int(strange[0])
            where = f"journal {str(self._journal)!r}: record {before + i + 1}"
            raise JournalError(f"{where} is damaged: there is no game {numbers[i]}")
        # Nobody plays so far ahead of a set-up that is not whole; room is made for all in between.
        ahead = np.flatnonzero(numbers >= (self.first + MOST_AHEAD) * self._there.shape[1])
        if len(ahead):
            i = int(ahead[0])
            where = f"journal {str(self._journal)!r}: record {before + i + 1}"
            raise JournalError(f"{where} is damaged: game {numbers[i]} is too far ahead of those before it")

    def missing(self, numbers: np.ndarray) -> np.ndarray:
        """Which of these games have not been given yet, bool (n,)."""
        set_ups, games = np.divmod(numbers, self._there.shape[1])
        rows = set_ups - self.first
        missing = rows >= 0
        known = missing & (rows < len(self._there))
        missing[known] = ~self._there[rows[known], games[known]]
        return missing

    def _grow(self, rows: int) -> None:
        if rows <= len(self._there):
            return
        more = max(rows, 2 * len(self._there)) - len(self._there)
        shape = (more, self._there.shape[1])
        self._waiting = np.concatenate([self._waiting, np.zeros(shape, self._waiting.dtype)])
        self._there = np.concatenate([self._there, np.zeros(shape, bool)])

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
