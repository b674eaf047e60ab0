"""Announces compilation on standard error, once per main process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from spacemission_env.core.heartbeat import QUIET, heartbeat, quiet

LINE = f"spacemission: compiling what has not run here before, up to a minute ({QUIET}=1 hides this line)"
_said: list[str] = []


def announce_compiling() -> None:
    """Print the line once; call this when a function is not in the cache."""
    if not (_said or quiet()):
        _said.append(LINE)
        print(LINE, file=sys.stderr, flush=True)


@contextmanager
def compiling() -> Iterator[None]:
    """Announce that the block compiles, and that it still does (`heartbeat`)."""
    announce_compiling()
    with heartbeat(lambda: "compiling"):
        yield
