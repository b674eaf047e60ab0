"""Lists all worlds of Planet Hexx that are possible for a seat in a small position.

Hidden are unknown cards in other hands, and the deck below its known top. The cards of an epoch may lie in
all places of this epoch; all deals of the single cards are equally likely (docs/planet_hexx_rules.md, "What a
seat knows"). At a decision of another seat, only deals count in which this decision is possible.

A state is `(hands, deck, asked)`: the hidden cards of each seat, sorted pairs of id and epoch; the hidden
part of the deck from the bottom, sorted if it has more than `IN_ORDER` cards; and the seat that is asked, in
a window of others the first possible seat.
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
    """The position has more worlds than the limit."""


def hidden_hands(t: Table, observer: int) -> list[list[Card]]:
    """The cards of each seat that the observer does not see."""
    return [[c for c in seat.hand if not c.known and seat.number != observer] for seat in t.seats]


def hidden_deck(t: Table) -> list[Card]:
    """The deck below its known top, from the bottom."""
    return t.deck[: len(t.deck) - t.deck_known]


def worlds(oracle: HexxOracle, observer: int, limit: int) -> tuple[dict[State, Fraction], bool]:
    """All possible states for the observer with probabilities; whether some deals were ruled out."""
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
            # Several orders of the single cards give the same order of kinds.
            same = factorial(len(deck)) // len(orders) if len(deck) <= IN_ORDER else factorial(len(deck))
            for order in orders:
                weights[state_hands, order, asked] += ways * same
        if len(weights) > limit:
            raise TooManyWorldsError
    total = sum(weights.values())
    return {state: Fraction(weight, total) for state, weight in weights.items()}, ruled_out


def orders_of(cards: list[str]) -> Iterator[tuple[str, ...]]:
    """All different orders of cards."""
    if not cards:
        yield ()
    for card in sorted(set(cards)):
        rest = cards.copy()
        rest.remove(card)
        yield from ((card, *order) for order in orders_of(rest))


def deals(
    places: list[tuple[tuple[int, int], int]], pools: dict[int, Pool]
) -> Iterator[tuple[dict[int, list[tuple[str, int]]], dict[int, Pool], int]]:
    """All deals: cards of each seat, cards left in each epoch, number of ways."""
    if not places:
        yield {}, pools, 1
        return
    ((seat, epoch), size), *others = places
    for chosen in choices(sorted(pools[epoch].items()), size):
        ways = prod(comb(pools[epoch][card], n) for card, n in chosen.items())
        ways *= factorial(size)  # the order of the cards in the hand
        rest = {**pools, epoch: pools[epoch] - chosen}
        for held, left, more in deals(others, rest):
            mine = [(card, epoch) for card in chosen.elements()]
            yield {**held, seat: [*held.get(seat, []), *mine]}, left, ways * more


def choices(kinds: list[tuple[str, int]], size: int) -> Iterator[Pool]:
    """All multisets of this size."""
    if size == 0:
        yield Counter()
    elif kinds:
        (card, there), *others = kinds
        for n in range(min(there, size) + 1):
            for chosen in choices(others, size - n):
                yield chosen + Counter({card: n})


# ---------------------------------------------------------------- decisions of others


def asked_with(oracle: HexxOracle, observer: int, hands: Hands) -> int | None:
    """The seat that is asked if the others hold these cards; None: the decision is not possible."""
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
    """The first other seat that the open window can ask; None if it asks the observer first.

    It asks clockwise from the active seat. If the observer has passed, the seats before it have passed as
    well, unless a Surprise was played in the window.
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
                return None  # the window asks the observer first
        elif able and counts:
            return seat.number
    return None
