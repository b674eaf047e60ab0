"""Print tables that fit the terminal: wide ones go on below, and nothing is cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spacemission_env.core.errors import printable

GAP = 3  # characters between columns, as `box.SIMPLE_HEAD` sets them
LEAST_TEXT = 10  # characters that a column of text keeps
TEXT_SHARE = 0.4  # of the width for columns of text, where not all fits


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    title: str | None = None,
    left: int = 1,
    width: int | None = None,
) -> None:
    """Print a table; cells are plain text, the first `left` columns are text, the others numbers.

    Where it is wider than the terminal, text goes over several lines, and the numbers that have no room stand
    below, behind the same text.

    Args:
        columns: their names.
        rows: cells by column.
        title: above the table.
        left: how many columns are text.
        width: characters in a line; None: of the terminal, 80 where there is none.
    """
    from rich.console import Console

    cells = [[printable(str(cell)) for cell in row] for row in rows]
    widths = [_widest([name, *(row[i] for row in cells)]) for i, name in enumerate(columns)]
    if width is None:
        width = Console().width
    texts, blocks = _blocks(widths, left, width)
    for number, block in enumerate(blocks):
        table = _table(columns, cells, texts, block, None if number else title)
        room = sum(texts) + sum(widths[i] for i in block) + GAP * (len(texts) + len(block) - 1)
        # It is told the width, so that it cuts nothing; a number wider than the terminal stays whole too.
        Console(width=max(room, width or 0, 1), highlight=False).print(table, soft_wrap=False)
        if number < len(blocks) - 1:
            print()


def print_text(text: str) -> None:
    """Print running text, broken at words where a line of the terminal (80 where there is none) ends."""
    from rich.console import Console

    Console(highlight=False).print(printable(text), markup=False)


def _widest(cells: Sequence[str]) -> int:
    from rich.cells import cell_len

    return max(cell_len(line) for cell in cells for line in (cell.splitlines() or [""]))


def _blocks(widths: Sequence[int], left: int, width: int | None) -> tuple[list[int], list[list[int]]]:
    """Widths of the columns of text, and which columns of numbers stand side by side in each block."""
    texts, numbers = list(widths[:left]), list(range(left, len(widths)))
    if width is None or sum(widths) + GAP * (len(widths) - 1) <= width:
        return texts, [numbers]
    # At least the widest number has to stand beside the text; several are better than long lines of text.
    most = max((widths[i] + GAP for i in numbers), default=0)
    room = width - GAP * (left - 1)
    texts = _narrowed(texts, min(room - most, int(room * TEXT_SHARE)) if numbers else room)
    blocks: list[list[int]] = [[]]
    free = start = width - sum(texts) - GAP * (left - 1)
    for i in numbers:
        if blocks[-1] and free < widths[i] + GAP:
            blocks.append([])
            free = start
        blocks[-1].append(i)
        free -= widths[i] + GAP
    return texts, blocks


def _narrowed(texts: list[int], room: int) -> list[int]:
    """The widths, the widest made narrower until all fit the room, but none below `LEAST_TEXT`."""
    texts = list(texts)
    while sum(texts) > room and max(texts, default=0) > LEAST_TEXT:
        texts[texts.index(max(texts))] -= 1
    return texts


def _table(
    columns: Sequence[str],
    cells: Sequence[Sequence[str]],
    texts: list[int],
    block: list[int],
    title: str | None,
) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", show_edge=False, pad_edge=False)
    for i, width in enumerate(texts):
        table.add_column(Text(columns[i], overflow="fold"), justify="left", width=width, overflow="fold")
    for i in block:
        table.add_column(Text(columns[i]), justify="right", no_wrap=True)
    chosen = [*range(len(texts)), *block]
    for row in cells:
        table.add_row(*(Text(row[i], overflow="fold" if i < len(texts) else "crop") for i in chosen))
    return table
