"""The whole table, 1200 by 900: title above, the ring of planets, seats at the right, the hand below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_env.games.space_mission.picture.hand import below
from spacemission_env.games.space_mission.picture.pieces import tile
from spacemission_env.games.space_mission.picture.ring import MIDDLE, ring
from spacemission_env.games.space_mission.picture.seats import seats
from spacemission_env.games.space_mission.picture.targets import pointed_at
from spacemission_env.games.space_mission.picture.words import state_of_play, told
from spacemission_env.pictures.sky import night
from spacemission_env.pictures.svg import Marks, box, document, text
from spacemission_env.pictures.themes import colours

WIDTH, HEIGHT = 1200, 900


def draw(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """An SVG document of a view (`Game.seat_json`, `Game.public_json`)."""
    ink = colours(theme)
    marks = Marks(ink, pointed_at(view, legal), changed)
    parts = [
        _title(view, ink),
        _end_track(view, ink),
        ring(view, ink, marks),
        seats(view, ink, marks),
        below(view, ink, marks),
    ]
    return document(WIDTH, HEIGHT, parts, told(view), night(WIDTH, HEIGHT, theme, *MIDDLE))


def _title(view: Mapping[str, Any], ink: Mapping[str, str]) -> str:
    last = ", the last" if view["last_round"] else ""
    return (
        text(32, 56, "Space Mission", 33, ink["ink"], weight=700, anchor="start")
        + text(33, 82, f"Round {view['round']}{last}", 15, ink["soft"], anchor="start")
        + text(33, 103, state_of_play(view), 15, ink["ink"], weight=600, anchor="start", within=270)
    )


def _end_track(view: Mapping[str, Any], ink: Mapping[str, str]) -> str:
    """Space tiles found, and how many end the game (SM-50)."""
    found, most = view["revealed"], view["space_tiles_to_end"]
    step, right = min(24, 290 / max(most, found)), 822
    parts = [
        text(right, 44, f"Space tiles found: {found} of {most}", 15, ink["soft"], anchor="end"),
    ]
    size = step - 4
    for i in range(max(most, found)):
        x = right - size / 2 - (max(most, found) - 1 - i) * step
        if i < found:
            parts.append(tile("space", x, 66, size))
        else:
            more = f'fill="{ink["faint"]}" stroke="{ink["line"]}"'
            parts.append(box(x - size / 2, 66 - size / 2, size, size, size / 5, more))
    return "".join(parts)
