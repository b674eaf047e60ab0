"""Read the lines of a record file one at a time; name where two entries differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

from spacemission_env.core.errors import RecordError
from spacemission_env.core.reading import RECORD_LINE_BYTES, loads
from spacemission_env.records.writer import FORMAT

TYPES = ("game", "action", "shuffle", "result")


@dataclass(frozen=True)
class Line:
    """One line of a record: its number in the file, from 1, and what it says."""

    number: int
    entry: dict[str, Any]

    @property
    def type(self) -> str:
        """game, action, shuffle or result."""
        return str(self.entry["type"])


class Lines:
    """The lines of a record file, one at a time, with a look at the one that follows.

    `owner` closes the file when it is dropped; held here, it lives while somebody still reads. Nothing is
    read beyond `size`, so that a file that grows faster than it is read has an end.
    """

    def __init__(self, path: str, file: BinaryIO, size: int, owner: object = None) -> None:
        """Start at the first line."""
        self.path = path
        self.size = size
        self.owner = owner
        self.offset = 0
        self.number = 0
        self.cut = False  # the file ends in the middle of a line
        self._file = file
        self._ahead: Line | None = None
        self._advance()

    def peek(self) -> Line | None:
        """The next line, None at the end of the file."""
        return self._ahead

    def take(self) -> Line:
        """The next line, which must be there, and go on."""
        line = self._ahead
        assert line is not None
        self._advance()
        return line

    def refuse(self, line: int, reason: str) -> RecordError:
        """The error for a line."""
        return RecordError(f"{self.path}: line {line}: {reason}")

    def _advance(self) -> None:
        self._ahead = None
        try:
            raw = self._file.readline(min(RECORD_LINE_BYTES + 1, self.size - self.offset))
        except OSError as error:
            raise RecordError(f"{self.path}: {error.strerror or error}") from None
        if not raw:
            return
        self.offset += len(raw)
        self.number += 1
        if len(raw) > RECORD_LINE_BYTES:
            raise self.refuse(self.number, f"has more than {RECORD_LINE_BYTES} bytes")
        try:
            entry = loads(raw)
        except (ValueError, RecursionError):
            if not raw.endswith(b"\n"):
                self.cut = True
                return
            raise self.refuse(self.number, "not JSON in UTF-8") from None
        if not isinstance(entry, dict) or entry.get("type") not in TYPES:
            raise self.refuse(self.number, f"expected an object whose type is one of {', '.join(TYPES)}")
        self._ahead = Line(self.number, entry)


def difference(expected: Any, given: Any, at: str = "") -> str | None:
    """The first place where two JSON values differ, in words; None where they are the same.

    Types count: 1, 1.0 and true are three values.
    """
    if repr(expected) == repr(given):  # the usual case, fast
        return None
    if type(expected) is not type(given):
        return _differs(expected, given, at)
    if isinstance(expected, dict):
        for key in given:
            if key not in expected:
                return f"{at + ': ' if at else ''}{key!r} is not an entry of format {FORMAT}"
        for key in expected:
            if key not in given:
                return f"{at + '.' if at else ''}{key}: is missing"
        inner = ((f"{at}.{key}" if at else str(key), expected[key], given[key]) for key in expected)
    elif isinstance(expected, list) and len(expected) == len(given):
        inner = ((f"{at}[{i}]", a, b) for i, (a, b) in enumerate(zip(expected, given, strict=True)))
    else:
        return None if expected == given else _differs(expected, given, at)
    return next((found for where, a, b in inner if (found := difference(a, b, where))), None)


def _differs(expected: Any, given: Any, at: str) -> str:
    return f"{at}: {short(given)}, but the game gives {short(expected)}"


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"
