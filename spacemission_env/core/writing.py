"""Writes files: whole or not at all, or by one writer at a time who holds a lock until it closes them."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # no flock on this system: nothing keeps two writers apart there
    fcntl = None  # type: ignore[assignment]

TRIES = 20


class TakenError(OSError):
    """Somebody else has the file open for writing: another process, or another object of this one."""


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all, in the place of an older one. Raises OSError."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        aside.write_bytes(data)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def open_alone(path: str) -> tuple[BinaryIO, bool, bool]:
    """Open a file for appending, by itself; what is there is left alone.

    Only regular files are locked: what goes to a terminal or a pipe may come from several.

    Returns:
        The file, unbuffered; whether it was made; whether it is a regular file.

    Raises:
        OSError: it cannot be opened; `TakenError`: another has it.
    """
    for _ in range(TRIES):
        created = not os.path.exists(path)
        file = open(path, "ab", buffering=0)  # noqa: SIM115 (the caller closes it)
        regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        if not regular or fcntl is None:
            return file, created, regular
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise TakenError(f"{path} is taken") from None
        except OSError:  # a file system without locks
            return file, created, regular
        if _still_there(path, file):
            return file, created, regular
        file.close()  # who had it before has removed it in the meantime
    raise TakenError(f"{path} is taken")


def _still_there(path: str, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
