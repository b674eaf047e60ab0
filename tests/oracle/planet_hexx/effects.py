"""Runs effects and pays costs (docs/planet_hexx_cards.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from . import actions, windows
from .board import Cell
from .cards import Card, Kind, Program, priced
from .moves import DISCARD
from .table import Asking, Seat, Table, ask

STATEMENTS: dict[str, Callable[..., Asking | None]] = {}


def statement(function: Callable[..., Asking | None]) -> Callable[..., Asking | None]:
    """Register a function as the statement of its name."""
    STATEMENTS[function.__name__.strip("_")] = function
    return function


class EffectEnds(Exception):  # noqa: N818 (no error)
    """The effect ends, because no hex can be chosen."""


@dataclass(eq=False)
class Effect:
    """One effect that is being carried out."""

    t: Table
    owner: Seat
    card: Card | None = None
    answered: windows.Answered = None
    window: str | None = None  # that a Surprise answers
    landing: windows.Landing | None = None  # whose blue effect this is
    target_seat: Seat | None = None
    target_hex: Cell | None = None
    following: Program = field(default_factory=list)  # statements after the current one
    rolled: int = 0
    before: tuple[Kind | None] | None = None  # of an Event Action: the latest earlier Event
    gained: list[str] = field(default_factory=list)  # in another player's turn

    def amount(self, word: int | str) -> int:
        if word == "roll":
            return max(0, self.rolled)
        if word == "counters":
            return self.target_seat.counters if self.target_seat else 0
        if word == "printed":
            hex_ = self.t.board.get(self.aim())
            return hex_.kind.data if hex_ else 0
        return int(word)

    def who(self, word: str = "you") -> list[Seat]:
        t = self.t
        if word == "target":
            return [self.target_seat] if self.target_seat else []
        if word == "active":
            return [t.seats[t.active]]
        circle = t.clockwise(self.owner.number)
        return {"you": circle[:1], "all": circle, "others": circle[1:]}[word]

    def aim(self) -> Cell:
        return self.owner.ship if self.target_hex is None else self.target_hex


def carry_out(t: Table, program: Program, owner: Seat, **context: object) -> Asking:
    """Carry out an effect, then the Actions gained in another player's turn (HX-46)."""
    effect = Effect(t, owner, **context)
    with suppress(EffectEnds):
        yield from run(effect, program)
    for purpose in effect.gained:
        yield from actions.gained_action(t, owner, purpose)


def play_branch(t: Table, kind: Kind, branch: Program, owner: Seat, **context: object) -> Asking:
    """HX-43: pay for a branch and carry it out, if it can be paid."""
    cost = kind.price(branch)
    if payable(t, owner, cost):
        yield from pay(t, owner, cost)
        yield from carry_out(t, priced(branch)[1], owner, **context)


def run(effect: Effect, program: Program) -> Asking:
    for place, (word, *arguments) in enumerate(program):
        effect.following = program[place + 1 :]
        asking = STATEMENTS[word](effect, *arguments)
        if asking is not None:
            yield from asking


# ---------------------------------------------------------------------- costs (HX-43)


def payable(t: Table, seat: Seat, cost: Program, card: Card | None = None, spent: str | None = None) -> bool:
    """Whether a seat can pay a cost; `card` of its hand and an Action for `spent` are used before."""
    if not cost:
        return True
    hand = Counter(c.kind.type for c in seat.hand if c is not card)
    data, cards, uses = (asked(cost, word) for word in ("expend", "discard", "use_action"))
    ordinary, gained = t.purse(seat, spent)
    more = sum((Counter({kind: n for kind, n in uses.items() if kind}) - gained).values())
    return (
        data.total() <= seat.store
        and all(hand[type_] >= n for type_, n in cards.items() if type_)
        and cards.total() <= hand.total()
        and more <= ordinary
        and uses.total() <= ordinary + gained.total()
    )


def asked(cost: Program, word: str) -> Counter[str]:
    """How much a cost asks for, by type or kind ("": any)."""
    total: Counter[str] = Counter()
    for name, n, *kind in cost:
        if name == word:
            total[kind[0] if kind else ""] += n
    return total


def pay(t: Table, seat: Seat, cost: Program) -> Asking:
    """Pay in order, but what any card or Action pays comes last."""
    for word, n, *kind in sorted(cost, key=lambda part: part[0] != "expend" and len(part) == 2):
        if word == "expend":
            seat.lose(n)
        elif word == "use_action":
            t.lose_actions(n, *kind)
        else:
            yield from choose_discards(t, seat, n, *kind)


def choose_discards(t: Table, seat: Seat, n: int, type_: str | None = None) -> Asking:
    """Let a seat discard cards one by one, if it has such cards."""
    for _ in range(n):
        if not seat.choices(type_):
            return
        move = yield from ask(seat.number, "DISCARD", lambda: [DISCARD + i for i, _ in seat.choices(type_)])
        t.discard_slot(seat, move - DISCARD)
