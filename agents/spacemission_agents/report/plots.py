"""The report's plots, as SVG that stretches with the page.

Coordinates across are in per cent and lengths down in pixels, without a viewBox: so the text keeps its
size on a phone. Colours come from the page's style (style.py), which knows light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

from spacemission_agents.report.text import shortened

STEP = 46  # pixels down, an agent
AXIS = 24  # pixels down, the numbers under the plot
LONGEST = 22  # characters of a name beside its figures, so that both fit a phone


class Mark(NamedTuple):
    """One agent of an interval plot: `text` stands at the right, `fixed` marks an anchor."""

    name: str
    value: float
    low: float | None
    high: float | None
    text: str
    fixed: bool = False


class Bar(NamedTuple):
    """One agent of a stack plot: its parts by name, below 0 to the left; `text` stands at the right."""

    name: str
    parts: Mapping[str, float]
    text: str


class _Scale(NamedTuple):
    low: float
    high: float

    def at(self, value: float) -> float:
        """Per cent of the width."""
        return 100 * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round numbers, three to six of them."""
        rough = (self.high - self.low) / 5
        unit = 10.0 ** floor(log10(rough))
        step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
        first = -floor(-self.low / step)
        return [step * k for k in range(first, floor(self.high / step) + 1)]


def interval_plot(
    marks: Sequence[Mark],
    title: str,
    tick: Callable[[float], str],
    reference: float | None = None,
    bars: bool = False,
) -> str:
    """Values with whiskers for their intervals, one agent below the other.

    Args:
        marks: the agents, top first; none gives no plot.
        title: what a screen reader says.
        tick: writes a number of the axis.
        reference: where a dashed line stands.
        bars: bars from 0 instead of dots.
    """
    if not marks:
        return ""
    ends = [end for mark in marks for end in (mark.value, mark.low, mark.high) if end is not None]
    ends += [] if reference is None else [reference]
    scale = _Scale(0.0, 1.02 * (max(ends) or 1.0)) if bars else _padded(min(ends), max(ends))
    parts = _axis(scale, tick, len(marks))
    if reference is not None:
        parts.append(_upright(scale.at(reference), 0, STEP * len(marks), "reference"))
    for i, mark in enumerate(marks):
        parts += _heading(mark.name, mark.text, i)
        parts += _marked(scale, mark, STEP * i + 32, bars)
    return _svg(title, len(marks), parts)


def stack_plot(bars: Sequence[Bar], title: str, colours: Mapping[str, str]) -> str:
    """Stacked bars, one agent below the other. `colours`: the parts that are shown, in order, each with its
    CSS class.
    """
    if not bars:
        return ""
    shown = [[bar.parts.get(name, 0.0) for name in colours] for bar in bars]
    left = min(sum(min(value, 0.0) for value in values) for values in shown)
    right = max(sum(max(value, 0.0) for value in values) for values in shown)
    scale = _Scale(1.02 * left, 1.02 * right if right > left else left + 1.0)
    parts = _axis(scale, lambda value: f"{value:g}".replace("-", "−"), len(bars))
    for i, bar in enumerate(bars):
        parts += _heading(bar.name, bar.text, i)
        parts += _stacked(scale, bar.parts, STEP * i + 22, colours)
    return _svg(title, len(bars), parts)


def _padded(low: float, high: float) -> _Scale:
    room = 0.06 * (high - low) or 1.0
    return _Scale(low - room, high + room)


def _svg(title: str, rows: int, parts: Sequence[str]) -> str:
    head = f'<svg role="img" aria-label="{escape(title)}" width="100%" height="{STEP * rows + AXIS}">'
    return head + "".join(parts) + "</svg>"


def _upright(x: float, top: float, bottom: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.2f}%" x2="{x:.2f}%" y1="{top}" y2="{bottom}"/>'


def _axis(scale: _Scale, tick: Callable[[float], str], rows: int) -> list[str]:
    parts = []
    for value in scale.ticks():
        x = scale.at(value)
        anchor = "start" if x < 4 else "end" if x > 96 else "middle"  # not over the edge
        parts.append(_upright(x, 0, STEP * rows + 4, "grid"))
        parts.append(
            f'<text class="tick" x="{x:.2f}%" y="{STEP * rows + AXIS - 5}" text-anchor="{anchor}">'
            f"{escape(tick(value))}</text>"
        )
    return parts


def _heading(name: str, text: str, row: int) -> list[str]:
    y = STEP * row + 15
    return [
        f'<text x="0" y="{y}">{escape(shortened(name, LONGEST))}<title>{escape(name)}</title></text>',
        f'<text class="figure" x="100%" y="{y}" text-anchor="end">{escape(text)}</text>',
    ]


def _marked(scale: _Scale, mark: Mark, y: float, bars: bool) -> list[str]:
    x, parts = scale.at(mark.value), []
    if bars:
        parts.append(f'<rect class="bar" x="0" y="{y - 8}" width="{x:.2f}%" height="16"/>')
    if mark.low is not None and mark.high is not None and not mark.fixed:
        low, high = scale.at(mark.low), scale.at(mark.high)
        parts += [_upright(end, y - 5, y + 5, "whisker") for end in (low, high)]
        parts.append(f'<line class="whisker" x1="{low:.2f}%" x2="{high:.2f}%" y1="{y}" y2="{y}"/>')
    if not bars:
        parts.append(f'<circle class="{"fixed" if mark.fixed else "dot"}" cx="{x:.2f}%" cy="{y}" r="4.5"/>')
    return parts


def _stacked(scale: _Scale, values: Mapping[str, float], y: float, colours: Mapping[str, str]) -> list[str]:
    ends, parts = {True: 0.0, False: 0.0}, []
    for name, colour in colours.items():
        value = values.get(name, 0.0)
        if not value:
            continue
        end = ends[value > 0]
        ends[value > 0] = end + value
        x, width = scale.at(min(end, end + value)), scale.at(abs(value)) - scale.at(0)
        parts.append(
            f'<rect class="{colour}" x="{x:.2f}%" y="{y}" width="{width:.2f}%" height="18">'
            f"<title>{escape(name)}: {value:.1f}</title></rect>"
        )
    return parts
