"""A digest within a safetensors file: sha256 of all its bytes, with zeros where the digest stands."""

from __future__ import annotations

import hashlib
import re

KEY = "sha256"
BLANK = "0" * 64
HEAD_BYTES = 8  # of the length of a safetensors file's header
_PLACE = re.compile(rb'"sha256":"([0-9a-f]{64})"')  # within a JSON text in the header its quotes are escaped


class SealError(ValueError):
    """A file that is not what was sealed."""


def header_of(data: bytes) -> bytes:
    """The header of a safetensors file, JSON; SealError where it is cut."""
    length = int.from_bytes(data[:HEAD_BYTES], "little")
    if len(data) < HEAD_BYTES or length > len(data) - HEAD_BYTES:
        raise SealError("the file is cut")
    return data[HEAD_BYTES : HEAD_BYTES + length]


def sealed(data: bytes) -> bytes:
    """A safetensors file whose metadata has `BLANK` as `KEY`, with the digest in its place."""
    start, end = _place(data)
    return data[:start] + _digest(data, start, end).encode() + data[end:]


def check_seal(data: bytes) -> None:
    """Refuse, with SealError, a file that has no digest or not that of what it holds."""
    start, end = _place(data)
    if data[start:end] != _digest(data, start, end).encode():
        raise SealError("its digest is not that of what it holds: the file is damaged")


def _place(data: bytes) -> tuple[int, int]:
    found = _PLACE.search(header_of(data))
    if found is None:
        raise SealError("its digest is missing or damaged")
    return HEAD_BYTES + found.start(1), HEAD_BYTES + found.end(1)


def _digest(data: bytes, start: int, end: int) -> str:
    digest = hashlib.sha256(memoryview(data)[:start])
    digest.update(BLANK.encode())
    digest.update(memoryview(data)[end:])
    return digest.hexdigest()
