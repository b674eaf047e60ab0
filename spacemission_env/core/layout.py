"""Declares the record of a game and the named pieces of its observation vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

# The first fields of every game's state; general code reads them.
HEADER: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "seed": ("int64", ()),  # seed of the deal
    "rng": ("uint32", (6,)),  # state of the random numbers (rng.py)
    "salt": ("int64", ()),  # makes decision keys of equal positions differ between games
    "decisions": ("int32", ()),  # made so far
    "num_players": ("int8", ()),  # 0: not dealt yet
    "start_player": ("int8", ()),  # first seat to act
    "player": ("int8", ()),  # seat to act; after the end, the last seat that acted
    "over": ("int8", ()),  # constants.py: RUNNING, FINISHED or TRUNCATED
    "round_number": ("int16", ()),  # from 1
}


GAP = "gap_"  # first letters of the names of fields that fill gaps
Field = tuple[str, DTypeLike] | tuple[str, DTypeLike, tuple[int, ...]]  # as numpy takes a field


def aligned_record(*fields: Field) -> np.dtype[np.void]:
    """A record with each field at a multiple of its alignment, as in C, and a size that is a multiple of 8.

    Gaps become fields too. So all memory of a record is zero when new, and copied and compared like the rest.
    """
    placed: list[Field] = []
    end = 0
    for name, kind, *shape in [*fields, ("", np.int64)]:
        one = np.dtype([(name, kind, *shape)])[0]
        gap = -end % (8 if one.base.names else one.base.alignment)  # numpy takes a record's alignment for 1
        if gap:
            placed.append((f"{GAP}{end}", np.uint8, (gap,)))
        end += gap + one.itemsize
        placed.append((name, kind, *shape))  # type: ignore[arg-type]
    return np.dtype((np.record, np.dtype(placed[:-1], align=True)))


def state_record(*own: Field) -> np.dtype[np.void]:
    """The record of one game: `HEADER`, then the game's own fields."""
    header = [(name, kind, shape) for name, (kind, shape) in HEADER.items()]
    return aligned_record(*header, *own)


@dataclass(frozen=True)
class Piece:
    """A named piece of the observation vector.

    Attributes:
        name: the piece's name in code.
        shape: the piece's shape; its numbers are in C order in the flat vector.
        unit: divisor of the whole numbers, or the name of a divisor that depends on parameters (`scale_of`).
        values: how a number is encoded.
        meaning: what the piece means.
        rule: ids of the rules that let the seat know it.
        start: index of its first number in the flat vector.
        rows: whether the first axis lists things of one kind; value networks use the same weights for each.
            All such pieces of a layout have equally many rows.
    """

    name: str
    shape: tuple[int, ...]
    unit: float | str | tuple[float, ...]
    values: str
    meaning: str
    rule: str
    start: int = field(default=0, kw_only=True)
    rows: bool = field(default=False, kw_only=True)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        return slice(self.start, self.start + self.size)


P = TypeVar("P", bound=Piece)


def placed(*pieces: P) -> dict[str, P]:
    """The pieces by name, placed one after another."""
    layout: dict[str, P] = {}
    start = 0
    for piece in pieces:
        layout[piece.name] = replace(piece, start=start)
        start += piece.size
    return layout


def as_record(
    kind: str, pieces: Iterable[Piece], more: Iterable[tuple[str, object, int]] = ()
) -> np.dtype[np.void]:
    """The flat vector as a record: one field per piece, and the whole vector as `numbers`.

    The record has the same memory as the vector, numbers of `kind`. The piece "round" becomes `round_number`,
    because `round` is a method of numpy records. `more`: further fields (name, format, offset in bytes).
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


def scale_of(layout: Mapping[str, Piece], units: Mapping[str, Any] | np.record) -> np.ndarray:
    """1 / unit for each number of the observation, float32; `units`: the named units, where 0 counts as 1."""
    named = (units[p.unit] if isinstance(p.unit, str) else p.unit for p in layout.values())
    each = [np.broadcast_to(unit, p.shape).ravel() for unit, p in zip(named, layout.values(), strict=True)]
    whole: np.ndarray = np.maximum(np.concatenate(each), 1)
    return (1 / whole).astype(np.float32)


def mask_record(actions: int) -> np.dtype[np.void]:
    """An action mask as a record.

    Compiled code counts references to each row of an array, which takes as long as writing the row. It does
    not count references to a record.
    """
    return np.dtype((np.record, [("legal", "i1", (actions,))]))
