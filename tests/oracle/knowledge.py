"""Tracks the knowledge of one seat with perfect recall, independently of the engine.

It was written from the rules list alone (SM-70 to SM-75). A tracker receives the events that its seat
perceives (from witness.py). For tiles, it keeps the takers of each planet in order, and the contents of the
pile when they are known ("cuts"): cut n is the pile after n tiles were taken. For cards, it keeps the cards
of each draw pile ("epoch") that the seat has not seen since, and how many of them each seat holds. It infers
nothing from the choices of others.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from .pools import SPACE, Group, Kinds, Pool
from .space_mission_oracle import Plain

Tiles = Counter[str]
Event = tuple[Any, ...]  # a name and its facts


def frozen(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """A multiset as a sorted tuple."""
    return tuple(sorted((item, n) for item, n in counts.items() if n))


def public_of(state: Plain) -> Plain:
    """SM-70: the public facts of a full state in the form of `OracleGame.snapshot()`."""
    same = (
        "player phase actions_left round last_round ring face_up stations scanned seen ships supply gate"
        " discard revealed reason start_player"
    )
    return {key: state[key] for key in same.split()} | {
        "pile_sizes": [len(pile) for pile in state["piles"]],
        "takers": [[seat for seat, _ in taken] for taken in state["taken"]],
        "hand_sizes": [len(hand) for hand in state["hands"]],
        "draw_size": len(state["draw_pile"]),
    }


class Tracker:
    """The knowledge of one seat.

    Args:
        seat: the seat.
        num_players: 2 to 5.
        rules: the options of the game; only `space_tile_penalty` matters.
        box: `{"tiles": {name: number}, "cards": [ids], "piles": [tiles dealt to each ring position]}`.
        own_hand: the card ids dealt to the seat.
        hand_sizes: the number of cards dealt to each seat.
        public: `public_of` the first state.
    """

    def __init__(
        self,
        seat: int,
        num_players: int,
        rules: Plain,
        box: Plain,
        own_hand: Sequence[str],
        hand_sizes: Sequence[int],
        public: Plain,
    ) -> None:
        self.seat, self.num_players = seat, num_players
        self.penalty = bool(rules["space_tile_penalty"])
        self.box: Tiles = Counter(box["tiles"])
        self.dealt = list(box["piles"])
        self.takers: list[list[int]] = [[] for _ in self.dealt]
        self.cuts: list[dict[int, Tiles]] = [{} if size else {0: Counter()} for size in self.dealt]
        self.log: list[Event] = []  # every event, for the enumeration, which shares no counting with this
        self.first_hand, self.first_sizes = list(own_hand), list(hand_sizes)
        self.cards = list(box["cards"])

        self.hand = sorted(own_hand)
        self.distinct = len(set(self.cards)) == len(self.cards)
        self.epoch = 0
        self.epoch_of = dict.fromkeys(self.cards, 0)  # the draw pile in which a card last lay
        self.hidden: list[set[str]] = [set(self.cards) - set(own_hand)]  # per epoch, not seen since
        self.held: list[Counter[int]] = [  # per epoch, how many of those each other seat holds
            Counter({s: n for s, n in enumerate(hand_sizes) if s != seat and n})
        ]
        self.draw_size = len(self.cards) - sum(hand_sizes)
        self.told_public(public)

    # ---- events ----

    def told_public(self, public: Plain) -> None:
        """Receive the public facts after the events so far (SM-70)."""
        self.public = dict(public)

    def plays(self, who: int, cards: Sequence[str]) -> None:
        """Cards played or discarded, face up (SM-27)."""
        self.log.append(("play", who, tuple(cards)))
        if who == self.seat:
            for card in cards:
                self.hand.remove(card)
        elif self.distinct:
            for card in cards:
                epoch = self.epoch_of[card]
                self.hidden[epoch].remove(card)
                self.held[epoch][who] -= 1
                assert self.held[epoch][who] >= 0, f"seat {who} cannot hold {card}"

    def draws(self, who: int, number: int, cards: Sequence[str] | None = None) -> None:
        """Cards drawn from one draw pile, in order; the ids are known for the own seat only."""
        assert (cards is not None) == (who == self.seat)
        self.log.append(("draw", who, number, None if cards is None else tuple(cards)))
        self.draw_size -= number
        if cards is None:
            self.held[self.epoch][who] += number
        else:
            self.hand = sorted([*self.hand, *cards])
            self.hidden[self.epoch] -= set(cards)

    def shuffled(self, cards: Iterable[str]) -> None:
        """The discard pile, these cards, became the draw pile (SM-23)."""
        new = sorted(cards)
        self.log.append(("shuffle", tuple(new)))
        self.epoch += 1
        self.hidden.append(set(new))
        self.held.append(Counter())
        self.epoch_of.update(dict.fromkeys(new, self.epoch))
        self.draw_size = len(new)

    def looks(self, planet: int, pile: Iterable[str]) -> None:
        """The own seat looks through the pile."""
        seen = Counter(pile)
        self.log.append(("look", planet, frozen(seen)))
        self._cut(planet, seen)

    def takes(self, who: int, planet: int, tile: str | None = None) -> None:
        """A tile was taken or reserved; the name is known for the own seat only, which has just looked."""
        assert (tile is not None) == (who == self.seat)
        self.log.append(("take", who, planet, tile))
        before = self.cuts[planet].get(len(self.takers[planet]))
        self.takers[planet].append(who)
        if tile is not None:
            assert before is not None
            self._cut(planet, before - Counter([tile]))
        elif self._left(planet) == 0:
            self._cut(planet, Counter())

    def turned_up(self, planet: int) -> None:
        """The pile was turned face up: space tiles only (SM-34, SM-46)."""
        self.log.append(("up", planet))
        self._cut(planet, Counter({SPACE: self._left(planet)}))

    def _left(self, planet: int) -> int:
        return self.dealt[planet] - len(self.takers[planet])

    def _cut(self, planet: int, pile: Tiles) -> None:
        cut = len(self.takers[planet])
        assert self.cuts[planet].setdefault(cut, pile) == pile, "two looks at the same pile differ"

    # ---- tiles: where what is not known may lie ----

    def _slot_cap(self, planet: int, number: int) -> int:
        """Whether the tile with this number in the order of takes can be a space tile: 1 or 0."""
        over = self._left(planet) == 0 or self.public["face_up"][planet]
        last = number == len(self.takers[planet]) - 1
        return int(self.penalty and not (over and last))  # the last one before the end was a point tile

    def _pile_cap(self, planet: int) -> int:
        """The most space tiles in a pile: an opened face-down pile has a point tile."""
        left, public = self._left(planet), self.public
        looking = (
            public["phase"] not in ("action", "over")
            and public["player"] is not None
            and public["ships"][public["player"]] == planet
        )
        return left - 1 if left and (self.takers[planet] or looking) else left

    def _slots(self, planet: int, start: int, stop: int) -> list[Group]:
        return [Group((planet, n), 1, self._slot_cap(planet, n)) for n in range(start, stop)]

    def _pools(self) -> list[Pool]:
        """The pool of what was in no pile when the seat looked comes first, then what left piles between
        two looks and what left or is in a pile since the last look.
        """
        unseen = Counter(self.box)
        open_groups: list[Group] = []
        pools = []
        for planet, takers in enumerate(self.takers):
            cuts, number = sorted(self.cuts[planet].items()), len(takers)
            pile = Group((planet, "pile"), self._left(planet), self._pile_cap(planet))
            if not cuts:
                open_groups += [*self._slots(planet, 0, number), pile]
                continue
            unseen.subtract(cuts[0][1])
            open_groups += self._slots(planet, 0, cuts[0][0])
            for (start, before), (stop, after) in pairwise(cuts):
                pools.append(Pool(before - after, self._slots(planet, start, stop)))
            start, last = cuts[-1]
            groups = [*self._slots(planet, start, number), pile]
            if start == number:  # the pile is known
                groups = [Group(pile.label, pile.size, pile.size)]
            pools.append(Pool(last, groups))
        assert min(unseen.values()) >= 0
        return [Pool(unseen, open_groups), *pools]

    def tile_marginals(self) -> Plain:
        """The expected numbers of tiles by kind under an even deal (SM-74), without zeros.

        Returns:
            `{"piles": [{kind: Fraction}] by ring position, "taken": [[{kind: Fraction}] by ring position]
            by seat, "total": [{kind: Fraction}] by seat}`; the own seat's are whole numbers.
        """
        piles: list[Kinds] = [{} for _ in self.dealt]
        taken: list[list[Kinds]] = [[{} for _ in self.dealt] for _ in range(self.num_players)]
        total: list[Kinds] = [{} for _ in range(self.num_players)]
        for pool in self._pools():
            for label, kinds in pool.expected().items():
                planet, place = label
                if place == "pile":
                    into = [piles[planet]]
                else:
                    seat = self.takers[planet][place]
                    into = [taken[seat][planet], total[seat]]
                for kind, expected in kinds.items():
                    for sums in into:
                        sums[kind] = sums.get(kind, Fraction(0)) + expected
        return {"piles": piles, "taken": taken, "total": total}

    # ---- cards ----

    def _card_groups(self) -> list[tuple[tuple[str, ...], dict[int | str, int]]]:
        """Groups of hidden cards with the same places, and their number in each (a seat or "draw")."""
        if not self.distinct:
            raise NotImplementedError("what is known of the cards, in a box with repeated card ids")
        groups = []
        for epoch, cards in enumerate(self.hidden):
            places: dict[int | str, int] = {seat: n for seat, n in self.held[epoch].items() if n}
            if epoch == self.epoch and self.draw_size:
                places["draw"] = self.draw_size
            assert sum(places.values()) == len(cards), "hidden cards and their places differ in number"
            if cards:
                groups.append((tuple(sorted(cards)), places))
        return groups

    def card_marginals(self) -> Plain:
        """The probability of each card in each hand and in the draw pile under an even deal (SM-74).

        Returns:
            `{"hands": [{id: Fraction}] by seat, "draw": {id: Fraction}}`, without zeros.

        Raises:
            NotImplementedError: a box with repeated card ids.
        """
        hands: list[dict[str, Fraction]] = [{} for _ in range(self.num_players)]
        draw: dict[str, Fraction] = {}
        hands[self.seat] = dict.fromkeys(self.hand, Fraction(1))
        for cards, places in self._card_groups():
            for place, number in places.items():
                into = draw if place == "draw" else hands[int(place)]
                into.update(dict.fromkeys(cards, Fraction(number, len(cards))))
        return {"hands": hands, "draw": draw}

    def is_possible(self, world: Plain) -> bool:
        """Whether a full state, in the form of `OracleGame.snapshot()`, agrees with the seat's knowledge."""
        return self.why_impossible(world) is None

    def why_impossible(self, world: Plain) -> str | None:
        """Why a full state contradicts the seat's knowledge, or None."""
        public = public_of(world)
        for key, value in self.public.items():
            if public[key] != value:
                return f"public: {key} is {value}, not {public[key]}"
        return self.why_not_tiles(world) or self.why_not_cards(world)

    def why_not_tiles(self, world: Plain) -> str | None:
        """Why the tiles of a full state contradict the seat's knowledge, or None; its public facts agree."""
        everything: Tiles = Counter()
        held: list[list[str]] = [[] for _ in range(self.num_players)]
        for planet, cuts in enumerate(self.cuts):
            taken = [tile for _, tile in world["taken"][planet]]
            pile = Counter(world["piles"][planet])
            for cut, content in cuts.items():
                if pile + Counter(taken[cut:]) != content:
                    return f"planet {planet}: the pile after {cut} taken tiles was {dict(content)}"
            if pile[SPACE] > (
                self._left(planet) if self.public["face_up"][planet] else self._pile_cap(planet)
            ):
                return f"planet {planet}: the face-down pile holds a point tile"
            for number, tile in enumerate(taken):
                if tile == SPACE and not self._slot_cap(planet, number):
                    return f"planet {planet}: taken tile {number} was a point tile"
            everything += pile + Counter(taken)
            if self.public["stations"][planet] is not None:
                for seat, tile in world["taken"][planet]:
                    held[seat].append(tile)
        if everything != self.box:
            return "the tiles are not those of the box"
        if [sorted(tiles) for tiles in held] != [sorted(tiles) for tiles in world["tiles"]]:
            return "the collected tiles are not those taken from developed planets"
        return None

    def why_not_cards(self, world: Plain) -> str | None:
        """The same for the cards; NotImplementedError if card ids are repeated."""
        if sorted(world["hands"][self.seat]) != self.hand:
            return f"the own hand is {self.hand}"
        places: dict[int | str, Counter[str]] = {s: Counter(hand) for s, hand in enumerate(world["hands"])}
        places["draw"] = Counter(world["draw_pile"])
        if sum(places.values(), Counter(world["discard"])) != Counter(self.cards):
            return "the cards are not those of the box"
        for cards, numbers in self._card_groups():
            for place, content in places.items():
                found = sum(content[card] for card in cards)
                if found != numbers.get(place, 0):
                    return f"{place} holds {numbers.get(place, 0)} of {cards}, not {found}"
        return None
