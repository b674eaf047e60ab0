"""Waits for another thread in a short busy loop, because waking a thread is slow."""

# mypy: disable-error-code="no-untyped-def"
# (Numba has no types for intrinsics.)

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

_TURNS = 2000  # loop turns that are timed, to find how many take `seconds`
_PAUSE = platform.machine().lower() in ("x86_64", "amd64")  # lets the core's other hyper-thread run

njit = make_njit(Path(__file__))


@intrinsic
def _look(typing_context: Any, word: Any) -> Any:
    # Load the first number of an array atomically.
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
    for _ in range(turns):  # noqa: SIM110 (numba compiles no `any`)
        if _look(word) == 1:  # type: ignore[call-arg]
            return True
    return False


@cache
def until(seconds: float) -> Callable[[np.ndarray], bool] | None:
    """Make a function that waits up to `seconds` for an int64 array's first number to become 1, and returns
    whether it did; None without the JIT.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return None
    word = np.zeros(1, np.int64)
    _until_one(word, 1)
    began = time.perf_counter()
    _until_one(word, _TURNS)
    turns = max(1, int(_TURNS * seconds / max(time.perf_counter() - began, 1e-9)))
    return lambda word: bool(_until_one(word, turns))
