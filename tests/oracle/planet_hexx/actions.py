"""Declares and carries out Actions (HX-8, HX-10 to HX-46)."""

from __future__ import annotations

from collections.abc import Iterable

from . import effects, flight
from .board import CELLS, Cell, numbers
from .cards import Card, Kind, Program
from .conditions import may_declare
from .moves import CELL, DIRECTION, DISCARD, FLY, PASS, PLAY, UPLOAD, UPLOAD_OTHERWISE
from .table import PURPOSES, Asking, Seat, Table, ask
from .windows import Declared, Event, choose_branch, payable_branches, roll, window

# ---------------------------------------------------------------------- what can be declared


def legal_actions(t: Table, seat: Seat, purposes: Iterable[str]) -> list[int]:
    """Legal moves for these kinds of Actions."""
    moves = []
    for purpose in purposes:
        if not t.banned(seat, purpose):
            moves += LEGAL[purpose](t, seat)
    return moves


def legal_maps(t: Table, seat: Seat) -> list[int]:
    return [PLAY + i for i, card in seat.choices() if card.kind.is_map and t.board.takes(card.kind)]


def legal_move(t: Table, seat: Seat) -> list[int]:
    return [FLY]


def legal_uploads(t: Table, seat: Seat) -> list[int]:
    """HX-35, HX-36, HX-39."""
    moves = []
    for i, card in seat.choices():
        if can_upload(t, seat, card.kind, upload_cost(t), False, card, "upload"):
            moves.append(UPLOAD + i)
        other = card.kind.other_cost
        if other is not None and can_upload(t, seat, card.kind, other, card.kind.anywhere, card, "upload"):
            moves.append(UPLOAD_OTHERWISE + i)
    return moves


def legal_refreshes(t: Table, seat: Seat) -> list[int]:
    return [DISCARD + i for i, _ in seat.choices()]


def legal_events(t: Table, seat: Seat) -> list[int]:
    """HX-43, HX-45."""
    return [
        PLAY + i
        for i, card in seat.choices()
        if not card.kind.is_map
        and (not card.kind.is_surprise or (card.kind.own_turn and seat.number == t.active))
        and may_declare(t, seat, card.kind)
        and payable_branches(t, seat, card.kind, card, "event")
    ]


LEGAL = {
    "map": legal_maps,
    "move": legal_move,
    "upload": legal_uploads,
    "refresh": legal_refreshes,
    "event": legal_events,
}


def upload_cost(t: Table) -> Program:
    return [["expend", t.rules["upload_cost"]]]


def can_upload(
    t: Table,
    seat: Seat,
    kind: Kind,
    cost: Program,
    anywhere: bool,
    card: Card | None = None,
    spent: str | None = None,
) -> bool:
    place_ok = anywhere or not t.hex_under(seat).is_planet
    return place_ok and seat.open_point(kind.type) is not None and effects.payable(t, seat, cost, card, spent)


# ---------------------------------------------------------------------- who is asked


def main_actions(t: Table, seat: Seat) -> Asking:
    """HX-8: the Actions of the own turn."""
    while t.actions_of(seat):
        purposes = [purpose for purpose in PURPOSES if t.can_do(purpose)]
        move = yield from ask(
            seat.number, "MAIN", lambda purposes=purposes: [PASS, *legal_actions(t, seat, purposes)]
        )
        if move == PASS:
            break
        t.spend(purpose_of(seat, move))
        yield from declare(t, seat, move)
    t.actions_left, t.gained = 0, {}


def gained_action(t: Table, seat: Seat, purpose: str) -> Asking:
    """HX-46: an Action gained in another player's turn, which is used at once or lost."""
    purposes = PURPOSES if purpose == "any" else (purpose,)
    move = yield from ask(seat.number, "GAINED", lambda: [PASS, *legal_actions(t, seat, purposes)])
    if move != PASS:
        yield from declare(t, seat, move)


def purpose_of(seat: Seat, move: int) -> str:
    if move == FLY:
        return "move"
    if move >= DISCARD:
        return "refresh"
    if move >= UPLOAD:
        return "upload"
    return "map" if seat.hand[move - PLAY].kind.is_map else "event"


# ---------------------------------------------------------------------- declaring


