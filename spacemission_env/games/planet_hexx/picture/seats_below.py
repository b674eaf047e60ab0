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
from spacemission_env.pictures import panels
from spacemission_env.pictures.svg import Marks, group, text

_PIECES = 1.2  # the row of what a seat has, larger


def seats_below(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, top: float) -> tuple[str, int]:
    """The seats, and where they end."""

    def panel(j: int, at: panels.Place) -> str:
        drawn = [
            doing(view, j, at.left + 62, at.top + 54, ink),
            text(at.left + 256, at.top + 40, known_of(view, j), 15, ink["soft"], anchor="start", within=210),
            *uploaded(view, j, at.right - 18, at.top, ink),
            group(mission(view, j, 0, 0, ink, marks), at.left + 42, at.top + 96, scale=_PIECES),
            group(stock(view, j, 0, 0, ink), at.left + 404, at.top + 96, scale=_PIECES),
        ]
        marked, words = is_marked(view, j), seat_words(view, j)
        return panels.panel(view, j, at, drawn, ink, marks, marked=marked, words=words)

    return panels.seats_below(view["num_players"], panel, key(0, 0, ink), KEY, top)
