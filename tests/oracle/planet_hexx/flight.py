"""Moves ships: steps, Through, Landing, Collecting, Stop (HX-16 to HX-34)."""

from __future__ import annotations

from . import effects, windows
from .board import Cell, beside, opposite
from .cards import Kind, priced
from .conditions import holds
from .moves import DIRECTION, NUMBER, PASS, YES
from .table import Asking, Seat, Table, ask


def can_step(t: Table, seat: Seat, direction: int, strength: int) -> bool:
    """HX-19 to HX-21."""
    there = beside(seat.ship, direction)
    return (
        t.board.open_step(seat.ship, direction)
        and there != seat.last_landed
        and strength >= t.hex_under(seat).kind.leave_roll
        and may_enter(t, seat, t.board[there].kind)
    )


def may_enter(t: Table, seat: Seat, kind: Kind) -> bool:
    return kind.enter_if is None or holds(t, seat, kind.enter_if)


def icon_effect(t: Table, seat: Seat, icon: str) -> Asking:
    """The effect of the hex under the ship."""
    hex_ = t.hex_under(seat)
    if hex_.works(icon):
        yield from effects.carry_out(t, hex_.kind.icons[icon], seat)


def fly(t: Table, seat: Seat, strength: int) -> Asking:
    """A Move of at most `strength` steps; `leave_roll` compares `strength`."""
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
        if t.hex_under(seat).is_planet or t.hex_under(seat).kind.must_stop:
            break
    if entered is None:
        return
    end = seat.ship
    if t.hex_under(seat).is_planet:
        yield from land(t, seat, end)
    if seat.ship == end:
        yield from windows.window(t, "stopped", seat)
    if seat.ship == end:
        yield from icon_effect(t, seat, "on_stop")


def land(t: Table, seat: Seat, cell: Cell) -> Asking:
    seat.last_landed, landing = cell, windows.Landing()
    yield from windows.window(t, "landed", seat, landing)
    if seat.ship == cell:
        yield from collect(t, seat, landing)


def collect(t: Table, seat: Seat, landing: windows.Landing) -> Asking:
    """HX-23 to HX-26, HX-30."""
    planet = t.hex_under(seat)
    if not planet.is_planet:
        return
    blue = planet.works("on_collect")
    if blue and not planet.kind.may_collect:
        choice = YES
    else:
        normal = [NUMBER + 1] if planet.data and amount(seat, 1, landing) else []
        choice = yield from ask(
            seat.number,
            "COLLECT",
            lambda: [YES] * (blue and may_choose_blue(t, seat, planet.kind)) + [NUMBER, *normal],
        )
    if choice == YES:
        yield from effects.carry_out(t, planet.kind.icons["on_collect"], seat, landing=landing)
    elif choice == NUMBER + 1:
        take_from_planet(t, seat, 1, landing)


def may_choose_blue(t: Table, seat: Seat, kind: Kind) -> bool:
    """HR-39: whether the condition of the blue effect holds, and its price can be paid."""
    program = kind.icons["on_collect"]
    if len(program) == 1 and program[0][0] == "if" and not program[0][3]:
        _, condition, program, _ = program[0]
        if not holds(t, seat, condition):
            return False
    return effects.payable(t, seat, priced(program)[0])


def amount(seat: Seat, n: int, landing: windows.Landing | None) -> int:
    """HX-24: the Data of Collecting n, without the limit of the Planet."""
    return max(0, n + seat.collect_bonus + (landing.change if landing else 0))


def take_from_planet(t: Table, seat: Seat, n: int, landing: windows.Landing | None) -> None:
    """HX-24."""
    planet = t.hex_under(seat)
    if planet.is_planet:
        got = min(amount(seat, n, landing), planet.data)
        planet.data -= got
        seat.add(got)
