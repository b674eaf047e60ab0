"""Asking an agent for its moves so that nothing it does stops a tournament: it forfeits a game instead.

An agent forfeits a game by raising an error, by an answer of the wrong form, by an illegal move, by
taking too long over one decision, or by ending its process (which local.py sees). Batches
are a matter of speed: where the answer to a batch fails, its rows are asked for one by one, and
only a row that fails by itself is forfeited.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import event

from spacemission_env.core.agents_api import Agent, Decisions
from spacemission_env.core.answers import integers
from spacemission_env.core.errors import AgentError, failure

FAILED, WRONG_FORM, ILLEGAL, TOO_SLOW, DIED = 1, 2, 3, 4, 5
DIED_TEXT = "its process ended"
# A batch may take its time times its rows, but one that hangs should not take that of hundreds.
MOST_ROWS = 8
AGAIN_SECONDS = 1.0  # the alarm rings on for an agent that swallows it


@dataclass(frozen=True)
class Forfeit:
    """Why an agent forfeits: a reason by number, and in words (one line)."""

    reason: int
    text: str


class _OutOfTimeError(BaseException):  # no Exception, so that an agent's `except Exception` lets it pass
    pass


class RefusedError(Exception):
    """An agent's answer that is none."""

    def __init__(self, reason: int, text: str) -> None:
        """For this reason, in these words."""
        super().__init__(text)
        self.forfeit = Forfeit(reason, text)


class Asking:
    """One agent of a playing process, its time limit, and what it has been asked.

    Time spent compiling counts nowhere. The first call may take `first_extra` seconds more and is not
    timed: it may load things.

    Attributes:
        seconds: time limit of one decision.
    """

    def __init__(self, agent: Agent, seconds: float, first_extra: float) -> None:
        """Ask this agent, with this time a decision."""
        self.agent = agent
        self.seconds = seconds
        self._extra = first_extra
        self._one_by_one = False

    def new_unit(self) -> None:
        """Try batches again, should they have failed before."""
        self._one_by_one = False

    def answers(
        self,
        asked: Decisions,
        rows: np.ndarray,
        why_illegal: Callable[[int, int], str | None],
        note: Callable[[int, int], Any],
    ) -> tuple[np.ndarray, np.ndarray, dict[int, Forfeit]]:
        """Ask for the decisions in `rows` of `asked`.

        Args:
            asked: all decisions at hand.
            rows: which of them are this agent's, int64 (n,).
            why_illegal: what is wrong with an action: called with the row of `asked` and the action.
            note: called ahead of each call of the agent with the first row of `asked` and how many.

        Returns:
            Actions int64 (n,), seconds of each float64 (n,), and by position in `rows` the forfeits
            (their actions mean nothing).
        """
        actions, seconds = np.zeros(len(rows), np.int64), np.zeros(len(rows))
        forfeits: dict[int, Forfeit] = {}
        if len(rows) > 1 and not self._one_by_one:
            try:
                actions[:], seconds[:] = self._call(asked, rows, note)
            except RefusedError:
                self._one_by_one = True
        if len(rows) == 1 or self._one_by_one:
            for place in range(len(rows)):
                try:
                    one = rows[place : place + 1]
                    actions[place : place + 1], seconds[place : place + 1] = self._call(asked, one, note)
                except RefusedError as refused:
                    forfeits[place] = refused.forfeit
        self._find_illegal(asked, rows, actions, why_illegal, forfeits)
        return actions, seconds, forfeits

    def _find_illegal(
        self,
        asked: Decisions,
        rows: np.ndarray,
        actions: np.ndarray,
        why_illegal: Callable[[int, int], str | None],
        forfeits: dict[int, Forfeit],
    ) -> None:
        known = (actions >= 0) & (actions < asked.masks.shape[1])
        legal = known & (asked.masks[rows, np.where(known, actions, 0)] == 1)
        for place in np.flatnonzero(~legal).tolist():
            if place not in forfeits:
                why = why_illegal(int(rows[place]), int(actions[place]))
                forfeits[place] = Forfeit(ILLEGAL, str(why))

    def _call(self, asked: Decisions, rows: np.ndarray, note: Callable[[int, int], Any]) -> tuple[Any, float]:
        """The answer for these rows, int64 (n,), and the seconds a row; RefusedError where it is none."""
        part = asked.part(self.agent, rows)
        extra, self._extra = self._extra, 0.0
        allowed = self.seconds * min(len(rows), MOST_ROWS) + extra
        note(int(rows[0]), len(rows))
        clock = Clock()
        try:
            given = within(allowed, lambda: self.agent.act(part))
            took = clock.seconds()
            if len(rows) == 1 and took > allowed:  # where nothing could interrupt it
                raise _OutOfTimeError
        except _OutOfTimeError:
            raise RefusedError(TOO_SLOW, f"no answer within {self.seconds:g} s") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also sys.exit(): it is the agent that leaves, not the tournament
            raise failed(error) from None
        finally:
            note(-1, 0)
        return in_form(given, len(rows)), 0.0 if extra else took / len(rows)


