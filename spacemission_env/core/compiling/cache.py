"""Keeps compiled code on disk: one file for each function and signature, with a checksum.

Numba's own files are pickles that are loaded whatever is in them. Here a file is loaded only if no other user
can write to it (private_folder.py) and its checksum fits; else it is removed, and the function compiled anew.
The name of a file tells what is in it, and the checksum covers that too: there is no index to overwrite.
"""

# mypy: disable-error-code="no-untyped-call"
# (Numba has few types.)

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import stat
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from spacemission_env.core.private_folder import make_private, mine

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Numba = Any  # what is numba's own: it has few types
CHECKSUM = 32  # bytes that a file begins with
MOST = 1 << 30  # bytes of a file that is read
READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
PATIENCE = 120.0  # seconds that another process is waited for
WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def checksum(key: str, body: bytes) -> bytes:
    """Of what was compiled and what came of it."""
    digest = hashlib.sha256(key.encode())
    digest.update(b"\0")
    digest.update(body)
    return digest.digest()


def read_checked(path: Path, key: str) -> bytes | None:
    """What `write_checked` wrote under this key; None where it is not there, damaged, or not this user's."""
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
    """Write a file as a whole, for this user alone. OSError where the disk does not take it; no file then."""
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
    """Run the block while no other process compiles the same: wait for one that does.

    Its lock goes with it, however it ends; it is waited for `PATIENCE` at most. Without a cache, or on a
    system without such locks, nobody waits.
    """
    if fcntl is None or not isinstance(cache, CodeCache):
        yield
        return
    path = cache.lock_of(sig, target_context)
    try:
        descriptor = os.open(path, LOCK, 0o600)
    except OSError:  # a folder that can only be read
        yield
        return
    try:
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
    """How numba takes a compiled function apart and puts it together; without its choice of a folder."""

    def __init__(self, function: Callable[..., Numba]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = SimpleNamespace(_py_file=inspect.getfile(function))


class CodeCache(FunctionCache):
    """The cache of one function, in a folder of this user (private_folder.py)."""

    def __init__(self, function: Callable[..., Numba], folder: Path) -> None:
        """`folder` stands for all that the function is compiled from: other sources, another folder."""
        self._name, self._py_func, self._impl = repr(function), function, _Pieces(function)
        self._folder, self._cache_path = folder, str(folder)
        file = inspect.getfile(function)
        # The module too: copies of a function (core/batch.py) are bound to several games.
        where = hashlib.sha256(f"{os.path.abspath(file)} {function.__module__}".encode()).hexdigest()[:8]
        self._stem = f"{Path(file).stem}.{function.__name__}-{self._impl._lineno}-{where}"
        self.enable()

    def load_overload(self, sig: Numba, target_context: Numba) -> Numba:
        """The function as it was compiled for a signature, or None."""
        target_context.refresh()
        if not self._enabled:
            return None
        path, key = self._place(sig, target_context.codegen())
        body = read_checked(path, key)
        if body is not None:
            with suppress(Exception):  # whatever is wrong with it, compiling it anew is the answer
                return self._impl.rebuild(target_context, pickle.loads(body))
        with suppress(OSError):
            path.unlink()
        return None

    def save_overload(self, sig: Numba, data: Numba) -> None:
        """Keep what was compiled for a signature, if the disk takes it."""
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

    def holds_any(self) -> bool:
        """Whether the function was kept for any signature."""
        return any(True for _ in self._folder.glob(f"{self._stem}-*"))

    def lock_of(self, sig: Numba, target_context: Numba) -> Path:
        """A file that whoever compiles the function for a signature holds locked."""
        path, _ = self._place(sig, target_context.codegen())
        return path.with_name(f"lock.{path.name}")

    def flush(self) -> None:
        """Forget all that was kept of the function."""
        with suppress(OSError):
            for file in self._folder.glob(f"{self._stem}-*"):
                file.unlink()

    def _place(self, sig: Numba, codegen: Numba) -> tuple[Path, str]:
        key = repr((self._index_key(sig, codegen), self._stem))
        return self._folder / f"{self._stem}-{hashlib.sha256(key.encode()).hexdigest()[:24]}", key
