"""Conditions of `if`, of playing a card (`only_if`) and of entering a hex (`enter_if`)."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine.board import is_planet
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import NOBODY, NOTHING
from spacemission_env.games.planet_hexx.engine.costs import actions_of
from spacemission_env.games.planet_hexx.engine.effect_codes import (
    DATA_GE,
    FIRST_ACTION,
    LAST_ACTION,
    NEVER,
    ON,
    ON_BOARD,
    OWN_TURN,
    PLANET_GE,
    PRINTED_GE,
    TARGET_DATA_GE,
)
from spacemission_env.games.planet_hexx.engine.targets import is_what


@njit
def holds(s, t, seat, target, condition, number, declaring):
    """Whether a condition holds for a seat and its target seat.

    `declaring`: 1 where the seat is to begin an Action by it, which has not been counted or spent yet.
    """
    here = s.ship[seat]
    if condition == DATA_GE:
        return s.store[seat] >= number
    if condition == TARGET_DATA_GE:
        return target != NOBODY and s.store[target] >= number
    if condition == PLANET_GE:
        return is_planet(s, t, here) and s.hex_data[here] >= number
    if condition == PRINTED_GE:
        return is_planet(s, t, here) and t.printed[s.hex[here]] >= number
    if condition == ON:
        return is_what(s, t, here, number)
    if condition == ON_BOARD:
        return on_board(s, number)
    if condition == OWN_TURN:
        return seat == s.active
    if condition == FIRST_ACTION:
        return seat == s.active and s.begun + declaring == 1
    if condition == LAST_ACTION:
        return seat == s.active and actions_of(s, seat) == declaring
    if condition == NEVER:
        return False
    return s.deck_known > 0 and t.type[s.deck[s.deck_size - 1]] == number


@njit
def on_board(s, card):
    """Whether a hex of this kind lies on the board (HX-15)."""
    for i in range(s.hexes):  # noqa: SIM110 - numba knows no any()
        if s.hex[s.placed[i]] == card:
            return True
    return False


@njit
def allows(s, t, conditions, card, seat, declaring):
    """Whether a seat meets the condition of a card; `conditions`: `Box.only_if` or `Box.enter_if`."""
    condition = conditions[card, 0]
    return condition == NOTHING or holds(s, t, seat, NOBODY, condition, conditions[card, 1], declaring)
