"""Implements Planet Hexx a second time, in plain Python, from docs/planet_hexx_*.md.

It shares only the random numbers with the engine. A game is one generator, which yields decisions and
receives moves; `planet_hexx/` has its parts. Ids in comments are those of the rules page.
"""

from collections.abc import Callable

from .planet_hexx.actions import main_actions
from .planet_hexx.board import NUMBER_OF, Cell
from .planet_hexx.cards import Deck, Json
from .planet_hexx.effects import carry_out, choose_discards
from .planet_hexx.moves import BRANCH
from .planet_hexx.table import Asking, Decision, GameEnds, Seat, Table, ask
from .planet_hexx.windows import window


def whole_game(t: Table) -> Asking:
    """Choose sides (HX-1), deal hands (HX-7), then play turns until the game ends."""
    for seat in t.seats:
        seat.side = (yield from ask(seat.number, "SIDE", [BRANCH, BRANCH + 1])) - BRANCH
    for seat in t.seats:
        t.draw(seat, t.rules["hand_size"])
    yield from turns(t)


def turns(t: Table) -> Asking:
    """Play turns, from the turn of the active seat."""
    while True:
        yield from turn(t, t.seats[t.active])
        t.active = (t.active + 1) % len(t.seats)
        if t.active == t.first:
            end_round(t)


def turn(t: Table, seat: Seat) -> Asking:
    """HX-8, HX-9, HX-37."""
    t.turn += 1
    t.actions_left, t.begun, t.gained, t.latest_event = t.rules["actions_per_turn"], 0, {}, None
    for each in t.seats:
        each.new_turn()
    for point in range(6):
        card = seat.filled[point]
        if card:
            yield from carry_out(t, card.kind.on_turn, seat)
    yield from window(t, "turn_begins", seat)
    yield from main_actions(t, seat)
    yield from window(t, "turn_ends", seat)
    size = t.rules["hand_size"]
    t.draw(seat, max(0, size - len(seat.hand)))
    yield from choose_discards(t, seat, max(0, len(seat.hand) - size))


def end_round(t: Table) -> None:
    """End the game by HX-54 or `max_turns`."""
    if t.rules["equal_turns"]:
        complete = [seat for seat in t.seats if seat.complete]
        if complete:
            most = max(seat.store for seat in complete)
            t.finish([seat.number for seat in complete if seat.store == most])
    if t.turn >= t.rules["max_turns"] * len(t.seats):
        t.finish([])


class HexxOracle:
    """A game with decisions and moves."""

    def __init__(
        self, num_players: int, seed: int, rules: Json | None = None, deck: Deck | None = None
    ) -> None:
        self.begin(Table(num_players, seed, rules or {}, deck), whole_game)

    def begin(self, table: Table, play: Callable[[Table], Asking]) -> None:
        """Play from a table (`situations.py` sets up tables)."""
        self.table = table
        self.game: Asking = play(table)
        self.decision: Decision | None = None
        self.go_on(None)

    def go_on(self, move: int | None) -> None:
        try:
            self.decision = self.game.send(move)  # type: ignore[arg-type]  # None starts the generator
        except GameEnds:
            self.decision = None

    @property
    def over(self) -> str | None:
        return self.table.over

    @property
    def to_act(self) -> int | None:
        return self.decision.seat if self.decision else None

    def legal(self) -> list[int]:
        return list(self.decision.moves) if self.decision else []

    def step(self, action: int) -> None:
        if action not in self.legal():
            raise ValueError(f"{action} is not one of {self.legal()}")
        self.go_on(action)

    def snapshot(self) -> Json:
        """The state for the comparison with the engine."""
        t = self.table
        return {
            "active": t.active,
            "to_act": self.to_act,
            "actions_left": t.actions_left,
            "gained": dict(t.gained),
            "turn": t.turn,
            "board": {
                NUMBER_OF[cell]: [hex_.kind.id, hex_.data, hex_.rotation] for cell, hex_ in t.board.items()
            },
            "ships": [NUMBER_OF[seat.ship] for seat in t.seats],
            "last_landed": [cell_or_none(seat.last_landed) for seat in t.seats],
            "stores": [seat.store for seat in t.seats],
            "counters": [seat.counters for seat in t.seats],
            "hands": [[[c.kind.id, int(c.known), c.epoch] for c in seat.hand] for seat in t.seats],
            "deck": [card.kind.id for card in t.deck],
            "deck_known": t.deck_known,
            "discard": {kind.id: n for kind, n in zip(t.cards.kinds, t.discard, strict=True) if n},
            "missions": [
                [seat.file, seat.side, [card.kind.id if card else None for card in seat.filled]]
                for seat in t.seats
            ],
            "table": sorted(card.kind.id for card in t.played),
            "mask": self.legal(),
            "over": t.over,
            "winners": list(t.winners),
        }


def cell_or_none(cell: Cell | None) -> int | None:
    return None if cell is None else NUMBER_OF[cell]
