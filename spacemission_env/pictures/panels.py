"""Panels of the seats: beside the table in a wide picture, one below the other in a narrow one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spacemission_env.pictures.svg import Marks, box, group, text
from spacemission_env.pictures.table import ship

_LEFT, _WIDTH, _HIGH, _GAP = 24, 552, 134, 10  # of panels below each other
_LARGER, _BELOW = 1.6, 24  # the key there, and what is left free below it


@dataclass(frozen=True)
class Place:
    """Where a panel is; a `roomy` one has a larger head."""

    left: float
    top: float
    width: float
    high: float
    roomy: bool = False

    @property
    def right(self) -> float:
        return self.left + self.width


def seats_below(
    n: int, panel_of: Callable[[int, Place], str], key: str, key_high: float, top: float
) -> tuple[str, int]:
    """The panels of `n` seats, each as wide as a narrow page, below them the key; and where that ends."""
    places = [Place(_LEFT, top + (_HIGH + _GAP) * j, _WIDTH, _HIGH, roomy=True) for j in range(n)]
    bottom = top + (_HIGH + _GAP) * n
    parts = [panel_of(j, place) for j, place in enumerate(places)]
    parts.append(group([key], 42, bottom, scale=_LARGER))
    return "".join(parts), round(bottom + key_high * _LARGER + _BELOW)


def panel(
    view: Mapping[str, Any],
    j: int,
    at: Place,
    drawn: Iterable[str],
    ink: Mapping[str, str],
    marks: Marks,
    *,
    marked: bool,
    words: str,
) -> str:
    """The panel of seat `j`: colour, ship, name, and what is `drawn` in it; `marked`: it acts, or has won."""
    you = j == view["seat"]
    edge = ink[f"seat_{j}"] if you or marked else ink["edge"]
    paint = f'fill="{ink["panel"]}" stroke="{edge}" stroke-width="{2.5 if marked else 1.5}"'
    size, base = (18, at.top + 33) if at.roomy else (17, at.top + 31)
    name = f"player_{j}{' (you)' if you else ''}"
    parts = [
        box(at.left, at.top, at.width, at.high, 12, paint),
        box(at.left, at.top + 14, 6, at.high - 28, 3, f'fill="{ink[f"seat_{j}"]}"'),
        ship(ink, j, at.left + 34, base + 3, 1.15),
        text(at.left + 62, base, name, size, ink["ink"], weight=700, anchor="start", within=150),
        *drawn,
    ]
    shape = f'<rect x="{at.left}" y="{at.top:g}" width="{at.width}" height="{at.high:g}" rx="12"/>'
    return marks.target(f"seat-{j}", words, parts, shape)
