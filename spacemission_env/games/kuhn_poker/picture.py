"""The picture of Kuhn poker, from what a seat knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_env.pictures.boxes import draw_boxes


def draw(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """An SVG document of a view (`Game.seat_json`)."""
    items = [("pot", f"pot {view['pot']}")]
    for j, seat in enumerate(view["seats"]):
        items.append((f"seat-{j}", f"player_{j}: {seat['chips']} chips {' '.join(seat['acts'])}"))
        items.append((f"card-{j}", seat["card"] or "face down"))
    ids = {name for action in legal for name in targets(view, action)}
    items += [(name, name[7:]) for name in sorted(ids)]
    return draw_boxes(view["title"], items, theme, sorted(ids), changed)


def targets(view: Mapping[str, Any], action: int) -> tuple[str, ...]:
    """What one points at for a move."""
    words = ("fold", "call") if view["bet"] else ("check", "bet")
    return (f"choice-{words[action]}",)
