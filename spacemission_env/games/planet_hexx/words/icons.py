"""Finds the icons of a card among the 36 icons of the rulebook's index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spacemission_env.games.planet_hexx.components import language as lang
from spacemission_env.games.planet_hexx.components.deck import Card, Effect, nested

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

# Icons by the keys of a card that hold effects.
_OF_KEYS = dict(
    zip(
        (*lang.HEX_EFFECTS, *lang.FILE_EFFECTS),
        ("enters_play", "collect_alternative", "through", "stop", "start", "upload", "upload"),
        strict=True,
    )
)
_BANNED = {"move": "move_banned", "upload": "upload_banned"}
_WINDOWS = {
    **{"move": "move", "upload": "upload", "event": "event", "roll": "roll"},
    **{"stopped": "stop", "uploaded": "upload"},
}


def card_icons(card: Card) -> tuple[str, ...]:
    """The icons of a card, in the order of `ICONS`."""
    found = {icon for key, icon in _OF_KEYS.items() if getattr(card, key)}
    parts = [(given, lang.STATEMENTS) for effect in card.effects for given in effect]
    parts += [(cost, lang.COSTS) for cost in card.cost]
    parts += [(condition, lang.CONDITIONS) for condition in (card.enter_if, card.only_if) if condition]
    if card.start_ban is not None:
        found |= {"start", "not_allowed", _BANNED.get(card.start_ban, "not_allowed")}
    if card.leave_roll:
        found.add("rolled_number")
    if card.leave_roll or card.must_stop or card.enter_if:
        found |= {"not_allowed", "move_banned"}
    if card.surprise is not None:
        found |= {_WINDOWS[window] for window in card.surprise.on if window in _WINDOWS}
        found |= {"use_event_action"} if card.surprise.own_turn else set()
    if card.alt_upload is not None:
        parts += [(cost, lang.COSTS) for cost in card.alt_upload.cost]
        found |= {"upload"} if card.alt_upload.anywhere else {"upload", "space"}
    found.update(icon for part in parts for icon in _icons_of(*part))
    return tuple(icon for icon in ICONS if icon in found)


def _icons_of(given: Effect, table: Mapping[str, lang.Statement]) -> Iterator[str]:
    for statement, part in nested(given, table):
        yield from statement.icons
        for argument, value in zip(statement.arguments, statement.values(part).values(), strict=True):
            if value in argument.icons:
                yield argument.icons[value]
