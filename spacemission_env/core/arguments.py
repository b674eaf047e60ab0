"""Checks values from users (type, shape, range) before compiled code reads them.

Compiled code (`batch_template.py`) itself checks games, seats and moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeGuard

import numpy as np

from spacemission_env.core.errors import (
    NotResetError,
    SeedError,
    SetupError,
    SpaceMissionError,
    did_you_mean,
    shown,
)
from spacemission_env.core.failed import since
from spacemission_env.core.reading import Json

INT64 = np.dtype(np.int64)
MAX_SEED = 2**63 - 1
Options = ParamSpec("Options")


def known_options(init: Callable[Options, None]) -> Callable[Options, None]:
    """Decorate an `__init__` to refuse an unknown keyword with SetupError, which suggests a similar one."""
    known = list(signature(init).parameters)[1:]

    @wraps(init)
    def checked(*args: Options.args, **options: Options.kwargs) -> None:
        for name in options:
            if name not in known:
                near = did_you_mean(name, known) or f"; known: {', '.join(known)}"
                raise SetupError(f"{name}: unknown option{near}")
        init(*args, **options)

    return checked


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of Python or numpy; booleans are not."""
    return type(value) is int or (isinstance(value, int | np.integer) and not isinstance(value, bool))


def check_number(what: str, value: object, low: int, high: int) -> int:
    """Return an integer from `low` to `high` as an int; otherwise SetupError, which begins with `what`."""
    if not is_whole(value) or not low <= value <= high:
        raise SetupError(f"{what}: expected {low} to {high}, not {shown(value)}")
    return int(value)


def check_seed(seed: object) -> int:
    """Return a seed as a Python int; SeedError unless it is an integer from 0 to 2**63 - 1."""
    if not is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise SeedError(f"seed: expected an integer from 0 to 2**63 - 1, not {shown(seed)}")
    return int(seed)


def whole_numbers(what: str, values: object, error: type[SpaceMissionError] = SetupError) -> np.ndarray:
    """Return an array (n,) of integers as contiguous int64, the only type that compiled code accepts."""
    if type(values) is np.ndarray and values.dtype is INT64 and values.ndim == 1 and values.flags.carray:
        return values
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "iu":
        raise error(f"{what}: expected an array (n,) of integers, not {described(values)}")
    return np.array(values, np.int64, subok=False)


def listed_numbers(what: str, values: object, count: int) -> np.ndarray:
    """Return an array or list of `count` integers as contiguous int64; SetupError for anything else."""
    given = values
    with suppress(Exception):  # numpy and foreign objects may raise anything
        given = np.asarray(values)
    if not isinstance(given, np.ndarray) or given.shape != (count,) or given.dtype.kind not in "iu":
        raise SetupError(f"{what}: expected {count} integers, got {described(given)}")
    return whole_numbers(what, given)


def check_room(what: str, array: object, dtype: np.dtype[np.generic], *shape: int) -> np.ndarray:
    """Check an array that compiled code will write into; SetupError for another shape or dtype."""
    if (
        not isinstance(array, np.ndarray)
        or array.dtype != dtype
        or array.shape != shape
        or not array.flags.carray
    ):
        expected = f"a writable contiguous array {shape} of {dtype}"
        raise SetupError(f"{what}: expected {expected}, not {described(array)}")
    return array


def check_options(options: object) -> Json | None:
    """Return the set-up in the `options` of a `reset`, or None if they have none."""
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise SetupError(f"options: expected a dict or None, not {shown(options)}")
    return options.get("setup")


def check_reset(states: np.ndarray) -> None:
    """Raise NotResetError if an environment's games are not dealt, or a call has failed halfway since."""
    players = int(states["num_players"][-1])
    if players < 1:
        raise NotResetError(f"the environment has not been reset{since(players)}")


def described(value: object) -> str:
    """Describe a value in a few words: dtype and shape of an array, otherwise the value."""
    if isinstance(value, np.ndarray):
        kind = f"{value.dtype} {value.shape}"
        return kind if value.flags.carray else f"{kind}, read-only or not contiguous"
    return f"{type(value).__name__} {shown(value)}"
