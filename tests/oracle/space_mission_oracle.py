"""Implements the rules in plain Python, independently of the engine.

It was written from the rules list alone, whose ids are in the comments. Tests play the same game in both and
compare all states and legal moves.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any

Shuffled = Callable[[list[str]], list[str]]
Coordinate = tuple[int | str, ...]  # the numbers (or jokers) of one colour on a card; empty: none
Plain = dict[str, Any]  # a state, a set-up or components as plain data

JOKER = "?"
SPACE = "space"
MINERALS = ("mineral_red", "mineral_purple", "mineral_green", "mineral_blue")
ALIENS = ("alien_brown", "alien_blue")
MATTER = ("matter_green", "matter_blue")
TILE_NAMES = (*MINERALS, *ALIENS, *MATTER, "water", "medal", SPACE)

RING_SIZE = 8  # places in the action table; a smaller box has a smaller ring (SM-02)
MAX_HAND = 5

# The action table: the first index of each kind of move.
TOP_UP = 0
JUMP = 32
FLY_NEXT = 72
FLY_PREVIOUS = 73
SCAN = 74
DEVELOP = 79
DISCOVER = 89
TAKE = 90
DEVELOP_PAIRS = tuple(combinations(range(MAX_HAND), 2))

GATE_POINTS = (9, 6, 3, 1, 0)
WATER_POINTS = (0, 2, 5, 9, 14)

RULE_OPTIONS = frozenset(
    {
        "reserved_tiles_visible",
        "space_tile_penalty",
        "chips_per_player",
        "hand_size",
        "actions_per_turn",
        "gate_points_without_probe",
        "space_tiles_to_end",
        "max_rounds",
        "start_player",
        "empty_top_up",
        "scan_face_up",
    }
)


# ------------------------------------------------------------------------------------------ components


@dataclass(frozen=True)
class Card:
    """A card face: up to two numbers of each colour (SM-10, SM-12)."""

    name: str
    jump: Coordinate
    scan: Coordinate
    landing: Coordinate

    @classmethod
    def from_dict(cls, row: Plain) -> Card:
        return cls(row["id"], *(coordinates(row.get(colour)) for colour in ("jump", "scan", "landing")))


def coordinates(value: Any) -> Coordinate:
    """Read a colour of a card row: None, a number, a joker, or a list of two numbers (SM-12)."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def fits(coordinate: Coordinate, number: int) -> bool:
    """SM-10: a coordinate serves its own number, a joker any number of its colour."""
    return number in coordinate or JOKER in coordinate


@dataclass
class Site:
    """A planet of the ring with its pile, station and ships."""

    name: str
    jump: int
    scan: int
    landing: tuple[int, int]
    pile: list[str]
    face_up: bool = False
    station: int | None = None
    reserved: list[tuple[int, str]] = field(default_factory=list)
    taken: list[tuple[int, str]] = field(default_factory=list)
    scanned: set[int] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)

    def only_space(self) -> bool:
        """Whether the pile has space tiles only."""
        return bool(self.pile) and all(tile == SPACE for tile in self.pile)

    def has_point_tile(self) -> bool:
        return any(tile != SPACE for tile in self.pile)

    def accepts_landing(self, first: Card, second: Card) -> bool:
        """SM-40: whether two cards show the two landing coordinates, in either order."""
        a, b = self.landing
        return (fits(first.landing, a) and fits(second.landing, b)) or (
            fits(first.landing, b) and fits(second.landing, a)
        )


@dataclass
class Pilot:
    """The pieces of a player: hand, supply, probes on the gate, ship, collected tiles."""

    hand: list[str]
    supply: int
    gate: int = 0
    ship: int | None = None
    tiles: list[str] = field(default_factory=list)


# ------------------------------------------------------------------------------------ distinct moves


def uses_lowest_slots(hand: Sequence[str], slots: Sequence[int]) -> bool:
    """Action table: of identical cards the lowest slots are used first, so that a move has one index."""
    return all(earlier in slots for slot in slots for earlier in range(slot) if hand[earlier] == hand[slot])


