"""Tests the conditions of `if`, `only_if` and `enter_if`."""

from __future__ import annotations

from .cards import Kind, Statement
from .table import Seat, Table


def holds(
    t: Table, seat: Seat, condition: Statement, target: Seat | None = None, declaring: bool = False
) -> bool:
    """Whether a condition holds for a seat; `declaring`: it is about to begin an Action."""
    word, *values = condition
    value: object = values[0] if values else None
    own_turn, under = seat.number == t.active, t.hex_under(seat)
    if word == "data_ge":
        return seat.store >= value
    if word == "target_data_ge":
        return target is not None and target.store >= value
    if word == "planet_ge":
        return under.is_planet and under.data >= value
    if word == "printed_ge":
        return under.is_planet and under.kind.data >= value
    if word == "on":
        return under.is_a(value)
    if word == "on_board":
        return any(hex_.kind.id == value for hex_ in t.board.values())
    if word == "top_is":
        return t.deck_known > 0 and t.deck[-1].kind.type == value
    if word == "own_turn":
        return own_turn
    if word == "first_action":
        return own_turn and t.begun == (0 if declaring else 1)
    if word == "last_action":
        return own_turn and t.actions_of(seat) == (1 if declaring else 0)
    if word == "never":
        return False
    raise ValueError(word)


def may_declare(t: Table, seat: Seat, kind: Kind) -> bool:
    """Whether a card's `only_if` lets a seat declare it now."""
    return kind.only_if is None or holds(t, seat, kind.only_if, declaring=True)
