"""Opens windows, plays Surprises, rolls dice (HX-44, HX-47)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from . import effects, flight
from .cards import Card, Kind
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
    """A rolled die with bonuses and changes; `mover`: whose Move roll it is."""

    value: int
    mover: Seat | None


@dataclass(eq=False)
class Landing:
    """A Landing before Collecting; `change`: added to the amount."""

    change: int = 0


Answered = Declared | Roll | Landing | None


def payable_branches(
    t: Table, seat: Seat, kind: Kind, card: Card | None = None, spent: str | None = None
) -> list[int]:
    """HR-39."""
    branches = enumerate(kind.branches)
    return [b for b, branch in branches if effects.payable(t, seat, kind.price(branch), card, spent)]


def choose_branch(t: Table, owner: Seat, kind: Kind) -> Asking:
    """HX-42, HR-39: one of several that can be paid, or None."""
    if len(kind.branches) == 1:
        return kind.branches[0]
    if not payable_branches(t, owner, kind):
        return None
    moves = partial(payable_branches, t, owner, kind)
    move = yield from ask(owner.number, "BRANCH", lambda: [BRANCH + b for b in moves()])
    return kind.branches[move - BRANCH]


def slots_to_answer(t: Table, seat: Seat, name: str) -> list[int]:
    return [
        slot
        for slot, card in seat.choices()
        if name in card.kind.answers
        and may_declare(t, seat, card.kind)
        and payable_branches(t, seat, card.kind, card, "event")  # HX-47: the answer itself uses an Action
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
    branch = yield from choose_branch(t, seat, card.kind)
    if branch is not None:
        declared = Declared()
        yield from window(t, "surprise", seat, declared)
        if not declared.cancelled:
            yield from effects.play_branch(
                t, card.kind, branch, seat, card=card, answered=subject, window=name
            )
    t.put_away(card)


def thrown(t: Table, mover: Seat | None) -> int:
    """HX-16, HR-40: a die, with the bonuses of this turn in a Move roll."""
    return t.chance.die() + (mover.bonus if mover else 0)


def roll(t: Table, owner: Seat, moves: bool = False) -> Asking:
    """HX-16: roll a die and open its window."""
    mover = owner if moves else None
    die = Roll(thrown(t, mover), mover)
    yield from window(t, "roll", owner, die)
    return die.value
