"""Finds what a game has for owners who enter their own box, by the group `spacemission.games.components`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from spacemission_env.core.errors import ComponentsError, SetupError, shown
from spacemission_env.core.game_spec import Components, find_game, load_of_game
from spacemission_env.core.reading import COMPONENTS_BYTES, Json, parse_toml, read_bytes

GROUP = "spacemission.games.components"
C = TypeVar("C")


@dataclass(frozen=True)
class ComponentsFiles:
    """What `spacemission components` asks a game for.

    Attributes:
        name: of the game.
        load: components from a path, or None for those that ship; as `GameSpec.load_components`.
        shipped: name of the file that ships.
        new_text: text of a file to fill in, from the name that it will have.
        summary: components to what `check --json` says of them.
        print_summary: the same for people.
        everything: components to what `show --json` says.
        print_everything: the same for people; it ends with the summary or what is like it.
    """

    name: str
    load: Callable[[object], Components]
    shipped: str
    new_text: Callable[[str], str]
    summary: Callable[..., Json]  # of the game's own components, as the following
    print_summary: Callable[..., None]
    everything: Callable[..., Json]
    print_everything: Callable[..., None]


def load_source(
    source: object, kind: type[C], shipped: Callable[[], C], parse: Callable[[bytes, str], C]
) -> C:
    """Components as they are, from the path of a file, or those that ship (None).

    Args:
        source: what a user gives.
        kind: the class of the game's components.
        shipped: gives those that ship.
        parse: components from the bytes of a file, and its name in errors.

    Raises:
        ComponentsError: naming the file and what is wrong.
    """
    if isinstance(source, kind):
        return source
    if source is None:
        return shipped()
    if not isinstance(source, str | Path):
        raise ComponentsError(f"components: expected a path or None, not {shown(source)}")
    text = read_bytes(source, COMPONENTS_BYTES, ComponentsError, f"components file {str(source)!r}")
    return parse(text, str(source))


def parse_tables(text: object, where: str) -> Json:
    """The tables of a components file from its bytes; ComponentsError names `where`."""
    if not isinstance(text, bytes):
        raise ComponentsError(f"{where}: expected the bytes of a file, not {shown(text)}")
    return parse_toml(text, ComponentsError, where)


def find_components_files(game: str) -> ComponentsFiles:
    """What there is for a game.

    Raises:
        SetupError: no such game is installed, or it has no components file.
    """
    found = load_of_game(GROUP, game, ComponentsFiles)
    if found is None:
        raise SetupError(f"game {find_game(game).name!r}: it has no components file")
    return found
