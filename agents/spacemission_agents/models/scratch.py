"""Lends scratch memory of compiled code to one thread at a time, so that threads can share an agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class ScratchPool(Generic[T]):
    """Scratch memory of one kind, made when all is in use: as much as is ever used at once."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._free: list[T] = []

    @contextmanager
    def lend(self) -> Iterator[T]:
        """Scratch memory that no other thread has meanwhile."""
        try:
            scratch = self._free.pop()  # in one step: no other thread gets the same
        except IndexError:
            scratch = self._make()
        try:
            yield scratch
        finally:
            self._free.append(scratch)
