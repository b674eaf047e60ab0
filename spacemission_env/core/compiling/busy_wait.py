"""Waits for another thread a moment without going to sleep: to be woken takes tens of microseconds."""

# mypy: disable-error-code="no-untyped-def"
# (Numba's intrinsics are written by what numba hands them.)

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from spacemission_env.core.compiling import make_njit

_TURNS = 2000  # of which the length is measured
_PAUSE = platform.machine().lower() in ("x86_64", "amd64")  # what leaves the other half of a core its share

njit = make_njit(Path(__file__))


@intrinsic
def _look(typing_context: Any, word: Any) -> Any:
    # The first number of an array, read anew each time.
    def code(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        if _PAUSE:
            pause = builder.module.declare_intrinsic(
                "llvm.x86.sse2.pause", (), ir.FunctionType(ir.VoidType(), [])
            )
            builder.call(pause, [])
        return builder.load_atomic(array.data, "acquire", 8)

    return types.int64(word), code


@njit
def _until_one(word: np.ndarray, turns: int) -> bool:
    for _ in range(turns):  # noqa: SIM110  (compiled)
        if _look(word) == 1:  # type: ignore[call-arg]
            return True
    return False


@cache
def until(seconds: float) -> Callable[[np.ndarray], bool] | None:
    """A function that waits so long for an int64 array's first number to be 1, and says whether it is."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return None
    word = np.zeros(1, np.int64)
    _until_one(word, 1)
    began = time.perf_counter()
    _until_one(word, _TURNS)
    turns = max(1, int(_TURNS * seconds / max(time.perf_counter() - began, 1e-9)))
    return lambda word: bool(_until_one(word, turns))
