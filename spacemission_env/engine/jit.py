"""Compilation on demand with a disk cache that cannot go stale.

Numba's own cache compares one file's time stamp, so it misses a changed function of another
file. Here the cache folder's name is a digest of every source that compiled code can depend on
(and of the Python, numpy and numba versions): an edit or an upgrade gets a new folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import numpy as np

KEPT_FOLDERS = 24  # of the cache; those longest unused are removed


def sources_digest(*sources: Path) -> str:
    """Digest of the tool versions, of whether indices are checked (NUMBA_BOUNDSCHECK), and of the names and
    bytes of these files and of every Python file that lies in one of these folders (in itself: those in
    folders below it do not count).
    """
    versions = f"{sys.version}|{np.__version__}|{numba.__version__}|{_config().BOUNDSCHECK}"
    digest = hashlib.sha256(versions.encode())
    for source in sources:
        for file in sorted(source.glob("*.py")) if source.is_dir() else [source]:
            digest.update(f"\0{file.name}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


def _config() -> Any:
    return numba.config  # whose names are made when it is imported


def cache_root() -> Path:
    """Where compiled code is kept: $SPACEMISSION_CACHE_DIR, the user's cache, or a temporary folder."""
    chosen = os.environ.get("SPACEMISSION_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = Path(chosen) if chosen else Path(home) / "spacemission_env"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except OSError:
        pass
    return (
        Path(tempfile.gettempdir()) / f"spacemission_env-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    )


def _touch(folder: Path) -> None:
    with suppress(OSError):  # a read-only cache works as well
        os.utime(folder)


def _prune(root: Path, keep: Path) -> None:
    try:
        folders = sorted((f for f in root.iterdir() if f.is_dir()), key=lambda f: f.stat().st_mtime)
        for old in folders[:-KEPT_FOLDERS]:
            if old != keep:
                shutil.rmtree(old, ignore_errors=True)
    except OSError:
        pass  # another process prunes too; the cache is only a convenience


def make_njit(*sources: Path) -> Callable[[Callable[..., Any]], Any]:
    """A decorator like ``numba.njit(cache=True, nogil=True)``; its cache is keyed by these sources: files, or
    folders of files. Name all that the compiled functions are made from, and no more: any edit there compiles
    them anew. Without the interpreter's lock (nogil) threads can work side by side.
    """
    root = cache_root()
    folder = root / sources_digest(*sources)
    if folder.exists():
        _touch(folder)
    else:
        _prune(root, folder)

    def decorate(function: Callable[..., Any]) -> Any:
        # numba reads CACHE_DIR when a function is decorated, so it is set for that moment only.
        config = _config()
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            return numba.njit(cache=True, error_model="numpy", nogil=True)(function)
        finally:
            config.CACHE_DIR = before

    return decorate


njit = make_njit(Path(__file__).parent)
