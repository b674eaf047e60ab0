"""Prints a line every few seconds of long work if standard error is no terminal."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

QUIET = "SPACEMISSION_QUIET"  # if set, print nothing
SECONDS = 10.0  # from one line to the next
TICK = 0.5


def quiet() -> bool:
    """Whether this process prints no notices: its user has switched them off, or it is a worker."""
    return bool(os.environ.get(QUIET)) or multiprocessing.parent_process() is not None


class _Heartbeat:
    """Runs one thread for all work under way. Work at most `SECONDS` apart has one count of seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: list[Callable[[], str]] = []  # the innermost last
        self._thread: threading.Thread | None = None
        self._began = self._said = self._ended = -SECONDS  # times: count began, last line, work ended

    def begin(self, what: Callable[[], str]) -> None:
        with self._lock:
            now = time.monotonic()
            if not self._under_way and now - self._ended > SECONDS:
                self._began = self._said = now
            self._under_way.append(what)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
                self._thread.start()

    def end(self, what: Callable[[], str]) -> None:
        with self._lock:
            self._under_way.remove(what)
            self._ended = time.monotonic()

    def _beat(self) -> None:
        while True:
            time.sleep(TICK)
            with self._lock:
                if not self._under_way:
                    self._thread = None
                    return
                now, what = time.monotonic(), self._under_way[-1]
                if now - self._said < SECONDS:
                    continue
                self._said = now
            if sys.stderr is not None and not sys.stderr.isatty():
                print(f"spacemission: {what()}, {now - self._began:.0f} s", file=sys.stderr, flush=True)


_HEARTBEAT = _Heartbeat()


@contextmanager
def heartbeat(what: Callable[[], str]) -> Iterator[None]:
    """Print `what()` and the seconds so far every `SECONDS` while the block runs, but not on a terminal.

    A thread prints, so a long call of a library does not delay the lines. Of nested blocks, only the
    innermost prints.
    """
    if quiet():
        yield
        return
    _HEARTBEAT.begin(what)
    try:
        yield
    finally:
        _HEARTBEAT.end(what)


@contextmanager
def progress(what: str | Callable[[], str], total: float | None = None) -> Iterator[Callable[[float], None]]:
    """Show progress on standard error during the block: a bar on a terminal, else a line every ten seconds.

    Args:
        what: the work, or a function that returns what is done now.
        total: the amount of work, if it is known.

    Yields:
        `done(n)`: call it with the amount done since the last call.
    """
    now = what if callable(what) else lambda: str(what)
    if not sys.stderr.isatty():
        sums = [0.0]

        def line() -> str:
            return f"{now()}: {sums[0] / total:.0%}" if total else f"{now()}: {sums[0]:,.0f} so far"

        with heartbeat(line):
            yield lambda n: sums.__setitem__(0, sums[0] + n)
        return
    from rich.console import Console
    from rich.progress import Progress

    # What is printed meanwhile goes above the bar, but not if it goes to a file.
    to_terminal = sys.stdout.isatty()
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=to_terminal) as bar:
        task = bar.add_task(now(), total=total)
        yield lambda n: bar.update(task, advance=n, description=now())
