"""What SVG drawings are made of: texts, elements that can be pointed at, documents.

Presentation attributes alone, no style sheet and no script: so a drawing is the same in a browser with a
strict content security policy, in a notebook, and for a rasteriser.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

FAMILIES = {
    "sans": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif",
    "mono": "ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
}


def text(
    x: float,
    y: float,
    words: str,
    size: float,
    fill: str,
    *,
    weight: int = 400,
    anchor: str = "middle",
    family: str = "sans",
) -> str:
    """A line of text; (x, y) is on its base line."""
    space = ' xml:space="preserve"' if family == "mono" else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="{FAMILIES[family]}" font-size="{size:g}" font-weight="{weight}" '
        f'text-anchor="{anchor}" fill="{fill}"{space}>{escape(words)}</text>'
    )


def target(
    name: str, title: str, parts: Iterable[str], legal: Sequence[str] = (), changed: Sequence[str] = ()
) -> str:
    """An element that can be pointed at: its id, what it is in words, and whether it is legal or has changed."""
    classes = ["target", *["legal"] * (name in legal), *["changed"] * (name in changed)]
    return (
        f'<g id="{name}" data-target="{name}" class="{" ".join(classes)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</g>"
    )


def document(width: float, height: float, parts: Iterable[str], title: str) -> str:
    """An SVG document of these parts."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f"aria-label={quoteattr(title)}><title>{escape(title)}</title>{''.join(parts)}</svg>\n"
    )
