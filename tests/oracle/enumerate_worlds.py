"""Enumerates all possible worlds of a seat in small positions.

The input is the log of events of a tracker, the components and the public facts, but no conclusion of the
tracker. Each tile and each card is its own piece: the probability of a state is its share of all deals. Tiles
and cards are independent, so each has a function.

A tile state is `(piles, taken)`: for each ring position the sorted tiles of the pile, and the (seat, tile)
taken there in order. A card state is `(hands, draw pile)`, all sorted. `tile_state` and `card_state` give
them for a full state, so that sampled worlds can be counted.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import Any

from .knowledge import Event, Tracker
from .space_mission_oracle import Plain

SPACE = "space"
LIMIT = 2_000_000
Taken = tuple[tuple[int, str], ...]
TileState = tuple[tuple[tuple[str, ...], ...], tuple[Taken, ...]]
CardState = tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]


class TooManyWorldsError(ValueError):
    """The position has too many worlds to enumerate."""


def tile_state(world: Plain, ordered: bool = True) -> TileState:
    """The tiles of a full state; without `ordered`, the tiles taken from a planet are sorted."""
    taken = [[(seat, tile) for seat, tile in pile] for pile in world["taken"]]
    return (
        tuple(tuple(sorted(pile)) for pile in world["piles"]),
        tuple(tuple(pile if ordered else sorted(pile)) for pile in taken),
    )


def card_state(world: Plain) -> CardState:
    """The cards of a full state without the order of the draw pile."""
    return tuple(tuple(sorted(hand)) for hand in world["hands"]), tuple(sorted(world["draw_pile"]))


def unordered(states: Mapping[TileState, Fraction]) -> dict[TileState, Fraction]:
    """The same state with the tiles taken from each planet sorted."""
    result: dict[TileState, Fraction] = {}
    for (piles, taken), share in states.items():
        state = (piles, tuple(tuple(sorted(one)) for one in taken))
        result[state] = result.get(state, Fraction(0)) + share
    return result


def _shares(weights: Mapping[Any, int]) -> dict[Any, Fraction]:
    total = sum(weights.values())
    return {state: Fraction(weight, total) for state, weight in weights.items()}


class _Count:
    """Counts the steps and raises an error above the limit."""

    def __init__(self, limit: int) -> None:
        self.limit, self.tried = limit, 0

    def __call__(self) -> None:
        self.tried += 1
        if self.tried > self.limit:
            raise TooManyWorldsError(f"more than {self.limit} assignments to try")


# ------------------------------------------------------------------------------------------------ tiles


def _events_by_planet(tracker: Tracker) -> list[list[Event]]:
    return [
        [
            event
            for event in tracker.log
            if (event[0] in ("look", "up") and event[1] == planet)
            or (event[0] == "take" and event[2] == planet)
        ]
        for planet in range(len(tracker.dealt))
    ]


def _others_look(tracker: Tracker, planet: int) -> bool:
    """Whether another seat is looking through this pile."""
    public = tracker.public
    if public["player"] is None or public["phase"] == "action":
        return False
    return public["ships"][public["player"]] == planet


def holds(tracker: Tracker, planet: int, events: list[Event], taken: list[str], pile: list[str]) -> bool:
    """Whether these dealt and taken tiles agree with the events that the seat perceived."""
    now = Counter(taken) + Counter(pile)
    number = 0
    for position, event in enumerate(events):
        if event[0] == "look":
            if tuple(sorted(now.items())) != event[2]:
                return False
        elif event[0] == "up":  # SM-34, SM-46
            if set(now) != {SPACE}:
                return False
        else:
            tile = taken[number]
            number += 1
            if event[3] not in (None, tile) or (tile == SPACE and not tracker.penalty):
                return False
            if not set(now) - {SPACE}:  # a seat takes a tile only if it finds a point tile (SM-34)
                return False
            now -= Counter([tile])
            turned = position + 1 < len(events) and events[position + 1][0] == "up"
            if turned != (set(now) == {SPACE}):  # SM-46
                return False
    return not _others_look(tracker, planet) or bool(set(now) - {SPACE})


def _sub_multisets(counts: list[tuple[str, int]], size: int) -> Iterator[tuple[list[str], int]]:
    """All choices of `size` tiles by kind, each with its number of choices of pieces."""
    if not counts:
        if size == 0:
            yield [], 1
        return
    (kind, available), rest = counts[0], counts[1:]
    for number in range(min(available, size) + 1):
        for others, ways in _sub_multisets(rest, size - number):
            yield [kind] * number + others, ways * comb(available, number)


def _fill_planet(
    tracker: Tracker, planet: int, events: list[Event], pool: Counter[str], last: bool, count: _Count
) -> Iterator[tuple[list[str], list[str], Counter[str], int]]:
    """All consistent (taken, pile, rest of the pool, number of ways) of one planet."""
    size = tracker.dealt[planet]

    def step(
        number: int, taken: list[str], content: Counter[str] | None, pool: Counter[str], ways: int
    ) -> Iterator[tuple[list[str], list[str], Counter[str], int]]:
        """Continue from event `number`; `content`: the pile after its first look, None before."""
        count()
        if number == len(events):
            if content is not None:
                yield taken, sorted(content.elements()), pool, ways
                return
            left = size - len(taken)
            if last and pool.total() != left:
                return
            for pile, choices in _sub_multisets(sorted(pool.items()), left):
                count()
                yield taken, pile, pool - Counter(pile), ways * choices
            return
        event = events[number]
        if event[0] == "take":
            source = pool if content is None else content
            for kind, pieces in sorted(source.items()):
                rest = source - Counter([kind])
                if content is None:
                    yield from step(number + 1, [*taken, kind], None, rest, ways * pieces)
                else:
                    yield from step(number + 1, [*taken, kind], rest, pool, ways * pieces)
            return
        seen = Counter(dict(event[2])) if event[0] == "look" else Counter({SPACE: size - len(taken)})
        if content is not None:
            if seen == content:
                yield from step(number + 1, taken, content, pool, ways)
        elif seen <= pool:
            choices = prod(comb(pool[kind], n) for kind, n in seen.items())
            yield from step(number + 1, taken, seen, pool - seen, ways * choices)

    for taken, pile, rest, ways in step(0, [], None if size else Counter(), pool, 1):
        if holds(tracker, planet, events, taken, pile):
            yield taken, pile, rest, ways


def enumerate_tiles(tracker: Tracker, limit: int = LIMIT) -> dict[TileState, Fraction]:
    """Every possible tile state and its probability under an even deal.

    Raises:
        TooManyWorldsError: more than `limit` steps would have to be tried.
    """
    count, events = _Count(limit), _events_by_planet(tracker)
    weights: Counter[TileState] = Counter()
    # Planets that the seat has looked at come first, because they have the fewest cases.
    order = sorted(range(len(tracker.dealt)), key=lambda p: not any(e[0] != "take" for e in events[p]))

    def fill(
        place: int, pool: Counter[str], found: dict[int, tuple[list[str], list[str]]], ways: int
    ) -> None:
        if place == len(order):
            if not pool.total():
                takers = [[event[1] for event in row if event[0] == "take"] for row in events]
                piles = tuple(tuple(sorted(found[p][1])) for p in range(len(order)))
                taken = tuple(tuple(zip(takers[p], found[p][0], strict=True)) for p in range(len(order)))
                weights[piles, taken] += ways
            return
        planet, last = order[place], place == len(order) - 1
        for gone, pile, rest, more in _fill_planet(tracker, planet, events[planet], pool, last, count):
            fill(place + 1, rest, found | {planet: (gone, pile)}, ways * more)

    fill(0, Counter(tracker.box), {}, 1)
    return _shares(weights)


def _distinct_orders(pool: Counter[str]) -> Iterator[list[str]]:
    if not pool.total():
        yield []
        return
    for kind in sorted(pool):
        for rest in _distinct_orders(pool - Counter([kind])):
            yield [kind, *rest]


def enumerate_tiles_blindly(tracker: Tracker, limit: int = LIMIT) -> dict[TileState, Fraction]:
    """The same by brute force over all orders of all tiles (tiny boxes only)."""
    count, events = _Count(limit), _events_by_planet(tracker)
    takers = [[event[1] for event in row if event[0] == "take"] for row in events]
    weights: Counter[TileState] = Counter()
    for order in _distinct_orders(Counter(tracker.box)):
        count()
        start, piles, taken = 0, [], []
        for planet, size in enumerate(tracker.dealt):
            cut, stop = start + len(takers[planet]), start + size
            if not holds(tracker, planet, events[planet], order[start:cut], order[cut:stop]):
                break
            taken.append(tuple(zip(takers[planet], order[start:cut], strict=True)))
            piles.append(tuple(sorted(order[cut:stop])))
            start = stop
        else:
            weights[tuple(piles), tuple(taken)] += 1
    return _shares(weights)


# ------------------------------------------------------------------------------------------------ cards


def enumerate_cards(tracker: Tracker, limit: int = LIMIT) -> dict[CardState, Fraction]:
    """Every possible card state and its probability, in a box without repeated ids.

    It tries all hands of the others made of hidden cards and keeps those in which each seat's draws from each
    draw pile are the cards of that pile that it has played since or holds.

    Raises:
        TooManyWorldsError: more than `limit` steps are necessary.
        NotImplementedError: a card id is repeated.
    """
    if len(set(tracker.cards)) != len(tracker.cards):
        raise NotImplementedError("enumerating hands in a box with repeated card ids")
    count = _Count(limit)
    hand, public = tracker.hand, tracker.public
    hidden = sorted(set(tracker.cards) - set(hand) - set(public["discard"]))
    drawn, played, pile_of = _draws_and_plays(tracker)

    def agrees(seat: int, cards: tuple[str, ...]) -> bool:
        found = Counter(pile_of[card] for card in cards)
        found.update(played.get(seat, Counter()))
        return found == drawn.get(seat, Counter())

    weights: Counter[CardState] = Counter()
    seats = [seat for seat in range(tracker.num_players) if seat != tracker.seat]

    def fill(place: int, rest: list[str], hands: dict[int, tuple[str, ...]]) -> None:
        if place == len(seats):
            if all(pile_of[card] == max(pile_of.values()) for card in rest):
                everybody = tuple(hands.get(seat, tuple(hand)) for seat in range(tracker.num_players))
                weights[everybody, tuple(rest)] += 1
            return
        seat = seats[place]
        for chosen in combinations(rest, public["hand_sizes"][seat]):
            count()
            if agrees(seat, chosen):
                fill(place + 1, [card for card in rest if card not in chosen], hands | {seat: chosen})

    fill(0, hidden, {})
    return _shares(weights)


def _draws_and_plays(tracker: Tracker) -> tuple[dict[int, Counter[int]], dict[int, Counter[int]], dict]:
    """For each seat and draw pile, the cards drawn and played later; for each card, its last draw pile."""
    pile = 0
    pile_of = dict.fromkeys(tracker.cards, 0)
    drawn = {seat: Counter({0: n}) for seat, n in enumerate(tracker.first_sizes) if n}
    played: dict[int, Counter[int]] = {}
    for event in tracker.log:
        if event[0] == "shuffle":
            pile += 1
            pile_of.update(dict.fromkeys(event[1], pile))
        elif event[0] == "draw":
            drawn.setdefault(event[1], Counter())[pile] += event[2]
        elif event[0] == "play":
            played.setdefault(event[1], Counter()).update(pile_of[card] for card in event[2])
    return drawn, played, pile_of


def enumerate_cards_by_replay(tracker: Tracker, limit: int = LIMIT) -> dict[CardState, Fraction]:
    """The same by a replay of the log with all orders of draws (tiny boxes only).

    Card ids may be repeated: each card is its own piece.
    """
    count = _Count(limit)
    pieces = list(enumerate(tracker.cards))
    weights: Counter[CardState] = Counter()
    Piece = tuple[int, str]
    Hands = tuple[frozenset[Piece], ...]

    def go(number: int, hands: Hands, pile: frozenset[Piece], discard: frozenset[Piece]) -> None:
        count()
        if number == len(tracker.log):
            state = tuple(tuple(sorted(card for _, card in hand)) for hand in hands)
            weights[state, tuple(sorted(card for _, card in pile))] += 1
            return
        event = tracker.log[number]
        if event[0] == "draw":
            draw(number, event[1], event[2], event[3], hands, pile, discard)
        elif event[0] == "play":
            play(number, event[1], event[2], hands, pile, discard)
        elif event[0] == "shuffle":
            if not pile and tuple(sorted(card for _, card in discard)) == event[1]:
                go(number + 1, hands, discard, frozenset())
        else:
            go(number + 1, hands, pile, discard)

    def draw(
        number: int, who: int, left: int, names: tuple[str, ...] | None, hands: Hands,
        pile: frozenset[Piece], discard: frozenset[Piece],
        then: Callable[[Hands, frozenset[Piece]], None] | None = None,
    ) -> None:  # fmt: skip
        if left == 0:
            if then is None:
                go(number + 1, hands, pile, discard)
            else:
                then(hands, pile)
            return
        for piece in sorted(pile):
            if names is None or piece[1] == names[0]:
                more = tuple(hand | {piece} if seat == who else hand for seat, hand in enumerate(hands))
                rest = names[1:] if names is not None else None
                draw(number, who, left - 1, rest, more, pile - {piece}, discard, then)

    def play(
        number: int, who: int, names: tuple[str, ...], hands: Hands, pile: frozenset[Piece],
        discard: frozenset[Piece],
    ) -> None:  # fmt: skip
        if not names:
            go(number + 1, hands, pile, discard)
            return
        for piece in sorted(hands[who]):
            if piece[1] == names[0]:
                fewer = tuple(hand - {piece} if seat == who else hand for seat, hand in enumerate(hands))
                play(number, who, names[1:], fewer, pile, discard | {piece})

    def deal(seat: int, hands: Hands, pile: frozenset[Piece]) -> None:
        if seat == tracker.num_players:
            go(0, hands, pile, frozenset())
            return
        names = tuple(tracker.first_hand) if seat == tracker.seat else None
        size = tracker.first_sizes[seat]
        draw(0, seat, size, names, (*hands, frozenset()), pile, frozenset(),
             lambda more, rest: deal(seat + 1, more, rest))  # fmt: skip

    deal(0, (), frozenset(pieces))
    return _shares(weights)
