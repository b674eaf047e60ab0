"""Enumerates all possible worlds of a seat in small positions.

The input is the log of events of a tracker, the components and the public facts, but no conclusion of the
tracker. Each tile and each card is its own piece: the probability of a state is its share of all deals. Tiles
and cards are independent, so each has a function.

A tile state is `(piles, taken)`: for each ring position the sorted tiles of the pile, and the (seat, tile)
taken there in order. A card state is `(hands, draw pile)`, all sorted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import Any

from .knowledge import Event, Tracker

SPACE = "space"
LIMIT = 2_000_000
Taken = tuple[tuple[int, str], ...]
TileState = tuple[tuple[tuple[str, ...], ...], tuple[Taken, ...]]
CardState = tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]


class TooManyWorldsError(ValueError):
    """The position has too many worlds to enumerate."""


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
