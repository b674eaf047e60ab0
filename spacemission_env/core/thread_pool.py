"""Splits the rows of a batch among threads that run compiled functions in parallel.

If each thread has its own core, a thread waits for its next task in a short busy loop (busy_wait.py), because
waking it would take longer than many tasks.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from spacemission_env.core.arguments import check_number
from spacemission_env.core.compiling.busy_wait import until
from spacemission_env.core.reading import Json

MOST_THREADS = 256
AWAKE = 2e-4  # seconds of busy waiting: longer than the time between an environment's calls
Part = Callable[[int, int], int | None]  # (first row, row after the last) to a result
Until = Callable[[np.ndarray], bool]  # waits briefly for a word of memory to become 1


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parts_of(rows: int, parts: int) -> list[tuple[int, int]]:
    """Split rows into `parts` consecutive ranges whose sizes differ by at most one row."""
    cuts = [rows * k // parts for k in range(parts + 1)]
    return list(pairwise(cuts))


class _Helper:
    # One thread and its task. The word `go` says that there is a task, `done` that it has ended. A waiting
    # thread first watches the word in a busy loop, then sleeps on a lock. The GIL orders these writes. A lock
    # that is released too early does no harm: the woken thread checks the word again.

    def __init__(self, number: int, awake: Until | None) -> None:
        self.awake = awake
        self.go, self.done = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.go_lock, self.done_lock = threading.Lock(), threading.Lock()
        self.go_lock.acquire()
        self.done_lock.acquire()
        self.asleep = self.waited_for = False
        self.task: tuple[Part, int, int] | None = None
        self.result: int | None = None
        self.error: BaseException | None = None
        threading.Thread(target=self._work, name=f"spacemission-{number}", daemon=True).start()

    def _work(self) -> None:
        while True:
            if self.awake is None or not self.awake(self.go):
                self.asleep = True
                while not self.go[0]:
                    self.go_lock.acquire()
                self.asleep = False
            self.go[0] = 0
            if self.task is None:
                return
            part, first, stop = self.task
            try:
                self.result = part(first, stop)
            except BaseException as error:  # `run` raises it in the caller's thread
                self.error = error
            self.task = part = None  # type: ignore[assignment]  # keep no references between tasks
            self.done[0] = 1
            if self.waited_for and self.done_lock.locked():
                self.done_lock.release()

    def start(self, part: Part, first: int, stop: int) -> None:
        self.task = part, first, stop
        self._wake()

    def dismiss(self) -> None:
        self.task = None
        self._wake()

    def _wake(self) -> None:
        self.done[0] = 0
        self.go[0] = 1
        if self.asleep and self.go_lock.locked():
            self.go_lock.release()

    def wait(self) -> BaseException | None:
        """Wait until the task is done, despite Ctrl-C; return the error of the task or the interrupt."""
        interrupt: BaseException | None = None
        while not self.done[0]:
            try:
                if self.awake is not None and self.awake(self.done):
                    break
                self.waited_for = True
                while not self.done[0]:
                    self.done_lock.acquire()
            except BaseException as error:  # also on Ctrl-C, wait on: helpers still write to the arrays
                interrupt = error
        self.waited_for = False
        failed, self.error = self.error, None
        return failed or interrupt


def _dismiss(helpers: list[_Helper], owner: int) -> None:
    if os.getpid() == owner:
        for helper in helpers:
            helper.dismiss()


class ThreadPool:
    """Threads for one owner, who calls from one thread at a time and works on the first part.

    The threads start with the first task and end with the pool. A forked process, a copy and an unpickled
    pool start their own threads.
    """

    def __init__(self, threads: int = 1) -> None:
        """`threads`: 1 to 256, including the caller's own."""
        self.threads = check_number("threads", threads, 1, MOST_THREADS)
        self._helpers: list[_Helper] = []
        self._process = 0

    def __getstate__(self) -> Json:
        """Copy only the number of threads."""
        return {"threads": self.threads, "_helpers": [], "_process": 0}

    def run(self, part: Part, rows: int, least: int) -> list[int | None]:
        """Call `part(first, stop)` on consecutive parts of rows 0 to rows - 1; return the results in order.

        Each part has at least `least` rows, so there may be fewer parts than threads. After all parts have
        ended, the error of the first failed part is raised.
        """
        parts = min(self.threads, rows // least)
        if parts < 2:
            return [part(0, rows)]
        helpers = self._started()[: parts - 1]
        (_, own), *others = parts_of(rows, parts)
        for helper, (first, stop) in zip(helpers, others, strict=True):
            helper.start(part, first, stop)
        failed: BaseException | None = None
        result = None
        try:
            result = part(0, own)
        except BaseException as error:
            failed = error
        for helper in helpers:
            other = helper.wait()
            failed = failed or other
        if failed is not None:
            raise failed
        return [result, *(helper.result for helper in helpers)]

    def _started(self) -> list[_Helper]:
        process = os.getpid()
        if self._process != process:
            self._process = process
            awake = until(AWAKE) if self.threads <= cores() else None
            self._helpers = [_Helper(k, awake) for k in range(1, self.threads)]
            weakref.finalize(self, _dismiss, self._helpers, process)
        return self._helpers


def first_wrong(results: list[int], rows: int) -> int:
    """The first invalid row of the batch, or -1; `results`: for each part its first invalid row, or -1."""
    for (first, _), wrong in zip(parts_of(rows, len(results)), results, strict=True):
        if wrong >= 0:
            return first + wrong
    return -1
