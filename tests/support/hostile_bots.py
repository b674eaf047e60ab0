"""Bots that fail in every way that the arena must survive (`test_hostile_bots.py`)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba.core import event

from spacemission_agents.arena.asking import DIED, FAILED, ILLEGAL, TOO_SLOW, WRONG_FORM
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.games.space_mission.engine.layout import LAYOUT

PIDS = Path("left_behind.txt")  # process ids that bots started
LATE = 2.0  # seconds that the late bot thinks


class Bot(Agent):
    """Plays the first legal action; its parameter names how it fails at its third decision."""

    asked = 0

    def __init__(self, parameter: str | None = None) -> None:
        """`parameter`: a key of `WAYS`, `HARMLESS` or `NOT_MADE`; None: it never fails."""
        self.way = parameter
        if parameter in NOT_MADE:
            NOT_MADE[parameter]()

    def act(self, decisions: Decisions) -> object:
        self.asked += len(decisions)
        first = decisions.masks.argmax(1).astype(np.int64)
        if self.way in HARMLESS:
            HARMLESS[self.way](decisions)
        return WAYS[self.way][0](first) if self.way in WAYS and self.asked >= 3 else first


class Searching(Bot):
    """The same bot with worlds."""

    wants_worlds = True


class Memory(Bot):
    """Plays an illegal action when it sees the same planets from another seat."""

    met: dict[bytes, bytes]

    def act(self, decisions: Decisions) -> np.ndarray:
        self.met = getattr(self, "met", {})
        actions = decisions.masks.argmax(1).astype(np.int64)
        for i, seen in enumerate(decisions.observations):
            start = seen[LAYOUT["start_player"].slice].tobytes()
            if self.met.setdefault(seen[LAYOUT["planets"].slice].tobytes(), start) != start:
                actions[i] = 1000
        return actions


def forever() -> None:
    """Loop despite all exceptions."""
    while True:
        with contextlib.suppress(BaseException):
            while True:
                pass


def raises(error: Callable[[], BaseException]) -> Callable[[np.ndarray], object]:

    def way(first: np.ndarray) -> object:
        raise error()

    return way


def unspeakable(says: Callable[[], object]) -> BaseException:
    """An error whose text is computed by a call."""
    return type("UnspeakableError", (BaseException,), {"__str__": lambda self: says()})()


def array(makes: Callable[[], object]) -> object:
    """An object whose array, length and text are computed by a call."""
    return type("Odd", (), dict.fromkeys(("__array__", "__len__", "__str__"), lambda *_, **__: makes()))()


def interrupt() -> None:
    raise KeyboardInterrupt


def recurse(first: np.ndarray) -> object:
    return recurse(first)


def deaf(first: np.ndarray) -> None:
    """Loop with all signals blocked."""
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
    forever()


def late(first: np.ndarray) -> np.ndarray:
    time.sleep(LATE)
    return first


def says_it_compiles(first: np.ndarray) -> None:
    """Pretend that a long computation is compiling."""
    with event.trigger_event("numba:compile"):
        forever()


def waits_for_threads(first: np.ndarray) -> None:
    threads = [threading.Thread(target=forever) for _ in range(4)]
    for thread in threads:
        thread.start()
    threads[0].join()


def writes_garbage(first: np.ndarray) -> np.ndarray:
    for handle in range(100):
        with contextlib.suppress(OSError):
            os.write(handle, b"\x80\x04N." * 100)
    return first


def writes_without_end(first: np.ndarray) -> None:
    handles = [h for h in range(100) if _is_socket(h)]
    while handles:
        for handle in handles:
            os.write(handle, b"A" * (1 << 16))


def _is_socket(handle: int) -> bool:
    try:
        with socket.socket(fileno=os.dup(handle)):
            return True
    except OSError:
        return False


def forks(first: np.ndarray) -> None:
    for _ in range(20):
        if pid := os.fork():
            _note(pid)
        else:
            time.sleep(10_000)
    os._exit(0)


def leaves_a_daemon(first: np.ndarray) -> None:
    """Leave a process in another session, whose parent has ended, and fail."""
    if os.fork() == 0:
        os.setsid()
        if pid := os.fork():
            _note(pid)
            os._exit(0)
        forever()
    while not PIDS.exists():
        time.sleep(0.01)
    raise RuntimeError("look behind you")


def _note(pid: int) -> None:
    with PIDS.open("a") as file:
        file.write(f"{pid}\n")


def prints(decisions: Decisions) -> None:
    print("listen to me\n" * 20_000, flush=True)
    os.write(2, b"and to me\n" * 20_000)


def marks(decisions: Decisions) -> None:
    """Overwrite all arguments after computing the action."""
    for of in (decisions.observations, decisions.masks, decisions.keys, decisions.parameters.view(np.uint8)):
        with contextlib.suppress(ValueError):
            of.setflags(write=True)
            of[:] = 1


# How a bot fails, and the reason of its forfeit.
WAYS: dict[str | None, tuple[Callable[[np.ndarray], object], int]] = {
    "raises": (raises(lambda: RuntimeError("out of ideas")), FAILED),
    "exits by sys.exit": (raises(lambda: SystemExit(0)), FAILED),
    "interrupts": (raises(KeyboardInterrupt), FAILED),
    "raises an error of its own": (raises(lambda: unspeakable(lambda: "mine")), FAILED),
    "raises an error without text": (raises(lambda: unspeakable(lambda: 1 / 0)), FAILED),
    "raises an endless text": (raises(lambda: unspeakable(forever)), TOO_SLOW),
    "raises a long text": (raises(lambda: RuntimeError("x" * 10_000_000)), FAILED),
    "raises control characters": (raises(lambda: RuntimeError("\x1b[2J\x07\x00 gone")), FAILED),
    "recurses": (recurse, FAILED),
    "fills memory": (lambda first: [np.empty(1 << 26) for _ in range(100)], FAILED),  # 50 GB, unwritten
    "answers nothing": (lambda first: None, WRONG_FORM),
    "answers words": (lambda first: "fly", WRONG_FORM),
    "answers NaN": (lambda first: first * np.nan, WRONG_FORM),
    "answers floats": (lambda first: first * 1.0, WRONG_FORM),
    "answers truth values": (lambda first: first > 0, WRONG_FORM),
    "answers too many": (lambda first: np.zeros(10**6, np.int64), WRONG_FORM),
    "answers a huge integer": (lambda first: [2**80] * len(first), WRONG_FORM),
    "answers the largest unsigned": (lambda first: np.full(len(first), 2**64 - 1, np.uint64), ILLEGAL),
    "answers a negative": (lambda first: -1 - first, ILLEGAL),
    "answers no action": (lambda first: first + 10_000, ILLEGAL),
    "answers what raises": (lambda first: array(lambda: 1 / 0), WRONG_FORM),
    "answers what interrupts": (lambda first: array(interrupt), WRONG_FORM),
    "answers what never ends": (lambda first: array(forever), TOO_SLOW),
    "loops, deaf to signals": (deaf, TOO_SLOW),
    "stops": (lambda first: os.kill(os.getpid(), signal.SIGSTOP), TOO_SLOW),
    "answers late": (late, TOO_SLOW),
    "says that it compiles": (says_it_compiles, TOO_SLOW),
    "waits for threads": (waits_for_threads, TOO_SLOW),
    "ends": (lambda first: os._exit(0), DIED),
    "aborts": (lambda first: os.abort(), DIED),
    "crashes": (lambda first: ctypes.string_at(0), DIED),
    "closes its files": (lambda first: os.closerange(0, 1000), DIED),
    "writes garbage": (writes_garbage, DIED),
    "writes without end": (writes_without_end, ILLEGAL),
    "forks": (forks, TOO_SLOW),  # its children keep its socket open
    "leaves a daemon": (leaves_a_daemon, FAILED),
}
HARMLESS: dict[str | None, Callable[[Decisions], object]] = {"prints": prints, "marks": marks}
NOT_MADE: dict[str | None, Callable[[], object]] = {
    "is made by sys.exit": lambda: sys.exit(0),
    "is made by Ctrl-C": interrupt,
    "ends when it is made": lambda: os._exit(0),
    "stops when it is made": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "is never made": forever,
}
