"""Stores compiled code on disk: one file per function and signature, with a checksum.

Numba's own cache unpickles any file that it finds. This cache loads a file only if no other user can write to
it (private_folder.py) and its checksum is right; otherwise it removes the file and the function is compiled
anew. The file's name and checksum identify its content, so no index file is needed.
"""

# mypy: disable-error-code="no-untyped-call"
# (Numba has few type hints.)

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import stat
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from spacemission_env.core.heartbeat import QUIET, heartbeat, quiet
from spacemission_env.core.private_folder import make_private, mine

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Numba = Any  # objects of numba, which has few type hints
CHECKSUM = 32  # bytes of the checksum at the start of a file
MOST = 1 << 30  # bytes; a larger file is not read
READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
PATIENCE = 120.0  # seconds to wait for another process
WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def checksum(key: str, body: bytes) -> bytes:
    """SHA-256 of the key and the compiled code."""
    digest = hashlib.sha256(key.encode())
    digest.update(b"\0")
    digest.update(body)
    return digest.digest()


def read_checked(path: Path, key: str) -> bytes | None:
    """Read what `write_checked` wrote under this key; None if missing, damaged, or not this user's."""
    try:
        descriptor = os.open(path, READ)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or not mine(status) or status.st_size > MOST:
                return None
            with open(descriptor, "rb", closefd=False) as file:
                whole = file.read()
        finally:
            os.close(descriptor)
    except OSError:
        return None
    return whole[CHECKSUM:] if whole[:CHECKSUM] == checksum(key, whole[CHECKSUM:]) else None


def write_checked(path: Path, key: str, body: bytes) -> None:
    """Write a file atomically for this user only; OSError if that fails, and no file is left."""
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
    try:
        with open(os.open(part, WRITE, 0o600), "wb") as file:
            file.write(checksum(key, body))
            file.write(body)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


@contextmanager
def alone(cache: Numba, sig: Numba, target_context: Numba) -> Iterator[None]:
    """Run the block while no other process compiles the same function.

    A lock makes other processes wait at most `PATIENCE` seconds; it is released if this process ends.
    Without a cache or file locks, nothing waits.
    """
    if fcntl is None or not isinstance(cache, CodeCache):
        yield
        return
    path = cache.lock_of(sig, target_context)
    try:
        descriptor = os.open(path, LOCK, 0o600)
    except OSError:  # a read-only folder
        yield
        return
    try:
        with heartbeat(lambda: "waiting for code that another process compiles"):
            _wait(descriptor)
        yield
        with suppress(OSError):
            path.unlink()
    finally:
        os.close(descriptor)


def _wait(descriptor: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            time.sleep(0.05)


class _Pieces(CompileResultCacheImpl):
    """Numba's (de)serialisation of a compiled function, without numba's choice of a folder."""

    def __init__(self, function: Callable[..., Numba]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = SimpleNamespace(_py_file=inspect.getfile(function))


class CodeCache(FunctionCache):
    """The cache of one function, in a folder of this user (private_folder.py)."""

    def __init__(self, function: Callable[..., Numba], folder: Path) -> None:
        """`folder` is named after a digest of all sources that the function depends on."""
        self._name, self._py_func, self._impl = repr(function), function, _Pieces(function)
        self._folder, self._cache_path = folder, str(folder)
        file = inspect.getfile(function)
        # Include the module: copies of a function (core/batch_template.py) belong to several games.
        where = hashlib.sha256(f"{os.path.abspath(file)} {function.__module__}".encode()).hexdigest()[:8]
        self._stem = f"{Path(file).stem}.{function.__name__}-{self._impl._lineno}-{where}"
        self.enable()

    def load_overload(self, sig: Numba, target_context: Numba) -> Numba:
        """Load the function compiled for a signature, or None."""
        target_context.refresh()
        if not self._enabled:
            return None
        path, key = self._place(sig, target_context.codegen())
        body = read_checked(path, key)
        if body is not None:
            with suppress(Exception):  # after any error, compile anew
                return self._impl.rebuild(target_context, pickle.loads(body))
        with suppress(OSError):
            path.unlink()
        return None

    def save_overload(self, sig: Numba, data: Numba) -> None:
        """Store what was compiled for a signature, if the disk has room."""
        if not self._enabled or not self._impl.check_cachable(data):
            return
        path, key = self._place(sig, data.codegen)
        body = dumps(self._impl.reduce(data))
        with suppress(OSError):
            try:
                write_checked(path, key, body)
            except FileNotFoundError:  # another process removed the folder
                if make_private(self._folder) is None:
                    write_checked(path, key, body)

    def lock_of(self, sig: Numba, target_context: Numba) -> Path:
        """The lock file of a signature."""
        path, _ = self._place(sig, target_context.codegen())
        return path.with_name(f"lock.{path.name}")

    def flush(self) -> None:
        """Remove all stored code of the function."""
        with suppress(OSError):
            for file in self._folder.glob(f"{self._stem}-*"):
                file.unlink()

    def _place(self, sig: Numba, codegen: Numba) -> tuple[Path, str]:
        key = repr((self._index_key(sig, codegen), self._stem))
        return self._folder / f"{self._stem}-{hashlib.sha256(key.encode()).hexdigest()[:24]}", key


# ---------------------------------------------------------------- notices on standard error

LINE = f"spacemission: compiling what has not run here before, up to a minute ({QUIET}=1 hides this line)"
_said: list[str] = []


def announce_compiling() -> None:
    """Print `LINE` once per process; call this when a function is not in the cache."""
    if not (_said or quiet()):
        _said.append(LINE)
        print(LINE, file=sys.stderr, flush=True)


@contextmanager
def compiling() -> Iterator[None]:
    """Announce that the block compiles, and repeat this while it runs (`heartbeat`)."""
    announce_compiling()
    with heartbeat(lambda: "compiling"):
        yield
