"""Builds the parts of HTML reports: sections, tables, plots and the style sheet.

Plots are SVG without a viewBox: x is in per cent of the width and y in pixels, so that text keeps its size on
a phone. The colours of shares range from orange (0 %) to blue (100 %).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

from spacemission_agents.report.text import shortened

FOLDED = 16  # a table with at least this number of rows is folded
SEAMS = re.compile(r"(?<=[/:?=,&._-])(?=\w)")
STEP = 46  # height of an agent's row in a plot, in pixels
AXIS = 24  # height of the numbers under a plot, in pixels
LONGEST = 22  # maximum number of characters of a name in a plot, so that it fits on a phone


def breakable(text: str) -> str:
    """HTML of a name or a path that may break between its parts."""
    return "<wbr>".join(escape(part) for part in SEAMS.split(text))


def placed(place: int, name: str) -> str:
    """HTML of an agent's place on the ladder and its name."""
    return f"{place}.&nbsp;{breakable(name)}"


def section(title: str, *parts: str) -> str:
    """A heading and parts of HTML; empty parts are left out."""
    return f"<h2>{escape(title)}</h2>\n" + "\n".join(part for part in parts if part)


def note(text: str) -> str:
    """A paragraph in small print; "" for an empty text."""
    return f'<p class="note">{escape(text)}</p>' if text else ""


def two_lines(first: str, second: str) -> str:
    """HTML of a table cell: the first text, and below it the second one in small print."""
    return f"{escape(first)}<small>{escape(second)}</small>"


def table(head: Iterable[str], rows: Iterable[Sequence[str]], texts: Sequence[int] = ()) -> str:
    """A table with a `head` of text and `rows` of HTML; `texts`: columns to align left besides the first."""
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
    """A table, folded if it has many `rows`."""
    if rows < FOLDED:
        return table
    return f"<details><summary>{rows} rows</summary>\n{table}</details>"


def picture(name: str, data: bytes) -> str:
    """A section with a PNG that is part of the HTML, so that the page is a single file."""
    source = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return section(name.capitalize(), f'<img src="{source}" alt="{escape(name)}">')


# ---------------------------------------------------------------- plots


class Mark(NamedTuple):
    """An agent in a plot; `text` is printed at the right; `fixed`: whether its rating is fixed."""

    name: str
    value: float
    low: float | None
    high: float | None
    text: str
    fixed: bool = False


def interval_plot(marks: Sequence[Mark], title: str, tick: Callable[[float], str]) -> str:
    """A plot of values with their intervals; "" without marks.

    Args:
        marks: the agents, from top to bottom.
        title: text for screen readers.
        tick: formats a number on the axis.
    """
    if not marks:
        return ""
    ends = [end for mark in marks for end in (mark.value, mark.low, mark.high) if end is not None]
    room = 0.06 * (max(ends) - min(ends)) or 1.0
    low, width = min(ends) - room, max(ends) - min(ends) + 2 * room

    def at(value: float) -> float:
        """The x of a value, in per cent of the width."""
        return 100 * (value - low) / width

    bottom = STEP * len(marks)
    parts = [f'<svg role="img" aria-label="{escape(title)}" width="100%" height="{bottom + AXIS}">']
    for value in _ticks(low, width):
        anchor = "start" if at(value) < 4 else "end" if at(value) > 96 else "middle"  # text stays inside
        parts.append(_upright(at(value), 0, bottom + 4, "grid"))
        parts.append(
            f'<text class="tick" x="{at(value):.2f}%" y="{bottom + AXIS - 5}" text-anchor="{anchor}">'
            f"{escape(tick(value))}</text>"
        )
    for i, (name, value, first, last, text, fixed) in enumerate(marks):
        y, shown = STEP * i + 32, escape(shortened(name, LONGEST))
        parts.append(f'<text x="0" y="{y - 17}">{shown}<title>{escape(name)}</title></text>')
        parts.append(f'<text class="figure" x="100%" y="{y - 17}" text-anchor="end">{escape(text)}</text>')
        if first is not None and last is not None and not fixed:
            parts += [_upright(at(end), y - 5, y + 5, "whisker") for end in (first, last)]
            line = f'x1="{at(first):.2f}%" x2="{at(last):.2f}%" y1="{y}" y2="{y}"'
            parts.append(f'<line class="whisker" {line}/>')
        parts.append(
            f'<circle class="{"fixed" if fixed else "dot"}" cx="{at(value):.2f}%" cy="{y}" r="4.5"/>'
        )
    return "".join([*parts, "</svg>"])


def _ticks(low: float, width: float) -> list[float]:
    unit = 10.0 ** floor(log10(width / 5))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= width / 5)
    return [step * k for k in range(-floor(-low / step), floor((low + width) / step) + 1)]


def _upright(x: float, top: float, bottom: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.2f}%" x2="{x:.2f}%" y1="{top}" y2="{bottom}"/>'


# ---------------------------------------------------------------- style

STYLE = """
:root { color-scheme: light dark; --ink: #1c2530; --soft: #55606c; --page: #fff; --rule: #d5dbe2;
        --mark: #1f6fb2; --most: .72; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --soft: #a3adb8; --page: #14181d; --rule: #343c45;
          --mark: #6cb3ee; --most: .5; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1.2rem 1rem 4rem;
       color: var(--ink); background: var(--page); -webkit-text-size-adjust: 100%; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
p { margin: .5rem 0; } .lead { font-size: 1.05rem; } .note { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .3rem .6rem; text-align: right; white-space: nowrap; vertical-align: top;
         border-bottom: 1px solid var(--rule); }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; white-space: normal; }
tbody th { font-weight: normal; }
.left, tbody th { text-align: left; white-space: normal; overflow-wrap: anywhere; }
tbody th, thead th:first-child { position: sticky; left: 0; background: var(--page); text-align: left;
         min-width: 7.5rem; max-width: 15rem; }
.left { min-width: 8rem; } svg + .wide { margin-top: 1rem; } details[open] summary { margin-bottom: .5rem; }
@media (min-width: 52rem) { tbody th, thead th:first-child { min-width: 13.5rem; } }
small { display: block; color: var(--soft); font-size: .8rem; }
.heat td { text-align: center; border: 2px solid var(--page); padding: .25rem .45rem; min-width: 4.6rem; }
.heat thead th { text-align: center; } .heat thead th:first-child { text-align: left; }
.heat small { color: inherit; font-size: .72rem; }
.over { background: rgb(62 142 208 / calc(var(--d) * var(--most))); }
.under { background: rgb(226 128 40 / calc(var(--d) * var(--most))); }
.key { display: flex; flex-wrap: wrap; gap: .2rem .9rem; }
.key span { display: inline-flex; align-items: center; gap: .35rem; }
.key i { width: .9rem; height: .9rem; border-radius: 2px; display: inline-block; }
svg { display: block; font-size: 14px; overflow: visible; } svg text { fill: var(--ink); }
svg .tick { fill: var(--soft); font-size: 12px; } svg .figure { fill: var(--soft); font-size: 13px; }
svg text { paint-order: stroke; stroke: var(--page); stroke-width: 4px; stroke-linejoin: round; }
.grid { stroke: var(--rule); } .whisker { stroke: var(--ink); stroke-width: 1.5; }
.dot { fill: var(--mark); } .fixed { fill: var(--page); stroke: var(--mark); stroke-width: 2.5; }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; } a { color: var(--mark); }
summary { cursor: pointer; } img { max-width: 100%; height: auto; background: #fff; }
"""


def document(title: str, parts: Sequence[str]) -> str:
    """An HTML page with the parts that are not empty; `title` is HTML too."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body></html>\n"
    )
