"""Bots that try to stop a tournament, one class a kind; `test_hostile_bots.py` plays them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

from spacemission_env.core.agents_api import Agent, Decisions

PIDS = Path("left_behind.txt")  # processes that bots start


class Hostile(Agent):
    """Plays the first legal action, but does `harm` at its fifth decision."""

    asked = 0

    def act(self, decisions: Decisions) -> Any:
        self.asked += len(decisions)
        first = decisions.masks.argmax(1).astype(np.int64)
        return self.harm(first) if self.asked >= 5 else first

    def harm(self, first: np.ndarray) -> Any:
        return first


class Fine(Hostile):
    pass


def forever() -> None:
    while True:
        with contextlib.suppress(BaseException):
            while True:
                pass


# ---------------------------------------------------------------- raising


class Interrupts(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        raise KeyboardInterrupt


class Leaves(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        sys.exit(0)


class RaisesItsOwn(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        class OwnError(BaseException):
            pass

        raise OwnError


class Unspeakable(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        class UnspeakableError(Exception):
            def __str__(self) -> str:
                raise RuntimeError

        raise UnspeakableError


class SpeaksForever(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        class EndlessError(Exception):
            def __str__(self) -> str:
                forever()
                return ""

        raise EndlessError


class LongMessage(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        raise RuntimeError("x" * 10_000_000)


class ControlCharacters(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        raise RuntimeError("\x1b[2J\x07\x00 gone")


class LongTraceback(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        error: Exception | None = None
        for i in range(300):
            try:
                raise ValueError(f"cause {i}") from error
            except ValueError as one:
                error = one
        raise RuntimeError("the last") from error


class Recursion(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return self.harm(first)


class DeepRecursion(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        sys.setrecursionlimit(10**9)
        nested: Any = []
        for _ in range(10**6):
            nested = [nested]
        return repr(nested)


# ---------------------------------------------------------------- answers


class Array:
    def __init__(self, what: Any) -> None:
        self.what = what

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        return self.what()

    __len__ = __str__ = __repr__ = __array__


class ArrayRaises(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return Array(lambda: 1 / 0)


class ArrayInterrupts(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        def leave() -> None:
            raise KeyboardInterrupt

        return Array(leave)


class ArrayNeverEnds(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return Array(forever)


class LengthRaises(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        class Long:
            def __len__(self) -> int:
                raise KeyboardInterrupt

            def __getitem__(self, i: int) -> int:
                return 0

        return Long()


class Nothing(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return None


class Words(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return "fly"


class NotANumber(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return first * np.nan


class TooMany(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return np.zeros(10**6, np.int64)


class Large(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return [2**80] * len(first)


class LargestUnsigned(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return np.full(len(first), 2**64 - 1, np.uint64)


class Negative(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return -1 - first


# ---------------------------------------------------------------- never answering


class Loops(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
        forever()


class Stops(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        os.kill(os.getpid(), signal.SIGSTOP)
        return first


class Sleeps(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        time.sleep(10_000)


class SaysItCompiles(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        with event.trigger_event("numba:compile"):
            forever()


class WaitsInThreads(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        threads = [threading.Thread(target=forever) for _ in range(4)]
        for thread in threads:
            thread.start()
        threads[0].join()


# ---------------------------------------------------------------- ending processes


class Ends(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        os._exit(0)


class Aborts(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        os.abort()


class Crashes(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        return ctypes.string_at(0)


class EndsItsParent(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        os.kill(os.getppid(), signal.SIGKILL)
        forever()


class ClosesItsFiles(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        os.closerange(0, 1000)
        return first


class WritesIntoAllFiles(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        for handle in range(100):
            with contextlib.suppress(OSError):
                os.write(handle, b"\x80\x04N." * 100)
        return first


class Forks(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        for _ in range(20):
            if pid := os.fork():
                _note(pid)
            else:
                time.sleep(10_000)
        os._exit(0)


class LeavesADaemon(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        if os.fork() == 0:
            os.setsid()
            if pid := os.fork():
                _note(pid)
                os._exit(0)
            forever()
        time.sleep(0.2)
        raise RuntimeError("look behind you")


def _note(pid: int) -> None:
    with PIDS.open("a") as file:
        file.write(f"{pid}\n")


# ---------------------------------------------------------------- too much


class EatsMemory(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        eaten = [np.ones(1 << 26) for _ in range(100)]
        return first + int(eaten[0][0])


class Prints(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        for _ in range(100_000):
            print("listen to me")
        os.write(2, b"and to me\n" * 100_000)
        raise RuntimeError("I have said it")


class WritesAFile(Hostile):
    def harm(self, first: np.ndarray) -> Any:
        with open("large", "wb") as file:
            for _ in range(1000):
                file.write(bytes(1 << 20))
        return first


# ---------------------------------------------------------------- before the first move


class NotMade(Agent):
    def __init__(self, parameter: str | None = None) -> None:
        sys.exit(0)


class InterruptsItsMaking(Agent):
    def __init__(self, parameter: str | None = None) -> None:
        raise KeyboardInterrupt


class NeverMade(Agent):
    def __init__(self, parameter: str | None = None) -> None:
        forever()


class StopsBeforeItIsMade(Agent):
    def __init__(self, parameter: str | None = None) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)


class EndsBeforeItIsMade(Agent):
    def __init__(self, parameter: str | None = None) -> None:
        os._exit(0)


class NotPrepared(Agent):
    def prepare(self, info: Any) -> None:
        sys.exit("not with me")


class PreparesForever(Agent):
    def prepare(self, info: Any) -> None:
        forever()


BEFORE = tuple(
    cls.__name__
    for cls in (
        NotMade,
        InterruptsItsMaking,
        NeverMade,
        StopsBeforeItIsMade,
        EndsBeforeItIsMade,
        NotPrepared,
        PreparesForever,
    )
)
KINDS = tuple(cls.__name__ for cls in Hostile.__subclasses__() if cls is not Fine)
