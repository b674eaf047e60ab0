"""Random mutations of bytes and of plain values."""

import copy
import json
import random
from contextlib import suppress
from typing import Any

TOKENS = (
    b"", b"\0", b"\x1b[31m", b"\xff\xfe", b"\xc3\x28", b"\n", b"\r\n", b"\t", b"'", b'"', b'"""', b"\\", b"#",
    b"=", b".", b",", b"[", b"]", b"{", b"}", b"[[", b"-", b"+", b"0", b"-1", b"1e999", b"nan", b"inf",
    b"true", b"null", b"none", b"0x", b"1.5", b"[]", b"{}", b'""', b"9" * 25, b"9" * 5000,
    b"0x" + b"f" * 5000, b"[" * 300, b"[" * 5000, b"{a=" * 400, b"a." * 1500, b"x" * 5000,
    b"\xf0\x9f\x9a\x80", b"\xe2\x80\xae",
)  # fmt: skip
VALUES = (
    0, 1, -1, 2, 5, 7, 8, 9, 26, 59, 60, 64, 100, 127, 128, -128, 255, 1000, 2**15, 2**31 - 1, 2**31,
    2**32 - 1, 2**63 - 1, 2**63, -(2**63), 10**30, 10**4500, 0.5, 1e308, float("inf"), float("nan"), True,
    False, None, "", "x", "\x1b[31m", "\ud800", "9" * 5000, "random", [], {}, [0], [[]], {"a": 1},
)  # fmt: skip

NUMBERS = (b"0", b"1", b"-1", b"2", b"5", b"7", b"60", b"127", b"1e9", b"4294967296", b"9" * 5000)


def nested(depth: int) -> Any:
    """An empty list within so many lists."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def mutated_bytes(rng: random.Random, data: bytes, times: int | None = None) -> bytes:
    """A copy in which some bytes, lines or numbers are changed, deleted, doubled or replaced."""
    for _ in range(times or rng.choice((1, 1, 1, 2, 4))):
        data = _changed(rng, data)
    return data


def _changed(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    length = min(rng.choice((1, 1, 2, 5, 20, 200, 5000)), len(data) - at)
    way = rng.randrange(9)
    if way == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if way == 1:
        return data[:at] + rng.randbytes(length) + data[at + length :]
    if way == 2:
        return data[:at]
    if way == 3:
        return data[:at] + data[at + length :]
    if way == 4:
        return data[: at + length] + data[at : at + length] * rng.choice((1, 1, 30)) + data[at + length :]
    if way == 5:
        return data[:at] + rng.choice(TOKENS) + data[at:]
    if way == 6:
        return data[:at] + rng.choice(TOKENS) + data[at + length :]
    return _number_changed(rng, data) if way == 7 else _lines_changed(rng, data)


def _number_changed(rng: random.Random, data: bytes) -> bytes:
    digits = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data
    start = end = rng.choice(digits)
    while end < len(data) and 48 <= data[end] <= 57:
        end += 1
    return data[:start] + rng.choice(NUMBERS) + data[end:]


def _lines_changed(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(3)
    if way == 0:
        del lines[i]
    elif way == 1:
        lines.insert(j, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def as_json(value: Any) -> bytes:
    """Mutated data as JSON; data that Python cannot write becomes a number that it cannot read."""
    try:
        return json.dumps(value).encode()
    except (ValueError, RecursionError):
        return b"9" * 5000


def mutated_value(rng: random.Random, value: Any, times: int | None = None) -> Any:
    """A copy of plain data in which some values are replaced, deleted, doubled or exchanged."""
    value = copy.deepcopy(value)
    for _ in range(times or rng.choice((1, 1, 1, 2, 3))):
        value = _place_changed(rng, value)
    return value


def _place_changed(rng: random.Random, value: Any) -> Any:
    inside = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    if not inside or rng.random() < 0.02:
        return _other(rng, value)
    key = rng.choice(list(inside))
    if isinstance(value[key], dict | list) and value[key] and rng.random() < 0.85:
        value[key] = _place_changed(rng, value[key])
        return value
    way = rng.randrange(6)
    if way == 0:
        del value[key]
    elif way == 1:
        other = rng.choice(list(inside))
        value[key], value[other] = value[other], value[key]
    elif way == 2 and isinstance(value, list):
        with suppress(RecursionError):  # nested by a change before
            value.insert(key, copy.deepcopy(value[key]))
    elif way == 2:
        value[rng.choice(("x", "\x1b[2J", "format", ""))] = value[key]
    else:
        value[key] = _other(rng, value[key])
    return value


def _other(rng: random.Random, value: Any) -> Any:
    if type(value) is int and rng.random() < 0.5:
        return value + rng.choice((-1, 1, 1, -2, 2, 8, 256))
    if rng.random() < 0.03:
        return nested(rng.choice((40, 300, 900)))
    return rng.choice(VALUES)
