"""Define options, JSON, a progress bar and tables that the subcommands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from spacemission_env.core.errors import printable
from spacemission_env.core.game_spec import DEFAULT_GAME

GAP = 3  # characters between the columns of a table, as `box.SIMPLE_HEAD` sets them
LEAST_TEXT = 10  # characters that a column of text keeps
TEXT_SHARE = 0.4  # of the width for columns of text, where not all fits

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


def print_text(text: str) -> None:
    """Print running text, broken at words where a line of the terminal (80 where there is none) ends."""
    from rich.console import Console

    Console(highlight=False).print(printable(text), markup=False)


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    title: str | None = None,
    left: int = 1,
    width: int | None = None,
) -> None:
    """Print a table; cells are plain text, the first `left` columns are text, the others numbers.

    Nothing is cut: in a table wider than `width` characters (None: the terminal, else 80) text goes over
    several lines, and the numbers that have no room stand below, behind the same text.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    def widest(texts: Sequence[str]) -> int:
        return max(cell_len(line) for text in texts for line in (text.splitlines() or [""]))

    cells = [[printable(str(cell)) for cell in row] for row in rows]
    widths = [widest([name, *(row[i] for row in cells)]) for i, name in enumerate(columns)]
    width = Console().width if width is None else width
    texts, blocks = _blocks(widths, left, width)
    for number, block in enumerate(blocks):
        table = Table(box=box.SIMPLE_HEAD, title_justify="left", show_edge=False, pad_edge=False)
        table.title = None if number else title
        for i, wide in enumerate(texts):
            table.add_column(Text(columns[i], overflow="fold"), justify="left", width=wide, overflow="fold")
        for i in block:
            table.add_column(Text(columns[i]), justify="right", no_wrap=True)
        for row in cells:
            shown = [Text(row[i], overflow="fold") for i in range(left)]
            table.add_row(*shown, *(Text(row[i], overflow="crop") for i in block))
        # The console is as wide as the table, so that it cuts no number that is wider than the terminal.
        room = sum(texts) + sum(widths[i] for i in block) + GAP * (left + len(block) - 1)
        Console(width=max(room, width, 1), highlight=False).print(table, soft_wrap=False)
        if number < len(blocks) - 1:
            print()


def _blocks(widths: Sequence[int], left: int, width: int) -> tuple[list[int], list[list[int]]]:
    """Widths of the columns of text, and the columns of numbers that stand beside them in each block."""
    texts, numbers = list(widths[:left]), list(range(left, len(widths)))
    if sum(widths) + GAP * (len(widths) - 1) <= width:
        return texts, [numbers]
    # At least the widest number has to stand beside the text; several are better than long lines of text.
    most = max((widths[i] + GAP for i in numbers), default=0)
    room = width - GAP * (left - 1)
    for_text = min(room - most, int(room * TEXT_SHARE)) if numbers else room
    while sum(texts) > for_text and max(texts, default=0) > LEAST_TEXT:
        texts[texts.index(max(texts))] -= 1
    blocks: list[list[int]] = [[]]
    free = start = width - sum(texts) - GAP * (left - 1)
    for i in numbers:
        if blocks[-1] and free < widths[i] + GAP:
            blocks.append([])
            free = start
        blocks[-1].append(i)
        free -= widths[i] + GAP
    return texts, blocks
