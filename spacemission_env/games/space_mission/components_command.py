"""`spacemission components new`, `check` and `show`: the box as a file, to be filled in and proof-read."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer

from spacemission_env.commands.shared import Json, Seed, emit_json, print_table
from spacemission_env.core.errors import ComponentsError
from spacemission_env.games.space_mission.box_proof import cards_by_face, numbers_on, unserved
from spacemission_env.games.space_mission.components import Components, load_components
from spacemission_env.games.space_mission.engine.constants import COLOURS, KIND_NAMES

components = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@components.callback()
def _components() -> None:
    """Components files: the table of planets, cards and tiles."""


@components.command("new")
def new_components(
    file: Annotated[Path, typer.Argument(metavar="F", help="File to write, such as my_box.toml.")],
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Write a components file to fill in with the printed values of a box; never over another file.

    What is left to fill in, `spacemission components check` tells. --seed is accepted and changes nothing.
    """
    text = (
        resources.files("spacemission_env.games.space_mission.data")
        .joinpath("new_box.toml")
        .read_text("utf-8")
    )
    _write_new(file, text.replace("my_box.toml", file.name))
    if as_json:
        emit_json({"file": str(file)})
        return
    print(f"written: {file}")
    print(f"fill it in; then: spacemission components check {file}")


def _write_new(file: Path, text: str) -> None:
    try:
        stream = file.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise ComponentsError(f"{file}: exists already, and is left as it is") from None
    try:
        with stream:
            stream.write(text)
    except BaseException:
        file.unlink(missing_ok=True)
        raise


@components.command("check")
def check_components(
    file: Annotated[Path, typer.Argument(metavar="F", help="Components file (TOML).")],
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Validate a components file and sum it up; --seed is accepted and changes nothing."""
    loaded = load_components(file)
    if as_json:
        emit_json({"valid": True} | _summary(loaded, str(file)))
        return
    print(f"{file}: valid: {loaded.name!r}, sha256 {loaded.sha256}")
    _print_counts(loaded)


def _print_counts(loaded: Components) -> None:
    for what, table in zip(("60 cards", "12 planets"), numbers_on(loaded), strict=True):
        columns = list(table["jump"])
        print()
        print_table([what, *columns], [[colour, *table[colour].values()] for colour in COLOURS])
    print()
    print_table(["64 tiles", ""], list(zip(KIND_NAMES, loaded.tiles, strict=True)))


@components.command("show")
def show_components(
    file: Annotated[
        Path | None, typer.Argument(metavar="[F]", help="Components file; default: the one that ships.")
    ] = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Print a box for proof-reading: planets, cards by face, how often each number stands where.

    --seed is accepted and changes nothing.
    """
    loaded = load_components(file)
    name = "default.toml" if file is None else str(file)
    if as_json:
        _show_json(loaded, name)
        return
    print(f"{name}: {loaded.name!r}, sha256 {loaded.sha256}\n")
    rows = [(p.name, p.jump, p.scan, *p.landing) for p in loaded.planets]
    print_table(["planet", "jump", "scan", "landing", ""], rows)
    print("\n60 cards (J jump, S scan, L landing, ? joker)")
    for line in _face_lines(loaded):
        print(f"  {line}")
    _print_counts(loaded)
    lacking = unserved(loaded)
    print("\nEvery planet is served by the cards." if not lacking else "\nNo card serves:")
    for entry in lacking:
        print(f"  {entry['planet']}: {_lack_in_words(entry)}")


def _show_json(loaded: Components, name: str) -> None:
    summary = _summary(loaded, name)
    numbers = {"cards": summary.pop("cards"), "planets": summary.pop("planets")}
    emit_json(
        summary
        | {
            "planets": [planet.to_json() for planet in loaded.planets],
            "cards": cards_by_face(loaded),
            "numbers": numbers,
            "unserved": unserved(loaded),
        }
    )


def _summary(loaded: Components, name: str) -> dict[str, Any]:
    on_cards, on_planets = numbers_on(loaded)
    return {
        "file": name,
        "name": loaded.name,
        "sha256": loaded.sha256,
        "cards": on_cards,
        "planets": on_planets,
        "tiles": dict(zip(KIND_NAMES, loaded.tiles, strict=True)),
    }


def _face_lines(loaded: Components) -> list[str]:
    """The faces with their counts, one line for all that share both colours and the first coordinate."""
    lines: dict[str, list[str]] = {}
    for entry in cards_by_face(loaded):
        face, count = entry["face"], entry["count"]
        lines.setdefault(face[:3], []).append(face if count == 1 else f"{face} x{count}")
    return ["  ".join(line) for line in lines.values()]


def _lack_in_words(entry: dict[str, Any]) -> str:
    numbers = " and ".join(map(str, entry["numbers"]))
    return f"{entry['colour']} {numbers}" + (" together: one card only" if len(entry["numbers"]) == 2 else "")
