"""Asks agents for their moves; one that fails, answers in a wrong form or too late forfeits its game.

Batches are for speed: where a batch fails, its rows are asked for one by one, and only a row that fails by
itself is forfeited.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import event

from spacemission_env.core.agents import Agent, Decisions, integers
from spacemission_env.core.errors import AgentError, failure

FAILED, WRONG_FORM, ILLEGAL, TOO_SLOW, DIED = 1, 2, 3, 4, 5
DIED_TEXT = "its process ended"
# A batch may take its time times its rows, but one that hangs should not take that of hundreds.
MOST_ROWS = 8


@dataclass(frozen=True)
class Forfeit:
    """Why an agent forfeits: a reason by number, and in words (one line)."""

    reason: int
    text: str


class ForfeitError(Exception):
    """An agent's answer that is none."""

    def __init__(self, reason: int, text: str) -> None:
        super().__init__(text)
        self.forfeit = Forfeit(reason, text)


class Asker:
    """Asks one agent in this process, and measures its time.

    Compiling does not count. The first call may take `first_extra` seconds more and is not measured: it may
    load things. An agent that never answers is ended with its process (workers.py).

    Attributes:
        seconds: time limit of one decision.
        one_by_one: whether batches have failed, so that rows are asked for one by one.
    """

    def __init__(self, agent: Agent, seconds: float, first_extra: float) -> None:
        self.agent = agent
        self.seconds = seconds
        self.one_by_one = False
        self._extra = first_extra

    def answers(
        self, decisions: Decisions, rows: np.ndarray, note: Callable[[int, int], object]
    ) -> tuple[np.ndarray, np.ndarray, dict[int, Forfeit]]:
        """Ask for the decisions in `rows`.

        Args:
            decisions: all at hand.
            rows: which of them are this agent's, int64 (n,).
            note: called before each call of the agent with the first row and how many, after it with row -1.

        Returns:
            Actions int64 (n,), seconds of each float64 (n,), and the forfeits by row of `decisions`.
        """
        actions, seconds = np.zeros(len(rows), np.int64), np.zeros(len(rows))
        forfeits: dict[int, Forfeit] = {}
        if len(rows) > 1 and not self.one_by_one:
            try:
                actions[:], seconds[:] = self._call(decisions, rows, note)
                return actions, seconds, forfeits
            except ForfeitError:
                self.one_by_one = True
        for place, row in enumerate(rows.tolist()):
            one = slice(place, place + 1)
            try:
                actions[one], seconds[one] = self._call(decisions, rows[one], note)
            except ForfeitError as error:
                forfeits[row] = error.forfeit
        return actions, seconds, forfeits

    def _call(
        self, decisions: Decisions, rows: np.ndarray, note: Callable[[int, int], object]
    ) -> tuple[np.ndarray, float]:
        """The answer for these rows, int64 (n,), and the seconds a row; ForfeitError where it is none."""
        part = decisions.part(self.agent, rows)
        extra, self._extra = self._extra, 0.0
        note(int(rows[0]), len(rows))
        began = thinking_seconds()
        try:
            given = self.agent.act(part)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also sys.exit(): it is the agent that leaves, not the tournament
            raise failed(error) from None
        finally:
            took = thinking_seconds() - began
            note(-1, 0)
        if len(rows) == 1 and took > self.seconds + extra:
            raise ForfeitError(TOO_SLOW, f"no answer within {self.seconds:g} s")
        return in_form(given, len(rows)), 0.0 if extra else took / len(rows)


def failed(error: BaseException) -> ForfeitError:
    """The forfeit for an agent's error."""
    return ForfeitError(FAILED, f"failed with {failure(error)}")


def in_form(given: Any, rows: int) -> np.ndarray:
    """An agent's answer as int64 (rows,); ForfeitError where it is of another form."""
    try:
        return integers(given, rows)
    except AgentError as error:
        raise ForfeitError(WRONG_FORM, str(error)) from None


class _Compiling(event.Listener):
    """How much of this process's time numba has spent compiling."""

    def __init__(self) -> None:
        self.depth = 0
        self.spent = self._began = 0.0
        self.tell: Callable[[bool], object] = lambda compiling: None

    def on_start(self, what: event.Event) -> None:
        if self.depth == 0:
            self._began = time.perf_counter()
            self.tell(True)
        self.depth += 1

    def on_end(self, what: event.Event) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.spent += time.perf_counter() - self._began
            self.tell(False)


_COMPILING = _Compiling()
event.register("numba:compile", _COMPILING)


def thinking_seconds() -> float:
    """A clock of this process that stands still while numba compiles."""
    return time.perf_counter() - _COMPILING.spent


def tell_compiling(tell: Callable[[bool], object]) -> None:
    """Call this function with True when compiling begins in this process, and with False when it ends."""
    _COMPILING.tell = tell
