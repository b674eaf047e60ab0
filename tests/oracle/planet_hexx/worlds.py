"""All worlds that a seat of Planet Hexx holds possible, in small positions: one by one, in plain Python.

What is hidden: cards in the hands of others that nobody has seen, and the deck below its known top. The cards
of one shuffle can be in all places of that shuffle; each card is its own piece, and each deal of the pieces
is equally likely (docs/planet_hexx_rules.md, "What a seat knows"). Where the game stands still at a decision
of another, only deals count in which it would.

A state is `(hands, deck, asked)`: for each seat its hidden cards, sorted pairs of id and shuffle; the hidden
part of the deck from the bottom, in its order where it has at most `IN_ORDER` cards, else sorted; and who is
asked, in a window of others the first that can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import comb, factorial, prod

from ..planet_hexx_oracle import HexxOracle
from .cards import Card
from .table import Seat, Table
from .windows import may_be_asked, slots_to_answer

IN_ORDER = 3
Pool = Counter[str]
Hands = tuple[tuple[tuple[str, int], ...], ...]
State = tuple[Hands, tuple[str, ...], int]


class TooManyWorldsError(ValueError):
    """The position is too large to try everything."""


def hidden_hands(t: Table, observer: int) -> list[list[Card]]:
    """The cards of each seat that the observer does not see."""
    return [[c for c in seat.hand if not c.known and seat.number != observer] for seat in t.seats]


def hidden_deck(t: Table) -> list[Card]:
    """The deck below its known top, from the bottom."""
    return t.deck[: len(t.deck) - t.deck_known]


def worlds(oracle: HexxOracle, observer: int, limit: int) -> tuple[dict[State, Fraction], bool]:
    """Every state that the observer holds possible, with its probability; whether there are deals besides."""
    t = oracle.table
    hands = hidden_hands(t, observer)
    places = Counter((seat, card.epoch) for seat, hand in enumerate(hands) for card in hand)
    pools: dict[int, Pool] = {t.shuffles: Counter(card.kind.id for card in hidden_deck(t))}
    for hand in hands:
        for card in hand:
            pools.setdefault(card.epoch, Counter())[card.kind.id] += 1
    weights: Counter[State] = Counter()
    ruled_out = False
    for held, left, ways in deals(sorted(places.items()), pools):
        state_hands = tuple(tuple(sorted(held.get(j, ()))) for j in range(len(t.seats)))
        asked = asked_with(oracle, observer, state_hands)
        ruled_out = ruled_out or asked is None
        if asked is not None:
            deck = sorted(left[t.shuffles].elements())
            orders = set(orders_of(deck)) if len(deck) <= IN_ORDER else {tuple(deck)}
            # A deal of the pieces to hands and deck comes in as many orders of the deck as of its pieces.
            same = factorial(len(deck)) // len(orders) if len(deck) <= IN_ORDER else factorial(len(deck))
            for order in orders:
                weights[state_hands, order, asked] += ways * same
        if len(weights) > limit:
            raise TooManyWorldsError
    total = sum(weights.values())
    return {state: Fraction(weight, total) for state, weight in weights.items()}, ruled_out


def orders_of(cards: list[str]) -> Iterator[tuple[str, ...]]:
    """The different orders of some cards."""
    if not cards:
        yield ()
    for card in sorted(set(cards)):
        rest = cards.copy()
        rest.remove(card)
        yield from ((card, *order) for order in orders_of(rest))


def deals(
    places: list[tuple[tuple[int, int], int]], pools: dict[int, Pool]
) -> Iterator[tuple[dict[int, list[tuple[str, int]]], dict[int, Pool], int]]:
    """What each seat holds, what is left of each shuffle, and in how many ways of the pieces."""
    if not places:
        yield {}, pools, 1
        return
    ((seat, epoch), size), *others = places
    for chosen in choices(sorted(pools[epoch].items()), size):
        ways = prod(comb(pools[epoch][card], n) for card, n in chosen.items())
        ways *= factorial(size)  # in which of its places each piece lies
        rest = {**pools, epoch: pools[epoch] - chosen}
        for held, left, more in deals(others, rest):
            mine = [(card, epoch) for card in chosen.elements()]
            yield {**held, seat: [*held.get(seat, []), *mine]}, left, ways * more


def choices(kinds: list[tuple[str, int]], size: int) -> Iterator[Pool]:
    """The multisets of so many of these cards."""
    if size == 0:
        yield Counter()
    elif kinds:
        (card, there), *others = kinds
        for n in range(min(there, size) + 1):
            for chosen in choices(others, size - n):
                yield chosen + Counter({card: n})


# ---------------------------------------------------------------- decisions of others


def asked_with(oracle: HexxOracle, observer: int, hands: Hands) -> int | None:
    """Whom the game could be asking here if the others held these cards; None: it would not stand still."""
    t, decision = oracle.table, oracle.decision
    assert decision is not None
    in_window = decision.name == "WINDOW"
    if decision.seat == observer or not (in_window or decision.again):
        return decision.seat
    kept = [seat.hand for seat in t.seats]
    for seat, hidden in zip(t.seats, hands, strict=True):
        if seat.number != observer:
            dealt = [Card(t.cards.by_id[card], False, epoch) for card, epoch in hidden]
            seat.hand = sorted([*(c for c in seat.hand if c.known), *dealt], key=lambda c: c.kind.number)
    try:
        if in_window:
            return first_asked(t, t.seats[observer])
        assert decision.again is not None
        return decision.seat if len(list(decision.again())) > 1 else None
    finally:
        for seat, hand in zip(t.seats, kept, strict=True):
            seat.hand = hand


def first_asked(t: Table, observer: Seat) -> int | None:
    """Whom the open window could be asking but the observer, who has not been asked yet or has passed.

    It asks clockwise from the active seat's left; all who come before have passed. One who would have been
    asked before the observer, who passed, is not asked any more, unless a Surprise was played there.
    """
    window = t.windows[-1]
    passed = observer.number in window.out and observer.number != window.opener
    counts = not passed or window.answers > 0
    for seat in t.clockwise(t.active + 1):
        able = seat.number != window.opener and may_be_asked(t, seat, window.name)
        able = able and bool(t.rules["always_ask"] or slots_to_answer(t, seat, window.name))
        if seat is observer:
            counts = True
            if able and not passed:
                return None  # it would be asked first
        elif able and counts:
            return seat.number
    return None