def failed(error: BaseException) -> RefusedError:
    """An agent's error as its refusal."""
    return RefusedError(FAILED, f"failed with {failure(error)}")


def in_form(given: Any, rows: int) -> np.ndarray:
    """An agent's answer as int64 (rows,); RefusedError where it is of another form."""
    try:
        return integers(given, rows)
    except AgentError as error:
        raise RefusedError(WRONG_FORM, str(error)) from None


class _Compiling(event.Listener):
    """How much of this process's time went into compiling (numba's), which is nobody's thinking."""

    def __init__(self) -> None:
        self.depth = 0
        self.tell: Callable[[bool], Any] = lambda compiling: None
        self._spent = self._began = 0.0

    def on_start(self, what: event.Event) -> None:
        if self.depth == 0:
            self._began = time.perf_counter()
            self.tell(True)
        self.depth += 1

    def on_end(self, what: event.Event) -> None:
        self.depth -= 1
        if self.depth == 0:
            self._spent += time.perf_counter() - self._began
            self.tell(False)

    def spent(self) -> float:
        """Seconds so far, with those of a compilation under way."""
        return self._spent + (time.perf_counter() - self._began if self.depth else 0.0)


_COMPILING = _Compiling()
event.register("numba:compile", _COMPILING)


class Clock:
    """Seconds since it was made, without those spent compiling."""

    def __init__(self) -> None:
        """Start it."""
        self._began = time.perf_counter() - _COMPILING.spent()

    def seconds(self) -> float:
        """What it shows."""
        return time.perf_counter() - self._began - _COMPILING.spent()


def is_compiling() -> bool:
    """Whether this process compiles at this moment."""
    return _COMPILING.depth > 0


def tell_compiling(tell: Callable[[bool], Any]) -> None:
    """Have this function called with True when compiling begins in this process, and False when it ends."""
    _COMPILING.tell = tell


class _Alarm:
    """The alarm clock of this process: one is enough, for a process asks one agent at a time."""

    clock: Clock | None = None  # None: not set
    allowed = 0.0
    installed = False

    @classmethod
    def ring(cls, signum: int, frame: Any) -> None:
        if cls.clock is None:  # it rang just after the answer
            return
        left = cls.allowed - cls.clock.seconds()
        if left > 0 or is_compiling():
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3) if left > 0 else AGAIN_SECONDS)
            return
        raise _OutOfTimeError

    @classmethod
    def usable(cls) -> bool:
        """Whether this system and thread can be interrupted."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            return False
        if not cls.installed:
            signal.signal(signal.SIGALRM, cls.ring)
            cls.installed = True
        return True


def within(seconds: float, call: Callable[[], Any]) -> Any:
    """Call, and interrupt it by `_OutOfTimeError` after so long, where that is possible (main thread).

    Time spent compiling does not count.
    """
    if not _Alarm.usable():
        return call()
    _Alarm.allowed, _Alarm.clock = seconds, Clock()
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
    try:
        return call()
    finally:
        _Alarm.clock = None
        signal.setitimer(signal.ITIMER_REAL, 0.0)
