"""Defines a tournament: its agents, its numbered games, and when it ends.

A line-up gives the index of the agent in each seat. A *table* is a set of agents that play together: with n
seats, each combination of n agents is a table. With fewer agents than seats, each pair (a, b) has two tables:
a in one seat and b in n - 1 seats, and the reverse. Each table is played in all n cyclic rotations of its
seats. A *set-up* is one deal, played in every rotation of every table (common random numbers), so that no
agent gains by its seats or its deals.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations
from math import log

import numpy as np

from spacemission_env.core.agents import agent_name, label_and_spec
from spacemission_env.core.errors import AgentError, shown
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, GameSpec, Rules, find_game, version_of
from spacemission_env.core.reading import Json
from spacemission_env.core.rng import hash63, next_seed

FORMAT = 2  # version of the format of a tournament's definition
FIRST_MILESTONE = 50  # number of set-ups after which intervals may first end a tournament
MOST_GAMES = 10**9  # maximum number of games of a table; larger numbers could overflow
SECONDS_PER_DECISION = 10.0
ALPHA = BETA = 0.05
FARTHEST = 1000.0  # maximum Elo difference


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

    `games`: number of games at each table, rounded up to complete set-ups.
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

    A game has the number (set-up * tables + table) * seats + rotation. So the games before each set-up form
    complete round robins.
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


@dataclass(frozen=True)
class Unit:
    """Games for one worker, about a second of work."""

    numbers: np.ndarray  # numbers of the games, int64 (n,)
    table: int  # the table of all these games
    deaths: int = 0  # how many processes have ended while they played these games


# ---------------------------------------------------------------- when a tournament ends


@dataclass(frozen=True)
class Sequential:
    """Settings of a test of the first agent against the second."""

    elo0: float  # first hypothesis: the first agent is stronger by this many Elo points
    elo1: float  # second hypothesis: the first agent is stronger by this many, more than `elo0`
    alpha: float = ALPHA  # largest probability of accepting `elo1` if `elo0` is true
    beta: float = BETA  # largest probability of accepting `elo0` if `elo1` is true

    @property
    def lower(self) -> float:
        """The test accepts `elo0` if the log-likelihood ratio is at most this."""
        return log(self.beta)

    @property
    def upper(self) -> float:
        """The test accepts `elo1` if the log-likelihood ratio is at least this."""
        return -log(self.alpha)

    def check(self) -> None:
        """Raise AgentError if a number is out of its range."""
        for name in ("elo0", "elo1"):
            value = getattr(self, name)
            if not -FARTHEST <= value <= FARTHEST:
                raise AgentError(f"{name}: expected -{FARTHEST:g} to {FARTHEST:g}, not {value!r}")
        if self.elo1 - self.elo0 < 0.1:
            raise AgentError(f"elo1: expected at least 0.1 more than elo0 ({self.elo0:g}), not {self.elo1:g}")
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not 0.0001 <= value <= 0.4:
                raise AgentError(f"{name}: expected 0.0001 to 0.4, not {value!r}")


@dataclass(frozen=True)
class Limits:
    """When a tournament ends, and how long its agents may think."""

    games: int | None = 100  # most games of a table, rounded up to complete set-ups; None: no limit
    interval: float | None = None  # stop when all 95 % intervals are within ± this many percentage points
    test: Sequential | None = None  # stop when this test of two agents has a verdict
    seconds_per_decision: float = SECONDS_PER_DECISION  # an agent that takes longer forfeits the game

    def check(self, agents: int) -> None:
        """Raise AgentError if a number is out of its range; `agents`: number of agents."""
        check_range("games", self.games, 1, MOST_GAMES, whole=True)
        check_range("interval", self.interval, 0.01, 100)
        check_range("seconds per decision", self.seconds_per_decision, 0.001, 86_400, optional=False)
        if self.test is None:
            return
        if not isinstance(self.test, Sequential):
            raise AgentError(f"test: expected a Sequential or None, not {shown(self.test)}")
        if agents != 2:
            raise AgentError(f"test: expected 2 agents, got {agents}")
        if self.interval is not None:
            raise AgentError("test: the test decides when to stop; leave out the interval")
        self.test.check()


def check_range(
    what: str, value: object, low: float, high: float, whole: bool = False, optional: bool = True
) -> None:
    """Raise AgentError unless `value` is a number from `low` to `high`, or None if it is optional."""
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise AgentError(f"arena: {what}: expected a {'whole ' * whole}number, not {value!r}")
    if not low <= value <= high:
        raise AgentError(f"arena: {what}: expected {low} to {high}, not {value!r}")


# ---------------------------------------------------------------- all that results depend on


@dataclass(frozen=True)
class Tournament:
    """A round robin; made by `tournament.define`."""

    agents: tuple[str, ...]  # `spec` or `label=spec`
    players: int
    seed: int
    rules: Rules
    components: Components
    limits: Limits
    records: int = 0  # number of set-ups, from the first, whose games are recorded
    versions: dict[str, str] = field(default_factory=dict)  # by spec: digest of weights, or version of a bot
    game: str = DEFAULT_GAME
    at_once: int = 1  # games that a worker should play together (`Agent.games_at_once`); changes no result

    @property
    def names(self) -> list[str]:
        """Names of the agents, all different."""
        return [agent_name(agent) for agent in self.agents]

    @property
    def specs(self) -> list[str]:
        """Specs of the agents, without labels."""
        return [label_and_spec(agent)[1] for agent in self.agents]

    @property
    def game_spec(self) -> GameSpec:
        return find_game(self.game)

    @cached_property
    def schedule(self) -> Schedule:
        return Schedule(len(self.agents), self.players, self.seed)

    @property
    def set_ups(self) -> int | None:
        """Maximum number of set-ups; None: no limit."""
        return None if self.limits.games is None else -(-self.limits.games // self.players)

    def to_json(self) -> Json:
        return {
            "format": FORMAT,
            "game": self.game,
            "environment_version": version_of(self.game_spec),
            "agents": list(self.agents),
            "versions": self.versions,
            "players": self.players,
            **asdict(self.limits),
            "seed": self.seed,
            "rules": self.rules.for_players(self.players).to_json(),
            "components": {"name": self.components.name, "sha256": self.components.sha256},
            "records": self.records,
        }
