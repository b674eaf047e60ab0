"""Finds the icons of a card; the rulebook's index has 36."""

from __future__ import annotations

from collections.abc import Iterator

from spacemission_env.games.planet_hexx.components import language as lang
from spacemission_env.games.planet_hexx.components.deck import Card, Effect

# Each icon and its meaning, in the order of the index.
ICONS = {
    "dump": "Dump",
    "discard": "Discard",
    "random_discard": "Discard at random",
    "draw": "Draw",
    "not_allowed": "Used up, skipped or not allowed",
    "any_action": "Any Action",
    "use_any_action": "Use any Action",
    "event": "Event or Event Action",
    "use_event_action": "Use an Event Action",
    "move": "Move or Move Action",
    "move_banned": "No Move Action",
    "upload": "Upload or Upload Action",
    "upload_banned": "No Upload",
    "hex_any": "Any type of hex",
    "alien": "Alien",
    "dilemma": "Dilemma",
    "object": "Object",
    "planet": "Planet",
    "space": "Space",
    "stop": "Stop",
    "start": "Start",
    "through": "Through",
    "collect_alternative": "Other than the normal Collecting",
    "enters_play": "When it comes into play",
    "planet_has": "A Planet with so much Data",
    "planet_sub": "Subtract Data from a Planet",
    "planet_add": "Add Data to a Planet",
    "store_has": "So much Data in the Store",
    "expend": "Expend Data",
    "add": "Add Data to the Store",
    "collect": "Collect so much Data here",
    "roll": "Roll the die",
    "rolled_number": "When this number is rolled",
    "delete": "Delete",
    "all": "All",
    "cause_effect": "One thing, and what follows from it",
}

_OF_KEYS = dict(
    zip(lang.HEX_EFFECTS, ("enters_play", "collect_alternative", "through", "stop", "start"), strict=True)
)
_BANNED = {"move": "move_banned", "upload": "upload_banned"}
_WINDOWS = {
    **{"move": "move", "upload": "upload", "event": "event", "roll": "roll"},
    **{"stopped": "stop", "uploaded": "upload"},
}


def card_icons(card: Card) -> tuple[str, ...]:
    """The icons of a card, in the order of `ICONS`."""
    found = set(_of_hex(card)) | set(_of_event(card)) | set(_of_uploads(card))
    return tuple(icon for icon in ICONS if icon in found)


def _of_hex(card: Card) -> Iterator[str]:
    for key in lang.HEX_EFFECTS:
        if getattr(card, key):
            yield _OF_KEYS[key]
            yield from effect_icons(getattr(card, key))
    if card.start_ban is not None:
        yield from ("start", "not_allowed")
        yield from _of_words(_BANNED, (card.start_ban,))
    if card.leave_roll:
        yield from ("not_allowed", "move_banned", "rolled_number")
    if card.must_stop or card.enter_if:
        yield from ("not_allowed", "move_banned")
    yield from _of_condition(card.enter_if)


def _of_event(card: Card) -> Iterator[str]:
    yield from _of_costs(card.cost)
    yield from _of_condition(card.only_if)
    for branch in card.play:
        yield from effect_icons(branch)
    if card.surprise is not None:
        yield from _of_words(_WINDOWS, card.surprise.on)
        if card.surprise.own_turn:
            yield "use_event_action"


def _of_uploads(card: Card) -> Iterator[str]:
    for key in lang.FILE_EFFECTS:
        if getattr(card, key):
            yield "upload"
            yield from effect_icons(getattr(card, key))
    if card.alt_upload is not None:
        yield "upload"
        yield from _of_costs(card.alt_upload.cost)
        if not card.alt_upload.anywhere:
            yield "space"


def _of_words(icons: dict[str, str], words: tuple[str, ...]) -> Iterator[str]:
    yield from (icons[word] for word in words if word in icons)


def _of_costs(costs: Effect) -> Iterator[str]:
    for cost in costs:
        yield from _of_statement(lang.COSTS[cost[0]], cost)


def _of_condition(condition: Effect) -> Iterator[str]:
    if condition:
        yield from _of_statement(lang.CONDITIONS[condition[0]], condition)


def effect_icons(effect: Effect) -> Iterator[str]:
    """The icons of an effect, possibly repeated."""
    for statement in effect:
        yield from _of_statement(lang.STATEMENTS[statement[0]], statement)


def _of_statement(statement: lang.Statement, given: Effect) -> Iterator[str]:
    yield from statement.icons
    for argument, value in zip(statement.arguments, statement.values(given).values(), strict=True):
        if argument.kind == "effect":
            yield from effect_icons(value)
        elif argument.kind == "table":
            for row in value:
                yield from effect_icons(row[-1])
        elif argument.kind == "costs":
            yield from _of_costs(value)
        elif argument.kind == "condition":
            yield from _of_condition(value)
        elif value in argument.icons:
            yield argument.icons[value]
