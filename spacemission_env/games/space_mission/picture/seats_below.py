"""The seats one below the other, each as wide as a narrow page; below them the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_env.games.space_mission.picture.seats import (
    KEY,
    breakdown,
    doing,
    key,
    points,
    seat_words,
    stock,
)
from spacemission_env.pictures.svg import Marks, box, group, text
from spacemission_env.pictures.table import ship

_LEFT, _WIDTH, _HIGH, _GAP = 24, 552, 134, 10
_LARGER, _STOCK = 1.6, 1.45  # the key; the row of what a seat has


def seats_below(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, top: int) -> tuple[str, int]:
    """The seats, and where they end."""
    n = view["num_players"]
    parts = [_panel(view, j, top + (_HIGH + _GAP) * j, ink, marks) for j in range(n)]
    bottom = top + (_HIGH + _GAP) * n
    parts.append(group([key(0, 0, ink)], 42, bottom, scale=_LARGER))
    return "".join(parts), round(bottom + KEY * _LARGER + 24)


def _panel(view: Mapping[str, Any], j: int, top: float, ink: Mapping[str, str], marks: Marks) -> str:
    you, acts = j == view["seat"], j == view["player_to_act"]
    won = view["result"] is not None and j in view["result"]["winners"]
    edge = ink[f"seat_{j}"] if you or acts or won else ink["edge"]
    paint = f'fill="{ink["panel"]}" stroke="{edge}" stroke-width="{2.5 if acts or won else 1.5}"'
    name = f"player_{j}{' (you)' if you else ''}"
    parts = [
        box(_LEFT, top, _WIDTH, _HIGH, 12, paint),
        box(_LEFT, top + 14, 6, _HIGH - 28, 3, f'fill="{ink[f"seat_{j}"]}"'),
        ship(ink, j, _LEFT + 34, top + 36, 1.15),
        text(_LEFT + 62, top + 33, name, 18, ink["ink"], weight=700, anchor="start", within=150),
        doing(view, j, _LEFT + 62, top + 54, ink),
        *points(view, j, _LEFT + _WIDTH - 16, top, ink),
        *breakdown(view, j, _LEFT + 226, top + 27, ink),
        group(stock(view, j, 30, 0, 70, ink), _LEFT + 14, top + 61, scale=_STOCK),
    ]
    shape = f'<rect x="{_LEFT}" y="{top:g}" width="{_WIDTH}" height="{_HIGH}" rx="12"/>'
    return marks.target(f"seat-{j}", seat_words(view, j), parts, shape)
