"""Compiles functions on demand, with a disk cache that cannot be stale (README.md).

The cache folder's name is a digest of every source that compiled code depends on, of the versions of Python,
numpy and numba, and of numba's switches. After an edit or an upgrade a new folder is used.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numba
import numpy as np
from numba.core.ir import Loc

from spacemission_env.core.compiling.cache import CodeCache, Numba
from spacemission_env.core.errors import CompileError
from spacemission_env.core.private_folder import code_folder

try:
    from spacemission_env.core.compiling.linking import LinkedDispatcher
except (ImportError, AttributeError):  # a numba version that linking.py does not support
    LinkedDispatcher = None  # type: ignore[assignment,misc]

KEPT_FOLDERS = 36  # cache folders to keep
# Sources of the compiled code of every game, besides the game's own.
SHARED = (
    Path(__file__).with_name("linking.py"),
    *(Path(__file__).parents[1] / f"{name}.py" for name in ("batch_template", "constants", "layout", "rng")),
)
DIGITS = 20  # hexadecimal digits of a folder's name
# Numba's switches that change compiled code (NUMBA_BOUNDSCHECK …); numba's own cache ignores them.
SWITCHES = (
    "BOUNDSCHECK",
    "OPT",
    "DEBUGINFO_DEFAULT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "DISABLE_INTEL_SVML",
)


def sources_digest(*sources: Path) -> str:
    """Digest of tool versions, switches, and the names and contents of source files.

    The files are the `SHARED` ones, `sources`, and the Python files directly in folders among `sources`.
    """
    switches = [str(getattr(numba.config, name, None)) for name in SWITCHES]
    digest = hashlib.sha256(f"{sys.version}|{np.__version__}|{numba.__version__}|{switches}".encode())
    for source in (*SHARED, *sources):
        for file in sorted(source.glob("*.py")) if source.is_dir() else [source]:
            digest.update(f"\0{file.name}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:DIGITS]


def _touch(folder: Path) -> None:
    with suppress(OSError):  # the cache may be read-only
        os.utime(folder)


def _prune(root: Path, keep: Path) -> None:
    """Remove the least recently used cache folders, and nothing else."""
    try:
        ours = [f for f in root.iterdir() if re.fullmatch(f"[0-9a-f]{{{DIGITS}}}", f.name)]
        folders = sorted((f for f in ours if f.is_dir()), key=lambda f: f.lstat().st_mtime)
        for old in folders[:-KEPT_FOLDERS]:
            if old != keep:
                shutil.rmtree(old, ignore_errors=True)
    except OSError:
        pass  # another process may prune at the same time


def _dispatcher(function: Callable[..., Numba]) -> Numba:
    options: Numba = {"nogil": True, "error_model": "numpy"}
    if numba.config.DISABLE_JIT or LinkedDispatcher is None:  # type: ignore[attr-defined]
        return numba.njit(**options)(function)
    return LinkedDispatcher(py_func=function, targetoptions={**options, "nopython": True})


def _with_place(compile_for: Callable[..., Numba], name: str) -> Callable[..., Numba]:
    # Replace numba's errors, which have many lines, by one line that names the author's file and line.
    def named(*args: Numba, **options: Numba) -> Numba:
        try:
            return compile_for(*args, **options)
        except Exception as error:
            raise refusal(name, error) from error

    return named


class Njit:
    """A decorator like ``numba.njit(cache=True, nogil=True)`` whose cache depends on given sources.

    Attributes:
        sources: files, or folders of files, that the compiled functions depend on.
    """

    def __init__(self, sources: tuple[Path, ...]) -> None:
        """Depend on these sources and the `SHARED` ones."""
        config: Numba = numba.config
        self.sources = sources
        self._folder = None if config.DISABLE_JIT else code_folder(sources_digest(*sources))
        if self._folder is not None:
            _touch(self._folder)
            if not any(self._folder.iterdir()):
                _prune(self._folder.parent, self._folder)

    def once(self, function: Callable[..., Numba]) -> Numba:
        """Compile with one round of optimisation, which is faster; for large functions without loops over
        numbers.
        """
        compiled = self(function)
        compiled.once = True
        return compiled

    def __call__(self, function: Callable[..., Numba]) -> Numba:
        """Return the function, to be compiled on its first call."""
        compiled: Numba = _dispatcher(function)
        if compiled is not function:
            compiled._compile_for_args = _with_place(compiled._compile_for_args, function.__name__)
        if self._folder is not None:
            compiled._cache = CodeCache(function, self._folder)  # as `enable_caching` does
        return compiled


def make_njit(*sources: Path | Njit) -> Njit:
    """Make a decorator whose cache depends on files, on folders and on the sources of other decorators.

    Name all sources of the compiled functions, and no others, because any edit there compiles them anew.
    Compiled functions release the GIL (nogil), so threads run in parallel.
    """
    each = [one.sources if isinstance(one, Njit) else (one,) for one in sources]
    return Njit(tuple(dict.fromkeys(source for group in each for source in group)))


# ---------------------------------------------------------------- what numba refuses, in one line

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PLACE = re.compile(r'File "([^"]+)", line (\d+)|(\S+\.py) \((\d+)\)')
_CALLED = re.compile(r"resolving callee type: type\(\w+\(<function (\w+) at")
_STEP = "Failed in nopython mode pipeline"  # numba's headings; the reason follows


def refusal(name: str, error: Exception) -> CompileError:
    """The error to raise in place of numba's when the function `name` does not compile."""
    text = _COLOUR.sub("", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(_STEP)]
    reason = lines[0] if lines else "no message"
    if not type(error).__module__.startswith("numba"):
        reason = f"{type(error).__name__}: {reason}"
    place = _told(text) or _working_on(error)
    return CompileError(f"{name}: cannot be compiled: {reason}" + (f" ({place})" if place else ""))


def _told(text: str) -> str | None:
    # Numba names the innermost place first.
    for found in _PLACE.finditer(text):
        file, line = found[1] or found[3], found[2] or found[4]
        if _theirs(file):
            called = _CALLED.search(text, 0, found.start())  # then only the place of the call is known
            return f"{os.path.basename(file)}:{line}" + (f", calling {called[1]}" if called else "")
    return None


def _working_on(error: Exception) -> str | None:
    # The last place that numba was working on, for errors that name no place, such as one on a wrong field.
    place = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            where = getattr(value, "__dict__", {}).get("loc", value)
            if isinstance(where, Loc) and _theirs(where.filename):
                place = f"{os.path.basename(where.filename)}:{where.line}"
    return place


def _theirs(file: str) -> bool:
    return "site-packages" not in file and "dist-packages" not in file
