"""What is named in text: "module:name", and the entries that packages have in an entry-point group."""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from spacemission_env.core.errors import SetupError

T = TypeVar("T")


def load_named(text: str) -> Any:
    """What "module:name" names."""
    module, _, name = text.partition(":")
    return getattr(importlib.import_module(module), name)


def entries_of(*groups: str) -> dict[str, EntryPoint]:
    """The entries of some groups by their names; of one name in two groups the later group's counts."""
    return {entry.name: entry for group in groups for entry in entry_points(group=group)}


def load_of_game(group: str, game: str, kind: type[T]) -> T | None:
    """What an entry-point group has of a game, by the game's name; None where it has nothing.

    Raises:
        SetupError: the entry is of another kind, or of another game.
    """
    entry = entries_of(group).get(game)
    if entry is None:
        return None
    found = entry.load()
    if not isinstance(found, kind) or getattr(found, "name", None) != game:
        raise SetupError(f"game {game!r}: {entry.value} is no {kind.__name__} of this name")
    return found
