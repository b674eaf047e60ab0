"""`Crew`: a few threads that share out the rows of a batch; compiled functions run side by side in them.

They are woken by a lock each, which takes some microseconds; a pool of `concurrent.futures` takes twice that.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from spacemission_env.core.arguments import check_number

MOST_THREADS = 256
Part = Callable[[int, int], Any]  # (first row, row behind the last) to a result


def check_threads(threads: Any) -> int:
    """A number of threads as a Python int; SetupError unless 1 to 256."""
    return check_number("threads", threads, 1, MOST_THREADS)


def parts_of(rows: int, parts: int) -> list[tuple[int, int]]:
    """So many parts of rows that follow each other, of equal size but for one row."""
    cuts = [rows * k // parts for k in range(parts + 1)]
    return list(pairwise(cuts))


class _Helper:
    # One thread and its task: `go` is released when there is one, `done` when it is done.

    def __init__(self, number: int) -> None:
        self.go, self.done = threading.Lock(), threading.Lock()
        self.go.acquire()
        self.done.acquire()
        self.task: tuple[Part, int, int] | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        threading.Thread(target=self._work, name=f"spacemission-{number}", daemon=True).start()

    def _work(self) -> None:
        while True:
            self.go.acquire()
            if self.task is None:
                return
            part, first, stop = self.task
            try:
                self.result = part(first, stop)
            except BaseException as error:  # it is raised where the work was asked for
                self.error = error
            self.task = part = None  # type: ignore[assignment]  # nothing is kept alive between tasks
            self.done.release()

    def start(self, part: Part, first: int, stop: int) -> None:
        self.task = part, first, stop
        self.go.release()

    def wait(self) -> BaseException | None:
        """Until the task is done, whatever interrupts; what it raised, or the interrupt."""
        interrupt: BaseException | None = None
        while True:
            try:
                self.done.acquire()
                break
            except BaseException as error:  # Ctrl-C: the arrays are still being written to
                interrupt = error
        failed, self.error = self.error, None
        return failed or interrupt


def _dismiss(helpers: list[_Helper], owner: int) -> None:
    if os.getpid() == owner:
        for helper in helpers:
            helper.go.release()


class Crew:
    """Threads that work for one owner, who calls from one thread at a time and takes the first part himself.

    They are started with the first task, and end with the crew. A process made by `fork` has none of its
    parent's threads: it starts its own. Copies and pickles have none either.
    """

    def __init__(self, threads: int = 1) -> None:
        """Make it; `threads`: 1 to 256, the caller's own among them."""
        self.threads = check_threads(threads)
        self._helpers: list[_Helper] = []
        self._process = 0

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy: the number only."""
        return {"threads": self.threads, "_helpers": [], "_process": 0}

    def run(self, part: Part, rows: int, least: int) -> list[Any]:
        """Results of `part(first, stop)` over parts of rows 0 to rows - 1, in their order.

        There are as many parts as threads, or fewer, so that each has at least `least` rows.
        What a part raises is raised here once all are done, that of the first of them.
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
            self._helpers = [_Helper(k) for k in range(1, self.threads)]
            weakref.finalize(self, _dismiss, self._helpers, process)
        return self._helpers


def first_wrong(results: list[int], rows: int) -> int:
    """The wrong row of the whole, of the wrong row (or -1) that each part of `Crew.run` returned; or -1."""
    for (first, _), wrong in zip(parts_of(rows, len(results)), results, strict=True):
        if wrong >= 0:
            return first + wrong
    return -1
