"""The whole table: title, the ring of planets, seats, the hand; wide, or tall for narrow pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_env.games.space_mission.picture.hand import Places, below
from spacemission_env.games.space_mission.picture.pieces import tile
from spacemission_env.games.space_mission.picture.ring import Orbit, ring
from spacemission_env.games.space_mission.picture.seats import seats
from spacemission_env.games.space_mission.picture.seats_below import seats_below
from spacemission_env.games.space_mission.picture.targets import pointed_at
from spacemission_env.games.space_mission.picture.words import state_of_play, told
from spacemission_env.pictures.sky import night
from spacemission_env.pictures.svg import Marks, box, document, text
from spacemission_env.pictures.themes import colours

WIDTH, HEIGHT = 1200, 900
_ORBIT = Orbit(415, 388, 312, 246)
_PLACES = Places(piles=(32, 752), hand=(262, 752), tiles=(800, 752), across=5)
_TALL_WIDTH, _TALL_ORBIT = 600, Orbit(300, 482, 225, 285)
_TALL_PLACES = Places(piles=(32, 1062), hand=(44, 908), tiles=(290, 1062), across=4)
_TALL_SEATS = 1232  # where they begin


def draw(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """An SVG document of a view (`Game.seat_json`, `Game.public_json`)."""
    ink = colours(theme)
    marks = Marks(ink, pointed_at(view, legal), changed)
    parts = [
        _title(view, ink),
        _end_track(view, ink, 822, 290),
        ring(view, ink, marks, _ORBIT),
        seats(view, ink, marks),
        below(view, ink, marks, _PLACES),
    ]
    return document(WIDTH, HEIGHT, parts, told(view), night(WIDTH, HEIGHT, theme, _ORBIT.x, _ORBIT.y))


def draw_tall(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """The same in one column, for narrow pages."""
    ink = colours(theme)
    marks = Marks(ink, pointed_at(view, legal), changed)
    panels, bottom = seats_below(view, ink, marks, _TALL_SEATS)
    parts = [
        _title(view, ink),
        _end_track(view, ink, 576, 240),
        ring(view, ink, marks, _TALL_ORBIT),
        below(view, ink, marks, _TALL_PLACES),
        panels,
    ]
    ground = night(_TALL_WIDTH, bottom, theme, _TALL_ORBIT.x, _TALL_ORBIT.y, 140)
    return document(_TALL_WIDTH, bottom, parts, told(view), ground)


def _title(view: Mapping[str, Any], ink: Mapping[str, str]) -> str:
    last = ", the last" if view["last_round"] else ""
    return (
        text(32, 56, "Space Mission", 33, ink["ink"], weight=700, anchor="start")
        + text(33, 82, f"Round {view['round']}{last}", 15, ink["soft"], anchor="start")
        + text(33, 103, state_of_play(view), 15, ink["ink"], weight=600, anchor="start", within=270)
    )


def _end_track(view: Mapping[str, Any], ink: Mapping[str, str], right: float, room: float) -> str:
    """Space tiles found, and how many end the game (SM-50)."""
    found, most = view["revealed"], view["space_tiles_to_end"]
    step = min(24, room / max(most, found))
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
