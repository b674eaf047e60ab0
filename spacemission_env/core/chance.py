"""Runs moves and deals with given chance outcomes, and reports what was drawn.

The rules draw only with `rng.below`. A chance record is the record of a game with a longer field `rng`, which
has a tape of outcomes (`core/rng.py`); the rules are compiled for both kinds of record.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.errors import SetupError, shown
from spacemission_env.core.rng import CHANCE_WORDS, GENERATOR, GIVEN, OUTCOMES, SIZES, TAPE, USED

Draws = list[tuple[int, int]]  # for each draw, its number of equally likely outcomes, and its outcome


@lru_cache(maxsize=64)
def chance_record(state: np.dtype[np.void]) -> np.dtype[np.void]:
    """The chance record of a game's `state`: the same fields at the same places, but `rng` at the end."""
    fields = {name: (kind, place) for name, (kind, place, *_) in (state.fields or {}).items()}
    fields["rng"] = (np.dtype(("u4", (CHANCE_WORDS,))), state.itemsize)
    formats, offsets = zip(*fields.values(), strict=True)
    return np.dtype((np.record, {"names": list(fields), "formats": formats, "offsets": offsets}))


def with_tape(state: np.ndarray, tape: object = ()) -> np.ndarray:
    """Copy a game into a chance record (1,) with a tape of outcomes; SetupError for an impossible tape."""
    if not isinstance(tape, Sequence | np.ndarray) or len(tape) > TAPE:
        raise SetupError(f"chance: expected a list of at most {TAPE} outcomes, not {shown(tape)}")
    for i, outcome in enumerate(tape):
        if not is_whole(outcome) or not 0 <= outcome < 2**31:
            raise SetupError(f"chance: outcome {i}: expected an integer from 0, not {shown(outcome)}")
    held = np.zeros(1, chance_record(state.dtype))
    held.view(np.uint8)[: state.itemsize] = state.view(np.uint8)
    row = held["rng"][0]
    row[:GENERATOR] = state["rng"][0]
    row[GIVEN] = len(tape)
    row[OUTCOMES : OUTCOMES + len(tape)] = tape
    return held


def without_tape(held: np.ndarray, state: np.dtype[np.void]) -> np.ndarray:
    """Copy a chance record (1,) back into a record of the game."""
    out = held.view(np.uint8)[: state.itemsize].copy().view(state)
    out["rng"] = held["rng"][:, :GENERATOR]
    return out


def draws_of(held: np.ndarray, tape: Sequence[int], complete: bool) -> Draws:
    """Return the last move's draws; SetupError if the tape is longer or, with `complete`, shorter."""
    row = held["rng"][0]
    used = int(row[USED])
    if used > TAPE:
        raise SetupError(f"chance: a move draws more than {TAPE} times")
    sizes, outcomes = row[SIZES : SIZES + used].tolist(), row[OUTCOMES : OUTCOMES + used].tolist()
    for i, (given, size, taken) in enumerate(zip(tape, sizes, outcomes, strict=False)):
        if given != taken:
            raise SetupError(f"chance: outcome {i}: expected 0 to {size - 1}, not {given}")
    if len(tape) > used:
        raise SetupError(f"chance: expected {used} outcomes, not {len(tape)}")
    if complete and len(tape) < used:
        raise SetupError(f"chance: after {len(tape)} outcomes one of {sizes[len(tape)]} is missing")
    return list(zip(sizes, outcomes, strict=True))
