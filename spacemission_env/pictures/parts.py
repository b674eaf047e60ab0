"""Draws parts that board games share: ships, cards, piles, chips, seat panels and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

from spacemission_env.pictures.svg import Marks, box, disc, ellipse, group, lines, path, text, wide
from spacemission_env.pictures.themes import colours

View = Mapping[str, Any]  # `Game.seat_json`
BUTTON_HEIGHT = 40
SMALL_SHIP = "M0-7L5.5 6L0 3L-5.5 6Z"  # path of a ship for small pictures
_SIDE, _TOP, _SIDE_WIDTH, _BOTTOM, _GAP = 852, 28, 322, 730, 12  # place and size of panels beside the table
_LEFT, _WIDTH, _HIGH, _GAP_BELOW = 24, 552, 134, 10  # place and size of panels below the table
_LARGER, _BELOW = 1.6, 24  # below the table: scale of the legend, and the margin below the legend


@dataclass(frozen=True)
class Drawing:
    """The view, colours and marks that every part of a drawing needs."""

    view: View
    ink: Mapping[str, str]  # colours by name
    marks: Marks

    def text(self, x: float, y: float, words: str, size: float, colour: str = "ink", **how: Any) -> str:
        return text(x, y, words, size, self.ink[colour], **how)

    def left(self, x: float, y: float, words: str, size: float, colour: str = "ink", **how: Any) -> str:
        """Text that begins at x."""
        return text(x, y, words, size, self.ink[colour], anchor="start", **how)

    def paint(self, fill: str, line: str, width: float | None = None) -> str:
        """Fill and line attributes by colour names."""
        more = "" if width is None else f' stroke-width="{width}"'
        return f'fill="{self.ink[fill]}" stroke="{self.ink[line]}"{more}'

    def seat(self, j: int, width: float | None = None) -> str:
        """Attributes in the colour of a seat."""
        return self.paint(f"seat_{j}", "rim", width)

    def heading(self, title: str, size: float, second: str, third: str, y: float, room: float) -> str:
        """The title at the upper left with two lines below it, the last one at y."""
        return (
            self.left(32, 56, title, size, weight=700)
            + self.left(33, 82, second, 15, "soft")
            + self.left(33, y, third, 15, weight=600, within=room)
        )


def drawing(
    view: View,
    theme: str,
    legal: Iterable[int],
    changed: Iterable[str],
    targets: Callable[[View, int], tuple[str, ...]],
) -> Drawing:
    """A new drawing that marks the targets of the `legal` moves."""
    ink = colours(theme)
    return Drawing(view, ink, Marks(ink, {name for move in legal for name in targets(view, move)}, changed))


def in_words(title: str, view: View, when: str) -> str:
    """The description of a drawing for people who do not see it."""
    whose = "all see it" if view["seat"] is None else f"player_{view['seat']} sees it"
    return f"{title} with {view['num_players']} players as {whose}, {when}"


def around(view: View, x: float, y: float, far_x: float, far_y: float) -> Iterator[tuple[int, float, float]]:
    """Each seat and its place around (x, y), clockwise from the viewer at the bottom."""
    for j in range(view["num_players"]):
        turn = radians(90 + 360 * (j - (view["seat"] or 0)) / view["num_players"])
        yield j, round(x + far_x * cos(turn), 1), round(y + far_y * sin(turn), 1)


def seat_number(ink: Mapping[str, str], seat: int, x: float, y: float, size: float) -> str:
    """The number of a seat in its colours. The web page replaces it, because there seat 0 is "Player 1"."""
    return f'<g class="seat-number">{text(x, y, str(seat), size, ink[f"seat_{seat}_on"], weight=700)}</g>'


def ship(ink: Mapping[str, str], seat: int, x: float, y: float, scale: float = 1) -> str:
    """A ship with the number of its seat."""
    more = f'fill="{ink[f"seat_{seat}"]}" stroke="{ink["rim"]}" stroke-width="1.4" stroke-linejoin="round"'
    hull = path("M0-16C6.5-10 9-2 9 6L13 13L4.5 11H-4.5L-13 13L-9 6C-9-2-6.5-10 0-16Z", more)
    return group([hull, seat_number(ink, seat, 0, 6.5, 13)], x, y, scale=scale)


def card_back(ink: Mapping[str, str], x: float, y: float, width: float, height: float) -> str:
    cx, cy = x + width / 2, y + height / 2
    paint = f'fill="{ink["back"]}" stroke="{ink["back_line"]}" stroke-width="0.8"'
    thin = f'fill="none" stroke="{ink["back_line"]}" stroke-width="{width * 0.035:.2f}"'
    return (
        box(x, y, width, height, width / 9, paint)
        + disc(cx, cy, width * 0.28, thin)
        + ellipse(cx, cy, width * 0.4, width * 0.12, f'transform="rotate(-24 {cx:g} {cy:g})" {thin}')
    )


def card(
    d: Drawing, name: str | None, x: float, y: float, width: float, art: str = "", pale: bool = False
) -> str:
    """A card with its name and the drawing `art` in the middle; the card's back if `name` is None."""
    high = 1.44 * width
    if name is None:
        drawn = card_back(d.ink, x, y, width, high)
    else:
        drawn = box(x, y, width, high, width / 8, d.paint("card", "edge"))
        size, below = (0.3 * width, 0.31) if art else (0.8 * width, 0.92)
        drawn += d.text(
            x + width * (0.18 if art else 0.5), y + width * below, name, size, "card_ink", weight=700
        )
        drawn += group([art], x + width / 2, y + high / 2)
    return f'<g opacity="0.35">{drawn}</g>' if pale else drawn


