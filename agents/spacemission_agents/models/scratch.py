"""Lends scratch buffers to threads, so that threads can share an agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class ScratchPool(Generic[T]):
    """A pool of scratch buffers; `make` makes another one when all are in use."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._free: list[T] = []

    @contextmanager
    def lend(self) -> Iterator[T]:
        """A buffer for this thread alone; after an error it is dropped, because it may be half written."""
        try:
            scratch = self._free.pop()  # atomic: no other thread gets the same buffer
        except IndexError:
            scratch = self._make()
        yield scratch
        self._free.append(scratch)
