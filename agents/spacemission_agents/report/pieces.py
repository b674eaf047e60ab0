"""What the report's page is put together from: sections, notes, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

FOLDED = 16  # rows from which a table is folded away at first


SEAMS = re.compile(r"(?<=[/:?=,&._-])(?=\w)")


def breakable(text: str) -> str:
    """HTML of a name or a path whose lines may break where its parts end."""
    return "<wbr>".join(escape(part) for part in SEAMS.split(text))


def placed(place: int, name: str) -> str:
    """HTML of an agent's name behind its place on the ladder."""
    return f"{place}.&nbsp;{breakable(name)}"


def section(title: str, *parts: str) -> str:
    """A heading, and what there is of the parts (HTML)."""
    return f"<h2>{escape(title)}</h2>\n" + "\n".join(part for part in parts if part)


def note(text: str) -> str:
    """A paragraph in small print, or nothing."""
    return f'<p class="note">{escape(text)}</p>' if text else ""


def two_lines(first: str, second: str) -> str:
    """A cell with the second text in small print below the first."""
    return f"{escape(first)}<small>{escape(second)}</small>"


def table(head: Iterable[str], rows: Iterable[Sequence[str]], texts: Sequence[int] = ()) -> str:
    """A table; `rows` are HTML, `head` is text. The first cell of a row names it; the columns in `texts`
    hold text too, the others figures.
    """
    head = list(head)
    left = [' class="left"' if i in texts else "" for i in range(len(head))]
    above = "".join(f'<th scope="col"{left[i]}>{escape(cell)}</th>' for i, cell in enumerate(head))
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>'
        + "".join(f"<td{left[i]}>{cell}</td>" for i, cell in enumerate(row[1:], 1))
        + "</tr>\n"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{above}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def folded(table: str, rows: int) -> str:
    """A table of so many rows, which is opened by hand where it is long."""
    if rows < FOLDED:
        return table
    return f"<details><summary>{rows} rows</summary>\n{table}</details>"
