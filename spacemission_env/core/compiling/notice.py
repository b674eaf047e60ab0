"""Announces compilation on standard error, once per main process."""

from __future__ import annotations

import multiprocessing
import os
import sys

QUIET = "SPACEMISSION_QUIET"  # if set, print nothing
LINE = f"spacemission: compiling what has not run here before, up to a minute ({QUIET}=1 hides this line)"
_said: list[str] = []


def announce_compiling() -> None:
    """Print the line once; call this when a function is not in the cache."""
    if not (_said or os.environ.get(QUIET) or multiprocessing.parent_process()):
        _said.append(LINE)
        print(LINE, file=sys.stderr, flush=True)
