"""The seats at the right: mission files with their story points, Data, cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_env.games.planet_hexx.picture.pieces import TYPE_COLOURS, data, effect, emblem
from spacemission_env.pictures.panels import Place, panel
from spacemission_env.pictures.svg import Marks, box, path, text
from spacemission_env.pictures.table import card_back

_LEFT, _TOP, _WIDTH, _BOTTOM, _GAP = 852, 28, 322, 730, 12
_HIGHEST, KEY = 214, 214  # height of a panel, and of the key
_STEP = 49  # between story points
_MEANINGS = (
    ("collect", "when you Collect"),
    ("through", "when you Move through"),
    ("stop", "when you Stop"),
    ("start", "when you Start"),
    ("enter", "when it is Played"),
)


def seats(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    """A panel for each seat."""
    n = view["num_players"]
    high = min(_HIGHEST, (_BOTTOM - _TOP + _GAP) // n - _GAP)
    parts = [_panel(view, j, _TOP + (high + _GAP) * j, high, ink, marks) for j in range(n)]
    if n <= 2:
        parts.append(key(_LEFT, _BOTTOM - KEY, ink))
    return "".join(parts)


def _panel(
    view: Mapping[str, Any], j: int, top: float, high: float, ink: Mapping[str, str], marks: Marks
) -> str:
    at = Place(_LEFT, top, _WIDTH, high)
    room = (high - 164) / 3
    y = top + high - 32 - room / 2
    drawn = [
        doing(view, j, _LEFT + 62, top + 50, ink),
        *uploaded(view, j, _LEFT + _WIDTH - 18, top, ink),
        *mission(view, j, _LEFT + 38, top + 88 + room, ink, marks),
        *stock(view, j, _LEFT + 32, y, ink),
        text(_LEFT + 152, y + 5, known_of(view, j), 13, ink["soft"], anchor="start", within=156),
    ]
    return panel(view, j, at, drawn, ink, marks, marked=is_marked(view, j), words=seat_words(view, j))


def is_marked(view: Mapping[str, Any], j: int) -> bool:
    """Whether it is the seat's turn, or it has won."""
    return won(view, j) if view["over"] else j == view["active"]


def won(view: Mapping[str, Any], j: int) -> bool:
    """Whether the seat has won."""
    return view["result"] is not None and j in view["result"]["winners"]


def seat_words(view: Mapping[str, Any], j: int) -> str:
    seat = view["seats"][j]
    known = ", ".join(view["cards"][card]["name"] for card in seat["known"])
    words = f"player_{j}: {seat['data']} Data, {seat['hand_size']} cards"
    if seat["banned"]:
        words += f"; may not {' or '.join(seat['banned'])} in this turn"
    return words + (f"; all have seen {known}" if known else "")


def uploaded(view: Mapping[str, Any], j: int, right: float, top: float, ink: Mapping[str, str]) -> list[str]:
    """How many story points are filled."""
    filled = sum(point["filled"] is not None for point in view["seats"][j]["points"])
    return [
        text(right, top + 36, f"{filled}/6", 26, ink["ink"], weight=700, anchor="end"),
        text(right, top + 51, "uploaded", 11, ink["soft"], anchor="end"),
    ]


def doing(view: Mapping[str, Any], j: int, x: float, y: float, ink: Mapping[str, str]) -> str:
    """Actions that are left, its mission, or that it won."""
    left, gained = view["actions_left"], view["gained"]
    words, bold = (view["seats"][j]["mission"] or "no side chosen yet").capitalize(), False
    if won(view, j):
        words, bold = "won", True
    elif j == view["active"] and not view["over"] and view["turn"]:
        more = "".join(f", {n} {kind}" for kind, n in gained.items())
        words, bold = f"{left} action{'s' * (left != 1)} left{more}", True
    paint = (ink["ink"], 600) if bold else (ink["soft"], 400)
    return text(x, y, words, 12.5, paint[0], weight=paint[1], anchor="start", within=172)


def mission(
    view: Mapping[str, Any], j: int, left: float, y: float, ink: Mapping[str, str], marks: Marks
) -> list[str]:
    """The story points: hollow until they are filled."""
    parts = []
    for p, point in enumerate(view["seats"][j]["points"]):
        x, kind = left + _STEP * p, point["type"].capitalize()
        filled = None if point["filled"] is None else view["cards"][point["filled"]]["name"]
        drawn = [emblem(point["type"], x, y, 36, "" if filled else ink["soft"])]
        if filled:
            more = f'fill="{ink["panel"]}" stroke="{ink["ink"]}" stroke-width="1.4"'
            drawn.append(f'<circle cx="{x + 15}" cy="{y + 13:g}" r="8.5" {more}/>')
            tick = f"M{x + 11} {y + 13:g}l3 3.4l5.4-6.6"
            drawn.append(
                path(tick, f'fill="none" stroke="{ink["ink"]}" stroke-width="2" stroke-linecap="round"')
            )
        shape = f'<rect x="{x - 21}" y="{y - 21:g}" width="42" height="42" rx="10"/>'
        parts.append(marks.target(f"point-{j}-{p}", f"{kind}: {filled or 'open'}", drawn, shape))
    return parts


def stock(view: Mapping[str, Any], j: int, left: float, y: float, ink: Mapping[str, str]) -> list[str]:
    """Data and cards."""
    seat = view["seats"][j]
    backs = "".join(card_back(ink, 4 + 6 * i, -11, 15, 22) for i in range(max(1, min(3, seat["hand_size"]))))
    faded = "" if seat["hand_size"] else ' opacity="0.35"'
    return [
        data(left, y, str(seat["data"]), 1.12, ink["ink"], ""),
        f'<g transform="translate({left + 50:g} {y:g})"{faded}>{backs}</g>',
        text(left + 88, y + 6, str(seat["hand_size"]), 17, ink["ink"], weight=700, anchor="start"),
    ]


def known_of(view: Mapping[str, Any], j: int) -> str:
    """Cards that all have seen, counters, what the seat may not do."""
    seat = view["seats"][j]
    more = [f"{len(seat['known'])} seen"] * bool(seat["known"])
    more += [f"{seat['counters']} Snooger"] * bool(seat["counters"])
    return ", ".join([*more, *(f"no {kind}" for kind in seat["banned"])])


def key(left: float, top: float, ink: Mapping[str, str]) -> str:
    """What emblems and marks stand for."""
    parts = [
        box(left, top, _WIDTH, KEY, 12, f'fill="{ink["sky"]}" stroke="{ink["edge"]}" stroke-dasharray="3 5"')
    ]
    rows = zip(TYPE_COLOURS, _MEANINGS, strict=True)
    for i, (kind, (mark, words)) in enumerate(rows):
        y = top + 30 + 38 * i
        parts.append(emblem(kind, left + 30, y, 26))
        parts.append(text(left + 52, y + 5, kind.capitalize(), 14, ink["soft"], anchor="start"))
        parts.append(effect(mark, left + 140, y, 1, ink["panel"]))
        parts.append(text(left + 158, y + 5, words, 14, ink["soft"], anchor="start", within=150))
    return "".join(parts)
