"""Telling the person at the screen that the machine compiles: once, and on a terminal how far it is.

Whoever shows something to a person sets `show` (`cli.py` does); a library keeps quiet.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

HELPER = "SPACEMISSION_AHEAD"  # set in a process that compiles for another (ahead.py)
FIRST = "compiling the rules for this machine; it takes half a minute or so, and only this once"
EVERY = 5.0  # seconds between two lines on a terminal

show: Callable[[str], None] | None = None
_began: list[float] = []  # when it was told, and last
_functions: list[int] = [0]


def is_helper() -> bool:
    """Whether this process compiles for another, which does the telling."""
    return HELPER in os.environ


def compiling() -> None:
    """To be called when a function is compiled that was not in the cache, or one that it is made of."""
    _functions[0] += 1
    if show is None or is_helper():
        return
    now = time.monotonic()
    if not _began:
        _began[:] = now, now
        show(FIRST)
    elif now - _began[1] > EVERY and sys.stderr.isatty():
        _began[1] = now
        show(f"compiling: {_functions[0]} functions so far, {now - _began[0]:.0f} s")