@lru_cache(maxsize=100_000)
def distinct_discards(hand: tuple[str, ...]) -> tuple[int, ...]:
    """SM-21: the top-up indices (bit i = slot i), one for each distinct set of discards."""
    found = []
    for bits in range(1 << len(hand)):
        slots = [slot for slot in range(len(hand)) if bits >> slot & 1]
        if uses_lowest_slots(hand, slots):
            found.append(TOP_UP + bits)
    return tuple(found)


# --------------------------------------------------------------------------------------------- scoring


def gate_points(probes: Sequence[int], without_probe: bool) -> list[int]:
    """SM-60, SM-61: a player's rank is the number of players with more probes; ties skip ranks."""
    points = []
    for own in probes:
        rank = sum(other > own for other in probes)
        points.append(GATE_POINTS[rank] if own > 0 or without_probe else 0)
    return points


def colour_points(tiles: Sequence[str], colours: Sequence[str]) -> int:
    """SM-63: the number of tiles of the kind times the number in its most frequent colour."""
    counts = [tiles.count(colour) for colour in colours]
    return sum(counts) * max(counts)


def matter_points(green: int, blue: int) -> int:
    """SM-64: 7 for each pair, 2 for each single tile."""
    pairs = min(green, blue)
    return 7 * pairs + 2 * (green - pairs) + 2 * (blue - pairs)


def water_points(number: int) -> int:
    """SM-65: 14 for each full four, the rest by the table."""
    fours, rest = divmod(number, 4)
    return 14 * fours + WATER_POINTS[rest]


def winning_seats(totals: Sequence[int], stations: Sequence[int]) -> list[int]:
    """SM-67: most points, then most stations; seats that are still tied share the win."""
    best = max(zip(totals, stations, strict=True))
    return [seat for seat, pair in enumerate(zip(totals, stations, strict=True)) if pair == best]


# ------------------------------------------------------------------------------------------------ game


