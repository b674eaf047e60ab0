"""Errors at a chosen call, for tests of what stays behind after an error."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from spacemission_env import Agent, Decisions
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.masks import choose_uniform


class PlantedError(RuntimeError):
    """The error of a trap."""


class Trap:
    """Fails once, at its n-th call.

    Attributes:
        at: number of the call that fails, from 1; 0: none.
        error: what it raises.
        sprung: whether it has failed.
    """

    def __init__(self, at: int = 0, error: type[BaseException] = PlantedError) -> None:
        self.at, self.error = at, error
        self.calls, self.sprung = 0, False
        self._lock = threading.Lock()  # parts of an environment call from several threads

    def __call__(self) -> None:
        """Count a call, and fail if it is the chosen one."""
        if self.next():
            raise self.error("planted")

    def next(self) -> bool:
        """Count a call; return whether it is the chosen one."""
        with self._lock:
            self.calls += 1
            self.sprung = self.sprung or self.calls == self.at
            return self.calls == self.at

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, which fails after the chosen call of it."""

        def trapped(*args: Any, **options: Any) -> Any:
            result = function(*args, **options)
            self()
            return result

        return trapped


class TrappedStream(io.StringIO):
    """A text stream whose writes spring a trap."""

    def __init__(self, trap: Trap) -> None:
        super().__init__()
        self.trap = trap

    def write(self, text: str) -> int:
        """Write half of the text if the trap fails."""
        if self.trap.next():
            super().write(text[: len(text) // 2])
            raise self.trap.error("planted")
        return super().write(text)


class TrappedAgent(Agent):
    """Plays at random; each `act` springs a trap.

    Attributes:
        wrong: what it returns when the trap fails, in place of raising.
    """

    def __init__(self, trap: Trap, wrong: object = None) -> None:
        super().__init__()
        self.trap, self.wrong = trap, wrong

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = np.zeros(len(decisions), np.int64)
        choose_uniform(decisions.masks, decisions.keys, actions)
        if self.wrong is None:
            self.trap()
        elif self.trap.next():
            return np.full(len(decisions), self.wrong)
        return actions


class TrappedPartsAgent(TrappedAgent):
    """The same for several threads at once."""

    in_parts = True

    def act(self, decisions: Decisions) -> np.ndarray:
        return super().act(decisions)


def assert_each_refuses(calls: Iterable[Callable[[], object]], words: str) -> None:
    """Each of these calls must raise an error of one line with these words."""
    for call in calls:
        with pytest.raises(SpaceMissionError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)
