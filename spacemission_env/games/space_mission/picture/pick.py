"""The pile that the seat looks through and takes a tile from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_env.games.space_mission.picture.pieces import tile
from spacemission_env.pictures.svg import Marks, box, text

_STEP = 62


def pick(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, x: float, y: float) -> str:
    """Its tiles by kind, around (x, y)."""
    kinds = view["pile_in_view"]
    name = view["planets"][view["seats"][view["seat"]]["ship"]]["name"]
    what = "reserve" if view["phase"] == "reserve" else "take"
    width = max(300, _STEP * len(kinds) + 40)
    parts = [
        box(
            x - width / 2,
            y - 62,
            width,
            124,
            14,
            f'fill="{ink["panel"]}" stroke="{ink["gate"]}" stroke-width="2"',
        ),
        text(x, y - 36, f"{name}: {what} a tile", 15, ink["ink"], weight=600, within=width - 24),
    ]
    for i, (kind, count) in enumerate(kinds.items()):
        cx = x + _STEP * (i - (len(kinds) - 1) / 2)
        words = kind.replace("_", " ")
        edge = f'<rect x="{cx - 25:g}" y="{y - 25:g}" width="50" height="50" rx="10"/>'
        drawn = [tile(kind, cx, y, 40), text(cx, y + 45, f"× {count}", 14, ink["soft"])]
        parts.append(marks.target(f"tile-{kind}", f"{count} {words}", drawn, edge))
    return f'<g id="pick">{"".join(parts)}</g>'
