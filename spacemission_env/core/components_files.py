"""Finds a game's tools for components files (entry-point group `spacemission.games.components`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TypeVar

from spacemission_env.core.errors import ComponentsError, SetupError, shown
from spacemission_env.core.game_spec import Components, find_game, load_of_game
from spacemission_env.core.reading import COMPONENTS_BYTES, Json, parse_toml, read_bytes

GROUP = "spacemission.games.components"
C = TypeVar("C")


@dataclass(frozen=True)
class ComponentsFiles:
    """The functions of one game that the command `spacemission components` calls.

    Attributes:
        name: the game's name.
        load: components from a path, or the default ones (None); as `GameSpec.load_components`.
        shipped: name of the default file.
        new_text: (file name) → text of a file to fill in.
        summary: (components) → what `check --json` prints.
        print_summary: print the summary for people.
        everything: (components) → what `show --json` prints.
        print_everything: print everything for people; ends with a summary.
    """

    name: str
    load: Callable[[object], Components]
    shipped: str
    new_text: Callable[[str], str]
    summary: Callable[..., Json]  # takes the game's own components, as do the next three
    print_summary: Callable[..., None]
    everything: Callable[..., Json]
    print_everything: Callable[..., None]


TINY = "tiny"  # name of a second file that ships; its game is small enough for exact solutions


def load_source(
    source: object, kind: type[C], package: str, default: str, read: Callable[[Json, str], C]
) -> C:
    """Load components from a file: the default file for None, the tiny one for `TINY`, or one at a path.

    If `source` is already components, return it.

    Args:
        source: what a user gives: a path, None, `TINY`, or components.
        kind: the class of the game's components.
        package: the package with the files that ship.
        default: name of the default file.
        read: takes a file's table and the name that errors give the file; returns the components.

    Raises:
        ComponentsError: names the file and the fault.
    """
    if isinstance(source, kind):
        return source
    if source is None or (isinstance(source, str) and source == TINY):
        shipped: C = _shipped(package, default if source is None else f"{TINY}.toml", read)
        return shipped
    if not isinstance(source, str | Path):
        raise ComponentsError(f"components: expected a path or None, not {shown(source)}")
    text = read_bytes(source, COMPONENTS_BYTES, ComponentsError, f"components file {str(source)!r}")
    return read(parse_toml(text, ComponentsError, str(source)), str(source))


@lru_cache
def _shipped(package: str, name: str, read: Callable[[Json, str], C]) -> C:
    text = resources.files(package).joinpath(name).read_bytes()
    return read(parse_toml(text, ComponentsError, name), name)


def check_format(data: Json, newest: int, where: str) -> None:
    """Raise ComponentsError if a file gives another format than `newest`; it need not give one."""
    given = data.get("format", newest)
    if type(given) is not int or given != newest:
        raise ComponentsError(f"{where}: format: {shown(given)} is not known, this version reads {newest}")


def check_text(value: object, where: str, most: int | None = None) -> str:
    """Return a text of one line with at most `most` characters; ComponentsError for anything else."""
    fits = isinstance(value, str) and value.strip() and value.isprintable()
    if not isinstance(value, str) or not fits or (most is not None and len(value) > most):
        size = "" if most is None else f" of 1 to {most} printable characters"
        raise ComponentsError(f"{where}: expected a text{size}, not {shown(value)}")
    return value


def check_keys(entry: object, known: Iterable[str], needed: Iterable[str], at: str) -> Json:
    """Return a table with only known and all needed keys; otherwise ComponentsError, beginning with `at`."""
    if not isinstance(entry, dict):
        raise ComponentsError(f"{at}: expected a table, not {shown(entry)}")
    unknown = sorted(set(entry) - set(known), key=shown)  # `shown`: keys need not be texts
    if unknown:
        raise ComponentsError(f"{at}: unknown entry {shown(unknown[0])}")
    for key in needed:
        if key not in entry:
            raise ComponentsError(f"{at}: {key!r} is missing")
    return entry


def find_components_files(game: str) -> ComponentsFiles:
    """The tools for a game's components files.

    Raises:
        SetupError: no such game is installed, or it has no components file.
    """
    found = load_of_game(GROUP, game, ComponentsFiles)
    if found is None:
        raise SetupError(f"game {find_game(game).name!r}: it has no components file")
    return found
