"""Declares the language of card effects: statements, conditions, costs and limits.

Validator, texts, icons and docs use these tables; docs/planet_hexx_cards.md explains each statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.effect_codes import WHAT_NAMES, WHERE_NAMES, WHO_NAMES

TYPES, WINDOWS = c.TYPE_NAMES, c.WINDOW_NAMES
EVENTS, MAPS = TYPES[:3], TYPES[3:]
ACTIONS = c.ACTION_NAMES[:-1]  # without "any"
WHO, WHAT, WHERE = WHO_NAMES, WHAT_NAMES, WHERE_NAMES
AMOUNTS = ("roll", "counters", "printed")
OF = ("data", "printed")  # Data on a Planet, or printed Data
MODES = ("legal", "any")  # where a hex may go: where HX-10 to HX-12 allow it, or anywhere next to a hex

# The icon for each word of an argument (words/icons.py).
TYPE_ICONS = {kind: kind for kind in TYPES}
HEX_ICONS = {"hex": "hex_any", "planet": "planet", "space": "space"}

# Keys of a card that hold effects.
HEX_EFFECTS = ("on_enter", "on_collect", "on_through", "on_stop", "on_start")
FILE_EFFECTS = ("on_upload", "on_turn")  # effects of a card in a Mission File (HX-37)
EFFECTS = ("play", *HEX_EFFECTS, *FILE_EFFECTS)
CONDITION_KEYS = ("only_if", "enter_if")  # keys of a card that hold one condition
NOT_ON_ENTER = tuple(key for key in EFFECTS if key != "on_enter")
NOT_ON_UPLOAD = tuple(key for key in EFFECTS if key != "on_upload")

SPACE_BASE, DELTA_COLONY = "space_base", "delta_colony"
STARTING = (SPACE_BASE, DELTA_COLONY)

# Limits of a deck file; `engine/constants.py` has the limits of the engine.
SIZE, FEWEST, MOST = 110, 3, 128  # number of cards: default, lowest, highest
RATIO = dict(zip(TYPES, (20, 20, 20, 24, 26), strict=True))  # cards by type among 110 (HX-56)
MOST_STATEMENTS = 8  # maximum number of statements in one list
ALL_STATEMENTS = 40  # maximum number of statements in one card
STEPS = 1200  # maximum number of statements and table rows in a deck
MOST_COSTS = 4
WALLS = 5  # one of the six edges must be open
RELATED = 6
DEPTH = 4  # maximum depth of nested effects
DIRECTIONS = 6
DIE = 6
NAME, STORY = 48, 600  # maximum number of characters

REQUIRED = object()
Icons = Mapping[Any, str]  # icon by the value of an argument
NO_ICONS: Icons = MappingProxyType({})


@dataclass(frozen=True)
class Argument:
    """An argument of a statement.

    Attributes:
        name: its name in docs and errors.
        kind: "number", "amount" (a number or one of `AMOUNTS`), "word", "id" (of a map card), "condition",
            "effect", "table" (rows of lowest number, highest number, effect) or "costs" (a list of costs).
        words: possible values of a "word".
        low, high: bounds of a number.
        default: value if left out; `REQUIRED` if the argument cannot be left out.
        icons: icon by value (words/icons.py).
    """

    name: str
    kind: str
    words: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    default: object = REQUIRED
    icons: Icons = field(default_factory=dict)


@dataclass(frozen=True)
class Statement:
    """A statement of an effect, a condition, or a cost.

    Attributes:
        name: its first word.
        arguments: its further parts.
        words: text for cards; `words/cards.py` fills in `{phrases}` and inflects the `[verb]`.
        icons: icons that it always shows; arguments add more.
        where: keys of a card that may contain it.
        sets: what it provides for later statements ("target" for a seat, "hex" or "roll"), or "".
        needs: what an earlier statement must provide, or a condition: "window" (the card must be a Surprise),
            "once" (the statement must be in an Event or a `once`) or "option" (it must be the first of an
            option, HR-39).
    """

    name: str
    arguments: tuple[Argument, ...]
    words: str
    icons: tuple[str, ...] = ()
    where: tuple[str, ...] = (*EFFECTS, *CONDITION_KEYS)
    sets: str = ""
    needs: str = ""

    def values(self, given: tuple[Any, ...]) -> Json:
        """The arguments of a checked statement by name, including the arguments left out."""
        if self.takes_rest:
            return {self.arguments[0].name: given[1:]}
        left_out = [argument.default for argument in self.arguments[len(given) - 1 :]]
        names = [argument.name for argument in self.arguments]
        return dict(zip(names, [*given[1:], *left_out], strict=True))

    @property
    def takes_rest(self) -> bool:
        """Whether the statement has only one argument: all that follows its name."""
        return self.arguments[:1] != () and self.arguments[0].kind in ("table", "costs")

    @property
    def form(self) -> str:
        """The syntax of the statement, as in the docs: `discard n [who] [type]`."""
        if self.takes_rest:
            return f"{self.name} {'[lo, hi, effect]' if self.arguments[0].kind == 'table' else '[cost]'} …"
        names = [a.name if a.default is REQUIRED else f"[{a.name}]" for a in self.arguments]
        return " ".join([self.name, *names])


def number(name: str, low: int, high: int, default: object = REQUIRED, icons: Icons = NO_ICONS) -> Argument:
    return Argument(name, "number", (), low, high, default, icons)


def amount(high: int = c.HAND) -> Argument:
    """The argument n: a number from 1 to `high`, or one of `AMOUNTS`."""
    return Argument("n", "amount", (), 1, high)


def word(name: str, words: tuple[str, ...], default: object = REQUIRED, icons: Icons = NO_ICONS) -> Argument:
    return Argument(name, "word", words, 0, 0, default, icons)


PLAY = ("play",)  # only in Events, because effects of hexes open no windows and are not copied
_MANY = {"all": "all", "others": "all"}
_ACTION_ICONS = {"any": "any_action", "event": "event", "move": "move", "upload": "upload"}

_USED_ICONS = {**dict.fromkeys((None, *ACTIONS), "use_any_action"), "event": "use_event_action"}

_WHO = word("who", WHO, "you", icons=_MANY)
_WHOSE = word("who", WHO, icons=_MANY)
_TYPE = word("type", TYPES, None, icons=TYPE_ICONS)
_ANY_TYPE = word("type", TYPES, None, icons={**TYPE_ICONS, None: "hex_any"})
_DATA = amount(c.MOST_DATA)
_CARDS = amount(c.HAND)
_WHAT = word("what", WHAT, icons=HEX_ICONS)
_WHERE = word("where", WHERE)
_MODE = word("mode", MODES, "legal")


def _effect(name: str) -> Argument:
    return Argument(name, "effect")


_STATEMENTS = (
    Statement("add", (_DATA, _WHO), "[add] {data}", ("add",)),
    Statement("expend", (_DATA, _WHO), "[expend] {data}", ("expend",)),
    Statement("take", (_DATA, _WHOSE), "take {data} from {whose} Store", ("add", "expend")),
    Statement("collect", (_DATA,), "Collect {data}", ("collect",)),
    Statement("planet_add", (_DATA,), "add {data} to {planet}", ("planet_add",)),
    Statement("planet_sub", (_DATA,), "subtract {data} from {planet}", ("planet_sub",)),
    Statement("planets_add", (_DATA,), "add {data} to every Planet", ("planet_add", "all")),
    Statement("planets_sub", (_DATA,), "subtract {data} from every Planet", ("planet_sub", "all")),
    Statement("draw", (_CARDS, _WHO), "[draw] {cards}", ("draw",)),
    Statement("discard", (_CARDS, _WHO, _TYPE), "[discard] {cards}", ("discard",)),
    Statement("random_discard", (_CARDS, _WHO), "[discard] {cards} at random", ("random_discard",)),
    Statement("dump", (_CARDS,), "dump {cards}", ("dump",)),
    Statement("show_hand", (_WHOSE,), "[show] {own} hand"),
    Statement("show_top", (number("n", 1, c.HAND),), "show the top {few_cards} of the Deck"),
    Statement("recover", (_ANY_TYPE,), "take {card} from the Discard Pile into your hand"),
    Statement(
        "gain_action",
        (word("kind", ("any", *ACTIONS), icons=_ACTION_ICONS), number("n", 1, 6, 1)),
        "gain {actions}",
    ),
    Statement("use_action", (number("n", 1, 6), _WHO), "[lose] {actions}", ("not_allowed", "use_any_action")),
    Statement(
        "forbid",
        (word("kind", ACTIONS, icons={"move": "move_banned", "upload": "upload_banned"}), _WHO),
        "{subject} may take no {kind} Actions this turn",
        ("not_allowed",),
    ),
    Statement("move", (_CARDS,), "Move up to {hexes}", ("move",), needs="once"),
    Statement(
        "relocate", (_WHAT, _WHERE, word("who", ("you", "target"), "you")), "put {whose} Ship on {there}"
    ),
    Statement(
        "place",
        (word("mode", MODES),),
        "{may}Play a Map Hex from your hand{beside}",
        where=NOT_ON_ENTER,
    ),
    Statement("target_seat", (word("who", ("others", "all")),), "choose {a_player}", sets="target"),
    Statement(
        "target_hex",
        (
            _WHAT,
            _WHERE,
            number("min", 0, c.MOST_DATA, icons=dict.fromkeys(range(1, c.MOST_DATA + 1), "planet_has")),
            number("max", 0, c.MOST_DATA),
            word("of", OF, "data"),
        ),
        "choose {a_hex}",
        sets="hex",
    ),
    Statement(
        "disintegrate",
        (),
        "disintegrate {hex} (its Ships go to a neighbouring Hex of your choice)",
        needs="hex",
    ),
    Statement("rotate", (), "rotate {hex}", needs="hex"),
    Statement("move_hex", (_MODE,), "move {hex} to {a_place}", needs="hex"),
    Statement(
        "replace_hex",
        (_MODE,),
        "{may}replace {hex} with {a_map_hex} from your hand",
        where=NOT_ON_ENTER,
        needs="hex",
    ),
    Statement("roll", (), "roll the die", ("roll",), sets="roll"),
    Statement(
        "roll_table",
        (Argument("rows", "table", (), 1, DIE),),
        "roll the die{rows}",
        ("roll", "rolled_number", "cause_effect"),
        sets="roll",
    ),
    Statement("modify_roll", (number("n", -9, 9),), "{modify}", ("roll",)),
    Statement("modify_collect", (number("n", -9, 9), _WHO), "{modify_collect}", ("collect",)),
    Statement("reroll", (), "that die is rolled again", ("roll",), PLAY, needs="window"),
    Statement(
        "upload_now", (_ANY_TYPE,), "{may}Upload {card} from your hand at once", ("upload",), NOT_ON_UPLOAD
    ),
    Statement("upload_self", (), "Upload this card at once", ("upload",), PLAY),
    Statement("delete_upload", (_WHOSE,), "delete a card from {anyones} Mission File", ("delete",)),
    Statement("copy", (), "copy the latest Event of this turn, paying its cost", ("event",), PLAY),
    Statement("cancel", (), "cancel it", ("not_allowed",), PLAY, needs="window"),
    Statement("counter", (number("n", 1, 9), _WHOSE), "[get] {counters}"),
    Statement(
        "if",
        (Argument("condition", "condition"), _effect("then"), _effect("else")),
        "if {condition}, {then}{otherwise}",
        ("cause_effect",),
    ),
    Statement("may", (_effect("effect"),), "you may {effect}"),
    Statement("cost", (Argument("costs", "costs"),), "{costs}", needs="option"),
    Statement("once", (_effect("effect"),), "once per turn, {effect}"),
)

STATEMENTS = {statement.name: statement for statement in _STATEMENTS}


_CONDITIONS = (
    Statement("data_ge", (number("n", 1, c.MOST_DATA),), "you have at least {data}", ("store_has",)),
    Statement(
        "target_data_ge",
        (number("n", 1, c.MOST_DATA),),
        "they have at least {data}",
        icons=("store_has",),
        needs="target",
    ),
    Statement("planet_ge", (number("n", 1, c.MOST_DATA),), "{here} has at least {data}", ("planet_has",)),
    Statement(
        "printed_ge", (number("n", 1, c.MOST_DATA),), "{here} has at least {n} printed Data", ("planet_has",)
    ),
    Statement("on", (word("what", MAPS, icons=TYPE_ICONS),), "you are on a {what}"),
    Statement("on_board", (Argument("id", "id"),), "{id} is on the Board"),
    Statement("own_turn", (), "it is your turn"),
    Statement("first_action", (), "this is your first Action of this turn", ("any_action",)),
    Statement("last_action", (), "this is your last Action of this turn", ("any_action",)),
    Statement("top_is", (word("type", TYPES, icons=TYPE_ICONS),), "the top card is {card}"),
    Statement("never", (), "never", where=("enter_if",)),
)

_COSTS = (
    Statement("expend", (number("n", 1, c.MOST_DATA),), "expend {data}", icons=("expend",)),
    Statement(
        "use_action",
        (number("n", 1, 6), word("kind", ACTIONS, None, icons=_USED_ICONS)),
        "use {more_actions}",
    ),
    Statement("discard", (number("n", 1, c.HAND), _TYPE), "discard {cards}", icons=("discard",)),
)

CONDITIONS = {condition.name: condition for condition in _CONDITIONS}
COSTS = {cost.name: cost for cost in _COSTS}
