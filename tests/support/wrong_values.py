"""Lists invalid values by name, for `test_entry_points.py`."""

from __future__ import annotations

import datetime
import decimal
import fractions
import io
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Indexable:
    def __index__(self) -> int:
        return 0


class BadArray:
    def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
        raise RuntimeError("no")


class BadLength:
    def __len__(self) -> int:
        return -1


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


# Kind to a function that makes a new value.
KINDS: dict[str, Callable[[], object]] = {
    "None": lambda: None,
    "True": lambda: True,
    "float": lambda: 1.0,
    "half": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "complex": lambda: 1j,
    "minus 1": lambda: -1,
    "minus 5": lambda: -5,
    "8": lambda: 8,
    "99": lambda: 99,
    "101": lambda: 101,
    "10**6": lambda: 10**6,
    "-2**31": lambda: -(2**31),
    "2**31": lambda: 2**31,
    "2**63-1": lambda: 2**63 - 1,
    "-2**63": lambda: -(2**63),
    "2**63": lambda: 2**63,
    "2**64": lambda: 2**64,
    "10**30": lambda: 10**30,
    "10**5000": lambda: 10**5000,
    "-10**5000": lambda: -(10**5000),
    "int8 -1": lambda: np.int8(-1),
    "uint64 huge": lambda: np.uint64(2**64 - 1),
    "numpy float": lambda: np.float64(1),
    "numpy float32": lambda: np.float32(1),
    "numpy bool": lambda: np.bool_(True),
    "numpy text": lambda: np.str_("1"),
    "numpy time": lambda: np.datetime64("2026-01-01"),
    "empty text": lambda: "",
    "digit": lambda: "1",
    "text": lambda: "no such thing",
    "long text": lambda: "x" * 100_000,
    "two lines": lambda: "a\nb",
    "zero byte": lambda: "\0",
    "control": lambda: "\x1b[31m",
    "surrogate": lambda: "\ud800",
    "bytes": lambda: b"1",
    "bytearray": lambda: bytearray(b"1"),
    "memoryview": lambda: memoryview(b"1"),
    "list": lambda: [0],
    "list of lists": lambda: [[0], [1, 2]],
    "tuple": lambda: (0, 1),
    "set": lambda: {0},
    "range": lambda: range(2),
    "dict": lambda: {"a": 1},
    "slice": lambda: slice(0, 2),
    "ellipsis": lambda: ...,
    "object": lambda: object(),
    "class": lambda: int,
    "function": lambda: lambda: 0,
    "generator": lambda: (i for i in range(2)),
    "module": lambda: types,
    "exception": lambda: ValueError("a"),
    "decimal": lambda: decimal.Decimal(1),
    "fraction": lambda: fractions.Fraction(1),
    "date": lambda: datetime.date(2026, 1, 1),
    "path": lambda: Path("no/such/file"),
    "binary stream": lambda: io.BytesIO(),
    "unshowable": lambda: Unshowable(),
    "index": lambda: Indexable(),
    "bad array": lambda: BadArray(),
    "bad length": lambda: BadLength(),
    "array float": lambda: np.zeros(3),
    "array bool": lambda: np.ones(3, bool),
    "array object": lambda: np.array([0, None, "a"], object),
    "array text": lambda: np.array(["0", "1", "2"]),
    "array complex": lambda: np.zeros(3, complex),
    "array time": lambda: np.zeros(3, "datetime64[s]"),
    "array record": lambda: np.zeros(3, [("a", "i8")]),
    "array nan": lambda: np.full(3, np.nan, np.float32),
    "array 2-D": lambda: np.zeros((3, 1), np.int64),
    "array 0-D": lambda: np.array(-1),
    "array 0-D bool": lambda: np.array(True),
    "array empty float": lambda: np.zeros(0),
    "array -1": lambda: np.array([0, 1, -1]),
    "array 3": lambda: np.array([0, 1, 3]),
    "array huge": lambda: np.array([0, 2**63 - 1, 1]),
    "array unsigned": lambda: np.array([0, 1, 2**64 - 1], np.uint64),
    "array -128": lambda: np.array([0, 1, -128], np.int8),
    "array too long": lambda: np.zeros(4, np.int64),
    "array gaps": lambda: np.array([0, 7, -9, 7, 1, 7])[::2],
    "array read-only": lambda: read_only(np.array([-1, -1, -1])),
    "array swapped": lambda: np.array([0, 1, 98], ">i8"),
    "array masked": lambda: np.ma.masked_array([0, 1, 98]),  # type: ignore[no-untyped-call]
    "matrix": lambda: np.asmatrix([0, 1, 2]),
}
TWICE = {"array twice": lambda: np.array([1, 0, 1]), "array all one": lambda: np.array([2, 2, 2])}
