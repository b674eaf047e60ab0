"""The language of card effects: one table, from which validator, texts, icons and docs are made."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.language import (
    ACTIONS,
    DIE,
    HAND,
    HEX_ICONS,
    MOST_DATA,
    NOT_ON_ENTER,
    NOT_ON_UPLOAD,
    OF,
    TYPE_ICONS,
    TYPES,
    WHAT,
    WHERE,
    WHO,
    Argument,
    Statement,
    amount,
    number,
    word,
)

PLAY = ("play",)  # of an Event alone: what a hex does opens no window and is not copied
_MANY = {"all": "all", "others": "all"}
_ACTION_ICONS = {"any": "any_action", "event": "event", "move": "move", "upload": "upload"}

_WHO = word("who", WHO, "you", icons=_MANY)
_WHOSE = word("who", WHO, icons=_MANY)
_TYPE = word("type", TYPES, None, icons=TYPE_ICONS)
_ANY_TYPE = word("type", TYPES, None, icons={**TYPE_ICONS, None: "hex_any"})
_DATA = amount(MOST_DATA)
_CARDS = amount(HAND)
_WHAT = word("what", WHAT, icons=HEX_ICONS)
_WHERE = word("where", WHERE)


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
    Statement("show_top", (number("n", 1, HAND),), "show the top {few_cards} of the Deck"),
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
    Statement("move", (_CARDS,), "Move up to {hexes}", ("move",), PLAY),
    Statement(
        "relocate", (_WHAT, _WHERE, word("who", ("you", "target"), "you")), "put {whose} Ship on {there}"
    ),
    Statement(
        "place",
        (word("mode", ("legal", "any")),),
        "{may}Play a Map Hex from your hand{beside}",
        where=NOT_ON_ENTER,
    ),
    Statement("target_seat", (word("who", ("others", "all")),), "choose {a_player}", sets="target"),
    Statement(
        "target_hex",
        (
            _WHAT,
            _WHERE,
            number("min", 0, MOST_DATA, icons=dict.fromkeys(range(1, MOST_DATA + 1), "planet_has")),
            number("max", 0, MOST_DATA),
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
    Statement("move_hex", (), "move {hex} to another legal place", needs="hex"),
    Statement(
        "replace_hex",
        (),
        "{may}replace {hex} with a legal Map Hex from your hand",
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
    Statement("once", (_effect("effect"),), "once per turn, {effect}"),
)

STATEMENTS = {statement.name: statement for statement in _STATEMENTS}
