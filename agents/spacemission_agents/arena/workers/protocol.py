"""What the engines of a tournament have in common: units of work, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

ONE_DECISION_GRACE = 5.0  # seconds beyond its limit, after which a process that does not answer is ended


@dataclass(frozen=True)
class Unit:
    """Games for one process, about a second of work.

    Attributes:
        numbers: which games, int64 (n,).
        table: at which all of them are played.
        set_ups: of how many set-ups they are.
        alone: one after the other: it is to be found out in which game a process ends.
        deaths: how often that has happened outside of an agent's turn.
    """

    numbers: np.ndarray
    table: int
    set_ups: int
    alone: bool = False
    deaths: int = 0


@dataclass(frozen=True)
class Done:
    """A unit that is finished; all its games stand in the journal."""

    unit: Unit
    seconds: float


@dataclass(frozen=True)
class Died:
    """A unit whose process ended; some of its games may stand in the journal.

    Attributes:
        agent: who was to move (index), or -1: nobody, or not known.
        game, seat: where, if `agent` is known.
        hung: ended from outside, for it did not answer in time.
    """

    unit: Unit
    agent: int = -1
    game: int = -1
    seat: int = -1
    hung: bool = field(default=False)


class Engine(Protocol):
    """Plays units in other processes."""

    def room(self) -> bool:
        """Whether a unit would be begun at once."""

    def submit(self, unit: Unit) -> None:
        """Begin a unit; only where there is room."""

    def wait(self, seconds: float) -> list[Done | Died]:
        """What has ended, waiting for it at most so long. AgentError: an agent that cannot be made there."""

    def close(self) -> None:
        """End all processes, whatever they are at."""
