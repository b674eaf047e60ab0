"""Reads untrusted files with limits; each error is one line with place and reason.

Only regular files are read (a FIFO may never end), and text must be strict UTF-8. Limits on lines, nesting
and numbers keep a parser from using minutes, all memory or the whole stack.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from spacemission_env.core.errors import SetupError, SpaceMissionError, shown

Json = dict[str, Any]  # an object of JSON
T = TypeVar("T")

KIB = 1 << 10
MIB = 1 << 20

# The largest file of each kind, in bytes.
COMPONENTS_BYTES = 256 * KIB
EXPERIMENT_BYTES = 64 * KIB
WEIGHTS_TABLE_BYTES = 512 * KIB  # weights of `heuristic`
PROBES_BYTES = 512 * KIB
CARD_BYTES = MIB
PICTURE_BYTES = 64 * MIB
STATE_BYTES = 4 << 30  # checkpoint of a training run
RECORD_LINE_BYTES = 256 * KIB  # a whole record file may have any size

LINE = 64 * KIB  # maximum number of characters of a line of TOML
DEPTH = 32  # maximum nesting of lists and tables
TOO_DEEP = f"lists and tables more than {DEPTH} deep"
DIGITS = 40  # maximum number of digits of a whole number
DOTS = 32  # maximum number of parts of a dotted key, because parsing time grows with its square

_NO_DOTS = re.compile(r"[^.,=\n\[\]{}]+")


def open_regular(path: str | Path, error: type[SpaceMissionError], where: str) -> BinaryIO:
    """Open a regular file for reading; the error message begins with `where`."""
    try:
        # O_NONBLOCK: opening a FIFO without a writer would never return.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        number = os.open(Path(path), flags | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError as refused:
        raise error(f"{where}: {refused.strerror or refused}") from refused
    except (OSError, ValueError) as refused:  # ValueError: a path with a NUL
        reason = getattr(refused, "strerror", None) or str(refused)
        if getattr(refused, "errno", None) == errno.ENXIO:  # a socket
            reason = "is not a regular file"
        raise error(f"{where}: {reason}") from refused
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        reason = os.strerror(errno.EISDIR) if stat.S_ISDIR(mode) else "is not a regular file"
        raise error(f"{where}: {reason}")
    return os.fdopen(number, "rb")


def checked_path(path: object, what: str) -> Path:
    """A path from a user; SetupError, beginning with `what`, if it cannot be one."""
    if not isinstance(path, str | Path) or "\0" in str(path):
        raise SetupError(f"{what}: expected a path, not {shown(path)}")
    return Path(path)


def read_bytes(path: str | Path, most: int, error: type[SpaceMissionError], where: str) -> bytes:
    """Read a regular file of at most `most` bytes.

    Raises:
        SpaceMissionError: of the type `error`; the message begins with `where`.
    """
    with open_regular(path, error, where) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            data = file.read(min(size, most) + 1)  # one more byte shows that the file grows
        except OSError as refused:
            raise error(f"{where}: {refused.strerror or refused}") from None
    if size > most or len(data) > most:
        raise error(f"{where}: larger than the maximum of {most} bytes")
    return data


def read_toml(path: str | Path, most: int, error: type[SpaceMissionError], where: str) -> Json:
    """The table of a TOML file; see `read_bytes` and `parse_toml`."""
    return parse_toml(read_bytes(path, most, error, where), error, where)


def parse_toml(data: bytes | str, error: type[SpaceMissionError], where: str) -> Json:
    """Parse TOML within the limits.

    Raises:
        SpaceMissionError: of the type `error`; the message begins with `where`.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        _check_lines(text)
        return check_plain(tomllib.loads(text))
    except (ValueError, RecursionError) as refused:
        raise error(f"{where}: not TOML: {_reason(refused)}") from None


def parse_json(data: bytes, error: type[SpaceMissionError], where: str) -> Any:
    """Parse JSON within the limits.

    Raises:
        SpaceMissionError: of the type `error`; the message begins with `where`.
    """
    try:
        return loads(data)
    except (ValueError, RecursionError) as refused:
        raise error(f"{where}: not JSON: {_reason(refused)}") from None


def loads(data: bytes) -> Any:
    """Parse JSON in UTF-8 within the limits; ValueError or RecursionError if it is not valid."""
    value = json.loads(data.decode("utf-8"))
    if (
        data.count(b"[") + data.count(b"{") > DEPTH or len(data) > 4 * KIB
    ):  # smaller data cannot nest too deep, nor have integers too long to print
        check_plain(value)
    return value


def _reason(refused: BaseException) -> str:
    if isinstance(refused, RecursionError):
        return TOO_DEEP
    return (str(refused) or type(refused).__name__).splitlines()[0]


def _check_lines(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LINE:
            raise ValueError(f"line {number} has more than {LINE} characters")
    for number, line in enumerate(_NO_DOTS.sub("", text).split("\n"), 1):
        if "." * DOTS in line:
            raise ValueError(f"line {number}: a key of more than {DOTS} parts")


def check_plain(whole: T, depth: int = 1) -> T:
    """Return plain data; refuse deep nesting and integers that are too long to print.

    Raises:
        ValueError, RecursionError: a limit is exceeded.
    """
    if isinstance(whole, dict | list):
        if depth > DEPTH:
            raise RecursionError(TOO_DEEP)
        for value in whole.values() if isinstance(whole, dict) else whole:
            check_plain(value, depth + 1)
    elif isinstance(whole, int) and abs(whole) >= 10**DIGITS:
        raise ValueError(f"a whole number of more than {DIGITS} digits")
    return whole