class OracleGame:
    """One game from a set-up, whose names are checked, but not its numbers of tiles."""

    def __init__(
        self, num_players: int, rules: Plain, planets: list[Plain], cards: list[Plain], setup: Plain
    ) -> None:
        if not 2 <= num_players <= 5:  # SM-01
            raise ValueError(f"2 to 5 players, not {num_players}")
        wrong = set(rules) ^ RULE_OPTIONS
        if wrong:
            raise ValueError(f"rules: wrong or missing options {sorted(wrong)}")
        if not 1 <= rules["hand_size"] <= MAX_HAND or not 1 <= rules["actions_per_turn"] <= 4:
            raise ValueError("rules: hand_size must be 1 to 5 and actions_per_turn 1 to 4")
        self.num_players = num_players
        self._rules = rules
        agreed = self._rules["start_player"]  # SM-07: who begins is in the set-up, agreed or drawn
        if agreed != "random" and agreed not in range(num_players):
            raise ValueError(f"rules: start_player must be 'random' or a seat, not {agreed!r}")

        self._cards: dict[str, Card] = {}
        self._card_rank: dict[str, int] = {}  # the order in which a hand is sorted
        for row in cards:
            card = Card.from_dict(row)
            if self._cards.setdefault(card.name, card) != card:
                raise ValueError(f"cards: two different faces are called {card.name}")
            self._card_rank.setdefault(card.name, len(self._card_rank))

        self._sites = self._lay_ring(planets, setup)  # SM-02, SM-03
        self._pilots = self._deal_hands(setup)  # SM-05, SM-06
        self._draw_pile: deque[str] = deque(self._known_cards(setup["draw_pile"]))
        self._discard: list[str] = []  # SM-06, SM-27
        self._start_player = int(setup["start_player"])  # SM-07
        if not 0 <= self._start_player < num_players:
            raise ValueError(f"setup: no seat {self._start_player}")

        self.player: int | None = self._start_player
        self.reason: str | None = None
        self.round = 1
        self._phase = "action"
        self._actions_left: int = rules["actions_per_turn"]  # SM-20
        self._last_round = False
        self._legal: list[int] | None = None  # the legal moves of the present state, computed at first use

    # ---- set-up ----

    def _lay_ring(self, planets: list[Plain], setup: Plain) -> list[Site]:
        by_name = {planet["name"]: planet for planet in planets}
        ring, piles = setup["ring"], setup["piles"]
        if not 2 <= len(ring) <= RING_SIZE or len(set(ring)) != len(ring) or len(piles) != len(ring):
            raise ValueError("setup: the ring must be 2 to 8 different planets with a pile each")
        sites = []
        for name, pile in zip(ring, piles, strict=True):
            if name not in by_name:
                raise ValueError(f"setup: no planet {name}")
            for tile in pile:
                if tile not in TILE_NAMES:
                    raise ValueError(f"setup: no tile {tile}")
            planet = by_name[name]
            a, b = planet["landing"]  # SM-11
            sites.append(Site(name, planet["jump"], planet["scan"], (a, b), sorted(pile)))
        return sites

    def _deal_hands(self, setup: Plain) -> list[Pilot]:
        hands = setup["hands"]
        if len(hands) != self.num_players:
            raise ValueError("setup: one hand for each player")
        if any(len(hand) > self._rules["hand_size"] for hand in hands):
            raise ValueError("setup: a hand is larger than hand_size")
        chips = self._rules["chips_per_player"]  # SM-01
        return [Pilot(self._sorted_hand(self._known_cards(hand)), chips) for hand in hands]

    def _known_cards(self, names: Sequence[str]) -> list[str]:
        for name in names:
            if name not in self._cards:
                raise ValueError(f"setup: no card {name}")
        return list(names)

    def _sorted_hand(self, names: list[str]) -> list[str]:
        return sorted(names, key=self._card_rank.__getitem__)

    # ---- the legal set ----

    @property
    def over(self) -> bool:
        return self.reason is not None

    def legal(self) -> list[int]:
        """The sorted legal action indices of the player to act; empty at the end of the game."""
        return list(self._legal_now())

    def _legal_now(self) -> list[int]:
        if self._legal is None:
            if self.player is None:
                self._legal = []
            elif self._phase == "action":
                self._legal = self._legal_actions(self._pilots[self.player], self.player)
            else:
                self._legal = self._legal_tiles(self._site_of(self._pilots[self.player]))
        return self._legal

    def _legal_tiles(self, site: Site) -> list[int]:
        """The tile pick: a point tile of the pile (SM-31, SM-41, SM-45), or a space tile (SM-66)."""
        space_too = self._rules["space_tile_penalty"]
        return [
            TAKE + number
            for number, tile in enumerate(TILE_NAMES)
            if tile in site.pile and (tile != SPACE or space_too)
        ]

    def _legal_actions(self, pilot: Pilot, seat: int) -> list[int]:
        hand = pilot.hand
        cards = [self._cards[name] for name in hand]
        singles = [slot for slot in range(len(hand)) if uses_lowest_slots(hand, (slot,))]
        found = list(distinct_discards(tuple(hand)))  # SM-21
        if not self._rules["empty_top_up"] and len(hand) >= self._rules["hand_size"]:
            found.remove(TOP_UP)  # SM-22

        if pilot.supply > 0:  # SM-28
            for slot in singles:
                coordinate = cards[slot].jump
                for position, target in enumerate(self._sites):  # SM-24
                    if position != pilot.ship and fits(coordinate, target.jump):
                        found.append(JUMP + RING_SIZE * slot + position)

        if pilot.ship is None:  # SM-25, SM-26: the rest needs a planet
            return found
        site = self._sites[pilot.ship]
        found.append(FLY_NEXT)  # SM-25
        if len(self._sites) > 2:  # of two planets, the next one is also the previous one
            found.append(FLY_PREVIOUS)

        if site.station is None:  # SM-30, SM-40
            if pilot.supply > 0:  # SM-28
                if (site.pile and not site.face_up) or self._rules["scan_face_up"]:  # SM-35
                    found += [SCAN + slot for slot in singles if fits(cards[slot].scan, site.scan)]
                if seat in site.scanned:  # SM-40
                    for number, (one, two) in enumerate(DEVELOP_PAIRS):
                        if (
                            two < len(hand)
                            and site.accepts_landing(cards[one], cards[two])
                            and uses_lowest_slots(hand, (one, two))
                        ):
                            found.append(DEVELOP + number)
        elif site.has_point_tile():  # SM-45
            found.append(DISCOVER)
        return found

    # ---- moves ----

    def apply(self, action: int, shuffled: Shuffled) -> None:
        """Play an action; `shuffled` returns the order of a new draw pile (SM-23)."""
        if self.player is None or action not in self._legal_now():
            raise ValueError(f"illegal action {action} of player {self.player} in phase {self._phase}")
        pilot, seat = self._pilots[self.player], self.player
        self._legal = None
        if self._phase == "action":
            self._actions_left -= 1
            self._carry_out(int(action), pilot, seat, shuffled)
        else:
            self._take_tile(TILE_NAMES[action - TAKE], pilot, seat)
        if self._phase == "action" and self._actions_left == 0:
            self._end_turn(seat)

    def _carry_out(self, action: int, pilot: Pilot, seat: int, shuffled: Shuffled) -> None:
        if action < JUMP:
            self._top_up(pilot, action - TOP_UP, shuffled)
        elif action < FLY_NEXT:
            slot, position = divmod(action - JUMP, RING_SIZE)
            self._play_cards(pilot, slot)
            pilot.supply -= 1  # SM-24
            pilot.gate += 1
            pilot.ship = position
        elif action < SCAN:
            assert pilot.ship is not None
            pilot.ship = (pilot.ship + (1 if action == FLY_NEXT else -1)) % len(self._sites)  # SM-25
        elif action < DEVELOP:
            self._play_cards(pilot, action - SCAN)  # SM-30
            self._scan(self._site_of(pilot), seat)
        elif action < DISCOVER:
            self._play_cards(pilot, *DEVELOP_PAIRS[action - DEVELOP])  # SM-41, first step
            self._develop(self._site_of(pilot), pilot, seat)
        else:
            self._look_through(self._site_of(pilot), seat, "discover")  # SM-45

    def _site_of(self, pilot: Pilot) -> Site:
        assert pilot.ship is not None
        return self._sites[pilot.ship]

    def _play_cards(self, pilot: Pilot, *slots: int) -> None:
        """SM-27: cards played and discarded go face up onto the discard pile."""
        self._discard += [pilot.hand[slot] for slot in slots]
        pilot.hand = [name for slot, name in enumerate(pilot.hand) if slot not in slots]

    def _top_up(self, pilot: Pilot, bits: int, shuffled: Shuffled) -> None:
        """SM-21: discard, then draw until the hand is full or no card is left (SM-23)."""
        self._play_cards(pilot, *(slot for slot in range(MAX_HAND) if bits >> slot & 1))
        hand = pilot.hand
        while len(hand) < self._rules["hand_size"]:
            card = self._draw_card(shuffled)
            if card is None:
                break
            hand.append(card)
        pilot.hand = self._sorted_hand(hand)

    def _draw_card(self, shuffled: Shuffled) -> str | None:
        """SM-23: draw the next card; after the last card, the discard pile becomes the draw pile at once."""
        if not self._draw_pile:
            self._form_draw_pile(shuffled)  # postponed, because the discard pile was empty
        if not self._draw_pile:
            return None
        card = self._draw_pile.popleft()
        if not self._draw_pile:
            self._form_draw_pile(shuffled)
        return card

    def _form_draw_pile(self, shuffled: Shuffled) -> None:
        if not self._discard:
            return
        order = list(shuffled(sorted(self._discard)))
        if Counter(order) != Counter(self._discard):
            raise ValueError("the new draw pile does not hold the cards of the discard pile")
        self._draw_pile = deque(order)
        self._discard = []

    def _look_through(self, site: Site, seat: int, phase: str) -> None:
        """The player looks through the pile and is now at the tile pick."""
        site.seen.add(seat)
        self._phase = phase

    def _scan(self, site: Site, seat: int) -> None:
        site.scanned.add(seat)
        if site.face_up or not site.pile:  # SM-35: nothing to look through, nobody looks
            return
        if site.only_space():  # SM-34: nothing is reserved, no probe is laid
            site.seen.add(seat)
            self._turn_up(site)
        else:
            self._look_through(site, seat, "reserve")  # SM-31

    def _develop(self, site: Site, pilot: Pilot, seat: int) -> None:
        """Carry out SM-41 after its first step."""
        pilot.supply -= 1
        site.station = seat
        for owner, tile in site.reserved:  # SM-32
            self._pilots[owner].tiles.append(tile)
            self._pilots[owner].supply += 1
        site.reserved = []
        if site.has_point_tile():  # else SM-42
            self._look_through(site, seat, "develop")

    def _take_tile(self, tile: str, pilot: Pilot, seat: int) -> None:
        """The tile pick that ends a scan (SM-31), a develop (SM-41) or a discover (SM-45)."""
        site = self._site_of(pilot)
        site.pile.remove(tile)
        site.taken.append((seat, tile))
        if self._phase == "reserve":
            site.reserved.append((seat, tile))
            pilot.supply -= 1
        else:
            pilot.tiles.append(tile)
        self._phase = "action"
        if site.only_space():  # SM-46
            self._turn_up(site)

    def _turn_up(self, site: Site) -> None:
        site.face_up = True
        if self._revealed() >= self._rules["space_tiles_to_end"]:  # SM-50
            self._last_round = True

    def _revealed(self) -> int:
        return sum(len(site.pile) for site in self._sites if site.face_up)

    def _end_turn(self, seat: int) -> None:
        following = (seat + 1) % self.num_players  # SM-07
        if following == self._start_player:  # the round is complete
            if self._last_round:  # SM-51
                self._finish("finished")
                return
            if self.round >= self._rules["max_rounds"]:  # SM-53
                self._finish("truncated")
                return
            self.round += 1
        self.player = following
        self._actions_left = self._rules["actions_per_turn"]

    def _finish(self, reason: str) -> None:
        self.reason = reason
        self.player = None
        self._phase = "over"
        self._actions_left = 0

    # ---- result ----

    def scores(self) -> list[dict[str, int]]:
        """SM-60 to SM-66 for the present table; reserved tiles do not count (SM-52)."""
        gate = gate_points([pilot.gate for pilot in self._pilots], self._rules["gate_points_without_probe"])
        result = []
        for seat, pilot in enumerate(self._pilots):
            tiles = pilot.tiles
            points = {
                "gate": gate[seat],
                "stations": 3 * self._stations_of(seat),  # SM-62
                "minerals": colour_points(tiles, MINERALS),
                "aliens": colour_points(tiles, ALIENS),
                "matter": matter_points(tiles.count("matter_green"), tiles.count("matter_blue")),
                "water": water_points(tiles.count("water")),
                "medals": 3 * tiles.count("medal"),  # SM-65
                "space": -10 * tiles.count(SPACE),  # SM-66
            }
            points["total"] = sum(points.values())
            result.append(points)
        return result

    def _stations_of(self, seat: int) -> int:
        return sum(site.station == seat for site in self._sites)

    def winners(self) -> list[int]:
        """SM-67 for the present table."""
        totals = [points["total"] for points in self.scores()]
        return winning_seats(totals, [self._stations_of(seat) for seat in range(self.num_players)])

    # ---- the full state ----

    def snapshot(self) -> Plain:
        """The full state in plain types."""
        sites, pilots = self._sites, self._pilots
        return {
            "player": self.player,
            "phase": self._phase,
            "actions_left": self._actions_left,
            "round": self.round,
            "last_round": self._last_round,
            "ring": [site.name for site in sites],
            "piles": [sorted(site.pile) for site in sites],
            "face_up": [site.face_up for site in sites],
            "stations": [site.station for site in sites],
            "taken": [[[seat, tile] for seat, tile in site.taken] for site in sites],
            "scanned": [sorted(site.scanned) for site in sites],
            "seen": [sorted(site.seen) for site in sites],
            "ships": [pilot.ship for pilot in pilots],
            "supply": [pilot.supply for pilot in pilots],
            "gate": [pilot.gate for pilot in pilots],
            "hands": [list(pilot.hand) for pilot in pilots],
            "tiles": [sorted(pilot.tiles) for pilot in pilots],
            "draw_pile": list(self._draw_pile),
            "discard": sorted(self._discard),
            "revealed": self._revealed(),
            "reason": self.reason,
            "start_player": self._start_player,
        }
