"""Defines options, JSON output and tables that commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from spacemission_env.core.errors import printable
from spacemission_env.core.game_spec import DEFAULT_GAME

GAP = 3  # characters between the columns of a table, as `box.SIMPLE_HEAD` sets them
LEAST_TEXT = 10  # minimum number of characters of a text column
TEXT_SHARE = 0.4  # share of the width for text columns in a table that is too wide

# Options: the types of a command's parameters, as in `seed: Seed = 0`.
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**63 - 1, help="Seed: the same seed gives the same output.")
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")]
GameOption = Annotated[str, typer.Option("--game", help=f"Name of the game, such as {DEFAULT_GAME}.")]
RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules", help="Preset and options of the game: printed, yucata, or printed,max_rounds=50."
    ),
]
ComponentsOption = Annotated[
    str | None,
    typer.Option("--components", help="Components file, or tiny; default: the built-in one."),
]
PlayersOfGame = Annotated[
    int | None, typer.Option("--players", help="Number of players; default: the minimum.")
]
RecordOption = Annotated[
    str | None, typer.Option("--record", help="Write game records to this file and replace it.")
]


def emit_json(value: object) -> None:
    """Print one JSON value on one line."""
    print(json.dumps(value))


def print_text(text: str) -> None:
    """Print running text, wrapped to the terminal's width; without a terminal it is not wrapped."""
    from rich.console import Console

    Console(highlight=False).print(printable(text), markup=False, soft_wrap=not sys.stdout.isatty())


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    title: str | None = None,
    left: int = 1,
    width: int | None = None,
) -> None:
    """Print a table of plain-text cells; the first `left` columns are text, the others numbers.

    No cell is truncated. If the table is wider than `width` characters (None: the terminal's width, no limit
    without a terminal), text wraps, and number columns that do not fit are printed in blocks below, which
    repeat the text columns.
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
    if width is None:
        width = Console().width if sys.stdout.isatty() else sum(widths) + GAP * len(widths)
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
        # A console as wide as the table does not truncate numbers.
        room = sum(texts) + sum(widths[i] for i in block) + GAP * (left + len(block) - 1)
        Console(width=max(room, width, 1), highlight=False).print(table, soft_wrap=False)
        if number < len(blocks) - 1:
            print()


def _blocks(widths: Sequence[int], left: int, width: int) -> tuple[list[int], list[list[int]]]:
    """Widths of the text columns, and the number columns of each block."""
    texts, numbers = list(widths[:left]), list(range(left, len(widths)))
    if sum(widths) + GAP * (len(widths) - 1) <= width:
        return texts, [numbers]
    # The widest number column must fit beside the text columns, which get at most `TEXT_SHARE` of the width.
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
