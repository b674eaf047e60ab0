"""What a game has for owners who enter their own box: found by the game's name.

It stands in the entry-point group `spacemission.games.components`; a game without one has no components file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

from spacemission_env.core.errors import ComponentsError, SetupError, shown
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import COMPONENTS_BYTES, parse_toml, read_bytes

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
    load: Callable[[Path | None], Any]
    shipped: str
    new_text: Callable[[str], str]
    summary: Callable[[Any], dict[str, Any]]
    print_summary: Callable[[Any], None]
    everything: Callable[[Any], dict[str, Any]]
    print_everything: Callable[[Any], None]


def load_source(source: Any, kind: type[C], shipped: Callable[[], C], parse: Callable[[bytes, str], C]) -> C:
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


def parse_tables(text: Any, where: str) -> dict[str, Any]:
    """The tables of a components file from its bytes; ComponentsError names `where`."""
    if not isinstance(text, bytes):
        raise ComponentsError(f"{where}: expected the bytes of a file, not {shown(text)}")
    return parse_toml(text, ComponentsError, where)


def find_components_files(game: str) -> ComponentsFiles:
    """What there is for a game.

    Raises:
        SetupError: no such game is installed, or it has no components file.
    """
    for entry in entry_points(group=GROUP):
        if entry.name == game:
            found = entry.load()
            if not isinstance(found, ComponentsFiles) or found.name != game:
                raise SetupError(f"game {game!r}: {entry.value} is no ComponentsFiles of this name")
            return found
    raise SetupError(f"game {find_game(game).name!r}: it has no components file")
