"""What the subcommands share: common options, JSON and tables on standard output, a progress bar."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from spacemission_env.core.errors import printable

# Options to annotate the parameters of a command with: `seed: Seed = 0`.
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**63 - 1, help="Seed: the same seed gives the same output.")
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output, for a program to read.")]
RulesOption = Annotated[
    str, typer.Option("--rules", help="Preset and options: printed, yucata, or printed,max_rounds=50.")
]
ComponentsOption = Annotated[
    str | None, typer.Option("--components", help="Components file; default: the one that ships.")
]
Players = Annotated[int, typer.Option("--players", min=2, max=5, help="Number of players.")]
RecordOption = Annotated[str | None, typer.Option("--record", help="Write game records to this file.")]


def emit_json(value: Any) -> None:
    """One JSON value as one line on standard output."""
    print(json.dumps(value))


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str | None = None, left: int = 1
) -> None:
    """A table on standard output; cells are plain text, the first `left` columns are text, others numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", show_edge=False, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(Text(column), justify="left" if i < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    # In a pipe there is no width to fit into.
    Console(width=None if sys.stdout.isatty() else 1000, highlight=False).print(table)


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
