"""Writes files atomically, or appends to them under a lock."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # without flock, two writers are not kept apart
    fcntl = None  # type: ignore[assignment]

TRIES = 20


class TakenError(OSError):
    """Another process or object has the file open for writing."""


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, data: bytes, synced: bool = False) -> None:
    """Write a file atomically, replacing an older one; OSError if that fails."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        write_synced(aside, data) if synced else aside.write_bytes(data)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def open_alone(path: str) -> tuple[BinaryIO, bool]:
    """Open a regular file for appending under an exclusive lock; keep its contents.

    Returns:
        The unbuffered file; whether it was created.

    Raises:
        OSError: the file cannot be opened; `TakenError`: another writer has it.
    """
    for _ in range(TRIES):
        created = not os.path.exists(path)
        if not created and not os.path.isfile(path):
            raise OSError("is not a regular file")
        file = open(path, "ab", buffering=0)  # noqa: SIM115 (the caller closes it)
        if fcntl is None:
            return file, created
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise TakenError(f"{path} is taken") from None
        except OSError:  # a file system without locks
            return file, created
        if _still_there(path, file):
            return file, created
        file.close()  # its last writer has removed it meanwhile
    raise TakenError(f"{path} is taken")


def _still_there(path: str, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
