"""Opens windows, plays Surprises, rolls dice (HX-44, HX-47)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import effects, flight
from .cards import Kind
from .conditions import may_declare
from .moves import BRANCH, PASS, PLAY
from .table import Asking, Seat, Table, Window, ask


@dataclass(eq=False)
class Declared:
    """A declared Action or Surprise, with the Event of an Event Action."""

    event: Event | None = None
    cancelled: bool = False


@dataclass(eq=False)
class Event:
    """A declared Event, and the latest earlier Event."""

    kind: Kind
    before: Kind | None


@dataclass(eq=False)
class Roll:
    """A rolled die with its bonuses."""

    value: int


@dataclass(eq=False)
class Landing:
    """A Landing before Collecting; `change`: added to the amount."""

    change: int = 0


Answered = Declared | Roll | Landing | None


def choose_branch(owner: Seat, branches: list) -> Asking:
    """HX-42."""
    move = yield from ask(owner.number, "BRANCH", [BRANCH + b for b in range(len(branches))])
    return branches[move - BRANCH]


def slots_to_answer(t: Table, seat: Seat, name: str) -> list[int]:
    actions = max(0, t.actions_of(seat) - 1)  # HX-47: the answer itself uses one
    return [
        slot
        for slot, card in enumerate(seat.hand)
        if name in card.kind.answers
        and may_declare(t, seat, card.kind)
        and effects.payable(t, seat, card.kind.cost, card, actions)
    ]


def may_be_asked(t: Table, seat: Seat, name: str) -> bool:
    """Whether a seat could answer a window, with suitable cards."""
    if seat.number == t.active:
        return name == "surprise" and t.can_do("event")
    return not seat.surprised


def to_be_asked(t: Table, name: str, candidates: Iterable[Seat]) -> tuple[Seat, list[int]] | None:
    for seat in candidates:
        if may_be_asked(t, seat, name):
            slots = slots_to_answer(t, seat, name)
            if slots or t.rules["always_ask"]:
                return seat, slots
    return None


def window(t: Table, name: str, opener: Seat, subject: Answered = None) -> Asking:
    """Ask clockwise from the active seat, which comes last, until all have passed.

    HR-32: only windows that a card of the deck lists open.
    """
    if not any(name in kind.answers for kind in t.cards.kinds):
        return
    out = {opener.number}
    opened = Window(name, opener.number, out)
    t.windows.append(opened)
    while True:
        order = [seat for seat in t.clockwise(t.active + 1) if seat.number not in out]
        found = to_be_asked(t, name, order)
        if found is None:
            t.windows.pop()
            return
        seat, slots = found
        move = yield from ask(seat.number, "WINDOW", [PASS, *(PLAY + s for s in slots)], even_alone=True)
        if move == PASS:
            out.add(seat.number)
        else:
            opened.answers += 1
            yield from play_surprise(t, seat, move - PLAY, name, subject)


def play_surprise(t: Table, seat: Seat, slot: int, name: str, subject: Answered) -> Asking:
    card = t.put_on_table(seat, slot)
    if seat.number == t.active:
        t.spend("event")
        yield from flight.icon_effect(t, seat, "on_start")
    else:
        seat.surprised = True
    branch = yield from choose_branch(seat, card.kind.branches)
    declared = Declared()
    yield from window(t, "surprise", seat, declared)
    if not declared.cancelled and effects.payable(t, seat, card.kind.cost, None, t.actions_of(seat)):
        yield from effects.pay(t, seat, card.kind.cost)
        yield from effects.carry_out(t, branch, seat, card=card, answered=subject, window=name)
    t.put_away(card)


def roll(t: Table, owner: Seat, bonus: int = 0) -> Asking:
    """HX-16: roll a die with a bonus and open its window."""
    die = Roll(t.chance.die() + bonus)
    yield from window(t, "roll", owner, die)
    return die.value
