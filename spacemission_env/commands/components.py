"""Runs `spacemission components new`, `check` and `show`: writes, checks and prints components files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spacemission_env.commands.shared import GameOption, Json, Seed, emit_json
from spacemission_env.core.components_files import ComponentsFiles, find_components_files
from spacemission_env.core.errors import ComponentsError
from spacemission_env.core.game_spec import DEFAULT_GAME, Components

components = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

GameHere = Annotated[
    str | None, typer.Option("--game", help="Same as --game before the subcommand.", show_default=False)
]


@components.callback()
def _components(context: typer.Context, game: GameOption = DEFAULT_GAME) -> None:
    """Components files: the contents of a game's box, such as planets, cards and tiles."""
    context.obj = game


def _files(context: typer.Context, game: str | None) -> ComponentsFiles:
    return find_components_files(context.obj if game is None else game)


@components.command("new")
def new_components(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="F", help="File to write, such as my_box.toml.")],
    game: GameHere = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Write a components file to fill in with the contents of a box; never overwrite a file.

    `spacemission components check` lists what is still to fill in. --seed has no effect.
    """
    files = _files(context, game)
    _write_new(file, files.new_text(file.name))
    if as_json:
        emit_json({"file": str(file)})
        return
    option = "" if files.name == DEFAULT_GAME else f" --game {files.name}"
    print(f"written: {file}")
    print(f"fill it in; then: spacemission components{option} check {file}")


def _write_new(file: Path, text: str) -> None:
    try:
        stream = file.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise ComponentsError(f"{file}: exists already and was not changed") from None
    try:
        with stream:
            stream.write(text)
    except BaseException:
        file.unlink(missing_ok=True)
        raise


@components.command("check")
def check_components(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="F", help="Components file (TOML).")],
    game: GameHere = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Check a components file and summarise it; --seed has no effect."""
    files = _files(context, game)
    loaded = files.load(file)
    if as_json:
        emit_json({"valid": True} | _known_by(loaded, str(file)) | files.summary(loaded))
        return
    print(f"{file}: valid: {loaded.name!r}, sha256 {loaded.sha256}\n")
    files.print_summary(loaded)


@components.command("show")
def show_components(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="[F]", help="Components file; default: the built-in one.")
    ] = None,
    game: GameHere = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Print the contents of a box for proof-reading; --seed has no effect."""
    files = _files(context, game)
    loaded = files.load(file)
    name = files.shipped if file is None else str(file)
    if as_json:
        emit_json(_known_by(loaded, name) | files.everything(loaded))
        return
    print(f"{name}: {loaded.name!r}, sha256 {loaded.sha256}\n")
    files.print_everything(loaded)


def _known_by(loaded: Components, name: str) -> dict[str, str]:
    return {"file": name, "name": loaded.name, "sha256": loaded.sha256}
