"""Runs `spacemission new-game`: writes a game package that can be played at once."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from spacemission_env.commands.shared import Json, Seed, emit_json
from spacemission_env.core.errors import SetupError, shown

LONGEST = 40  # maximum number of characters of a name
EXAMPLE = "spacemission_env.games.kuhn_poker"  # as text, because commands import no game
EXAMPLE_NAME, EXAMPLE_TITLE = "kuhn_poker", "Kuhn poker"

PYPROJECT = Template("""\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$distribution"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["spacemission-env"]

# The program `spacemission` finds the game by this entry.
[project.entry-points."spacemission.games"]
$name = "$package:SPEC"

[tool.setuptools]
py-modules = ["$package", "${package}_picture"]
""")

TEST = Template('''\
"""Tests $title from outside: arrays, moves, views, worlds, records. Add tests of its rules."""

from __future__ import annotations

from spacemission_env.testing import check_game


def test_nothing_is_wrong_that_shows_from_outside() -> None:
    assert check_game("$name") == []
''')


def new_game(
    name: Annotated[str, typer.Argument(help="Name of the game, such as liars_dice.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to put the package's folder into.")] = Path("."),
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Write the folder NAME with a new game that can be played at once.

    It is a copy of Kuhn poker to change (docs/add_a_game.md). --seed has no effect.
    """
    check_name(name)
    folder = out / name
    if folder.exists():
        raise SetupError(f"game {name!r}: {folder} exists already")
    texts = texts_of(name)
    for file, text in texts.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    if as_json:
        emit_json(
            {"game": name, "package": package_of(name), "files": [str(folder / file) for file in texts]}
        )
        return
    print(f"written: {folder}, {len(texts)} files")
    print(
        f"next: pip install -e {folder}; spacemission check-game {name}; "
        f"spacemission play --game {name} --agents random,random"
    )


def check_name(name: str) -> None:
    """Refuse a name that is invalid or taken."""
    from spacemission_env.core.game_spec import game_names

    if not re.fullmatch(r"[a-z][a-z0-9_]*", name, re.ASCII) or len(name) > LONGEST or name.endswith("_"):
        raise SetupError(
            f"game {shown(name)}: expected a letter, then small letters, digits and _, at most {LONGEST}"
        )
    if keyword.iskeyword(name):
        raise SetupError(f"game {name!r}: is a word of Python itself")
    if name in game_names():
        raise SetupError(f"game {name!r}: is installed already")
    package = package_of(name)
    if package in sys.stdlib_module_names or importlib.util.find_spec(package) is not None:
        raise SetupError(f"game {name!r}: a module {package} is installed already")


def package_of(name: str) -> str:
    """The name of the game's Python module."""
    return f"{name}_game"


def texts_of(name: str) -> dict[str, str]:
    """The texts of all files of the new game, by path in its folder."""
    package, title = package_of(name), name.replace("_", " ").capitalize()
    named = {"name": name, "package": package, "title": title, "distribution": package.replace("_", "-")}
    texts = {"pyproject.toml": PYPROJECT.substitute(named), f"tests/test_{name}.py": TEST.substitute(named)}
    for module, file in ((EXAMPLE, f"{package}.py"), (f"{EXAMPLE}_picture", f"{package}_picture.py")):
        spec = importlib.util.find_spec(module)
        if spec is None or spec.origin is None:
            raise SetupError(f"new-game: {module} is missing, so it cannot be copied")
        text = Path(spec.origin).read_text("utf-8")
        for value in (EXAMPLE_NAME, f"{EXAMPLE_NAME}_v0", EXAMPLE_TITLE):
            new = value.replace(EXAMPLE_NAME, name).replace(EXAMPLE_TITLE, title)
            text = text.replace(f'="{value}"', f'="{new}"')
        texts[file] = text
    return texts
