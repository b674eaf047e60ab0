"""Check decisions before compiled agents read them.

Front ends make correct decisions. Decisions made by hand, or changed by a bot that asks a shipped agent, may
not be correct, and compiled code would use any number in them as an index.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_env.core.agents import Decisions
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import find_game

_FLOAT, _BYTE, _KEY = np.dtype(np.float32), np.dtype(np.int8), np.dtype(np.int64)

njit = make_njit(Path(__file__))

WRONG_OBSERVATION, WRONG_MASK, NO_MOVE, WRONG_KEY = range(4)  # what is wrong with a row
WRONGS = 4


def check_decisions(decisions: Decisions, who: str, worlds: bool = False, reads: bool = True) -> Decisions:
    """The same decisions, their arrays of the right kind and in one piece.

    Numbers of another width, or arrays with gaps, are copied.

    Args:
        decisions: as asked for.
        who: who is asked, for the message.
        worlds: they have to be there.
        reads: the agent reads the observations, so that their numbers are looked at too.

    Raises:
        AgentError: one line that names the array, the row and what was expected.
    """
    spec = find_game(decisions.game)
    size, actions = spec.observation_size, spec.action_count
    observations, masks, keys = decisions.observations, decisions.masks, decisions.keys
    if not reads and getattr(observations, "shape", ())[1:] == (0,):  # none were asked for
        size = 0
    as_given = _fits(keys, _KEY, 1) and _fits(observations, _FLOAT, 2) and _fits(masks, _BYTE, 2)
    if as_given:
        n = len(keys)
        as_given = observations.shape == (n, size) and masks.shape == (n, actions)
    if not as_given:
        keys = _array(who, "keys", keys, "iu", _KEY, None)
        n = len(keys)
        observations = _array(who, "observations", observations, "f", _FLOAT, (n, size))
        masks = _array(who, "masks", masks, "iub", _BYTE, (n, actions))
    wrong = first_wrong(observations if reads else np.empty((n, 0), _FLOAT), masks, keys)
    if wrong >= 0:
        raise AgentError(f"agent {who!r}: {_what(wrong, observations, masks, keys)}")
    _records(who, "parameters", decisions.parameters, spec.default_parameters().dtype, 1)
    if worlds:
        if decisions.worlds is None:
            raise AgentError(f"agent {who!r}: wants sampled worlds, which these decisions do not have")
        _records(who, "worlds", decisions.worlds, spec.state, n)
    if as_given:
        return decisions
    return replace(decisions, observations=observations, masks=masks, keys=keys)


def _fits(given: Any, dtype: np.dtype[Any], axes: int) -> bool:
    # Whether compiled code reads it as it is. Read-only arrays would be compiled for anew.
    return type(given) is np.ndarray and given.dtype is dtype and given.ndim == axes and given.flags.carray


def _array(
    who: str, name: str, given: Any, kinds: str, dtype: np.dtype[Any], shape: tuple[int, ...] | None
) -> np.ndarray:
    """`given` as compiled code reads it, if need be as a copy."""
    try:
        array = np.asarray(given)
    except Exception:
        raise AgentError(f"agent {who!r}: {name}: expected an array, not {type(given).__name__}") from None
    if array.dtype.kind not in kinds:
        raise AgentError(f"agent {who!r}: {name}: expected numbers of type {dtype}, not {array.dtype}")
    if shape is None and array.ndim != 1:
        raise AgentError(f"agent {who!r}: {name}: expected shape (n,), not {array.shape}")
    if shape is not None and array.shape != shape:
        raise AgentError(f"agent {who!r}: {name}: expected shape {shape}, not {array.shape}")
    if _fits(array, dtype, array.ndim):
        return array
    with np.errstate(over="ignore", invalid="ignore"):
        copy = array.astype(dtype, order="C")
    if dtype.kind == "i" and not (copy == array).all():
        raise AgentError(f"agent {who!r}: {name}: expected numbers of type {dtype}, some are too large")
    return copy


def _records(who: str, name: str, given: Any, dtype: np.dtype[Any], count: int) -> None:
    right = type(given) is np.ndarray and given.dtype == dtype and given.flags.c_contiguous
    if not right or given.shape != (count,):
        raise AgentError(
            f"agent {who!r}: {name}: expected an array of {count} records as front ends give them"
        )


def _what(wrong: int, observations: np.ndarray, masks: np.ndarray, keys: np.ndarray) -> str:
    n, kind = divmod(wrong, WRONGS)
    if kind == WRONG_OBSERVATION:
        row = observations[n]
        place = int(np.flatnonzero(~((row >= 0) & (row <= 1)))[0])
        return f"observations: row {n}: expected numbers from 0 to 1, not {row[place]} (at {place})"
    if kind == WRONG_MASK:
        place = int(np.flatnonzero(masks[n] & ~1)[0])
        return f"masks: row {n}: expected 0 or 1, not {masks[n, place]} (action {place})"
    if kind == NO_MOVE:
        return f"masks: row {n}: no action is legal"
    return f"keys: row {n}: expected a number from 0, not {keys[n]}"


@njit
def first_wrong(observations, masks, keys):
    """`WRONGS` times the first row that is wrong, plus what is wrong with it; -1 where all is right.

    Observations float32 (n, size) are numbers from 0 to 1; masks int8 (n, 101) are 0 or 1, with a move at
    least; keys int64 (n,) are not negative.
    """
    for n in range(len(keys)):
        numbers = observations[n]
        right = True
        for i in range(len(numbers)):  # without a way out, so that it is done eight at a time
            right &= (numbers[i] >= 0) & (numbers[i] <= 1)
        if not right:
            return n * WRONGS + WRONG_OBSERVATION
        moves = masks[n]
        bits = np.int8(0)
        for a in range(len(moves)):
            bits |= moves[a]
        if bits != 1:
            return n * WRONGS + (NO_MOVE if bits == 0 else WRONG_MASK)
        if keys[n] < 0:
            return n * WRONGS + WRONG_KEY
    return -1
