"""Files of a run's folder: written whole or not at all, and one process at a time."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spacemission_env.core.errors import SpaceMissionError

try:
    import fcntl
except ImportError:  # no flock on this system: nothing keeps two runs apart there
    fcntl = None  # type: ignore[assignment]

LOCK_FILE = ".lock"  # held by the process that trains; the system lets go of it however that dies
# What a killed process may leave: files and model folders that were not yet in their place.
_ASIDE = re.compile(r"\.(.+)\.([0-9]+|[0-9a-f]{8}(\.old)?)")


class OutputError(SpaceMissionError):
    """A folder or file that a run may not or cannot write."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all.

    Raises:
        OutputError: naming the file and why it cannot be written; an older one is still there then.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(aside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None


def is_blank(folder: Path) -> bool:
    """Whether nothing is in a folder but what a killed process left half done there."""
    return all(_ASIDE.fullmatch(path.name) for path in folder.iterdir())


def new_folder(folder: Path) -> None:
    """Make a folder for what a command will write, before that has cost any time; an empty one will do.

    Raises:
        OutputError: something is there, or it cannot be made.
    """
    try:
        if folder.exists() and (not folder.is_dir() or not is_blank(folder)):
            raise OutputError(f"{folder}: exists and is not an empty folder; choose another --out")
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise OutputError(f"{folder}: cannot be written: Permission denied")
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror or error}") from None


def sweep(folder: Path) -> None:
    """Remove what a killed process left half done there; only by whoever holds the folder (`held`)."""
    for path in list(folder.iterdir()) if folder.is_dir() else []:
        if _ASIDE.fullmatch(path.name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def held(out: Path) -> Iterator[None]:
    """Keep other processes from training in this folder while the block runs.

    Raises:
        OutputError: another process trains there.
    """
    if fcntl is None:
        yield
        return
    try:
        file = open(out / LOCK_FILE, "ab")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror or error}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(f"{out}: another process is training there") from None
        yield


def is_held(out: Path) -> bool:
    """Whether a process is training in this folder."""
    if fcntl is None:
        return False
    try:
        with open(out / LOCK_FILE, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