def pile(
    d: Drawing,
    name: str,
    title: str,
    x: float,
    top: float,
    count: int,
    label: str,
    *,
    step: int,
    face_up: bool = False,
    more: str = "",
) -> str:
    """A pile of cards that looks one card higher for each `step` cards, with `label` below it and the drawing
    `more` on top. A face-up pile shows its number of cards instead of its top card.
    """
    depth = min(4, 1 + count // step) if count else 0
    places = [(x + 2.5 * i, top + 8 - 2.5 * i) for i in range(depth)]
    if face_up:
        parts = [box(left, y, 78, 108, 8, d.paint("card", "edge")) for left, y in places]
    else:
        parts = [card_back(d.ink, left, y, 78, 108) for left, y in places]
    if not count:
        dashed = f'fill="none" stroke="{d.ink["line"]}" stroke-dasharray="4 5"'
        parts.append(box(x, top + 8, 78, 108, 8, dashed))
    elif face_up:
        over = 2.5 * (depth - 1)
        parts.append(d.text(x + 39 + over, top + 72 - over, str(count), 30, "card_soft", weight=600))
    parts += [d.text(x + 39, top + 135, label, 13, "soft"), more]
    edge = f'<rect x="{x - 3}" y="{top - 4}" width="92" height="124" rx="11"/>'
    return d.marks.target(name, title, parts, edge)


def chips(fill: str, rim: str, x: float, y: float, count: int, width: float = 20) -> str:
    """A stack of chips; (x, y) is the centre of the lowest chip."""
    more = f'fill="{fill}" stroke="{rim}" stroke-width="{width / 22:.2f}"'
    return "".join(ellipse(x, y - 0.225 * width * i, width / 2, width / 4, more) for i in range(count))


def seat_dot(ink: Mapping[str, str], seat: int, x: float, y: float, r: float = 8) -> str:
    """The number of a seat in its colour."""
    x, y, below = round(x, 1), round(y, 1), round(y + r * 0.45, 1)
    dot = disc(x, y, r, f'fill="{ink[f"seat_{seat}"]}" stroke="{ink["rim"]}"')
    return dot + seat_number(ink, seat, x, below, r * 1.3)


# ---------------------------------------------------------------- seat panels


@dataclass(frozen=True)
class Place:
    """Position and size of a panel; a `roomy` one has larger text."""

    left: float
    top: float
    width: float
    high: float
    roomy: bool = False

    @property
    def right(self) -> float:
        return self.left + self.width


@dataclass(frozen=True)
class Key:
    """The legend (key): `draw(drawing, left, top)` draws it, `high` is its height."""

    draw: Callable[[Drawing, float, float], str]
    high: float


Panel = Callable[[Drawing, int, Place], str]  # draws the panel of a seat


def seats_beside(d: Drawing, panel: Panel, key: Key, highest: float, with_key: bool) -> str:
    """The panels of all seats at the right of a wide picture, with the legend below if `with_key`."""
    n, room = d.view["num_players"], _BOTTOM - _TOP
    high = min(highest, (room - key.high if with_key else room + _GAP) // n - _GAP)
    parts = [panel(d, j, Place(_SIDE, _TOP + (high + _GAP) * j, _SIDE_WIDTH, high)) for j in range(n)]
    if with_key:
        parts.append(key.draw(d, _SIDE, _BOTTOM - key.high))
    return "".join(parts)


def seats_below(d: Drawing, panel: Panel, key: Key, top: float) -> tuple[str, int]:
    """Draw the panels of all seats and the legend in one column; return the drawing and its bottom edge."""
    n, step = d.view["num_players"], _HIGH + _GAP_BELOW
    parts = [panel(d, j, Place(_LEFT, top + step * j, _WIDTH, _HIGH, roomy=True)) for j in range(n)]
    bottom = top + step * n
    parts.append(group([key.draw(d, 0, 0)], 42, bottom, scale=_LARGER))
    return "".join(parts), round(bottom + key.high * _LARGER + _BELOW)


def panel(
    d: Drawing,
    j: int,
    at: Place,
    parts: Iterable[str],
    *,
    status: tuple[str, bool],
    room: float,
    marked: bool,
    title: str,
) -> str:
    """The panel of seat `j`: colour, ship, name, status, and other parts.

    `status`: words, drawn at most `room` wide, and whether they are bold. A `marked` panel has a thick edge.
    """
    you = j == d.view["seat"]
    edge = f"seat_{j}" if you or marked else "edge"
    size, base = (18, at.top + 33) if at.roomy else (17, at.top + 31)
    words, bold = status
    drawn = [
        box(at.left, at.top, at.width, at.high, 12, d.paint("panel", edge, 2.5 if marked else 1.5)),
        box(at.left, at.top + 14, 6, at.high - 28, 3, f'fill="{d.ink[f"seat_{j}"]}"'),
        ship(d.ink, j, at.left + 34, base + 3, 1.15),
        d.left(at.left + 62, base, f"player_{j}{' (you)' if you else ''}", size, weight=700, within=150),
        d.left(
            at.left + 62, at.top + (54 if at.roomy else 50), words, 12.5, "ink" if bold else "soft",
            weight=600 if bold else 400, within=room,
        ),
        *parts,
    ]  # fmt: skip
    shape = f'<rect x="{at.left}" y="{at.top:g}" width="{at.width}" height="{at.high:g}" rx="12"/>'
    return d.marks.target(f"seat-{j}", title, drawn, shape)


def figure(d: Drawing, right: float, top: float, number: str, size: float, words: str) -> list[str]:
    """A number at the upper right of a panel, with its meaning below."""
    return [
        d.text(right, top + 36, number, size, weight=700, anchor="end"),
        d.text(right, top + 51, words, 11, "soft", anchor="end"),
    ]


def key_box(d: Drawing, left: float, top: float, high: float) -> str:
    paint = f'{d.paint("sky", "edge")} stroke-dasharray="3 5"'
    return box(left, top, _SIDE_WIDTH, high, 12, paint)


# ---------------------------------------------------------------- buttons


def _words(words: str, x: float, y: float, room: float, colour: str, high: float) -> list[str]:
    """The label of a button around (x, y), in two lines if one line would be too small to read."""
    if wide(words, 15, 600) <= 1.3 * room or high < BUTTON_HEIGHT:
        return [text(x, y + 5.5, words, 15, colour, weight=600, within=room)]
    size = next((s for s in (13, 12, 11, 10) if len(lines(words, s, room, 9, 600)) <= 2), 10)
    rows = lines(words, size, room, 2, 600)
    return [text(x, y - 3 + 15 * k, row, size, colour, weight=600, within=room) for k, row in enumerate(rows)]


def buttons(
    marks: Marks,
    labels: Iterable[tuple[str, str]],
    x: float,
    y: float,
    width: float,
    across: int = 1,
    high: float = BUTTON_HEIGHT,
) -> str:
    """Buttons for choices that have no place on the table, in rows from (x, y); `labels`: names and words."""
    ink, parts = marks.ink, []
    for i, (name, words) in enumerate(labels):
        row, column = divmod(i, across)
        left, top = x + (width + 12) * column, y + (high + 10) * row
        shape = f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{high:g}" rx="10"/>'
        drawn = [
            shape.replace("/>", f' fill="{ink["panel"]}" stroke="{ink["edge"]}"/>'),
            *_words(words, left + width / 2, top + high / 2, width - 16, ink["ink"], high),
        ]
        parts.append(marks.target(name, words, drawn, shape))
    return "".join(parts)
