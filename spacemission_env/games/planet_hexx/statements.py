"""The language of card effects: one table, from which validator, texts, icons and docs are made."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.language import (
    ACTIONS,
    DIE,
    HAND,
    HEX_ICONS,
    MOST_DATA,
    NOT_ON_ENTER,
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
    Statement("add", (_DATA, _WHO), "[add] {data}", "Store + n each", ("add",)),
    Statement("expend", (_DATA, _WHO), "[expend] {data}", "Store - n each, as far as it goes", ("expend",)),
    Statement(
        "take",
        (_DATA, _WHOSE),
        "take {data} from {whose} Store",
        "from each of them n Data, as far as it goes, to the owner's Store",
        ("add", "expend"),
    ),
    Statement(
        "collect",
        (_DATA,),
        "Collect {data}",
        "min(n, its Data) from the Planet under the owner's ship to the owner's Store; on a Space nothing",
        ("collect",),
    ),
    Statement(
        "planet_add",
        (_DATA,),
        "add {data} to {planet}",
        "the target hex, or without one the hex under the owner's ship, if it is a Planet",
        ("planet_add",),
    ),
    Statement("planet_sub", (_DATA,), "subtract {data} from {planet}", "", ("planet_sub",)),
    Statement(
        "planets_add",
        (_DATA,),
        "add {data} to every Planet",
        "every Planet on the board",
        ("planet_add", "all"),
    ),
    Statement("planets_sub", (_DATA,), "subtract {data} from every Planet", "", ("planet_sub", "all")),
    Statement("draw", (_CARDS, _WHO), "[draw] {cards}", "each draws n cards", ("draw",)),
    Statement(
        "discard",
        (_CARDS, _WHO, _TYPE),
        "[discard] {cards}",
        "each discards n cards of its own choice (of the type), one by one (decision DISCARD of that seat), "
        "as far as it has them",
        ("discard",),
    ),
    Statement(
        "random_discard",
        (_CARDS, _WHO),
        "[discard] {cards} at random",
        "each discards n cards, one by one, each `rng.below(hand size)` in slot order",
        ("random_discard",),
    ),
    Statement("dump", (_CARDS,), "dump {cards}", "n cards from the deck to the Discard", ("dump",)),
    Statement("show_hand", (_WHOSE,), "[show] {own} hand", "all cards in these hands become known to all"),
    Statement(
        "show_top",
        (number("n", 1, HAND),),
        "show the top {few_cards} of the Deck",
        "the n top cards of the deck become known to all, if it has as many, else all that it has (no "
        "shuffle)",
    ),
    Statement(
        "recover",
        (_ANY_TYPE,),
        "take {card} from the Discard Pile into your hand",
        "the owner takes a card (of the type) from the Discard to the hand (decision; no pass; not with a "
        "full hand); all know it",
    ),
    Statement(
        "gain_action",
        (word("kind", ("any", *ACTIONS), icons=_ACTION_ICONS), number("n", 1, 6, 1)),
        "gain {actions}",
        'n (default 1) Actions of that kind ("any": of every kind) for the owner. On the own turn they are'
        " kept for this turn; on another's: HX-46, one after the other. At most six gained Actions a turn "
        "and seat, the rest is lost",
    ),
    Statement(
        "use_action",
        (number("n", 1, 6), _WHO),
        "[lose] {actions}",
        "as an effect: each loses n remaining Actions, gained ones first, as far as there are any",
        ("not_allowed", "use_any_action"),
    ),
    Statement(
        "forbid",
        (word("kind", ACTIONS, icons={"move": "move_banned", "upload": "upload_banned"}), _WHO),
        "{subject} may take no {kind} Actions this turn",
        'each may not take Actions of that kind until the end of this turn ("move", "upload", …)',
        ("not_allowed",),
    ),
    Statement(
        "move",
        (_CARDS,),
        "Move up to {hexes}",
        "a Move of the owner of at most n steps, without a roll; with STEP, Through, Landing, Stop as any "
        "Move",
        ("move",),
        PLAY,
    ),
    Statement(
        "relocate",
        (_WHAT, _WHERE, word("who", ("you", "target"), "you")),
        "put {whose} Ship on {there}",
        "the owner chooses a hex and the ship (of the owner, or of the target) is put there; not the hex "
        "it is on. `adjacent` is meant from that ship, `linked`: hexes related to the hex under that ship",
    ),
    Statement(
        "place",
        (word("mode", ("legal", "any")),),
        "{may}Play a Map Hex from your hand{beside}",
        "the owner may play a Map card from the hand, without an Action: slot or pass, cell, rotation. "
        '"legal": as by a Map Action; "any": HX-11 does not hold, the cell must still touch a hex',
        where=NOT_ON_ENTER,
    ),
    Statement(
        "target_seat",
        (word("who", ("others", "all")),),
        "choose {a_player}",
        "the owner chooses a seat",
        sets="target",
    ),
    Statement(
        "target_hex",
        (
            _WHAT,
            _WHERE,
            number("min", 0, MOST_DATA, icons=dict.fromkeys(range(1, MOST_DATA + 1), "planet_has")),
            number("max", 0, MOST_DATA),
        ),
        "choose {a_hex}",
        "the owner chooses a hex. If there is none to choose, the effect ends here",
        sets="hex",
    ),
    Statement(
        "disintegrate",
        (),
        "disintegrate {hex} (its Ships go to a neighbouring Hex of your choice)",
        "the target hex goes to the Discard (its kind), its Data to the supply; the owner chooses a "
        "neighbouring hex to which all ships on it are put. Not the Space Base or Delta Colony, nor a hex "
        "without which the board would not hang together; such are not offered as targets",
        needs="hex",
    ),
    Statement(
        "rotate",
        (),
        "rotate {hex}",
        "the owner chooses a rotation of the target hex, other than the present one",
        needs="hex",
    ),
    Statement(
        "move_hex",
        (),
        "move {hex} to another legal place",
        "the owner chooses an empty cell for the target hex, legal for it by HX-10 to HX-12 with the hex "
        "taken away from where it is; Data, ships and rotation go with it. Targets without such a cell are"
        " not offered, nor hexes without which the board would not hang together, nor the Space Base and "
        "Delta Colony",
        needs="hex",
    ),
    Statement(
        "replace_hex",
        (),
        "{may}replace {hex} with a legal Map Hex from your hand",
        "the owner may play a Map card from the hand in place of the target hex: slot or pass; it must be "
        "legal there by HX-11 (touching a Space, no Planet; a Space anywhere); rotation if it has walls. "
        "The old one goes to the Discard; ships stay; a Planet gets its printed Data. Not the Space Base "
        "or Delta Colony: not offered as targets",
        where=NOT_ON_ENTER,
        needs="hex",
    ),
    Statement(
        "roll",
        (),
        "roll the die",
        "the owner rolls a die; window `roll`; the effect's roll is the result, at least 1 and at most 6",
        ("roll",),
        sets="roll",
    ),
    Statement(
        "roll_table",
        (Argument("rows", "table", (), 1, DIE),),
        "roll the die{rows}",
        "a `roll`, then the effect whose range holds it",
        ("roll", "rolled_number", "cause_effect"),
        sets="roll",
    ),
    Statement(
        "modify_roll",
        (number("n", -9, 9),),
        "{modify}",
        "in answer to a window `roll`: changes that roll by n. Else: the owner's Move rolls of this turn "
        "get n more",
        ("roll",),
    ),
    Statement(
        "reroll",
        (),
        "that die is rolled again",
        "in answer to a window `roll`: rolls that die again (without the bonuses that it had and without "
        "another window). Else nothing",
        ("roll",),
        PLAY,
        needs="window",
    ),
    Statement(
        "upload_now",
        (_ANY_TYPE,),
        "{may}Upload {card} from your hand for free",
        "the owner may upload a card (of the type) from the hand whose type fits an open point: slot or pass",
        ("upload",),
    ),
    Statement(
        "upload_self",
        (),
        "Upload this card for free",
        "this card goes to the owner's Mission File if its type fits an open point, instead of to the "
        "Discard",
        ("upload",),
        PLAY,
    ),
    Statement(
        "delete_upload",
        (_WHOSE,),
        "delete a card from {anyones} Mission File",
        "the owner chooses a filled point of these seats (decision; no pass); the card goes to the Discard",
        ("delete",),
    ),
    Statement("copy", (), "copy the latest Event of this turn", "HX-50", ("event",), PLAY),
    Statement(
        "cancel",
        (),
        "cancel it",
        "in answer to a window: what was declared (an Action, a Surprise) is cancelled. Else nothing",
        ("not_allowed",),
        PLAY,
        needs="window",
    ),
    Statement(
        "counter",
        (number("n", 1, 9), _WHOSE),
        "[get] {counters}",
        "each gets n Snooger counters (at most 9)",
    ),
    Statement(
        "if",
        (Argument("condition", "condition"), _effect("then"), _effect("else")),
        "if {condition}, {then}{otherwise}",
        "one of two effects",
        ("cause_effect",),
    ),
    Statement("may", (_effect("effect"),), "you may {effect}", "the owner is asked (MAY)"),
)

STATEMENTS = {statement.name: statement for statement in _STATEMENTS}
