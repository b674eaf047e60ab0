"""Compiles functions on demand, with a disk cache that cannot go stale (README.md).

The cache folder's name is a digest of every source that compiled code can depend on, of the versions of
Python, numpy and numba, and of numba's switches: an edit or an upgrade gets a new folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numba
import numpy as np

from spacemission_env.core.compiling.cache import CodeCache, Numba
from spacemission_env.core.private_folder import code_folder

try:
    from spacemission_env.core.compiling.linking import LinkedDispatcher
except (ImportError, AttributeError):  # another version of numba than those that linking.py knows
    LinkedDispatcher = None  # type: ignore[assignment,misc]

KEPT_FOLDERS = 36  # of the cache; those longest unused are removed
# How it is compiled, and what the compiled code of every game is made from beside its own folder.
SHARED = (
    Path(__file__).with_name("linking.py"),
    Path(__file__).with_name("passes.py"),
    *(Path(__file__).parents[1] / f"{name}.py" for name in ("batch", "constants", "layout", "rng")),
)
DIGITS = 20  # of a folder's name
# Numba's switches that change compiled code (NUMBA_BOUNDSCHECK …); its own cache does not tell them apart.
SWITCHES = (
    "BOUNDSCHECK",
    "OPT",
    "DEBUGINFO_DEFAULT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "DISABLE_INTEL_SVML",
)


def sources_digest(*sources: Path) -> str:
    """Digest of the tool versions and switches, and of the names and bytes of files: the `SHARED` ones, these
    and all Python files that lie in one of these folders (in itself: folders below it do not count).
    """
    switches = [str(getattr(numba.config, name, None)) for name in SWITCHES]
    digest = hashlib.sha256(f"{sys.version}|{np.__version__}|{numba.__version__}|{switches}".encode())
    for source in (*SHARED, *sources):
        for file in sorted(source.glob("*.py")) if source.is_dir() else [source]:
            digest.update(f"\0{file.name}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:DIGITS]


def _touch(folder: Path) -> None:
    with suppress(OSError):  # a read-only cache works as well
        os.utime(folder)


def _prune(root: Path, keep: Path) -> None:
    """Remove the folders of compiled code that were longest unused; nothing else that may lie there."""
    try:
        ours = [f for f in root.iterdir() if re.fullmatch(f"[0-9a-f]{{{DIGITS}}}", f.name)]
        folders = sorted((f for f in ours if f.is_dir()), key=lambda f: f.lstat().st_mtime)
        for old in folders[:-KEPT_FOLDERS]:
            if old != keep:
                shutil.rmtree(old, ignore_errors=True)
    except OSError:
        pass  # another process prunes too; the cache is only a convenience


def _dispatcher(function: Callable[..., Numba]) -> Numba:
    options: Numba = {"nogil": True, "error_model": "numpy"}
    if numba.config.DISABLE_JIT or LinkedDispatcher is None:  # type: ignore[attr-defined]
        return numba.njit(**options)(function)
    return LinkedDispatcher(py_func=function, targetoptions={**options, "nopython": True})


class Njit:
    """A decorator like ``numba.njit(cache=True, nogil=True)``; its cache is keyed by some sources.

    Attributes:
        sources: files, or folders of files, that the compiled functions are made from.
    """

    def __init__(self, sources: tuple[Path, ...]) -> None:
        """With these sources, beside the `SHARED` ones."""
        config: Numba = numba.config
        self.sources = sources
        self._folder = None if config.DISABLE_JIT else code_folder(sources_digest(*sources))
        if self._folder is not None:
            _touch(self._folder)
            if not any(self._folder.iterdir()):
                _prune(self._folder.parent, self._folder)

    def once(self, function: Callable[..., Numba]) -> Numba:
        """The same, for a large function that does no arithmetic on rows of numbers: its code is optimised in
        one round, which takes less time.
        """
        compiled = self(function)
        compiled.once = True
        return compiled

    def __call__(self, function: Callable[..., Numba]) -> Numba:
        """The function, compiled when it is called first."""
        compiled: Numba = _dispatcher(function)
        if self._folder is not None:
            compiled._cache = CodeCache(function, self._folder)  # as numba's `enable_caching` does
        return compiled


def make_njit(*sources: Path | Njit) -> Njit:
    """A decorator whose cache follows these sources: files, folders, and what other decorators follow.

    Name all that the compiled functions are made from, and no more: any edit there compiles them anew.
    Without the interpreter's lock (nogil) threads can work side by side.
    """
    each = [one.sources if isinstance(one, Njit) else (one,) for one in sources]
    return Njit(tuple(dict.fromkeys(source for group in each for source in group)))
