"""The seats one below the other, each as wide as a narrow page; below them the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_env.games.planet_hexx.picture.seats import (
    KEY,
    doing,
    is_marked,
    key,
    known_of,
    mission,
    seat_words,
    stock,
    uploaded,
)
from spacemission_env.pictures.svg import Marks, box, group, text
from spacemission_env.pictures.table import ship

_LEFT, _WIDTH, _HIGH, _GAP = 24, 552, 134, 10
_LARGER, _PIECES = 1.6, 1.2  # the key; the row of what a seat has


def seats_below(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, top: float) -> tuple[str, int]:
    """The seats, and where they end."""
    n = view["num_players"]
    parts = [_panel(view, j, top + (_HIGH + _GAP) * j, ink, marks) for j in range(n)]
    bottom = top + (_HIGH + _GAP) * n
    parts.append(group([key(0, 0, ink)], 42, bottom, scale=_LARGER))
    return "".join(parts), round(bottom + KEY * _LARGER + 24)


def _panel(view: Mapping[str, Any], j: int, top: float, ink: Mapping[str, str], marks: Marks) -> str:
    you, marked = j == view["seat"], is_marked(view, j)
    edge = ink[f"seat_{j}"] if you or marked else ink["edge"]
    paint = f'fill="{ink["panel"]}" stroke="{edge}" stroke-width="{2.5 if marked else 1.5}"'
    name = f"player_{j}{' (you)' if you else ''}"
    parts = [
        box(_LEFT, top, _WIDTH, _HIGH, 12, paint),
        box(_LEFT, top + 14, 6, _HIGH - 28, 3, f'fill="{ink[f"seat_{j}"]}"'),
        ship(ink, j, _LEFT + 34, top + 36, 1.15),
        text(_LEFT + 62, top + 33, name, 18, ink["ink"], weight=700, anchor="start", within=150),
        doing(view, j, _LEFT + 62, top + 54, ink),
        text(_LEFT + 256, top + 40, known_of(view, j), 15, ink["soft"], anchor="start", within=210),
        *uploaded(view, j, _LEFT + _WIDTH - 18, top, ink),
        group(mission(view, j, 0, 0, ink, marks), _LEFT + 42, top + 96, scale=_PIECES),
        group(stock(view, j, 0, 0, ink), _LEFT + 404, top + 96, scale=_PIECES),
    ]
    shape = f'<rect x="{_LEFT}" y="{top:g}" width="{_WIDTH}" height="{_HIGH}" rx="12"/>'
    return marks.target(f"seat-{j}", seat_words(view, j), parts, shape)
