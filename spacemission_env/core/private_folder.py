"""Finds a folder for compiled code to which no other user can write.

Files in it are executed, so the user (or root) must own it and nobody else may write to it. The same holds
for each file that is read from it (compiling/cache.py). Without user ids (Windows) any folder is accepted.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

CHOSEN = "SPACEMISSION_CACHE_DIR"
OTHERS = stat.S_IWGRP | stat.S_IWOTH
_told: list[str] = []  # the warning, which is logged only once


def mine(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user or root, and no other user may write to it."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & OTHERS


def make_private(folder: Path) -> str | None:
    """Make a folder and its missing parents for this user only; return None, or why it must not be used.

    A safe existing folder may be read-only. Links are not followed.
    """
    missing = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
    try:
        for one in reversed(missing):
            with suppress(FileExistsError):  # another process made it
                one.mkdir(0o700)
        status = folder.lstat()
    except OSError as error:
        return f"{folder}: {error.strerror}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{folder} is not a folder (a link is not followed)"
    return None if mine(status) else f"{folder} belongs to another user or others may write to it"


def code_folder(name: str) -> Path | None:
    """The safe folder `name` for compiled code, or None if there is no place for it.

    It is in $SPACEMISSION_CACHE_DIR or in the user's cache; if that fails, in the system's temporary folder
    under a name with the user id.
    """
    first = None
    for root in _roots():
        why = make_private(root / name)
        if why is None:
            if first and os.environ.get(CHOSEN):
                _tell(f"compiled code is kept in {root}, not in ${CHOSEN}: {first}")
            return root / name
        first = first or why
    _tell(f"compiled code is not kept, so every start is slow: {first}")
    return None


def _roots() -> list[Path]:
    chosen = os.environ.get(CHOSEN)
    own = Path(chosen).absolute() if chosen else user_folder("XDG_CACHE_HOME", ".cache")
    roots = [own if chosen else own / "spacemission_env"] if own else []
    return [*roots, *temporary_folder()]


def user_folder(variable: str, *default: str) -> Path | None:
    """The folder that an XDG variable names, or `default` in the user's home; None if there is no home.

    `Path.home` raises RuntimeError for a user without HOME and without an entry in the list of users.
    """
    chosen, home = os.environ.get(variable, ""), os.path.expanduser("~")
    if os.path.isabs(chosen):
        return Path(chosen)
    return Path(home, *default) if os.path.isabs(home) else None


def temporary_folder() -> list[Path]:
    """List the user's folder in the system's temporary folder; empty if it cannot be used (full disk)."""
    with suppress(OSError):
        user = os.geteuid() if hasattr(os, "geteuid") else "user"
        return [Path(tempfile.gettempdir()) / f"spacemission_env-{user}"]
    return []


def _tell(line: str) -> None:
    if not _told and multiprocessing.parent_process() is None:
        _told.append(line)
        logging.getLogger("spacemission_env").warning("spacemission_env: %s", line)
