"""Choices that lie nowhere on the table: buttons below the map; many of them in a panel over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_env.games.planet_hexx.picture.hexes import Chart
from spacemission_env.games.planet_hexx.picture.pieces import emblem
from spacemission_env.games.planet_hexx.picture.words import label
from spacemission_env.pictures.svg import Marks, box, group, path, wide
from spacemission_env.pictures.table import BUTTON_HEIGHT, buttons

LEFT, RIGHT, TOP, BOTTOM = 24, 832, 120, 736  # of the map, and of the buttons below it
FEW = 8
_EMBLEMS = 50  # room above buttons
_ROOM = RIGHT - 48  # for buttons side by side
_SMALL = Chart(15, 0, 0)
_MIDDLE = 108  # cell (0, 0)


def choices(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    """Buttons for the legal targets that have not been drawn."""
    labels = [(name, label(view, name)) for name in marks.missing]
    n = len(labels)
    if not n:
        return ""
    if n <= FEW:
        across = 1 if _long(labels) else n
        most = _ROOM if _long(labels) else 390 if n == 2 else 190
        width, top = min(most, (_ROOM + 12) / across - 12), BOTTOM - high_of(view, marks) + 10
        return _rows(view, ink, marks, labels, 32, top, width, across)
    across = 3 if n <= 33 else 4
    width, rows = (_ROOM - 20) / across - 12, -(-n // across)
    high = min(BUTTON_HEIGHT, (BOTTOM - TOP - 30) / rows - 10)
    frame = f'fill="{ink["panel"]}" stroke="{ink["gate"]}" stroke-width="2"'
    panel = box(32, TOP - 2, _ROOM + 8, (high + 10) * rows + 22, 14, frame)
    return panel + buttons(marks, labels, 48, TOP + 14, width, across, high)


def high_of(view: Mapping[str, Any], marks: Marks) -> float:
    """How much room buttons take below the map; many of them are over it."""
    labels = _wanted(view, marks)
    if not 0 < len(labels) <= FEW:
        return 0
    return (BUTTON_HEIGHT + 10) * (len(labels) if _long(labels) else 1)


def _wanted(view: Mapping[str, Any], marks: Marks) -> list[tuple[str, str]]:
    return [(name, label(view, name)) for name in sorted(marks.legal) if name.startswith("choice-")]


def _long(labels: Sequence[tuple[str, str]]) -> bool:
    """Whether words are too long for buttons side by side."""
    return any(wide(words, 15, 600) > _ROOM / len(labels) for _, words in labels)


def _rows(
    view: Mapping[str, Any],
    ink: Mapping[str, str],
    marks: Marks,
    labels: Sequence[tuple[str, str]],
    left: float,
    top: float,
    width: float,
    across: int,
) -> str:
    """Buttons in rows, with what stands beside their words."""
    drawn = []
    for i, (name, _) in enumerate(labels):
        x, y = left + (width + 12) * (i % across), top + (BUTTON_HEIGHT + 10) * (i // across)
        drawn.append(_beside(view, name, x, y, ink))
    over = f'<g pointer-events="none">{"".join(drawn)}</g>' if any(drawn) else ""
    return buttons(marks, labels, left, top, width, across) + over


def high_below(view: Mapping[str, Any], marks: Marks) -> float:
    """How much room all of them take in one column."""
    labels = _wanted(view, marks)
    return (BUTTON_HEIGHT + 10) * -(-len(labels) // _across(labels)) + _EMBLEMS if labels else 0


def _across(labels: Sequence[tuple[str, str]]) -> int:
    n = len(labels)
    return 1 if n == 1 or (n <= FEW and _long(labels)) else 2 if n <= 4 else 3


def choices_below(
    view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, left: float, top: float, room: float
) -> str:
    """All in rows, from (left, top)."""
    labels = [(name, label(view, name)) for name in marks.missing]
    if not labels:
        return ""
    across = _across(labels)
    return _rows(view, ink, marks, labels, left, top + _EMBLEMS, (room + 12) / across - 12, across)


def _beside(view: Mapping[str, Any], name: str, x: float, y: float, ink: Mapping[str, str]) -> str:
    """What a button shows beside its words, if anything."""
    what, _, number = name.removeprefix("choice-").rpartition("-")
    if what == "turn":
        return _turned(view, int(number), x, y, ink)
    if what == "side":  # the story points of a side, above its button
        points = view["sides"][int(number)]["points"]
        return "".join(emblem(kind, x + 22 + 46 * p, y - 28, 36) for p, kind in enumerate(points))
    return ""


def _turned(view: Mapping[str, Any], turn: int, x: float, y: float, ink: Mapping[str, str]) -> str:
    """How a hex with walls would lie, at the left of its button."""
    about = view["asked"]
    here = [one["card"] for one in view["hexes"] if one["cell"] == about.get("cell")]
    turned = here if about["what"] == "rotate" else [about.get("card"), *reversed(view["table"])]
    cards = [view["cards"][name] for name in turned if name]
    walls = next(([(edge + turn) % 6 for edge in card["walls"]] for card in cards if card["walls"]), [])
    corners = _SMALL.corners(_MIDDLE)
    d = "".join(f"M{corners[e - 1][0]} {corners[e - 1][1]}L{corners[e][0]} {corners[e][1]}" for e in walls)
    outline = path(_SMALL.outline(_MIDDLE), f'fill="{ink["hex"]}" stroke="{ink["line"]}"')
    thick = path(d, f'stroke="{ink["ink"]}" stroke-width="4" stroke-linecap="round" fill="none"')
    return group([outline, thick], x + 22, y + BUTTON_HEIGHT / 2)
