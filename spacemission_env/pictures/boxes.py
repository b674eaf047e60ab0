"""A first drawing: everything that can be pointed at as a labelled box, in rows."""

from __future__ import annotations

from collections.abc import Sequence

from spacemission_env.pictures.svg import document, target, text
from spacemission_env.pictures.themes import colours

WIDE, HIGH, ROW = 190, 40, 6


def draw_boxes(
    title: str, items: Sequence[tuple[str, str]], theme: str, legal: Sequence[str], changed: Sequence[str]
) -> str:
    """`items`: id and label of each."""
    ink, parts = colours(theme), []
    width, height = WIDE * ROW + 10, HIGH * (len(items) // ROW + 1) + 10
    parts.append(f'<rect width="{width}" height="{height}" fill="{ink["paper"]}"/>')
    for i, (name, label) in enumerate(items):
        x, y = 10 + WIDE * (i % ROW), 10 + HIGH * (i // ROW)
        edge = ink["changed"] if name in changed else ink["legal"] if name in legal else ink["line"]
        box = f'<rect x="{x}" y="{y}" width="{WIDE - 10}" height="{HIGH - 10}" rx="6" fill="{ink["card"]}" stroke="{edge}"/>'
        words = text(x + WIDE / 2 - 5, y + 19, label[:28], 11, ink["ink"])
        parts.append(target(name, label, [box, words], legal, changed))
    return document(width, height, parts, title)
