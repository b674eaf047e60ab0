"""Asks agents for moves; an error, a malformed or a late answer forfeits the game.

If a batch of decisions fails, the agent is asked for each decision alone, so that it forfeits only the games
in which it fails.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba.core import event

from spacemission_env.core.agents import Agent, Decisions, integers
from spacemission_env.core.errors import AgentError, failure

FAILED, WRONG_FORM, ILLEGAL, TOO_SLOW, DIED = 1, 2, 3, 4, 5
KINDS = {
    FAILED: "failed",
    WRONG_FORM: "wrong form",
    ILLEGAL: "illegal move",
    TOO_SLOW: "too slow",
    DIED: "process ended",
}
DIED_TEXT = "its process ended"
MOST_ROWS = 8  # a batch gets the time of at most so many decisions, so that a hanging agent is noticed soon


@dataclass(frozen=True)
class Forfeit:
    """Why an agent forfeits a game."""

    reason: int  # FAILED, WRONG_FORM, ...
    text: str  # one line

    @property
    def kind(self) -> str:
        """The reason in words."""
        return KINDS[self.reason]


class ForfeitError(Exception):
    """An agent gave no valid answer."""

    def __init__(self, reason: int, text: str) -> None:
        super().__init__(text)
        self.forfeit = Forfeit(reason, text)


class Asker:
    """Asks one agent in this process and measures its time, without compilation.

    The first call is not measured and may take `first_extra` seconds more, because an agent may load files
    in it. If an agent does not answer, workers.py ends the process.

    Attributes:
        seconds: time limit of one decision.
        one_by_one: whether the agent is asked for each decision alone, because a batch has failed.
    """

    def __init__(self, agent: Agent, seconds: float, first_extra: float) -> None:
        self.agent = agent
        self.seconds = seconds
        self.one_by_one = False
        self._extra = first_extra

    def answers(
        self, decisions: Decisions, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, dict[int, Forfeit]]:
        """Ask for the decisions in `rows`.

        Args:
            decisions: a batch, with decisions of other agents too.
            rows: rows of this agent's decisions, int64 (n,).

        Returns:
            Actions int64 (n,), seconds float64 (n,), and forfeits by row of `decisions`.
        """
        actions, seconds = np.zeros(len(rows), np.int64), np.zeros(len(rows))
        forfeits: dict[int, Forfeit] = {}
        if len(rows) > 1 and not self.one_by_one:
            try:
                actions[:], seconds[:] = self._call(decisions, rows)
                return actions, seconds, forfeits
            except ForfeitError:
                self.one_by_one = True
        for place, row in enumerate(rows.tolist()):
            one = slice(place, place + 1)
            try:
                actions[one], seconds[one] = self._call(decisions, rows[one])
            except ForfeitError as error:
                forfeits[row] = error.forfeit
        return actions, seconds, forfeits

    def _call(self, decisions: Decisions, rows: np.ndarray) -> tuple[np.ndarray, float]:
        """The answer for these rows, int64 (n,), and the seconds for each; ForfeitError if it is invalid."""
        part = decisions.part(self.agent, rows)
        extra, self._extra = self._extra, 0.0
        began = thinking_seconds()
        try:
            given = self.agent.act(part)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit: an agent cannot end the tournament
            raise failed(error) from None
        finally:
            took = thinking_seconds() - began
        if len(rows) == 1 and took > self.seconds + extra:
            raise ForfeitError(TOO_SLOW, f"no answer within {self.seconds:g} s")
        return in_form(given, len(rows)), 0.0 if extra else took / len(rows)


def failed(error: BaseException) -> ForfeitError:
    """The forfeit for an agent's error."""
    return ForfeitError(FAILED, f"failed with {failure(error)}")


def in_form(given: object, rows: int) -> np.ndarray:
    """An agent's answer as int64 (rows,); ForfeitError if it is not integers of that shape."""
    try:
        return integers(given, rows)
    except AgentError as error:
        raise ForfeitError(WRONG_FORM, str(error)) from None


class _Compiling(event.Listener):
    """Measures the time that numba spends compiling in this process."""

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
    """A clock that stops while numba compiles."""
    return time.perf_counter() - _COMPILING.spent


def tell_compiling(tell: Callable[[bool], object]) -> None:
    """Call `tell(True)` when compilation begins in this process, and `tell(False)` when it ends."""
    _COMPILING.tell = tell
