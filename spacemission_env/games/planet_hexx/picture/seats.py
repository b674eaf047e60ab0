"""Draws the seat panels (Mission File, story points, Data, cards) and the legend."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.picture.pieces import TYPE_COLOURS, data, effect, emblem
from spacemission_env.pictures.parts import (
    Drawing,
    Key,
    Place,
    View,
    card_back,
    figure,
    key_box,
    panel,
)
from spacemission_env.pictures.svg import group, path

HIGHEST, _KEY = 214, 214  # largest height of a panel; height of the legend
_STEP = 49  # distance between story points
_LARGER = 1.2  # scale of story points and pieces in a roomy panel
_MEANINGS = (
    ("collect", "when you Collect"),
    ("through", "when you Move through"),
    ("stop", "when you Stop"),
    ("start", "when you Start"),
    ("enter", "when it is Played"),
)


def seat_panel(d: Drawing, j: int, at: Place) -> str:
    view, seat = d.view, d.view["seats"][j]
    filled = sum(point["filled"] is not None for point in seat["points"])
    uploaded = figure(d, at.right - 18, at.top, f"{filled}/6", 26, "uploaded")
    if at.roomy:
        parts = [
            d.left(at.left + 256, at.top + 40, _known(seat), 15, "soft", within=210),
            *uploaded,
            group(_mission(d, j, 0, 0), at.left + 42, at.top + 96, scale=_LARGER),
            group(_pieces(d, j, 0, 0), at.left + 404, at.top + 96, scale=_LARGER),
        ]
    else:
        room = (at.high - 164) / 3
        y = at.top + at.high - 32 - room / 2
        parts = [
            *uploaded,
            *_mission(d, j, at.left + 38, at.top + 88 + room),
            *_pieces(d, j, at.left + 32, y),
            d.left(at.left + 152, y + 5, _known(seat), 13, "soft", within=156),
        ]
    won = view["result"] is not None and j in view["result"]["winners"]
    marked = won if view["over"] else j == view["active"]
    return panel(
        d, j, at, parts, status=_status(view, j, won), room=172, marked=marked, title=_words(view, j)
    )


def _words(view: View, j: int) -> str:
    seat = view["seats"][j]
    known = ", ".join(view["cards"][card]["name"] for card in seat["known"])
    words = f"player_{j}: {seat['data']} Data, {seat['hand_size']} cards"
    if seat["banned"]:
        words += f"; may not {' or '.join(seat['banned'])} in this turn"
    return words + (f"; all have seen {known}" if known else "")


def _status(view: View, j: int, won: bool) -> tuple[str, bool]:
    """The status of a seat (Actions left, mission, or "won"), and whether it is bold."""
    if won:
        return "won", True
    if j == view["active"] and not view["over"] and view["turn"]:
        left = view["actions_left"]
        more = "".join(f", {n} {kind}" for kind, n in view["gained"].items())
        return f"{left} action{'s' * (left != 1)} left{more}", True
    return (view["seats"][j]["mission"] or "no side chosen yet").capitalize(), False


def _mission(d: Drawing, j: int, left: float, y: float) -> list[str]:
    """The story points; points that are not filled are hollow."""
    parts = []
    for p, point in enumerate(d.view["seats"][j]["points"]):
        x, kind = left + _STEP * p, point["type"].capitalize()
        filled = None if point["filled"] is None else d.view["cards"][point["filled"]]["name"]
        drawn = [emblem(point["type"], x, y, 36, "" if filled else d.ink["soft"])]
        if filled:
            more = d.paint("panel", "ink", 1.4)
            drawn.append(f'<circle cx="{x + 15}" cy="{y + 13:g}" r="8.5" {more}/>')
            line = f'fill="none" stroke="{d.ink["ink"]}" stroke-width="2" stroke-linecap="round"'
            drawn.append(path(f"M{x + 11} {y + 13:g}l3 3.4l5.4-6.6", line))
        shape = f'<rect x="{x - 21}" y="{y - 21:g}" width="42" height="42" rx="10"/>'
        parts.append(d.marks.target(f"point-{j}-{p}", f"{kind}: {filled or 'open'}", drawn, shape))
    return parts


def _pieces(d: Drawing, j: int, left: float, y: float) -> list[str]:
    seat = d.view["seats"][j]
    size = seat["hand_size"]
    backs = "".join(card_back(d.ink, 4 + 6 * i, -11, 15, 22) for i in range(max(1, min(3, size))))
    faded = "" if size else ' opacity="0.35"'
    return [
        data(left, y, str(seat["data"]), 1.12, d.ink["ink"]),
        f'<g transform="translate({left + 50:g} {y:g})"{faded}>{backs}</g>',
        d.left(left + 88, y + 6, str(size), 17, weight=700),
    ]


def _known(seat: View) -> str:
    """Known cards, counters and bans of a seat."""
    more = [f"{len(seat['known'])} seen"] * bool(seat["known"])
    more += [f"{seat['counters']} Snooger"] * bool(seat["counters"])
    return ", ".join([*more, *(f"no {kind}" for kind in seat["banned"])])


def _key(d: Drawing, left: float, top: float) -> str:
    """The legend: emblems of types and marks of effects."""
    parts = [key_box(d, left, top, _KEY)]
    for i, (kind, (mark, words)) in enumerate(zip(TYPE_COLOURS, _MEANINGS, strict=True)):
        y = top + 30 + 38 * i
        parts.append(emblem(kind, left + 30, y, 26))
        parts.append(d.left(left + 52, y + 5, kind.capitalize(), 14, "soft"))
        parts.append(effect(mark, left + 140, y, 1, d.ink["panel"]))
        parts.append(d.left(left + 158, y + 5, words, 14, "soft", within=150))
    return "".join(parts)


KEY = Key(_key, _KEY)
