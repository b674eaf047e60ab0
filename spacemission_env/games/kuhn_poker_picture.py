"""Draws Kuhn poker from what a seat knows (`Game.seat_json`): cards around a pot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

from spacemission_env.pictures.sky import night, world
from spacemission_env.pictures.strokes import strokes
from spacemission_env.pictures.svg import Marks, box, disc, document, ellipse, path, stroke, text
from spacemission_env.pictures.table import buttons, card_back, chips, seat_dot
from spacemission_env.pictures.themes import colours

CARD_WIDTH, CARD_HEIGHT = 96, 138
_GOLD, _GOLD_RIM = "#f2c94c", "#6b4a00"


@dataclass(frozen=True)
class _Shape:
    """Where things are: the document, the middle of the table, its half axes, how far seats are, buttons."""

    width: int
    height: int
    x: float
    y: float
    table: tuple[float, float]
    seats: tuple[float, float]
    buttons: tuple[float, float, float]  # x, y, how wide each is


_WIDE = _Shape(1000, 700, 500, 322, (320, 186), (290, 168), (740, 600, 105))
_TALL = _Shape(600, 850, 300, 412, (240, 270), (167.5, 246), (32, 780, 262))


def draw(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """An SVG document of a view."""
    return _drawn(view, theme, legal, changed, _WIDE)


def draw_tall(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """The same for narrow pages."""
    return _drawn(view, theme, legal, changed, _TALL)


def _drawn(
    view: Mapping[str, Any], theme: str, legal: Sequence[int], changed: Sequence[str], on: _Shape
) -> str:
    ink = colours(theme)
    marks = Marks(ink, {name for action in legal for name in targets(view, action)}, changed)
    (across, down), (left, top, wide) = on.table, on.buttons
    parts = [
        ellipse(on.x, on.y, across, down, stroke(ink["edge"], 3, fill=ink["panel"])),
        ellipse(on.x, on.y, across - 16, down - 15, stroke(ink["line"], 1, dash="2 7")),
        text(30, 54, "Kuhn poker", 31, ink["ink"], weight=700, anchor="start"),
        text(31, 80, _turn(view), 15, ink["soft"], anchor="start"),
        _pot(view, ink, marks, on),
        *(_seat(view, j, ink, marks, on) for j in range(view["num_players"])),
    ]
    labels = [(name, name.removeprefix("choice-")) for name in marks.missing]
    parts.append(buttons(marks, labels, left, top, wide, 2))
    ground = night(on.width, on.height, theme, on.x, on.y)
    return document(on.width, on.height, parts, told(view), ground)


def targets(view: Mapping[str, Any], action: int) -> tuple[str, ...]:
    """What one points at for a move."""
    words = ("fold", "call") if view["bet"] else ("check", "bet")
    return (f"choice-{words[action]}",)


def told(view: Mapping[str, Any]) -> str:
    """The picture in words."""
    whose = "all see it" if view["seat"] is None else f"player_{view['seat']} sees it"
    return f"Kuhn poker with {view['num_players']} players as {whose}, {view['pot']} chips in the pot"


def _turn(view: Mapping[str, Any]) -> str:
    if view["over"]:
        return f"{' and '.join(f'player_{j}' for j in view['result']['winners'])} won the pot"
    return f"player_{view['player_to_act']} to act"


def _place(view: Mapping[str, Any], j: int, on: _Shape) -> tuple[float, float]:
    """Where a seat is: who looks is below, the others follow clockwise."""
    turn = radians(90 + 360 * (j - (view["seat"] or 0)) / view["num_players"])
    return round(on.x + on.seats[0] * cos(turn), 1), round(on.y + on.seats[1] * sin(turn), 1)


def _pot(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, on: _Shape) -> str:
    x, y = on.x, on.y
    stacks = [min(5, view["pot"] - 5 * i) for i in range((view["pot"] + 4) // 5)]
    parts = [
        chips(_GOLD, _GOLD_RIM, x + 44 * (i - (len(stacks) - 1) / 2), y + 8, count, 38)
        for i, count in enumerate(stacks)
    ]
    parts.append(text(x, y + 48, f"pot {view['pot']}", 19, ink["ink"], weight=600))
    shape = f'<rect x="{x - 70}" y="{y - 52}" width="140" height="112" rx="14"/>'
    return marks.target("pot", f"Pot: {view['pot']} chips", parts, shape)


def _seat(view: Mapping[str, Any], j: int, ink: Mapping[str, str], marks: Marks, on: _Shape) -> str:
    seat, (x, y) = view["seats"][j], _place(view, j, on)
    left, top = x - 140, y - CARD_HEIGHT / 2  # the card, and beside it what is told
    you = " (you)" if j == view["seat"] else ""
    acts = j == view["player_to_act"]
    drawn = [
        _card(seat["card"], left, top, ink)
        if seat["card"]
        else card_back(ink, left, top, CARD_WIDTH, CARD_HEIGHT)
    ]
    if seat["folded"]:
        drawn = [f'<g opacity="0.35">{"".join(drawn)}</g>']
    shape = box(left - 3, top - 3, CARD_WIDTH + 6, CARD_HEIGHT + 6, 13)
    face = f"Card of player_{j}: {seat['card'] or 'face down'}"
    tag = left + CARD_WIDTH + 20
    words = ", then ".join(seat["acts"]) or "has not acted"
    parts = [
        box(tag - 12, top, 172, CARD_HEIGHT, 11, f'fill="{ink["sky"]}" stroke="{ink["edge"]}"'),
        marks.target(f"card-{j}", face, drawn, shape),
        seat_dot(ink, j, tag + 11, top + 22, 12),
        text(tag + 30, top + 28, f"player_{j}{you}", 17, ink["ink"], weight=700, anchor="start", within=124),
        text(
            tag,
            top + 56,
            "to act" if acts else words,
            15,
            ink["ink" if acts else "soft"],
            weight=600 if acts else 400,
            anchor="start",
        ),
        chips(_GOLD, _GOLD_RIM, tag + 12, top + 90, min(seat["chips"], 5), 24),
        text(tag + 32, top + 92, f"{seat['chips']} in", 15, ink["soft"], anchor="start"),
    ]
    if view["result"]:
        won = view["result"]["scores"][j]["chips"]
        parts.append(text(tag, top + 126, f"{won:+d} chips", 19, ink["ink"], weight=700, anchor="start"))
    shape = f'<rect x="{left - 8:g}" y="{top - 8:g}" width="296" height="{CARD_HEIGHT + 16}" rx="16"/>'
    return marks.target(f"seat-{j}", f"player_{j}: {seat['chips']} chips in the pot; {words}", parts, shape)


def _card(name: str, x: float, y: float, ink: Mapping[str, str]) -> str:
    """A card that lies open: its letter, and a picture of its own."""
    cx, cy = x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2
    dark = ink["card_ink"]
    parts = [box(x, y, CARD_WIDTH, CARD_HEIGHT, 11, f'fill="{ink["card"]}" stroke="{ink["edge"]}"')]
    for turn in (0, 180):
        letter = text(x + 17, y + 29, name, 25, dark, weight=700)
        parts.append(f'<g transform="rotate({turn} {cx:g} {cy:g})">{letter}</g>' if turn else letter)
    return "".join(parts) + _PICTURES[name](cx, cy)


def _rocket(x: float, y: float) -> str:
    hull = "M0-26C9-16 12-4 12 8L18 20L6 16H-6L-18 20L-12 8C-12-4-9-16 0-26Z"
    return path(hull, f'transform="translate({x:g} {y:g})" fill="#2a68dc"') + disc(
        x, y - 4, 5, 'fill="#ffffff"'
    )


def _moon(x: float, y: float) -> str:
    d = "M8-22A23 23 0 1 0 8 22A18 18 0 1 1 8-22Z"
    return path(d, f'transform="translate({x + 3:g} {y:g})" fill="#7d1f5f"')


def _sun(x: float, y: float) -> str:
    rays = "".join(
        path(
            f"M{x:g} {y - 19:g}V{y - 27:g}",
            f'transform="rotate({45 * k} {x:g} {y:g})" {stroke("#d2440c", 4)}',
        )
        for k in range(8)
    )
    return disc(x, y, 14, 'fill="#d2440c"') + rays


_PICTURES = {
    "J": _rocket,
    "Q": _moon,
    "K": lambda x, y: world("king 3", x, y, 22),
    "A": _sun,
}


def draw_small(view: Mapping[str, Any], *, theme: str = "light") -> str:
    """An SVG document of a view, for few pixels: its texts are strokes."""
    ink = colours(theme)
    n, own = view["num_players"], view["seat"] or 0
    parts = []
    parts.append(ellipse(128, 118, 104, 66, stroke(ink["edge"], 2, fill=ink["panel"])))
    parts.append(chips(_GOLD, _GOLD_RIM, 112, 122, min(view["pot"], 6), 26))
    parts.append(strokes(134, 126, str(view["pot"]), 22, ink["ink"], weight=700, anchor="start"))
    for j, seat in enumerate(view["seats"]):
        turn = radians(90 + 360 * (j - own) / n)
        x, y = 118 + 92 * cos(turn), 122 + 80 * sin(turn)
        if seat["card"]:
            parts.append(box(x - 17, y - 25, 34, 50, 5, f'fill="{ink["card"]}" stroke="{ink["edge"]}"'))
            parts.append(strokes(x, y + 10, seat["card"], 28, ink["card_ink"], weight=700))
        else:
            parts.append(card_back(ink, x - 17, y - 25, 34, 50))
        parts.append(disc(x + 29, y - 14, 9, f'fill="{ink[f"seat_{j}"]}" stroke="{ink["rim"]}"'))
        parts.append(strokes(x + 29, y - 9.5, str(j), 12.5, ink[f"seat_{j}_on"], weight=700))
        told_ = (
            "fold"
            if seat["folded"]
            else f"{view['result']['scores'][j]['chips']:+d}"
            if view["result"]
            else str(seat["chips"])
        )
        parts.append(strokes(x + 22, y + 18, told_, 14, ink["ink"], anchor="start"))
    return document(256, 256, parts, told(view), night(256, 256, theme, 128, 118, 30))
