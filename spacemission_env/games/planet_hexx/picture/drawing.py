"""The whole table, 1200 by 900: the map, what is asked, seats at the right, the hand below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_env.games.planet_hexx.picture.cards import below, on_table
from spacemission_env.games.planet_hexx.picture.choices import BOTTOM, LEFT, RIGHT, TOP, choices
from spacemission_env.games.planet_hexx.picture.hexes import chart, hexes
from spacemission_env.games.planet_hexx.picture.seats import seats
from spacemission_env.games.planet_hexx.picture.targets import pointed_at
from spacemission_env.games.planet_hexx.picture.words import asked, told, turn
from spacemission_env.pictures.sky import night
from spacemission_env.pictures.svg import Marks, document, text
from spacemission_env.pictures.table import BUTTON_HEIGHT
from spacemission_env.pictures.themes import colours

WIDTH, HEIGHT = 1200, 900


def draw(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """An SVG document of a view (`Game.seat_json`, `Game.public_json`)."""
    ink = colours(theme)
    marks = Marks(ink, pointed_at(view, legal), changed)
    wanted = [name for name in marks.legal if name.startswith("choice-")]
    few = 0 < len(wanted) <= 8
    floor = BOTTOM - (BUTTON_HEIGHT + 14) * few
    cells = {one["cell"] for one in view["hexes"]}
    cells |= {int(name[5:]) for name in marks.legal if name.startswith("cell-")}
    parts = [
        text(32, 56, "Mission to Planet Hexx!", 31, ink["ink"], weight=700, anchor="start"),
        text(33, 82, turn(view), 15, ink["soft"], anchor="start"),
        text(33, 105, asked(view), 15, ink["ink"], weight=600, anchor="start", within=480),
        hexes(view, ink, marks, chart(cells, LEFT, TOP, RIGHT - LEFT, floor - TOP)),
        on_table(view, ink),
        seats(view, ink, marks),
        below(view, ink, marks),
        choices(view, ink, marks),
    ]
    return document(WIDTH, HEIGHT, parts, told(view), night(WIDTH, HEIGHT, theme, 430, 420))