def declare(t: Table, seat: Seat, move: int) -> Asking:
    """Carry out an Action: first the Start effect (HX-33)."""
    purpose = purpose_of(seat, move)
    if purpose == "move":
        yield from flight.icon_effect(t, seat, "on_start")
        yield from declare_move(t, seat)
        return
    base = next(base for base in (DISCARD, UPLOAD_OTHERWISE, UPLOAD, PLAY) if move >= base)
    card = t.put_on_table(seat, move - base)
    yield from flight.icon_effect(t, seat, "on_start")
    if purpose == "map":
        yield from declare_map(t, seat, card)
    elif purpose == "event":
        yield from declare_event(t, seat, card)
    elif purpose == "refresh":
        yield from declare_refresh(t, seat, card)
    elif base == UPLOAD:
        yield from declare_upload(t, seat, card, upload_cost(t), False)
    else:
        yield from declare_upload(t, seat, card, card.kind.other_cost or [], card.kind.anywhere)


def goes_on(t: Table, seat: Seat, purpose: str, event: Event | None = None) -> Asking:
    """Open the window of an Action; whether it is neither cancelled nor banned afterwards."""
    declared = Declared(event)
    yield from window(t, purpose, seat, declared)
    return not declared.cancelled and not t.banned(seat, purpose)


def declare_move(t: Table, seat: Seat) -> Asking:
    if (yield from goes_on(t, seat, "move")):
        strength = yield from roll(t, seat, moves=True)
        yield from flight.fly(t, seat, strength)


def choose_rotation(seat: Seat, kind: Kind, other_than: int | None = None) -> Asking:
    """Choose a rotation; hexes without walls and fixed hexes have rotation 0.

    HR-37: of rotations with the same walls the lowest, and none with the walls of `other_than`.
    """
    if not kind.walls or kind.fixed:
        return 0
    walls = [{(edge + k) % 6 for edge in kind.walls} for k in range(6)]
    used = [] if other_than is None else [walls[other_than]]
    turns = [DIRECTION + k for k in range(6) if walls[k] not in used + walls[:k]]
    return (yield from ask(seat.number, "ROTATION", turns)) - DIRECTION


def choose_cell(seat: Seat, cells: list[Cell]) -> Asking:
    move = yield from ask(seat.number, "CELL", [CELL + n for n in numbers(cells)])
    return CELLS[move - CELL]


def declare_map(t: Table, seat: Seat, card: Card) -> Asking:
    cells = t.board.cells_for(card.kind)
    if not cells:
        t.hand_back(seat, card)
        return
    cell = yield from choose_cell(seat, cells)
    rotation = yield from choose_rotation(seat, card.kind)
    if (yield from goes_on(t, seat, "map")) and cell in t.board.cells_for(card.kind):
        yield from enter(t, seat, card, cell, rotation)
    else:
        t.hand_back(seat, card)


def enter(t: Table, seat: Seat, card: Card, cell: Cell, rotation: int) -> Asking:
    """HX-13, HX-14: lay the card from the table as a hex."""
    t.take_off_table(card)
    t.board.lay(cell, card.kind, rotation)
    if "on_enter" in card.kind.icons:
        yield from effects.carry_out(t, card.kind.icons["on_enter"], seat, target_hex=cell)


def declare_upload(t: Table, seat: Seat, card: Card, cost: Program, anywhere: bool) -> Asking:
    if (yield from goes_on(t, seat, "upload")) and can_upload(t, seat, card.kind, cost, anywhere):
        yield from effects.pay(t, seat, cost)
        t.take_off_table(card)
        yield from upload(t, seat, card)
    else:
        t.hand_back(seat, card)


def upload(t: Table, seat: Seat, card: Card) -> Asking:
    """HX-36, HX-37: put the card on the Mission File."""
    t.fill_point(seat, card)
    yield from effects.carry_out(t, card.kind.on_upload, seat)
    yield from window(t, "uploaded", seat)


def declare_refresh(t: Table, seat: Seat, card: Card) -> Asking:
    """HX-40."""
    if (yield from goes_on(t, seat, "refresh")):
        t.put_away(card)
        t.draw(seat)
    else:
        t.hand_back(seat, card)


def declare_event(t: Table, seat: Seat, card: Card) -> Asking:
    """HX-41 to HX-43."""
    branch = yield from choose_branch(t, seat, card.kind)
    if branch is not None:
        before, t.latest_event = t.latest_event, card.kind
        if (yield from goes_on(t, seat, "event", Event(card.kind, before))):
            yield from effects.play_branch(t, card.kind, branch, seat, card=card, before=(before,))
    t.put_away(card)
