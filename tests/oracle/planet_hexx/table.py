"""Holds the state of a game: seats, deck, Discard, board, windows."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

from .board import DIRECTIONS, ORIGIN, Board, Cell, Hex
from .cards import Card, Deck, Kind, shipped
from .chance import Chance
from .moves import HAND_LIMIT

MOST = 99  # Data on a Planet or in a Store
MOST_COUNTERS = 9
MOST_GAINED = 6
PURPOSES = ("map", "move", "upload", "refresh", "event")

DEFAULTS: dict[str, Any] = {
    "max_turns": 50,
    "equal_turns": False,
    "always_ask": False,
    "hand_size": 6,
    "actions_per_turn": 3,
    "upload_cost": 3,
    "immediate_upload_cost": 0,
    "movable_bases": False,
    "split_board": False,
    "copy_cancelled": True,
    "start_player": "random",
}


class GameEnds(Exception):  # noqa: N818 (not an error: it leaves all running generators)
    """The game has ended."""


@dataclass(frozen=True)
class Decision:
    """A choice of a seat; `again` finds the moves again if they depend on its hand."""

    seat: int
    name: str
    moves: list[int]
    again: Callable[[], Iterable[int]] | None = None


@dataclass
class Window:
    """An open window; `out`: seats that have passed; `answers`: number of Surprises played in it."""

    name: str
    opener: int
    out: set[int]
    answers: int = 0


Asking = Generator[Decision, int, Any]


def ask(
    seat: int, name: str, moves: Iterable[int] | Callable[[], Iterable[int]], even_alone: bool = False
) -> Generator[Decision, int, int]:
    """Ask for one decision, unless only one move is legal. Moves that depend on the hand are a function."""
    again = moves if callable(moves) else None
    choices = sorted(moves() if callable(moves) else moves)
    if len(choices) == 1 and not even_alone:
        return choices[0]
    return (yield Decision(seat, name, choices, again))


@dataclass(eq=False)
class Seat:
    """A player, with everything that lasts for the turn."""

    number: int
    file: int
    deck: Deck
    side: int | None = None
    filled: list[Card | None] = field(default_factory=lambda: [None] * 6)
    ship: Cell = ORIGIN
    last_landed: Cell | None = None
    store: int = 0
    counters: int = 0
    hand: list[Card] = field(default_factory=list)  # in order of slots
    bans: set[str] = field(default_factory=set)
    bonus: int = 0
    collect_bonus: int = 0
    used: set[int] = field(default_factory=set)  # the `once` of this turn
    surprised: bool = False
    gained_count: int = 0

    def new_turn(self) -> None:
        self.bans, self.used = set(), set()
        self.bonus = self.collect_bonus = self.gained_count = 0
        self.surprised = False

    @property
    def points(self) -> list[str]:
        assert self.side is not None
        return self.deck.sides[self.file, self.side]

    def open_point(self, type_: str) -> int | None:
        """HX-36: the lowest unfilled point of a type."""
        for place, wanted in enumerate(self.points):
            if wanted == type_ and self.filled[place] is None:
                return place
        return None

    @property
    def complete(self) -> bool:
        return None not in self.filled

    def add(self, n: int) -> None:
        self.store = min(MOST, self.store + n)

    def lose(self, n: int) -> int:
        """HX-28: lose at most the Data that are there."""
        gone = min(n, self.store)
        self.store -= gone
        return gone

    def take_in_hand(self, card: Card) -> None:
        """Insert a card: hands are sorted by kind, copies by arrival."""
        insort(self.hand, card, key=lambda c: c.kind.number)

    def choices(self, type_: str | None = None) -> list[tuple[int, Card]]:
        """HR-15: slots that a seat may name, with their cards: the first of each kind."""
        earlier = [[card.kind for card in self.hand[:i]] for i in range(len(self.hand))]
        return [
            (i, card)
            for i, card in enumerate(self.hand)
            if card.kind not in earlier[i] and type_ in (None, card.kind.type)
        ]


class Table:
    """The state of a game."""

    def __init__(self, num_players: int, seed: int, rules: dict[str, Any], cards: Deck | None = None) -> None:
        unknown = set(rules) - set(DEFAULTS)
        if unknown or num_players not in (2, 3, 4):
            raise ValueError(f"{num_players} players, rules {sorted(unknown)}")
        self.rules: dict[str, Any] = {**DEFAULTS, **rules}
        self.cards = cards or shipped()
        self.chance = Chance(seed)
        self.turn = 0
        self.actions_left = 0
        self.begun = 0  # Actions of the active seat in this turn
        self.gained: dict[str, int] = {}
        self.latest_event: Kind | None = None
        self.played: list[Card] = []
        self.windows: list[Window] = []
        self.discard = [0] * len(self.cards.kinds)
        self.shuffles = 0
        self.deck_known = 0
        self.over: str | None = None
        self.winners: list[int] = []
        self.board = Board()
        self.board.lay(ORIGIN, self.cards.by_id["space_base"])
        self.board.lay(DIRECTIONS[0], self.cards.by_id["delta_colony"])
        self.set_up(num_players)

    def set_up(self, num_players: int) -> None:
        """HX-1, HX-3, HX-7: the random draws of the set-up, in order."""
        files = sorted({file for file, _ in self.cards.sides})
        self.chance.shuffle(files)
        self.seats = [Seat(j, files[j], self.cards) for j in range(num_players)]
        agreed = self.rules["start_player"]
        self.first = self.active = self.roll_for_start() if agreed == "random" else agreed
        self.deck = [Card(kind) for kind in self.cards.kinds for _ in range(kind.copies)]
        self.chance.shuffle(self.deck)

    def roll_for_start(self) -> int:
        rolling = [seat.number for seat in self.seats]
        while len(rolling) > 1:
            totals = {number: self.chance.die() + self.chance.die() for number in rolling}
            rolling = [number for number in rolling if totals[number] == max(totals.values())]
        return rolling[0]

    # ------------------------------------------------------------------ seats

    def clockwise(self, start: int) -> list[Seat]:
        n = len(self.seats)
        return [self.seats[(start + k) % n] for k in range(n)]

    def hex_under(self, seat: Seat) -> Hex:
        return self.board[seat.ship]

    # ------------------------------------------------------------------ actions

    def actions_of(self, seat: Seat) -> int:
        """The Actions that a seat has left; only the active seat has any."""
        return self.actions_left + sum(self.gained.values()) if seat.number == self.active else 0

    def purse(self, seat: Seat, spent: str | None) -> tuple[int, Counter[str]]:
        """The ordinary and the gained Actions left, after one for a purpose is spent."""
        if seat.number != self.active:
            return 0, Counter()
        gained = Counter(self.gained)
        ordinary = self.actions_left - (spent is not None and not gained[spent])
        return ordinary, gained - Counter([spent] if spent else [])

    def can_do(self, purpose: str) -> bool:
        return bool(self.actions_left or self.gained.get(purpose))

    def use_up(self, name: str) -> None:
        self.gained[name] -= 1
        if not self.gained[name]:
            del self.gained[name]

    def spend(self, purpose: str) -> None:
        """HX-8: spend a gained Action first. The Action begins (HR-8)."""
        self.begun += 1
        if purpose in self.gained:
            self.use_up(purpose)
        else:
            self.actions_left -= 1

    def lose_actions(self, n: int, purpose: str | None = None) -> None:
        """Lose Actions that are left, gained ones first; `purpose`: gained ones for it alone."""
        for _ in range(n):
            names = PURPOSES if purpose is None else (purpose,)
            name = next((name for name in names if name in self.gained), None)
            if name:
                self.use_up(name)
            elif self.actions_left:
                self.actions_left -= 1

    def banned(self, seat: Seat, purpose: str) -> bool:
        return purpose in seat.bans or self.hex_under(seat).kind.start_ban == purpose

    # ------------------------------------------------------------------ cards

    def discard_card(self, card: Card) -> None:
        self.discard[card.kind.number] += 1

    def discard_slot(self, seat: Seat, slot: int) -> None:
        self.discard_card(seat.hand.pop(slot))

    def put_on_table(self, seat: Seat, slot: int) -> Card:
        card = seat.hand.pop(slot)
        card.known = True
        self.played.append(card)
        return card

    def take_off_table(self, card: Card) -> None:
        self.played.remove(card)

    def put_away(self, card: Card) -> None:
        """Move a card from the table to the Discard, if it is still there."""
        if card in self.played:
            self.take_off_table(card)
            self.discard_card(card)

    def hand_back(self, seat: Seat, card: Card) -> None:
        if len(seat.hand) >= HAND_LIMIT:
            return self.put_away(card)
        self.take_off_table(card)
        seat.take_in_hand(card)

    def top_card(self) -> Card | None:
        """Take the top card of the deck. HX-51: shuffle the Discard if the deck is empty."""
        if not self.deck:
            self.deck = [Card(kind) for kind in self.cards.kinds for _ in range(self.discard[kind.number])]
            if not self.deck:
                return None
            self.discard = [0] * len(self.cards.kinds)
            self.chance.shuffle(self.deck)
            self.shuffles += 1
        card = self.deck.pop()
        card.known = self.deck_known > 0
        self.deck_known = max(0, self.deck_known - 1)
        return card

    def draw(self, seat: Seat, n: int = 1) -> None:
        for _ in range(n):
            card = self.top_card() if len(seat.hand) < HAND_LIMIT else None
            if card is None:
                return
            card.epoch = self.shuffles
            seat.take_in_hand(card)

    def dump(self, n: int) -> None:
        for _ in range(n):
            card = self.top_card()
            if card is not None:
                self.discard_card(card)

    def recover(self, seat: Seat, kind: Kind) -> None:
        self.discard[kind.number] -= 1
        seat.take_in_hand(Card(kind, True, self.shuffles))

    # ------------------------------------------------------------------ missions

    def fill_point(self, seat: Seat, card: Card) -> None:
        """HX-36; HX-53: the sixth point wins at once."""
        place = seat.open_point(card.kind.type)
        assert place is not None
        seat.filled[place] = card
        if seat.complete and not self.rules["equal_turns"]:
            self.finish([seat.number])

    def finish(self, winners: list[int]) -> None:
        self.over, self.winners = ("finished" if winners else "truncated"), winners
        raise GameEnds

    # ------------------------------------------------------------------ the board

    def forget_landing(self, cell: Cell) -> None:
        """HX-19: forget Landings on a removed hex."""
        for seat in self.seats:
            if seat.last_landed == cell:
                seat.last_landed = None

    def remove_hex(self, cell: Cell) -> None:
        self.discard[self.board.pop(cell).kind.number] += 1
        self.forget_landing(cell)

    def shift_hex(self, cell: Cell, there: Cell) -> None:
        """HX-22: move a hex with its ships and Landings."""
        self.board[there] = self.board.pop(cell)
        for seat in self.seats:
            seat.ship = there if seat.ship == cell else seat.ship
            seat.last_landed = there if seat.last_landed == cell else seat.last_landed
