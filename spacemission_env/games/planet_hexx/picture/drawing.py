"""The whole table: the map, what is asked, seats, the hand; wide, or tall for narrow pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_env.games.planet_hexx.picture.cards import MOST_ON_TABLE, ON_TABLE, Places, below, on_table
from spacemission_env.games.planet_hexx.picture.choices import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    choices,
    choices_below,
    high_below,
    high_of,
)
from spacemission_env.games.planet_hexx.picture.hexes import chart, hexes
from spacemission_env.games.planet_hexx.picture.seats import seats
from spacemission_env.games.planet_hexx.picture.seats_below import seats_below
from spacemission_env.games.planet_hexx.picture.targets import pointed_at
from spacemission_env.games.planet_hexx.picture.words import asked, told, turn
from spacemission_env.pictures.sky import night
from spacemission_env.pictures.svg import Marks, document, text
from spacemission_env.pictures.themes import colours

WIDTH, HEIGHT = 1200, 900
_PLACES = Places(piles=(32, 752), hand=(250, 752), right=1174)
_TALL_WIDTH, _TALL_LEFT, _TALL_MAP = 600, 24, 520  # of the map, its height


def draw(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """An SVG document of a view (`Game.seat_json`, `Game.public_json`)."""
    ink = colours(theme)
    marks = Marks(ink, pointed_at(view, legal), changed)
    floor = BOTTOM - high_of(view, marks)
    parts = [
        _title(view, ink, 480),
        hexes(view, ink, marks, chart(_cells(view, marks), LEFT, TOP, RIGHT - LEFT, floor - TOP)),
        on_table(view, ink, 822, 44),
        seats(view, ink, marks),
        below(view, ink, marks, _PLACES),
        choices(view, ink, marks),
    ]
    return document(WIDTH, HEIGHT, parts, told(view), night(WIDTH, HEIGHT, theme, 430, 420))


def draw_tall(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """The same in one column, for narrow pages."""
    ink = colours(theme)
    marks = Marks(ink, pointed_at(view, legal), changed)
    left, room = _TALL_LEFT, _TALL_WIDTH - 2 * _TALL_LEFT
    top = 124 + ON_TABLE * min(MOST_ON_TABLE, len(view["table"]))
    asked_at = top + _TALL_MAP
    hand = asked_at + high_below(view, marks) + 20
    panels, bottom = seats_below(view, ink, marks, hand + 310)
    parts = [
        _title(view, ink, 530),
        on_table(view, ink, left + room, 136),
        hexes(view, ink, marks, chart(_cells(view, marks), left, top, room, _TALL_MAP)),
        below(view, ink, marks, Places((32, hand + 146), (left + 3, hand), left + room)),
        panels,
        choices_below(view, ink, marks, left, asked_at, room),
    ]
    return document(_TALL_WIDTH, bottom, parts, told(view), night(_TALL_WIDTH, bottom, theme, 300, 380, 140))


def _title(view: Mapping[str, Any], ink: Mapping[str, str], room: float) -> str:
    return (
        text(32, 56, "Mission to Planet Hexx!", 31, ink["ink"], weight=700, anchor="start")
        + text(33, 82, turn(view), 15, ink["soft"], anchor="start")
        + text(33, 105, asked(view), 15, ink["ink"], weight=600, anchor="start", within=room)
    )


def _cells(view: Mapping[str, Any], marks: Marks) -> set[int]:
    """Those with hexes, and those that can be pointed at."""
    return {one["cell"] for one in view["hexes"]} | {
        int(name[5:]) for name in marks.legal if name.startswith("cell-")
    }
