"""Draws buttons for choices that have no drawing on the table, and labels all choices."""

from __future__ import annotations

from collections.abc import Sequence

from spacemission_env.games.planet_hexx.actions import PROMPTS
from spacemission_env.games.planet_hexx.picture.hexes import Layout
from spacemission_env.games.planet_hexx.picture.pieces import emblem
from spacemission_env.games.planet_hexx.words.moves import PASSES
from spacemission_env.pictures.parts import BUTTON_HEIGHT, Drawing, View, buttons
from spacemission_env.pictures.svg import box, group, path, wide

LEFT, RIGHT, TOP, BOTTOM = 24, 832, 120, 736  # edges of the area for the map and the buttons below it
FEW = 8
_STEP = BUTTON_HEIGHT + 10  # distance between rows of buttons
_EMBLEMS = 50  # room above buttons, for the emblems of a side
_ROOM = RIGHT - 48  # width for buttons side by side
_SMALL = Layout(15, 0, 0)
_MIDDLE = 108  # number of the cell (0, 0)

Labels = Sequence[tuple[str, str]]  # id and words of each button


def choices(d: Drawing) -> str:
    """Draw buttons below the map for legal targets that have no drawing; many buttons cover the map."""
    labels = _labels(d, d.marks.missing)
    n = len(labels)
    if not n:
        return ""
    if n <= FEW:
        across = 1 if _long(labels) else n
        most = _ROOM if _long(labels) else 390 if n == 2 else 190
        width, top = min(most, (_ROOM + 12) / across - 12), BOTTOM - high_of(d) + 10
        return _rows(d, labels, 32, top, width, across)
    across = 3 if n <= 33 else 4
    width, rows = (_ROOM - 20) / across - 12, -(-n // across)
    high = min(BUTTON_HEIGHT, (BOTTOM - TOP - 30) / rows - 10)
    panel = box(32, TOP - 2, _ROOM + 8, (high + 10) * rows + 22, 14, d.paint("panel", "gate", 2))
    return panel + buttons(d.marks, labels, 48, TOP + 14, width, across, high)


def choices_below(d: Drawing, left: float, top: float, room: float) -> str:
    """Draw the buttons of `choices` in rows from (left, top), for a narrow picture."""
    labels = _labels(d, d.marks.missing)
    if not labels:
        return ""
    across = _across(labels)
    return _rows(d, labels, left, top + _EMBLEMS, (room + 12) / across - 12, across)


def high_of(d: Drawing) -> float:
    """The height of the buttons below the map; 0 if they cover it."""
    labels = _wanted(d)
    if not 0 < len(labels) <= FEW:
        return 0
    return _STEP * (len(labels) if _long(labels) else 1)


def high_below(d: Drawing) -> float:
    """The height of the buttons in a narrow picture."""
    labels = _wanted(d)
    return _STEP * -(-len(labels) // _across(labels)) + _EMBLEMS if labels else 0


def _labels(d: Drawing, names: Sequence[str]) -> Labels:
    return [(name, label(d.view, name)) for name in names]


def _wanted(d: Drawing) -> Labels:
    return _labels(d, [name for name in sorted(d.marks.legal) if name.startswith("choice-")])


def _long(labels: Labels) -> bool:
    """Whether the labels are too long for buttons side by side."""
    return any(wide(words, 15, 600) > _ROOM / len(labels) for _, words in labels)


def _across(labels: Labels) -> int:
    n = len(labels)
    return 1 if n == 1 or (n <= FEW and _long(labels)) else 2 if n <= 4 else 3


def _rows(d: Drawing, labels: Labels, left: float, top: float, width: float, across: int) -> str:
    """Draw buttons in rows, with drawings beside their labels."""
    drawn = []
    for i, (name, _) in enumerate(labels):
        x, y = left + (width + 12) * (i % across), top + _STEP * (i // across)
        drawn.append(_beside(d, name, x, y))
    over = f'<g pointer-events="none">{"".join(drawn)}</g>' if any(drawn) else ""
    return buttons(d.marks, labels, left, top, width, across) + over


def _beside(d: Drawing, name: str, x: float, y: float) -> str:
    """The drawing beside the label of a button, or ""."""
    what, _, number = name.removeprefix("choice-").rpartition("-")
    if what == "turn":
        return _turned(d, int(number), x, y)
    if what == "side":  # the story points of a side, above its button
        points = d.view["sides"][int(number)]["points"]
        return "".join(emblem(kind, x + 22 + 46 * p, y - 28, 36) for p, kind in enumerate(points))
    return ""


def _turned(d: Drawing, turn: int, x: float, y: float) -> str:
    """A hex with its walls, in the rotation that a button stands for."""
    view, about = d.view, d.view["asked"]
    here = [one["card"] for one in view["hexes"] if one["cell"] == about.get("cell")]
    turned = here if about["what"] == "rotate" else [about.get("card"), *reversed(view["table"])]
    cards = [view["cards"][name] for name in turned if name]
    walls = next(([(edge + turn) % 6 for edge in card["walls"]] for card in cards if card["walls"]), [])
    outline = path(_SMALL.outline(_MIDDLE), d.paint("hex", "line"))
    line = f'stroke="{d.ink["ink"]}" stroke-width="4" stroke-linecap="round" fill="none"'
    thick = path(_SMALL.edges(_MIDDLE, walls), line)
    return group([outline, thick], x + 22, y + BUTTON_HEIGHT / 2)


_WINDOWS = {
    "roll": "rolled the die",
    "landed": "Landed",
    "surprise": "plays a Surprise",
    "turn_begins": "begins a turn",
    "turn_ends": "has ended the Actions",
    "stopped": "Stopped",
    "uploaded": "has Uploaded a card",
}


def asked(view: View) -> str:
    about = view["asked"]
    if about is None:
        return ""
    words = PROMPTS[about["what"]]
    if "window" in about:
        window = about["window"]
        does = _WINDOWS.get(window, f"declares {'an' if window[0] in 'aeiou' else 'a'} {window.capitalize()}")
        return f"player_{about['opener']} {does}: {words}"
    card = f"{view['cards'][about['card']]['name']}: " if about.get("card") else ""
    steps = f" (rolled {about['roll']}, {about['left']} left)" if about["what"] == "step" else ""
    return f"{card}{words}{steps}"


def label(view: View, name: str) -> str:
    """The label of a button, by its id; `targets` names these ids."""
    what, _, number = name.removeprefix("choice-").rpartition("-")
    if what == "card":
        return next(card["name"] for card in view["cards"].values() if card["kind"] == int(number))
    if what == "side":
        name_of_side: str = view["sides"][int(number)]["name"]
        return name_of_side.capitalize()
    if what == "branch":
        about = view["asked"].get("card")
        branches = view["cards"][about]["text"].split(" OR: ") if about else []
        return branches[int(number)] if int(number) < len(branches) else f"Option {int(number) + 1}"
    if what == "turn":
        return f"   {60 * int(number)}°"
    if what == "number":
        return number
    if name == "choice-pass":  # "ends the turn" becomes "End the turn", as in the page's list of moves
        verb, _, rest = PASSES[(view["asked"] or {"what": "main"})["what"]].partition(" ")
        return f"{verb.capitalize().removesuffix('s')} {rest}"
    return {
        "choice-yes": "Yes",
        "choice-no": "No",
        "choice-effect": "By its effect",
        "choice-other-cost": "Upload at its other cost",
    }.get(name, name)
