"""Define common options, JSON and a progress bar for the subcommands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from spacemission_env.commands.tables import print_table, print_text
from spacemission_env.core.game_spec import DEFAULT_GAME

__all__ = [
    "ComponentsOption",
    "GameOption",
    "Json",
    "Players",
    "PlayersOfGame",
    "RecordOption",
    "RulesOption",
    "Seed",
    "emit_json",
    "print_table",
    "print_text",
    "progress",
]

# Options to annotate the parameters of a command with: `seed: Seed = 0`.
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**63 - 1, help="Seed: the same seed gives the same output.")
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output, for a program to read.")]
GameOption = Annotated[str, typer.Option("--game", help=f"What is played, such as {DEFAULT_GAME}.")]
RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules", help="Preset and options of the game: printed, yucata, or printed,max_rounds=50."
    ),
]
ComponentsOption = Annotated[
    str | None, typer.Option("--components", help="Components file; default: the one that ships.")
]
Players = Annotated[int, typer.Option("--players", min=2, max=5, help="Number of players.")]
PlayersOfGame = Annotated[
    int | None, typer.Option("--players", help="Number of players; default: the fewest that can play.")
]
RecordOption = Annotated[str | None, typer.Option("--record", help="Write game records to this file, anew.")]


def emit_json(value: Any) -> None:
    """One JSON value as one line on standard output."""
    print(json.dumps(value))


@contextmanager
def progress(what: str, total: float | None = None) -> Iterator[Callable[[float], None]]:
    """Show a progress bar on standard error while the block runs: on a terminal only, nothing in a pipe.

    Yields:
        `done(n)`: to be called with how much has been done since the last call.
    """
    if not sys.stderr.isatty():
        yield lambda n: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda n: bar.advance(task, n)
