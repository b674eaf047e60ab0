"""Which games a tournament has, by number: set-up first, then table, then rotation of the seats.

    number = ((set-up) * tables + table) * seats + rotation

so that all tables progress together, and any stretch from set-up 0 on is a whole round robin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spacemission_agents.arena.lineups import rotations, set_up_seed, tables

FIRST_MILESTONE = 50  # set-ups before a tournament may stop for its intervals


@dataclass(frozen=True)
class Schedule:
    """The games of a round robin of so many agents at tables of so many seats."""

    agents: int
    seats: int
    seed: int

    @cached_property
    def tables(self) -> list[tuple[int, ...]]:
        """Agent indices of each table, unrotated."""
        return tables(self.agents, self.seats)

    @cached_property
    def lineups(self) -> np.ndarray:
        """Agent by seat of every game of one set-up, int64 (games of a set-up, seats)."""
        return np.array([lineup for table in self.tables for lineup in rotations(table)], np.int64)

    @property
    def per_set_up(self) -> int:
        """Games of one set-up: tables times rotations."""
        return len(self.lineups)

    def numbers(self, table: int, first: int, end: int) -> np.ndarray:
        """All rotations of a table in the set-ups from `first` up to `end`: int64 (games,)."""
        at_table = table * self.seats + np.arange(self.seats)
        return (np.arange(first, end)[:, None] * self.per_set_up + at_table).ravel()

    def lineups_of(self, numbers: np.ndarray) -> np.ndarray:
        """Agent by seat of these games, int64 (n, seats)."""
        return self.lineups[numbers % self.per_set_up]

    def seed_of(self, number: int) -> int:
        """What a game is dealt from."""
        return set_up_seed(self.seed, number // self.per_set_up)


def milestone_after(set_ups: int) -> int:
    """The next number of set-ups after which intervals are looked at: 50, 60, …, 110, 121, …"""
    milestone = FIRST_MILESTONE
    while milestone <= set_ups:
        milestone += max(10, milestone // 10)
    return milestone
