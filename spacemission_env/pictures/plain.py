"""Draws the text board, for games without a picture of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spacemission_env.pictures.svg import box, document, text
from spacemission_env.pictures.themes import colours

LINE, COLUMN, MARGIN = 20, 8.5, 24


def draw(
    view: Mapping[str, object],
    *,
    theme: str = "light",
    legal: Sequence[int] = (),
    changed: Sequence[str] = (),
) -> str:
    """Draw the text board of a view (`Game.picture_view`) as an SVG document without targets."""
    ink = colours(theme)
    lines = str(view.get("board", "")).splitlines() or [str(view.get("title", ""))]
    width = 2 * MARGIN + COLUMN * max(map(len, lines))
    height = 2 * MARGIN + LINE * len(lines)
    parts = []
    for i, line in enumerate(lines):
        parts.append(
            text(MARGIN, MARGIN + LINE * (i + 0.75), line, 14, ink["ink"], mono=True, anchor="start")
        )
    ground = box(-width, -height, 3 * width, 3 * height, 0, f'fill="{ink["sky"]}"')
    return document(width, height, parts, str(view.get("title", "")), ground)


def targets(view: Mapping[str, object], action: int) -> tuple[str, ...]:
    """Return no targets: a text board has none."""
    return ()
