"""Says on standard error that functions are being compiled: one line a process, none in worker processes."""

from __future__ import annotations

import multiprocessing
import os
import sys

QUIET = "SPACEMISSION_QUIET"  # set: nothing is said
LINE = f"spacemission: compiling what has not run here before, up to a minute ({QUIET}=1 hides this line)"
_said: list[str] = []


def announce_compiling() -> None:
    """Say the line, if this process has not yet: to be called when a function is not in the cache."""
    if not (_said or os.environ.get(QUIET) or multiprocessing.parent_process()):
        _said.append(LINE)
        print(LINE, file=sys.stderr, flush=True)
