"""Folders that only this user can write to: what is read from them is run, so nobody else may put it there.

Compiled code is kept as pickles. Whoever can write one, or swap the folder that it lies in, runs code as the
user who reads it. Where a system has no user ids (Windows) the folders are taken as they are: there the
user's folders are private by their place.
"""

from __future__ import annotations

import atexit
import logging
import multiprocessing
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

CHOSEN = "SPACEMISSION_CACHE_DIR"
OTHERS = stat.S_IWGRP | stat.S_IWOTH
_told: list[str] = []  # one line is enough


def mine(status: os.stat_result) -> bool:
    """Whether a file or folder is this user's or the system's, and no other user may write to it."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & OTHERS


def why_unsafe(path: Path) -> str | None:
    """Why others could put files into this folder, or put another one in its place; None where they cannot.

    A link is not followed where the folder itself is expected. What is not there yet is judged by the folders
    above it.
    """
    try:
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode):
            return f"{path} is not a folder (a link is not followed)"
        if not mine(status):
            return f"{path} belongs to another user or others may write to it"
    except FileNotFoundError:
        pass
    except OSError as error:
        return f"{path}: {error.strerror}"
    for above in {*path.absolute().parents, *path.parent.resolve().parents, path.parent.resolve()}:
        with suppress(OSError):
            if not _held(above.lstat()):
                return f"{above} belongs to another user or others may write to it"
    return None


def _held(status: os.stat_result) -> bool:
    # Whether nobody else can replace what is in a folder: in one with the sticky bit, only its owner can. A
    # group that is the user's own is as good as the user.
    if not hasattr(os, "geteuid") or stat.S_ISLNK(status.st_mode):
        return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0)
    if status.st_uid not in (os.geteuid(), 0):
        return False
    own_group = stat.S_IWGRP if status.st_gid == os.getegid() else 0
    return bool(status.st_mode & stat.S_ISVTX) or not status.st_mode & OTHERS & ~own_group


def make_private(folder: Path) -> str | None:
    """Make a folder, and those above it that are missing, for this user alone; None, or why it is not to be
    used. One that is there and safe is used as it is, also where it can only be read.
    """
    why = why_unsafe(folder)
    if why is None and not folder.is_dir():
        missing = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
        try:
            for one in reversed(missing):
                with suppress(FileExistsError):  # another process made it
                    one.mkdir(0o700)
        except OSError as error:
            return f"{folder}: {error.strerror}"
        why = why_unsafe(folder)
    return why


def code_folder(name: str) -> Path | None:
    """The folder `name` for compiled code, there and safe, or None where there is no place for one.

    It lies in $SPACEMISSION_CACHE_DIR or in the user's cache; where that does not do, in the system's
    temporary folder, under a name of this user; where somebody else has taken that name, in a fresh folder
    for this process and those that it starts.
    """
    first = None
    for root in _roots():
        why = make_private(root / name)
        if why is None:
            if first and os.environ.get(CHOSEN):
                _tell(f"compiled code is kept in {root}, not in ${CHOSEN}: {first}")
            return root / name
        first = first or why
    fresh = _fresh_root()
    if fresh is None:
        _tell(f"compiled code is not kept, so every start is slow: {first}")
        return None
    _tell(f"compiled code is kept for this run only, so every start is slow: {first}")
    return fresh / name if make_private(fresh / name) is None else None


def _roots() -> list[Path]:
    roots = []
    chosen = os.environ.get(CHOSEN)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if chosen:
        roots.append(Path(chosen).absolute())
    elif os.path.isabs(home):
        roots.append(Path(home) / "spacemission_env")
    with suppress(OSError):  # on a full disk there is no temporary folder
        user = os.geteuid() if hasattr(os, "geteuid") else "user"
        roots.append(Path(tempfile.gettempdir()) / f"spacemission_env-{user}")
    return roots


def _fresh_root() -> Path | None:
    try:
        root = tempfile.mkdtemp(prefix="spacemission_env-")
    except OSError:
        return None
    os.environ[CHOSEN] = root  # this process and its workers go on with it
    maker = os.getpid()

    def remove() -> None:
        if os.getpid() == maker:
            shutil.rmtree(root, ignore_errors=True)

    atexit.register(remove)
    return Path(root)


def _tell(line: str) -> None:
    if not _told and multiprocessing.parent_process() is None:
        _told.append(line)
        logging.getLogger("spacemission_env").warning("spacemission_env: %s", line)
