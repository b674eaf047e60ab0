"""Scratch memory of compiled code, lent to one thread at a time, so that threads can share an agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Tool = TypeVar("Tool")


class Lent(Generic[Tool]):
    """Tools of one kind, made when all others are in use: as many as are ever used at once."""

    def __init__(self, make: Callable[[], Tool]) -> None:
        """`make` makes one."""
        self._make = make
        self._free: list[Tool] = []

    @contextmanager
    def lend(self) -> Iterator[Tool]:
        """A tool that nobody else has meanwhile."""
        try:
            tool = self._free.pop()  # in one step: no other thread gets the same
        except IndexError:
            tool = self._make()
        try:
            yield tool
        finally:
            self._free.append(tool)
