"""Implements the statements of effects; statements with choices are generators."""

from __future__ import annotations

from . import actions, flight, windows
from .board import Hex
from .cards import Kind, Program, Statement, priced
from .conditions import holds
from .effects import Effect, choose_discards, pay, payable, play_branch, run, statement
from .moves import HAND_LIMIT, KIND, PASS, POINT, UPLOAD, YES
from .table import MOST, MOST_COUNTERS, MOST_GAINED, Asking, ask

# ---------------------------------------------------------------------- Data


@statement
def add(e: Effect, n: int | str, who: str = "you") -> None:
    for seat in e.who(who):
        seat.add(e.amount(n))


@statement
def expend(e: Effect, n: int | str, who: str = "you") -> None:
    for seat in e.who(who):
        seat.lose(e.amount(n))


@statement
def take(e: Effect, n: int | str, who: str) -> None:
    for seat in e.who(who):
        e.owner.add(seat.lose(e.amount(n)))


@statement
def collect(e: Effect, n: int | str) -> None:
    flight.take_from_planet(e.t, e.owner, e.amount(n), e.landing)


@statement
def modify_collect(e: Effect, n: int, who: str = "you") -> None:
    """HX-24: of the answered Landing, or else of this turn."""
    if isinstance(e.answered, windows.Landing):
        e.answered.change += n
    else:
        for seat in e.who(who):
            seat.collect_bonus = max(-MOST, min(MOST, seat.collect_bonus + n))


def change(hex_: Hex | None, n: int) -> None:
    """HX-29."""
    if hex_ is not None and hex_.is_planet:
        hex_.data = max(0, min(MOST, hex_.data + n))


@statement
def planet_add(e: Effect, n: int | str) -> None:
    change(e.t.board.get(e.aim()), e.amount(n))


@statement
def planet_sub(e: Effect, n: int | str) -> None:
    change(e.t.board.get(e.aim()), -e.amount(n))


@statement
def planets_add(e: Effect, n: int | str) -> None:
    for hex_ in e.t.board.values():
        change(hex_, e.amount(n))


@statement
def planets_sub(e: Effect, n: int | str) -> None:
    for hex_ in e.t.board.values():
        change(hex_, -e.amount(n))


# ---------------------------------------------------------------------- cards


@statement
def draw(e: Effect, n: int | str, who: str = "you") -> None:
    for seat in e.who(who):
        e.t.draw(seat, e.amount(n))


@statement
def discard(e: Effect, n: int | str, who: str = "you", type_: str | None = None) -> Asking:
    for seat in e.who(who):
        yield from choose_discards(e.t, seat, e.amount(n), type_)


@statement
def random_discard(e: Effect, n: int | str, who: str = "you") -> None:
    for seat in e.who(who):
        for _ in range(min(e.amount(n), len(seat.hand))):
            e.t.discard_slot(seat, e.t.chance.below(len(seat.hand)))


@statement
def dump(e: Effect, n: int | str) -> None:
    e.t.dump(e.amount(n))


@statement
def show_hand(e: Effect, who: str) -> None:
    for seat in e.who(who):
        for card in seat.hand:
            card.known = True


@statement
def show_top(e: Effect, n: int | str) -> None:
    t = e.t
    t.deck_known = max(t.deck_known, min(e.amount(n), len(t.deck)))


@statement
def recover(e: Effect, type_: str | None = None) -> Asking:
    t = e.t
    kinds = [kind for kind in t.cards.kinds if t.discard[kind.number] and type_ in (None, kind.type)]
    if kinds and len(e.owner.hand) < HAND_LIMIT:
        move = yield from ask(e.owner.number, "RECOVER", [KIND + kind.number for kind in kinds])
        t.recover(e.owner, t.cards.kinds[move - KIND])


# ---------------------------------------------------------------------- Actions


@statement
def gain_action(e: Effect, purpose: str, n: int | str = 1) -> None:
    """At most six for each turn and seat. HX-46: in another's turn they wait for the end of the effect."""
    t, owner = e.t, e.owner
    for _ in range(min(e.amount(n), MOST_GAINED - owner.gained_count)):
        owner.gained_count += 1
        if owner.number != t.active:
            e.gained.append(purpose)
        elif purpose == "any":
            t.actions_left += 1
        else:
            t.gained[purpose] = t.gained.get(purpose, 0) + 1


@statement
def use_action(e: Effect, n: int | str, who: str = "you") -> None:
    for seat in e.who(who):
        if seat.number == e.t.active:
            e.t.lose_actions(e.amount(n))


@statement
def forbid(e: Effect, purpose: str, who: str = "you") -> None:
    for seat in e.who(who):
        seat.bans.add(purpose)


# ---------------------------------------------------------------------- dice


@statement
def roll(e: Effect) -> Asking:
    e.rolled = yield from windows.roll(e.t, e.owner)


