"""The seats one below the other, each as wide as a narrow page; below them the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_env.games.space_mission.picture.seats import (
    KEY,
    breakdown,
    doing,
    is_marked,
    key,
    points,
    seat_words,
    stock,
)
from spacemission_env.pictures import panels
from spacemission_env.pictures.svg import Marks, group

_STOCK = 1.45  # the row of what a seat has, larger


def seats_below(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, top: int) -> tuple[str, int]:
    """The seats, and where they end."""

    def panel(j: int, at: panels.Place) -> str:
        drawn = [
            doing(view, j, at.left + 62, at.top + 54, ink),
            *points(view, j, at.right - 16, at.top, ink),
            *breakdown(view, j, at.left + 226, at.top + 27, ink),
            group(stock(view, j, 30, 0, 70, ink), at.left + 14, at.top + 61, scale=_STOCK),
        ]
        marked, words = is_marked(view, j), seat_words(view, j)
        return panels.panel(view, j, at, drawn, ink, marks, marked=marked, words=words)

    return panels.seats_below(view["num_players"], panel, key(0, 0, ink), KEY, top)
