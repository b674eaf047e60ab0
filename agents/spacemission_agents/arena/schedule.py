"""Lists the games of a round robin: line-ups and seeds.

A line-up is the agent's index in each seat. A *table* is a set of agents that play together: each combination
of n agents for n seats. With fewer agents than seats, each pair (a, b) has two tables: one seat of a and
n - 1 of b, and the reverse. Each table is played in all n cyclic rotations of its seats. A *set-up* is one
deal, played in every rotation of every table (common random numbers), so that no agent gains by its seats or
its deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from spacemission_env.core.errors import AgentError
from spacemission_env.core.rng import hash63, next_seed

FIRST_MILESTONE = 50  # set-ups before a tournament may stop for its intervals


def tables(agents: int, seats: int) -> list[tuple[int, ...]]:
    """All tables of a round robin, unrotated; AgentError if there are fewer than two agents."""
    if agents < 2:
        raise AgentError(f"arena: expected at least 2 agents, got {agents}")
    if agents >= seats:
        return list(combinations(range(agents), seats))
    pairs = [pair for a, b in combinations(range(agents), 2) for pair in ((a, b), (b, a))]
    return [(one, *[many] * (seats - 1)) for one, many in pairs]


def rotations(table: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The table in all cyclic rotations of its seats."""
    return [table[i:] + table[:i] for i in range(len(table))]


def round_robin(agents: int, seats: int, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Line-ups int64 (all games, seats) and seeds int64 (all games,) of a round robin.

    `games`: of each table, rounded up to complete set-ups.
    """
    set_ups = -(-games // seats)
    seeds = [set_up_seed(seed, k) for k in range(set_ups)]
    lineups = [lineup for table in tables(agents, seats) for lineup in rotations(table) for _ in seeds]
    return np.array(lineups, np.int64), np.array(seeds * (len(lineups) // set_ups), np.int64)


def set_up_seed(seed: int, k: int) -> int:
    """Seed of the k-th set-up: hash63(seed, k, 0)."""
    return int(hash63(seed, k, 0))


def following_seeds(seed: int, games: int) -> np.ndarray:
    """Seeds of consecutive games: `seed`, then the seeds that `Game.reset()` would choose."""
    seeds = [seed]
    while len(seeds) < games:
        seeds.append(int(next_seed(seeds[-1])))
    return np.array(seeds, np.int64)


@dataclass(frozen=True)
class Schedule:
    """The numbered games of a round robin.

    number = (set-up * tables + table) * seats + rotation, so the games before each set-up are a complete
    round robin.
    """

    agents: int
    seats: int
    seed: int

    @cached_property
    def tables(self) -> list[tuple[int, ...]]:
        return tables(self.agents, self.seats)

    @cached_property
    def lineups(self) -> np.ndarray:
        """Agent by seat of every game of one set-up, int64 (games of a set-up, seats)."""
        return np.array([lineup for table in self.tables for lineup in rotations(table)], np.int64)

    @property
    def per_set_up(self) -> int:
        """Games of one set-up."""
        return len(self.lineups)

    def numbers(self, table: int, first: int, end: int) -> np.ndarray:
        """Numbers of a table's games in the set-ups `first` to `end` - 1, int64 (games,)."""
        at_table = table * self.seats + np.arange(self.seats)
        return (np.arange(first, end)[:, None] * self.per_set_up + at_table).ravel()

    def lineups_of(self, numbers: np.ndarray) -> np.ndarray:
        """Agent by seat of these games, int64 (n, seats)."""
        return self.lineups[numbers % self.per_set_up]

    def agent_at(self, number: int, seat: int) -> int:
        return int(self.lineups[number % self.per_set_up, seat])

    def seed_of(self, number: int) -> int:
        return set_up_seed(self.seed, number // self.per_set_up)


def milestone_after(set_ups: int) -> int:
    """The next number of set-ups after which intervals are checked: 50, 60, …, 110, 121, …"""
    milestone = FIRST_MILESTONE
    while milestone <= set_ups:
        milestone += max(10, milestone // 10)
    return milestone
