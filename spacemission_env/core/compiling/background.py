"""Starts a second process that compiles functions before they are called.

Both processes use the same cache. Neither compiles what the other has begun (`cache.alone`).
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
from pkgutil import resolve_name

from spacemission_env.core.compiling.cache import CodeCache

HELPER = "SPACEMISSION_COMPILES"  # environment variable, set in the second process
_begun: set[str] = set()


def compile_in_background(task: str, *kernels: object) -> None:
    """Run `task`, "module:function", in a second process, unless any of the functions `kernels` is in the
    cache.

    The task takes no arguments and calls `kernels` on empty data, so that they are compiled. If that fails,
    no error is reported: they are compiled on their first call.
    """
    if task in _begun or not all(map(_missing, kernels)) or not _can():
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
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _missing(kernel: object) -> bool:
    cache = getattr(kernel, "_cache", None)
    return isinstance(cache, CodeCache) and not cache.holds_any()


def _can() -> bool:
    return cores() > 1 and multiprocessing.parent_process() is None and HELPER not in os.environ


def _end(helper: subprocess.Popen[bytes]) -> None:
    helper.terminate()
    helper.wait()


if __name__ == "__main__":
    resolve_name(sys.argv[1])()
