"""Writes SVG texts, shapes, clickable elements and documents.

Drawings use only presentation attributes, no style sheets or scripts. So a drawing looks the same in a
browser with a strict content security policy, in a notebook, and as pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMWGOQDHN@%—…")


@lru_cache(maxsize=4096)
def wide(words: str, size: float, weight: int = 400) -> float:
    """The approximate width of a line of text in a wide font."""
    units = sum(0.38 if c in _NARROW else 0.92 if c in _WIDE else 0.66 for c in words)
    return units * size * (1.08 if weight >= 600 else 1.0)


def text(
    x: float,
    y: float,
    words: str,
    size: float,
    fill: str,
    *,
    weight: int = 400,
    anchor: str = "middle",
    within: float = 0,
    mono: bool = False,
) -> str:
    """A line of text with its base line at (x, y), shrunk to fit `within` a width."""
    if within and (need := wide(words, size, weight)) > within:
        size = round(size * within / need, 1)
    space = ' xml:space="preserve"' if mono else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="{MONO if mono else SANS}" font-size="{size:g}" '
        f'font-weight="{weight}" text-anchor="{anchor}" fill="{fill}"{space}>{escape(words)}</text>'
    )


def lines(words: str, size: float, width: float, most: int, weight: int = 400) -> list[str]:
    """Break words into at most `most` lines of at most `width`; an ellipsis stands for left-out words."""
    out: list[str] = []
    for word in words.split():
        if out and wide(f"{out[-1]} {word}", size, weight) <= width:
            out[-1] += f" {word}"
        else:
            out.append(word)
    if len(out) > most:
        out = [*out[: most - 1], f"{out[most - 1]}…"]
    return out


def group(parts: Iterable[str], x: float = 0, y: float = 0, turn: float = 0, scale: float = 1) -> str:
    """Join parts in a group that is moved to (x, y), rotated by `turn` degrees and scaled."""
    how = f"translate({x:g} {y:g})" if x or y else ""
    how += f" rotate({turn:g})" if turn else ""
    how += f" scale({scale:g})" if scale != 1 else ""
    return f'<g transform="{how.strip()}">{"".join(parts)}</g>' if how else f"<g>{''.join(parts)}</g>"


class Marks:
    """Draws clickable elements, with edges around those that are legal or have changed."""

    def __init__(
        self, ink: Mapping[str, str], legal: Iterable[str] = (), changed: Iterable[str] = ()
    ) -> None:
        self.ink = ink
        self.legal = frozenset(legal)
        self.changed = frozenset(changed)
        self.drawn: set[str] = set()

    def target(self, name: str, title: str, parts: Iterable[str], edge: str) -> str:
        """A clickable element.

        Args:
            name: id of the element.
            title: description of the element.
            parts: drawing of the element.
            edge: a shape without paint, drawn around the element if it is legal or has changed.
        """
        self.drawn.add(name)
        classes, marks = "target", ""
        if name in self.changed:
            classes += " changed"
            marks += _painted(edge, "mark-changed", self.ink["changed"], 7, 0.45)
        if name in self.legal:
            classes += " legal"
            marks += _painted(edge, "mark-legal", self.ink["legal"], 3, 1)
        return (
            f'<g id="{name}" data-target="{name}" class="{classes}"><title>{escape(title)}</title>'
            f"{''.join(parts)}{marks}</g>"
        )

    @property
    def missing(self) -> list[str]:
        """Legal targets that have not been drawn; they become buttons."""
        return sorted(self.legal - self.drawn)


def _painted(edge: str, name: str, stroke: str, width: float, opacity: float) -> str:
    paint = f'fill="none" stroke="{stroke}" stroke-width="{width:g}" stroke-opacity="{opacity:g}"'
    return edge.replace("/>", f' class="{name}" {paint} pointer-events="none"/>')


def box(x: float, y: float, width: float, height: float, round_: float = 0, more: str = "") -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_:g}" {more}/>'


def disc(x: float, y: float, r: float, more: str = "") -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" {more}/>'


def ellipse(x: float, y: float, rx: float, ry: float, more: str = "") -> str:
    return f'<ellipse cx="{x:g}" cy="{y:g}" rx="{rx:g}" ry="{ry:g}" {more}/>'


def stroke(colour: str, width: float, *, fill: str = "none", dash: str = "", opacity: float = 1) -> str:
    """Attributes of a line with round ends."""
    more = f' stroke-dasharray="{dash}"' if dash else ""
    more += f' stroke-opacity="{opacity:g}"' if opacity != 1 else ""
    ends = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'fill="{fill}" stroke="{colour}" stroke-width="{width:g}"{more} {ends}'


def path(d: str, more: str = "") -> str:
    return f'<path d="{d}" {more}/>'


def document(width: float, height: float, parts: Iterable[str], title: str, ground: str = "") -> str:
    """An SVG document; `ground`: the cacheable background, without groups."""
    behind = f'<g class="ground">{ground}</g>' if ground else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f"aria-label={quoteattr(title)}><title>{escape(title)}</title>{behind}{''.join(parts)}</svg>\n"
    )
