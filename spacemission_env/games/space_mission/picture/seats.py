"""The seats at the right: what lies open before each, its points as far as all know them; below, a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_env.games.space_mission.picture.pieces import (
    coordinate,
    probe,
    station,
    tile,
    tile_back,
)
from spacemission_env.pictures.panels import Place, panel
from spacemission_env.pictures.svg import Marks, box, disc, text
from spacemission_env.pictures.table import card_back, chips

_LEFT, _TOP, _WIDTH, _BOTTOM, _GAP = 852, 28, 322, 730, 12
KEY = 236  # height
_HIGHEST = 168
# A tile that stands for a category of points.
_OF_CATEGORY = {
    "minerals": "mineral_purple",
    "aliens": "alien_brown",
    "matter": "matter_green",
    "water": "water",
    "medals": "medal",
    "space": "space",
}


def seats(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    """A panel for each seat; a key where there is room."""
    n = view["num_players"]
    room = _BOTTOM - _TOP
    with_key = n <= 3
    high = min(_HIGHEST, ((room - KEY if with_key else room + _GAP) // n) - _GAP)
    parts = [_panel(view, j, _TOP + (high + _GAP) * j, high, ink, marks) for j in range(n)]
    if with_key:
        parts.append(key(_LEFT, _BOTTOM - KEY, ink))
    return "".join(parts)


def _panel(
    view: Mapping[str, Any], j: int, top: float, high: float, ink: Mapping[str, str], marks: Marks
) -> str:
    at = Place(_LEFT, top, _WIDTH, high)
    drawn = [
        doing(view, j, _LEFT + 62, top + 50, ink),
        *points(view, j, _LEFT + _WIDTH - 18, top, ink),
        *stock(view, j, _LEFT + 36, top + 58 + max(0, (high - 130) / 4), 60.5, ink),
        *breakdown(view, j, _LEFT + 27, top + high - 17, ink),
    ]
    return panel(view, j, at, drawn, ink, marks, marked=is_marked(view, j), words=seat_words(view, j))


def is_marked(view: Mapping[str, Any], j: int) -> bool:
    """Whether the seat is to act, or has won."""
    won = view["result"] is not None and j in view["result"]["winners"]
    return won or j == view["player_to_act"]


def seat_words(view: Mapping[str, Any], j: int) -> str:
    seat = view["seats"][j]
    return (
        f"player_{j}: {seat['supply']} chips, {seat['gate']} probes on the gate, {seat['hand_size']} cards, "
        f"{seat['tile_total']} tiles, {len(seat['stations'])} stations"
    )


def doing(view: Mapping[str, Any], j: int, x: float, y: float, ink: Mapping[str, str]) -> str:
    """To act, what it did last, or that it won."""
    left, last = view["actions_left"], view["seats"][j]["last_actions"]
    bold = True
    if view["result"] is not None:
        words = "won" if j in view["result"]["winners"] else ""
    elif j == view["player_to_act"]:
        picks = view["phase"] != "action"
        words = "picks a tile" if picks else f"to act, {left} action{'s' * (left != 1)} left"
    else:
        words, bold = f"last: {', then '.join(reversed(last))}" if last else "has not acted yet", False
    paint = (ink["ink"], 600) if bold else (ink["soft"], 400)
    return text(x, y, words, 12.5, paint[0], weight=paint[1], anchor="start", within=165)


def points(view: Mapping[str, Any], j: int, right: float, top: float, ink: Mapping[str, str]) -> list[str]:
    """The points that are known."""
    by = view["seats"][j]["points"]
    known = "total" in by
    number = by["total"] if known else by["gate"] + by["stations"]
    return [
        text(right, top + 36, str(number), 28, ink["ink"], weight=700, anchor="end"),
        text(right, top + 51, "points" if known else "and tiles", 11, ink["soft"], anchor="end"),
    ]


def breakdown(view: Mapping[str, Any], j: int, left: float, y: float, ink: Mapping[str, str]) -> list[str]:
    """The points by what they are for: a piece and how many."""
    parts = []
    by = [(name, n) for name, n in view["seats"][j]["points"].items() if name != "total" and n]
    for i, (name, number) in enumerate(by):
        x = left + 38 * i
        parts.append(f'<g transform="translate({x} {y:g})"><title>{name}</title>{_piece(ink, j, name)}</g>')
        parts.append(text(x + 11, y + 4.5, str(number), 13, ink["soft"], anchor="start"))
    return parts


def _piece(ink: Mapping[str, str], j: int, category: str) -> str:
    """A small piece that stands for a category of points."""
    if category == "gate":
        return _ring(7.5, 2, "5 1.85", ink)
    if category == "stations":
        return station(ink, j, 0, 2, 0.45)
    return tile(_OF_CATEGORY[category], 0, 0, 16)


def _ring(r: float, width: float, dash: str, ink: Mapping[str, str]) -> str:
    """A small jump gate."""
    return disc(
        0, 0, r, f'fill="none" stroke="{ink["gate"]}" stroke-width="{width}" stroke-dasharray="{dash}"'
    )


def stock(
    view: Mapping[str, Any], j: int, left: float, y: float, step: float, ink: Mapping[str, str]
) -> list[str]:
    """Chips, probes on the gate, cards, tiles, stations: a piece and how many."""
    seat = view["seats"][j]
    drawn = [
        ([chips(ink[f"seat_{j}"], ink["rim"], 0, 5, 3)], seat["supply"], "chips"),
        (
            [
                probe(ink, j, 0, 0, 6),
                _ring(11, 2.4, "7 2.6", ink),
            ],
            seat["gate"],
            "on gate",
        ),
        (
            [
                card_back(ink, -13, -10, 14, 20),
                card_back(ink, -7, -10, 14, 20),
                card_back(ink, -1, -10, 14, 20),
            ],
            seat["hand_size"],
            "cards",
        ),
        ([tile_back(ink, -3, -2, 17), tile_back(ink, 3, 3, 17)], seat["tile_total"], "tiles"),
        ([station(ink, j, 0, 2, 0.72)], len(seat["stations"]), "stations"),
    ]
    parts = []
    for i, (piece, count, what) in enumerate(drawn):
        x = left + step * i
        parts.append(f'<g transform="translate({x - 9:g} {y + 14:g})">{"".join(piece)}</g>')
        parts.append(text(x + 11, y + 20, str(count), 16.5, ink["ink"], weight=600, anchor="start"))
        parts.append(text(x, y + 42, what, 10.5, ink["soft"]))
    return parts


def key(left: float, top: float, ink: Mapping[str, str]) -> str:
    """What shapes stand for, and what tiles are worth (SM-60 to SM-65)."""
    parts = [
        box(left, top, _WIDTH, KEY, 12, f'fill="{ink["sky"]}" stroke="{ink["edge"]}" stroke-dasharray="3 5"')
    ]
    for i, (colour, words) in enumerate(
        (("jump", "jump"), ("scan", "scan"), ("landing", "land (two cards)"))
    ):
        x = left + 26 + (0, 80, 160)[i]
        parts.append(coordinate(colour, "", x, top + 26, 0.75))
        parts.append(text(x + 16, top + 31, words, 13, ink["soft"], anchor="start"))
    rows = (
        (("mineral_red", "mineral_blue"), "number × most of one colour"),
        (("alien_brown", "alien_blue"), "number × most of one colour"),
        (("matter_green", "matter_blue"), "a pair 7, else 2 each"),
        (("water",), "1, 2, 3, 4 tiles: 2, 5, 9, 14"),
        (("medal",), "3 each;  a station 3"),
        (("space",), "no points; enough of them are the end"),
    )
    for i, (kinds, words) in enumerate(rows):
        y = top + 56 + 27 * i
        parts += [tile(kind, left + 26 + 26 * k, y, 22) for k, kind in enumerate(kinds)]
        parts.append(text(left + 76, y + 5, words, 13, ink["soft"], anchor="start", within=_WIDTH - 86))
    parts.append(
        text(
            left + 15,
            top + 226,
            "Probes on the gate: 9, 6, 3, 1 points by rank",
            13,
            ink["soft"],
            anchor="start",
        )
    )
    return "".join(parts)
