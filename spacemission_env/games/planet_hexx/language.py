"""Words and limits of the language of card effects, and what a statement of it is made of.

The statements themselves are in `statements.py`; what they do is said in docs/planet_hexx_cards.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TYPES = ("alien", "dilemma", "object", "planet", "space")
EVENTS = TYPES[:3]
MAPS = TYPES[3:]
ACTIONS = ("map", "move", "upload", "refresh", "event")
WINDOWS = (*ACTIONS, "roll", "landed", "surprise", "turn_begins", "turn_ends", "stopped", "uploaded")
WHO = ("you", "target", "active", "all", "others")
WHAT = ("hex", "planet", "space", "walled")
WHERE = ("anywhere", "elsewhere", "adjacent", "linked")
AMOUNTS = ("roll", "counters", "printed")
OF = ("data", "printed")  # of a Planet

# Icons of words; see icons.py.
TYPE_ICONS = {kind: kind for kind in TYPES}
HEX_ICONS = {"hex": "hex_any", "planet": "planet", "space": "space"}

# Keys of a card that hold effects.
HEX_EFFECTS = ("on_enter", "on_collect", "on_through", "on_stop", "on_start")
FILE_EFFECTS = ("on_upload", "on_turn")  # of a card in a Mission File (HX-37)
EFFECTS = ("play", *HEX_EFFECTS, *FILE_EFFECTS)
CONDITION_KEYS = ("only_if", "enter_if")  # of a card, that hold one condition
NOT_ON_ENTER = tuple(key for key in EFFECTS if key != "on_enter")
NOT_ON_UPLOAD = tuple(key for key in EFFECTS if key != "on_upload")

SPACE_BASE, DELTA_COLONY = "space_base", "delta_colony"
STARTING = (SPACE_BASE, DELTA_COLONY)

# Limits of a deck file.
KINDS = 112  # cards of different ids, the starting hexes among them
SIZE, FEWEST, MOST = 110, 40, 128  # cards of a deck: what it is if the file does not say, and its bounds
RATIO = dict(zip(TYPES, (20, 20, 20, 24, 26), strict=True))  # HX-56, of 110
BRANCHES = 4  # of `play`
MOST_STATEMENTS = 8  # in one list
ALL_STATEMENTS = 40  # of a card
ONCES = 16  # `once` of a deck
STEPS = 1200  # of a deck: statements and rows of tables
MOST_COSTS = 4
WALLS = 5  # of six edges: one must be open
RELATED = 6
DEPTH = 4  # effects within each other
DIRECTIONS = 6
DIE = 6
MOST_DATA = 99  # of a Store and a Planet
HAND = 12  # most cards of a hand
FILES, SIDES, POINTS = 8, 2, 6
NAME, STORY = 48, 600  # characters

REQUIRED = object()


@dataclass(frozen=True)
class Argument:
    """An argument of a statement.

    Attributes:
        name: as the docs and errors call it.
        kind: "number", "amount" (a number or one of `AMOUNTS`), "word", "id" (of a map card), "condition",
            "effect" or "table" (rows of lowest number, highest number, effect).
        words: the words that a "word" may be.
        low, high: bounds of a number.
        default: what it is where it is left out; `REQUIRED`: it cannot be.
        icons: icon by value; see icons.py.
    """

    name: str
    kind: str
    words: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    default: Any = REQUIRED
    icons: Mapping[Any, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Statement:
    """A statement of an effect, a condition, or a cost.

    Attributes:
        name: its first word.
        arguments: what follows.
        words: what a card's text says; `texts.py` fills in `{phrases}`, and bends a `[verb]` for who does it.
        icons: that it always shows; more come from its arguments.
        where: keys of a card under which it may stand.
        sets, needs: what the statement provides for those after it, and what must have been provided:
            "target" (a seat), "hex", "roll", "window" (of a Surprise).
    """

    name: str
    arguments: tuple[Argument, ...]
    words: str
    icons: tuple[str, ...] = ()
    where: tuple[str, ...] = (*EFFECTS, *CONDITION_KEYS)
    sets: str = ""
    needs: str = ""

    def values(self, given: tuple[Any, ...]) -> dict[str, Any]:
        """The arguments by name, with those left out, of a checked statement: its name, then they."""
        if self.arguments and self.arguments[0].kind == "table":
            return {self.arguments[0].name: given[1:]}
        left_out = [argument.default for argument in self.arguments[len(given) - 1 :]]
        names = [argument.name for argument in self.arguments]
        return dict(zip(names, [*given[1:], *left_out], strict=True))

    @property
    def form(self) -> str:
        """How it is written, as the docs show it: `discard n [who] [type]`."""
        if self.arguments and self.arguments[0].kind == "table":
            return f"{self.name} [lo, hi, effect] …"
        names = [a.name if a.default is REQUIRED else f"[{a.name}]" for a in self.arguments]
        return " ".join([self.name, *names])


def number(name: str, low: int, high: int, default: Any = REQUIRED, **more: Any) -> Argument:
    """A whole number."""
    return Argument(name, "number", (), low, high, default, **more)


def amount(high: int = HAND) -> Argument:
    """The argument n: from 1 on, or one of `AMOUNTS`."""
    return Argument("n", "amount", (), 1, high)


def word(name: str, words: tuple[str, ...], default: Any = REQUIRED, **more: Any) -> Argument:
    """One of some words."""
    return Argument(name, "word", words, 0, 0, default, **more)
