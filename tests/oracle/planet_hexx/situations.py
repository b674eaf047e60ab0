"""Sets up positions by hand, and makes moves by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from ..planet_hexx_oracle import HexxOracle, turns
from .board import NUMBER_OF, Cell
from .cards import OWN_FILE, Card, Deck, Json, rows_of, with_changes
from .moves import BRANCH, CELL, DIRECTION, DISCARD, FLY, KIND, NUMBER, PASS, PLAY, POINT, SEAT, UPLOAD, YES
from .moves import UPLOAD_OTHERWISE as OTHERWISE
from .table import Table

Laid = str | tuple[str, int] | tuple[str, int, int]  # id, Data, rotation


def side_that_doubles(deck: Deck, type_: str) -> tuple[int, int]:
    """A Mission side with a type twice."""
    return next(side for side, points in sorted(deck.sides.items()) if points.count(type_) == 2)


class Situation(HexxOracle):
    """A game at the start of a turn of the active seat (seat 0).

    `data` is the table of a deck file, by default of the tests' deck; `changes` has changed keys of cards.
    Lists by seat: `hands`, `ships`, `stores`, `counters`, `landed`, `uploaded`, and `doubles`, the type that
    the Mission File has twice. `deck` lists cards from the top; all remaining cards lie below, unless `rest`
    is False. `dice` are the next faces.
    """

    def __init__(
        self,
        *,
        seats: int = 2,
        board: Mapping[Cell, Laid] | None = None,
        hands: Sequence[Sequence[str]] = (),
        ships: Sequence[Cell] = (),
        stores: Sequence[int] = (),
        counters: Sequence[int] = (),
        landed: Sequence[Cell | None] = (),
        doubles: Sequence[str] = (),
        uploaded: Sequence[Sequence[str]] = (),
        deck: Sequence[str] = (),
        discard: Iterable[str] = (),
        dice: Sequence[int] = (),
        rest: bool = True,
        shuffles: int = 0,
        seed: int = 1,
        data: Json | None = None,
        changes: Mapping[str, Json] | None = None,
        **rules: object,
    ) -> None:
        self.data = with_changes(data or rows_of(OWN_FILE), changes or {})
        self.cards = Deck(self.data)
        t = self.table = Table(seats, seed, rules, self.cards)
        t.first = t.active = 0
        t.shuffles = shuffles
        kinds = self.cards.by_id
        for cell, laid in (board or {}).items():
            name, *more = (laid,) if isinstance(laid, str) else laid
            t.board.lay(cell, kinds[name], more[1] if len(more) > 1 else 0)
            t.board[cell].data = more[0] if more else t.board[cell].data
        for seat in t.seats:
            seat.file, seat.side = side_that_doubles(self.cards, "dilemma")
        for seat, type_ in zip(t.seats, doubles, strict=False):
            seat.file, seat.side = side_that_doubles(self.cards, type_)
        for seat, names in zip(t.seats, hands, strict=False):
            for name in names:
                seat.take_in_hand(Card(kinds[name]))
        for seat, names in zip(t.seats, uploaded, strict=False):
            for name in names:
                seat.filled[seat.open_point(kinds[name].type) or 0] = Card(kinds[name])
        for seat, cell in zip(t.seats, ships, strict=False):
            seat.ship = cell
        for seat, store in zip(t.seats, stores, strict=False):
            seat.store = store
        for seat, number in zip(t.seats, counters, strict=False):
            seat.counters = number
        for seat, place in zip(t.seats, landed, strict=False):
            seat.last_landed = place
        for name in discard:
            t.discard[kinds[name].number] += 1
        self.stack_deck(deck, rest)
        t.chance.dice = list(dice)
        self.begin(t, turns)

    def stack_deck(self, top: Sequence[str], rest: bool) -> None:
        kinds, t = self.cards.by_id, self.table
        t.deck = [Card(kinds[name]) for name in reversed(top)]
        if rest:
            elsewhere = counted(self)
            for kind in t.cards.kinds:
                missing = kind.copies - elsewhere.get(kind.id, 0)
                t.deck[:0] = [Card(kind) for _ in range(missing)]

    # ------------------------------------------------------------------ what is there

    @property
    def asked(self) -> tuple[int, str] | None:
        """The seat to act and the name of its decision."""
        return (self.decision.seat, self.decision.name) if self.decision else None

    def hand(self, seat: int) -> list[str]:
        return [card.kind.id for card in self.table.seats[seat].hand]

    def store(self, seat: int) -> int:
        return self.table.seats[seat].store

    def ship(self, seat: int) -> Cell:
        return self.table.seats[seat].ship

    def discarded(self, name: str) -> int:
        return self.table.discard[self.cards.by_id[name].number]

    def file(self, seat: int) -> list[str | None]:
        return [card.kind.id if card else None for card in self.table.seats[seat].filled]

    # ------------------------------------------------------------------ moves by name

    def slot(self, name: str) -> int:
        assert self.to_act is not None
        return self.hand(self.to_act).index(name)

    def can(self, base: int, name: str) -> bool:
        """Whether a card may be played, uploaded, …; `base`: the first number of this kind of move."""
        return self.to_act is not None and base + self.slot(name) in self.legal()

    def do(self, *moves: int) -> Self:
        """Make moves by number; all methods for moves return the situation."""
        for move in moves:
            self.step(move)
        return self

    def no(self, times: int = 1) -> Self:
        return self.do(*[PASS] * times)

    def yes(self) -> Self:
        return self.do(YES)

    def fly(self, *directions: int) -> Self:
        """A Move and its first steps."""
        return self.do(FLY).go(*directions)

    def go(self, *directions: int) -> Self:
        return self.do(*(DIRECTION + direction for direction in directions))

    def play(self, name: str) -> Self:
        return self.do(PLAY + self.slot(name))

    def upload(self, name: str) -> Self:
        return self.do(UPLOAD + self.slot(name))

    def upload_otherwise(self, name: str) -> Self:
        return self.do(OTHERWISE + self.slot(name))

    def discards(self, name: str) -> Self:
        """Refresh or discard a card."""
        return self.do(DISCARD + self.slot(name))

    def cell(self, q: int, r: int) -> Self:
        return self.do(CELL + NUMBER_OF[q, r])

    def rotation(self, k: int) -> Self:
        return self.do(DIRECTION + k)

    def branch(self, b: int) -> Self:
        return self.do(BRANCH + b)

    def seat(self, places_on: int) -> Self:
        return self.do(SEAT + places_on)

    def collect(self, n: int) -> Self:
        return self.do(NUMBER + n)

    def point(self, places_on: int, place: int) -> Self:
        return self.do(POINT + 6 * places_on + place)

    def take(self, name: str) -> Self:
        return self.do(KIND + self.cards.by_id[name].number)

    def cells(self) -> set[Cell]:
        """The legal cells."""
        return {cell for cell, number in NUMBER_OF.items() if CELL + number in self.legal()}


def counted(game: HexxOracle) -> dict[str, int]:
    """The number of cards of each kind in all places."""
    t = game.table
    counts: dict[str, int] = {}
    places = [t.deck, t.played, *(seat.hand for seat in t.seats), *(seat.filled for seat in t.seats)]
    names = [card.kind.id for cards in places for card in cards if card]
    names += [hex_.kind.id for hex_ in t.board.values()]
    names += [kind.id for kind in game.table.cards.kinds for _ in range(t.discard[kind.number])]
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts
