"""Declares the record of a game, and its observation: named pieces of one flat vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeVar

import numpy as np

from spacemission_env.core.constants import RUNNING, TRUNCATED

Range = tuple[int, int]  # the lowest and the highest number that a field can hold

# Fields that the state of every game begins with: what code for all games reads.
HEADER: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "seed": ("int64", ()),  # what the game was dealt from
    "rng": ("uint32", (6,)),  # own random numbers (rng.py)
    "salt": ("int64", ()),  # in the keys that agents get: sets apart games of one position; may be 0
    "decisions": ("int32", ()),  # decisions made so far
    "num_players": ("int8", ()),  # 0: not dealt yet
    "start_player": ("int8", ()),  # seat that begins
    "player": ("int8", ()),  # seat to act; the last that did, once the game is over
    "over": ("int8", ()),  # constants.py: RUNNING, FINISHED or TRUNCATED
    "round_number": ("int16", ()),  # from 1
}


# Of the fields that every game's state begins with; room is left for what is counted on.
HEADER_RANGES: Mapping[str, Range] = {
    "seed": (0, 2**63 - 1),
    "salt": (0, 2**63 - 1),
    "decisions": (0, 2**31 - 2**16),
    "over": (RUNNING, TRUNCATED),
    "round_number": (1, 2**15 - 2**8),
}


def state_record(*own: tuple[str, str] | tuple[str, str, tuple[int, ...]]) -> np.dtype[np.void]:
    """The record of one game: `HEADER`, then the game's own fields as numpy takes them."""
    header = [(name, kind, shape) for name, (kind, shape) in HEADER.items()]
    return np.dtype((np.record, [*header, *own]))


def range_problem(s: np.record, num_players: int, ranges: Mapping[str, Range]) -> str | None:
    """The first field that holds a number that it cannot hold, in words; None: there is none.

    Args:
        s: the record of one game.
        num_players: how many play it.
        ranges: of the fields that the game has beside the header; all numbers of a field have one range.
    """
    if s["num_players"] != num_players:
        return "num_players does not hold"
    seats = {"player": (0, num_players - 1), "start_player": (0, num_players - 1)}
    for name, (low, high) in {**HEADER_RANGES, **seats, **ranges}.items():
        values = np.asarray(s[name])
        if (values < low).any() or (values > high).any():
            return f"{name} does not hold"
    return None if s["rng"][:5].any() else "rng does not hold"  # xorwow stands still there


@dataclass(frozen=True)
class Piece:
    """A named piece of the observation vector.

    Attributes:
        name: how code asks for it.
        shape: of the piece; C order in the flat vector.
        unit: what the whole numbers are divided by, or the name of what that depends on (`scale_of`).
        values: what a number stands for.
        meaning: what it tells.
        rule: rule ids that make it known to the seat.
        start: index of its first number in the flat vector.
    """

    name: str
    shape: tuple[int, ...]
    unit: float | str | tuple[float, ...]
    values: str
    meaning: str
    rule: str
    start: int = field(default=0, kw_only=True)

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        """Its place in the flat vector."""
        return slice(self.start, self.start + self.size)


P = TypeVar("P", bound=Piece)


def placed(*pieces: P) -> dict[str, P]:
    """The pieces by their names, each behind the one before it."""
    layout: dict[str, P] = {}
    start = 0
    for piece in pieces:
        layout[piece.name] = replace(piece, start=start)
        start += piece.size
    return layout


def as_record(
    kind: str, pieces: Iterable[Piece], more: Iterable[tuple[str, object, int]] = ()
) -> np.dtype[np.void]:
    """The flat vector as a record: the pieces as named fields, and all of them again in `numbers`.

    It is the same memory as the vector, numbers of `kind`. ("round" is a method of numpy's records, so that
    field is called `round_number`.) `more`: further fields: name, format, offset in bytes.
    """
    size = np.dtype(kind).itemsize
    fields: list[tuple[str, object, int]] = []
    count = 0
    for piece in pieces:
        name = "round_number" if piece.name == "round" else piece.name
        fields.append((name, (kind, piece.shape), size * piece.start))
        count += piece.size
    fields += [("numbers", (kind, (count,)), 0), *more]
    names, formats, offsets = zip(*fields, strict=True)
    return np.dtype((np.record, {"names": names, "formats": formats, "offsets": offsets}))


def scale_of(layout: Mapping[str, Piece], units: Mapping[str, float]) -> np.ndarray:
    """One over the unit of each number of the observation, float32; `units`: those that a name stands for."""
    each = [np.full(p.size, units[p.unit] if isinstance(p.unit, str) else p.unit) for p in layout.values()]
    return (1 / np.concatenate(each)).astype(np.float32)


def mask_record(actions: int) -> np.dtype[np.void]:
    """An action mask as a record.

    Compiled code counts its references to each row of an array, which costs as much as writing the row;
    those to a record it does not count.
    """
    return np.dtype((np.record, [("legal", "i1", (actions,))]))
