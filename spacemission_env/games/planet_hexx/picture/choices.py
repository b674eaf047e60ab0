"""Choices that lie nowhere on the table: buttons below the map; many of them in a panel over it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_env.games.planet_hexx.picture.hexes import Chart
from spacemission_env.games.planet_hexx.picture.pieces import emblem
from spacemission_env.games.planet_hexx.picture.words import label
from spacemission_env.pictures.svg import Marks, box, group, path
from spacemission_env.pictures.table import BUTTON_HEIGHT, buttons

LEFT, RIGHT, TOP, BOTTOM = 24, 832, 120, 736  # of the map, and of the buttons below it
FEW = 8
_SMALL = Chart(15, 0, 0)
_MIDDLE = 108  # cell (0, 0)


def choices(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    """Buttons for the legal targets that have not been drawn."""
    labels = [(name, label(view, name)) for name in marks.missing]
    n = len(labels)
    if not n:
        return ""
    if n <= FEW:
        width = min(190 if n == 1 or n > 2 else 390, (RIGHT - 32 + 12) / n - 12)
        top = BOTTOM - BUTTON_HEIGHT
        drawn = [_beside(view, name, 32 + (width + 12) * i, top, ink) for i, (name, _) in enumerate(labels)]
        return buttons(marks, labels, 32, top, width, n) + f'<g pointer-events="none">{"".join(drawn)}</g>'
    across = 3 if n <= 33 else 5
    width = (RIGHT - 60) / across - 12
    high = -(-n // across) * (BUTTON_HEIGHT + 10) + 22
    frame = f'fill="{ink["panel"]}" stroke="{ink["gate"]}" stroke-width="2"'
    return box(32, TOP - 2, RIGHT - 40, high, 14, frame) + buttons(marks, labels, 48, TOP + 14, width, across)


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
    card = here[0] if about["what"] == "rotate" and here else about.get("card")
    walls = [(edge + turn) % 6 for edge in view["cards"][card]["walls"]] if card else []
    corners = _SMALL.corners(_MIDDLE)
    d = "".join(f"M{corners[e - 1][0]} {corners[e - 1][1]}L{corners[e][0]} {corners[e][1]}" for e in walls)
    outline = path(_SMALL.outline(_MIDDLE), f'fill="{ink["hex"]}" stroke="{ink["line"]}"')
    thick = path(d, f'stroke="{ink["ink"]}" stroke-width="4" stroke-linecap="round" fill="none"')
    return group([outline, thick], x + 22, y + BUTTON_HEIGHT / 2)
