"""Moves of ships: steps, Through, Landing, Collecting, Stop (HX-16 to HX-34)."""

from __future__ import annotations

from . import effects
from .board import Cell, beside, opposite
from .moves import DIRECTION, NUMBER, PASS, YES
from .table import Asking, Seat, Table, ask
from .windows import window


def can_step(t: Table, seat: Seat, direction: int, strength: int) -> bool:
    """HX-19 to HX-21."""
    there = beside(seat.ship, direction)
    return (
        t.board.open_step(seat.ship, direction)
        and there != seat.last_landed
        and strength >= t.hex_under(seat).kind.leave_roll
    )


def icon_effect(t: Table, seat: Seat, icon: str) -> Asking:
    """HX-34: the effect of the hex under the ship, if it is wanted. Whether it was carried out."""
    kind = t.hex_under(seat).kind
    if icon not in kind.icons:
        return False
    if kind.optional and (yield from ask(seat.number, "MAY", [PASS, YES])) == PASS:
        return False
    yield from effects.carry_out(t, kind.icons[icon], seat)
    return True


def fly(t: Table, seat: Seat, strength: int) -> Asking:
    """A Move of at most `strength` steps, which is also what `leave_roll` looks at."""
    entered: int | None = None
    for _ in range(strength):
        steps = [d for d in range(6) if can_step(t, seat, d, strength)]
        move = yield from ask(seat.number, "STEP", [PASS, *(DIRECTION + d for d in steps)])
        if move == PASS:
            break
        direction, here = move - DIRECTION, seat.ship
        if entered is not None and direction != opposite(entered):
            yield from icon_effect(t, seat, "on_through")
            if seat.ship != here:
                return
            if not can_step(t, seat, direction, strength):
                break
        seat.ship = beside(here, direction)
        entered = direction
        if t.hex_under(seat).is_planet:
            break
    if entered is None:
        return
    end = seat.ship
    if t.hex_under(seat).is_planet:
        yield from land(t, seat, end)
    if seat.ship == end:
        yield from icon_effect(t, seat, "on_stop")


def land(t: Table, seat: Seat, cell: Cell) -> Asking:
    seat.last_landed = cell
    yield from window(t, "landed", seat)
    if seat.ship == cell:
        yield from collect(t, seat)


def collect(t: Table, seat: Seat) -> Asking:
    """HX-23 to HX-26, HX-30."""
    planet = t.hex_under(seat)
    if not planet.is_planet or not planet.data:
        return
    blue = "on_collect" in planet.kind.icons
    if blue and not planet.kind.may_collect:
        choice = YES
    else:
        choice = yield from ask(seat.number, "COLLECT", [YES] * blue + [NUMBER, NUMBER + 1])
    if choice == YES:
        yield from effects.carry_out(t, planet.kind.icons["on_collect"], seat)
    elif choice == NUMBER + 1:
        take_from_planet(t, seat, 1)


def take_from_planet(t: Table, seat: Seat, n: int) -> None:
    """HX-24."""
    planet = t.hex_under(seat)
    if planet.is_planet:
        got = min(n, planet.data)
        planet.data -= got
        seat.add(got)
