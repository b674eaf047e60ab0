"""Compiles in a second process what will be called later, while this one compiles the rest.

Both keep it in the same cache, and neither compiles what the other has begun (`cache.alone`).
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
from pkgutil import resolve_name

from spacemission_env.core.compiling.cache import CodeCache

HELPER = "SPACEMISSION_COMPILES"  # set in a process that compiles for another
_begun: set[str] = set()


def compile_in_background(task: str, *doors: object) -> None:
    """Have a second process run `task`, "module:function", unless each of these doors is in the cache.

    The function takes no arguments and calls the doors, on nothing, so that they are compiled. Where that
    fails nobody is told: they are compiled when they are called.
    """
    if task in _begun or not all(_missing(door) for door in doors) or not _can():
        return
    _begun.add(task)
    path = os.pathsep.join(one or os.getcwd() for one in sys.path)
    command = [sys.executable, "-m", __name__, task]
    environment = {**os.environ, "PYTHONPATH": path, HELPER: "1"}
    no = subprocess.DEVNULL
    try:
        helper = subprocess.Popen(command, env=environment, stdin=no, stdout=no, stderr=no)
    except OSError:
        return
    atexit.register(_end, helper)


def cores() -> int:
    """The number of cores that this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _missing(door: object) -> bool:
    cache = getattr(door, "_cache", None)
    return isinstance(cache, CodeCache) and not cache.holds_any()


def _can() -> bool:
    return cores() > 1 and multiprocessing.parent_process() is None and HELPER not in os.environ


def _end(helper: subprocess.Popen[bytes]) -> None:
    helper.terminate()
    helper.wait()


if __name__ == "__main__":
    resolve_name(sys.argv[1])()