@statement
def roll_table(e: Effect, *rows: tuple[int, int, Program]) -> Asking:
    """HX-49: only on a table, a modified roll counts as 1 to 6."""
    yield from roll(e)
    e.rolled = max(1, min(6, e.rolled))
    for low, high, program in rows:
        if low <= e.rolled <= high:
            yield from run(e, program)
            return


@statement
def modify_roll(e: Effect, n: int | str) -> None:
    if isinstance(e.answered, windows.Roll):
        e.answered.value += e.amount(n)
    else:
        e.owner.bonus += e.amount(n)


@statement
def reroll(e: Effect) -> None:
    """HR-40."""
    if isinstance(e.answered, windows.Roll):
        e.answered.value = windows.thrown(e.t, e.answered.mover)


# ---------------------------------------------------------------------- Mission Files


@statement
def upload_now(e: Effect, type_: str | None = None) -> Asking:
    """HX-38, HR-27."""
    owner, price = e.owner, e.t.rules["immediate_upload_cost"]

    def moves() -> list[int]:
        cards = owner.choices(type_) if owner.store >= price else []
        return [PASS, *(UPLOAD + i for i, card in cards if owner.open_point(card.kind.type) is not None)]

    choice = yield from ask(owner.number, "UPLOAD_NOW", moves)
    if choice != PASS:
        owner.lose(price)
        yield from actions.upload(e.t, owner, owner.hand.pop(choice - UPLOAD))


@statement
def upload_self(e: Effect) -> Asking:
    """HR-27."""
    card, price = e.card, e.t.rules["immediate_upload_cost"]
    if card in e.t.played and e.owner.store >= price and e.owner.open_point(card.kind.type) is not None:
        e.owner.lose(price)
        e.t.take_off_table(card)
        yield from actions.upload(e.t, e.owner, card)


@statement
def delete_upload(e: Effect, who: str) -> Asking:
    points = [(seat, p) for seat in e.who(who) for p in range(6) if seat.filled[p]]
    if points:
        circle = e.t.clockwise(e.owner.number)
        moves = [POINT + 6 * circle.index(seat) + p for seat, p in points]
        choice = yield from ask(e.owner.number, "DELETE_UPLOAD", moves)
        away, p = divmod(choice - POINT, 6)
        seat = circle[away]
        e.t.discard_card(seat.filled[p])
        seat.filled[p] = None


# ---------------------------------------------------------------------- the rest


@statement
def copy(e: Effect) -> Asking:
    """HX-50."""
    t, owner = e.t, e.owner
    latest = e.before[0] if e.before else t.latest_event
    if latest is None or latest.copies_another or not may_be_copied(e, latest):
        return
    branch = yield from windows.choose_branch(t, owner, latest)
    if branch is not None:
        yield from play_branch(t, latest, branch, owner, card=e.card, answered=e.answered, window=e.window)


def may_be_copied(e: Effect, kind: Kind) -> bool:
    """HX-50: whether the owner of the copy meets the restrictions of the card."""
    on_own_turn = e.owner.number == e.t.active and kind.own_turn
    if kind.is_surprise and not on_own_turn and e.window not in kind.answers:
        return False
    return kind.only_if is None or holds(e.t, e.owner, kind.only_if)


@statement
def cancel(e: Effect) -> None:
    """Cancel the declaration. HR-30: by an option the Event is then not the latest Event."""
    declared = e.answered
    if isinstance(declared, windows.Declared):
        declared.cancelled = True
        event = declared.event
        if event and event.kind is e.t.latest_event and not e.t.rules["copy_cancelled"]:
            e.t.latest_event = event.before


@statement
def counter(e: Effect, n: int | str, who: str = "you") -> None:
    for seat in e.who(who):
        seat.counters = min(MOST_COUNTERS, seat.counters + e.amount(n))


@statement
def if_(e: Effect, condition: Statement, then: Program, otherwise: Program) -> Asking:
    return run(e, then if holds(e.t, e.owner, condition, e.target_seat) else otherwise)


@statement
def may(e: Effect, program: Program) -> Asking:
    if (yield from wanted(e, program)):
        yield from run(e, program)


def wanted(e: Effect, program: Program) -> Asking:
    """HX-34, HR-39: whether the owner wants an option, if its price can be paid."""
    price = priced(program)[0]
    return (
        yield from ask(e.owner.number, "MAY", lambda: [PASS, YES] if payable(e.t, e.owner, price) else [PASS])
    ) == YES


@statement
def cost(e: Effect, *price: Statement) -> Asking:
    """HR-39: the price of an option that was chosen."""
    return pay(e.t, e.owner, list(price))


@statement
def once(e: Effect, program: Program, number: int) -> Asking:
    """Once for each turn and seat; a declined effect is not used."""
    used = e.owner.used
    if number in used:
        return
    if [word for word, *_ in program] == ["may"]:
        program = program[0][1]
        if not (yield from wanted(e, program)):
            return
    used.add(number)
    yield from run(e, program)
