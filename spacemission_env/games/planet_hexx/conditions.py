"""Conditions of `if`, and costs: declared as the statements are, see `statements.py`."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.language import (
    HAND,
    MAPS,
    MOST_DATA,
    TYPE_ICONS,
    TYPES,
    Argument,
    Statement,
    number,
    word,
)

_TYPE = word("type", TYPES, None, icons=TYPE_ICONS)

_CONDITIONS = (
    Statement("data_ge", (number("n", 1, MOST_DATA),), "you have at least {data}", ("store_has",)),
    Statement(
        "target_data_ge",
        (number("n", 1, MOST_DATA),),
        "they have at least {data}",
        icons=("store_has",),
        needs="target",
    ),
    Statement("planet_ge", (number("n", 1, MOST_DATA),), "{here} has at least {data}", ("planet_has",)),
    Statement(
        "printed_ge", (number("n", 1, MOST_DATA),), "{here} has at least {n} printed Data", ("planet_has",)
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
    Statement("expend", (number("n", 1, MOST_DATA),), "expend {data}", icons=("expend",)),
    Statement("use_action", (number("n", 1, 6),), "use {more_actions}", icons=("use_any_action",)),
    Statement("discard", (number("n", 1, HAND), _TYPE), "discard {cards}", icons=("discard",)),
)

CONDITIONS = {condition.name: condition for condition in _CONDITIONS}
COSTS = {cost.name: cost for cost in _COSTS}
