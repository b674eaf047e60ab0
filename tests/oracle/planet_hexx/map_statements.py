"""Implements the statements about ships, seats and hexes."""

from __future__ import annotations

from collections.abc import Callable

from . import actions, flight
from .board import Cell, Hex, around
from .cards import Kind, Program, Statement
from .effects import Effect, EffectEnds, statement
from .moves import PASS, PLAY, SEAT
from .table import Asking, Table, ask

STARTERS = ("space_base", "delta_colony")


def hexes(t: Table, what: str, where: str, ship: Cell) -> list[Cell]:
    """The cells of hexes that match *what* and *where*, as seen from a ship."""
    here = t.board[ship].kind
    place_ok: Callable[[Cell, Hex], bool] = {
        "anywhere": lambda cell, hex_: True,
        "elsewhere": lambda cell, hex_: cell != ship,
        "adjacent": lambda cell, hex_: cell in around(ship),
        "linked": lambda cell, hex_: cell != ship and hex_.kind.id in here.related,
    }[where]
    return t.board.where(lambda cell, hex_: hex_.is_a(what) and place_ok(cell, hex_))


@statement
def move(e: Effect, n: int | str) -> Asking:
    return flight.fly(e.t, e.owner, e.amount(n))


@statement
def relocate(e: Effect, what: str, where: str, who: str = "you") -> Asking:
    for seat in e.who(who):
        cells = [cell for cell in hexes(e.t, what, where, seat.ship) if cell != seat.ship]
        if cells:
            seat.ship = yield from actions.choose_cell(e.owner, cells)


def choose_map_card(e: Effect, fits: Callable[[Kind], bool]) -> Asking:
    """Let the owner choose a map card of the hand, or none."""

    def moves() -> list[int]:
        cards = e.owner.choices()
        return [PASS, *(PLAY + i for i, card in cards if card.kind.is_map and fits(card.kind))]

    choice = yield from ask(e.owner.number, "PLAY", moves)
    return None if choice == PASS else e.t.put_on_table(e.owner, choice - PLAY)


@statement
def place(e: Effect, mode: str) -> Asking:
    board, rule_11 = e.t.board, mode != "any"
    card = yield from choose_map_card(e, lambda kind: bool(board.cells_for(kind, rule_11)))
    if card is not None:
        cell = yield from actions.choose_cell(e.owner, board.cells_for(card.kind, rule_11))
        rotation = yield from actions.choose_rotation(e.owner, card.kind)
        yield from actions.enter(e.t, e.owner, card, cell, rotation)


@statement
def target_seat(e: Effect, who: str) -> Asking:
    n = len(e.t.seats)
    away = [(seat.number - e.owner.number) % n for seat in e.who(who)]
    if away:
        choice = yield from ask(e.owner.number, "TARGET_SEAT", [SEAT + k for k in away])
        e.target_seat = e.t.seats[(e.owner.number + choice - SEAT) % n]


def may_leave(t: Table, cell: Cell) -> bool:
    """HR-29."""
    return t.rules["split_board"] or t.board.hangs_together_without(cell)


def is_base(t: Table, cell: Cell) -> bool:
    return t.board[cell].kind.id in STARTERS


def may_disintegrate(t: Table, cell: Cell, _: str = "legal") -> bool:
    """HR-28, HR-29: the ships on the hex also need another hex."""
    stranded = not t.board.touching(cell) and any(seat.ship == cell for seat in t.seats)
    return not is_base(t, cell) and may_leave(t, cell) and not stranded


def may_move(t: Table, cell: Cell, mode: str = "legal") -> bool:
    """HR-28."""
    may = t.rules["movable_bases"] or not is_base(t, cell)
    return may and may_leave(t, cell) and bool(t.board.cells_to_move_to(cell, mode != "any"))


# Which hexes may be chosen, by the statement that changes them and its mode.
OFFERED: dict[str, Callable[..., bool]] = {
    "disintegrate": may_disintegrate,
    "move_hex": may_move,
    "replace_hex": lambda t, cell, mode="legal": not is_base(t, cell),
}


def effects_in(arguments: list[object]) -> list[Program]:
    """The nested effects of a statement, in order; a row of a table ends with an effect."""
    lists = [argument for argument in arguments if isinstance(argument, list)]
    effects = [argument[-1] if argument and isinstance(argument[0], int) else argument for argument in lists]
    return [effect for effect in effects if effect and isinstance(effect[0], list)]


def first_use(program: Program) -> Statement | None:
    """The first statement that changes the hex, before another hex is chosen."""
    for word, *arguments in program:
        if word == "target_hex":
            return None
        inside = filter(None, map(first_use, effects_in(arguments)))
        uses = [[word, *arguments]] if word in OFFERED else inside
        if use := next(iter(uses), None):
            return use
    return None


def test_for(rest: Program) -> Callable[[Table, Cell], bool]:
    """The test of a hex for the statements after its choice."""
    use = first_use(rest)
    if use is None:
        return lambda t, cell: True
    word, *mode = use
    return lambda t, cell: OFFERED[word](t, cell, *mode)


@statement
def target_hex(e: Effect, what: str, where: str, least: int, most: int, of: str = "data") -> Asking:
    t, test = e.t, test_for(e.following)

    def fits(cell: Cell) -> bool:
        hex_ = t.board[cell]
        return least <= (hex_.data if of == "data" else hex_.kind.data) <= most and test(t, cell)

    cells = [cell for cell in hexes(t, what, where, e.owner.ship) if fits(cell)]
    if not cells:
        raise EffectEnds
    e.target_hex = yield from actions.choose_cell(e.owner, cells)


@statement
def disintegrate(e: Effect) -> Asking:
    t, cell = e.t, e.target_hex
    if cell is None or cell not in t.board or not may_disintegrate(t, cell):
        return
    stranded = [seat for seat in t.seats if seat.ship == cell]
    if stranded:
        near = [place for place in around(cell) if place in t.board]
        there = yield from actions.choose_cell(e.owner, near)
        for seat in stranded:
            seat.ship = there
    t.remove_hex(cell)


@statement
def rotate(e: Effect) -> Asking:
    hex_ = e.t.board.get(e.target_hex) if e.target_hex else None
    if hex_ is not None and hex_.kind.walls and not hex_.kind.fixed:
        hex_.rotation = yield from actions.choose_rotation(e.owner, hex_.kind, hex_.rotation)


@statement
def move_hex(e: Effect, mode: str = "legal") -> Asking:
    t, cell = e.t, e.target_hex
    if cell is None or cell not in t.board or not may_move(t, cell, mode):
        return
    e.target_hex = yield from actions.choose_cell(e.owner, t.board.cells_to_move_to(cell, mode != "any"))
    t.shift_hex(cell, e.target_hex)


@statement
def replace_hex(e: Effect, mode: str = "legal") -> Asking:
    t, cell = e.t, e.target_hex
    if cell is None or cell not in t.board or is_base(t, cell):
        return
    card = yield from choose_map_card(e, lambda kind: t.board.fits(kind, cell, mode != "any"))
    if card is not None:
        rotation = yield from actions.choose_rotation(e.owner, card.kind)
        t.remove_hex(cell)
        yield from actions.enter(t, e.owner, card, cell, rotation)
