"""Tests the tracker of knowledge by examples and by enumerated small positions."""

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

import pytest

from .enumerate_worlds import (
    TileState,
    TooManyWorldsError,
    card_state,
    enumerate_cards,
    enumerate_cards_by_replay,
    enumerate_tiles,
    enumerate_tiles_blindly,
    tile_state,
    unordered,
)
from .knowledge import SPACE, Tracker, frozen
from .pools import Group, Pool
from .positions import (
    CARDS,
    DISCOVER,
    FREEZER,
    HAZARD,
    PLANETS,
    develop,
    jump,
    make_rules,
    no_shuffle,
    position_of,
    random_action,
    random_setup,
    scan,
    shuffler,
    take,
    words,
)
from .space_mission_oracle import OracleGame, Plain
from .witness import Witness

# ---------------------------------------------------------------------- a table with tiles or cards only


class Table:
    """A table without turns: any seat may take a tile or top up at any time. Seat 0 is tracked."""

    def __init__(
        self,
        piles: Iterable[str],
        seats: int,
        penalty: bool = False,
        hands: Sequence[str] = (),
        draw: str = "",
    ) -> None:
        self.piles = [words(pile) for pile in piles]
        self.taken: list[list[tuple[int, str]]] = [[] for _ in self.piles]
        self.hands = [words(hand) for hand in hands] or [[] for _ in range(seats)]
        self.draw, self.discard = words(draw), list[str]()
        self.penalty, self.size = penalty, max(len(hand) for hand in self.hands)
        self.public: Plain = {
            "phase": "action",
            "player": 0,
            "ships": [None] * seats,
            "face_up": [False] * len(self.piles),
        }
        box = {
            "tiles": Counter(tile for pile in self.piles for tile in pile),
            "piles": [len(pile) for pile in self.piles],
            "cards": sorted([*self.draw, *(card for hand in self.hands for card in hand)]),
        }
        sizes = [len(hand) for hand in self.hands]
        rules = {"space_tile_penalty": penalty}
        self.seat0 = Tracker(0, seats, rules, box, self.hands[0], sizes, self._now())

    def _now(self) -> Plain:
        hands = [len(hand) for hand in self.hands]
        return self.public | {"hand_sizes": hands, "discard": sorted(self.discard)}

    def look(self, who: int, planet: int) -> None:
        if who == 0:
            self.seat0.looks(planet, self.piles[planet])

    def take(self, who: int, planet: int, tile: str) -> None:
        """Look, and take a tile of that kind."""
        self.look(who, planet)
        self.piles[planet].remove(tile)
        self.taken[planet].append((who, tile))
        self.seat0.takes(who, planet, tile if who == 0 else None)
        if set(self.piles[planet]) == {SPACE}:
            self.turn_up(planet)
        self.seat0.told_public(self._now())

    def turn_up(self, planet: int) -> None:
        self.public["face_up"][planet] = True
        self.seat0.turned_up(planet)
        self.seat0.told_public(self._now())

    def picking(self, who: int, planet: int) -> None:
        """Begin a tile pick of this seat."""
        self.look(who, planet)
        ships = [planet] * len(self.hands)
        self.public |= {"player": who, "phase": "reserve", "ships": ships}
        self.seat0.told_public(self._now())

    def state(self) -> TileState:
        piles = tuple(tuple(sorted(pile)) for pile in self.piles)
        return piles, tuple(tuple(taken) for taken in self.taken)

    def top_up(self, who: int, discards: str = "", order: Sequence[str] | None = None) -> None:
        """Top up (SM-21, SM-23); `order`: the order of a new draw pile."""
        cards = words(discards)
        for card in cards:
            self.hands[who].remove(card)
        self.discard += cards
        if cards:
            self.seat0.plays(who, cards)
        while len(self.hands[who]) < self.size and (self.draw or self.discard):
            if not self.draw:
                self._form(order)
            self.hands[who].append(self.draw.pop(0))
            self.seat0.draws(who, 1, [self.hands[who][-1]] if who == 0 else None)
            if not self.draw and self.discard:
                self._form(order)
        self.seat0.told_public(self._now())

    def _form(self, order: Sequence[str] | None) -> None:
        self.draw = list(order or self.discard)
        assert sorted(self.draw) == sorted(self.discard)
        self.seat0.shuffled(self.discard)
        self.discard = []


def test_pool_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError):
        Pool({"water": 2}, [Group("a", 1, 1)])
    with pytest.raises(ValueError):
        Pool({SPACE: 2}, [Group("a", 2, 1)]).expected()


# ------------------------------------------------------------------------------ small positions in full


def random_table(rng: random.Random, piles: Sequence[str], seats: int, moves: int, penalty: bool) -> Table:
    """A random history on piles of these sizes and tiles, which sometimes ends in a tile pick."""
    tiles = [tile for pile in piles for tile in words(pile)]
    rng.shuffle(tiles)
    table = Table([" ".join(tiles.pop() for _ in words(pile)) for pile in piles], seats, penalty)
    for move in range(rng.randint(1, moves)):
        places = [p for p, pile in enumerate(table.piles) if pile and not table.public["face_up"][p]]
        if not places:
            break
        planet, who = rng.choice(places), rng.randrange(seats)
        if set(table.piles[planet]) == {SPACE}:
            table.turn_up(planet)
        elif move == moves - 1 and rng.random() < 0.5:
            table.picking(who, planet)
        else:
            tiles = [tile for tile in table.piles[planet] if penalty or tile != SPACE]
            table.take(who, planet, rng.choice(tiles))
    return table


def tile_averages(tracker: Tracker, worlds: Mapping[TileState, Fraction]) -> Plain:
    """The value of `tile_marginals` from enumerated worlds."""
    planets, seats = range(len(tracker.dealt)), range(tracker.num_players)
    piles: list[dict] = [defaultdict(Fraction) for _ in planets]
    taken: list[list[dict]] = [[defaultdict(Fraction) for _ in planets] for _ in seats]
    total: list[dict] = [defaultdict(Fraction) for _ in seats]
    for (now, gone), share in worlds.items():
        for planet in planets:
            for tile in now[planet]:
                piles[planet][tile] += share
            for seat, tile in gone[planet]:
                taken[seat][planet][tile] += share
                total[seat][tile] += share
    return {"piles": piles, "taken": taken, "total": total}


SMALL = [
    (["water water space", "medal water space"], 3, 4),
    (["water medal space space"], 3, 4),
    (["water water water medal", "space medal"], 2, 5),
    (["water water water", "space space"], 3, 4),
    (["water water space", "medal water space", "alien_blue space"], 2, 6),
]


@pytest.mark.parametrize("penalty", [False, True])
@pytest.mark.parametrize(("piles", "seats", "moves"), SMALL)
def test_sm74_canonical_and_marginals_against_all_worlds(
    piles: list[str], seats: int, moves: int, penalty: bool
) -> None:
    """Canonical forms are equal if and only if the same worlds are possible; marginals are their means."""
    rng = random.Random(len(piles))
    forms: dict[Hashable, Hashable] = {}
    worlds_of: dict[Hashable, Hashable] = {}
    loose: dict[Hashable, Hashable] = {}
    repeats = 0
    for number in range(300):
        table = random_table(rng, piles, seats, moves, penalty)
        tracker = table.seat0
        worlds = enumerate_tiles(tracker)
        assert worlds[table.state()] > 0 and sum(worlds.values()) == 1
        assert tracker.tile_marginals() == tile_averages(tracker, worlds)
        if number % 20 == 0:
            assert worlds == enumerate_tiles_blindly(tracker)
        facts = tuple(str(table.public[key]) for key in ("player", "phase", "ships", "face_up"))
        takers = tuple(tuple(row) for row in tracker.takers)
        form, possible = (facts, tracker.canonical_tiles()), (facts, takers, frozenset(worlds.items()))
        repeats += form in worlds_of
        assert forms.setdefault(possible, form) == form
        assert worlds_of.setdefault(form, possible) == possible
        counts = tuple(frozen(Counter(row)) for row in tracker.takers)
        alike = (facts, counts, tracker.canonical_tiles(ordered=False))
        possible = frozenset(unordered(worlds).items())
        assert loose.setdefault(alike, possible) == possible
    assert repeats > 5 and len(forms) > 5


def play_small(seed: int, num_players: int, **changes: object) -> Iterable[tuple[OracleGame, Witness]]:
    """A random game with few tiles, so that all worlds can be tried; yields after each action."""
    rng = random.Random(seed)
    tiles = words("water water medal medal alien_blue alien_brown space space space")
    rng.shuffle(tiles)
    sizes = rng.choice([(3, 3, 3, 0), (5, 2, 2, 0), (2, 3, 2, 2)])
    rules = make_rules(num_players, hand_size=5, space_tiles_to_end=3, max_rounds=25, **changes)
    setup = random_setup(rng, num_players, 5)
    setup["ring"] = [planet["name"] for planet in PLANETS[:8]]
    setup["piles"] = [[tiles.pop() for _ in range(size)] for size in (*sizes, 0, 0, 0, 0)]
    game = OracleGame(num_players, rules, PLANETS, CARDS, setup)
    witness = Witness(game, rules)
    shuffled = shuffler(rng)
    while not game.over:
        legal = game.legal()
        useful = [action for action in legal if action >= 74 or (32 <= action < 72 and action % 8 < 4)]
        witness.play(random_action(rng, useful or legal), shuffled)
        yield game, witness


@pytest.mark.parametrize(
    "changes", [{}, {"space_tile_penalty": True}, {"scan_face_up": True, "empty_top_up": False}]
)
@pytest.mark.parametrize("num_players", [2, 3])
def test_sm74_marginals_against_all_worlds_in_whole_games(num_players: int, changes: dict) -> None:
    several = 0
    for seed in range(3):
        for number, (game, witness) in enumerate(play_small(seed, num_players, **changes)):
            state = game.snapshot()
            if number % 8:
                continue
            for tracker in witness.trackers:
                worlds = enumerate_tiles(tracker)
                assert worlds[tile_state(state)] > 0
                assert tracker.tile_marginals() == tile_averages(tracker, worlds)
                several += len(worlds) > 1
    assert several > 15


def with_tiles(state: Plain, tiles: TileState) -> Plain:
    """The full state with these tiles."""
    piles, taken = tiles
    held: list[list[str]] = [[] for _ in state["hands"]]
    for station, row in zip(state["stations"], taken, strict=True):
        for seat, tile in row if station is not None else ():
            held[seat].append(tile)
    return dict(state) | {
        "piles": [list(pile) for pile in piles],
        "taken": [[list(pair) for pair in row] for row in taken],
        "tiles": [sorted(tiles) for tiles in held],
    }


@pytest.mark.parametrize("penalty", [False, True])
def test_sm74_is_possible_says_what_trying_says(penalty: bool) -> None:
    """Of all deals of the box's tiles to the places, exactly the enumerated ones are possible."""
    refused = accepted = 0
    for seed in range(4):
        rng = random.Random(seed)
        for state, tracker, worlds in enumerate_positions(seed, penalty):
            places = [len(pile) for pile in state["piles"]], [len(row) for row in state["taken"]]
            box = sorted(tracker.box.elements())
            for _ in range(60):
                rng.shuffle(box)
                tiles, piles, taken = iter(box), [], []
                for planet, (left, gone) in enumerate(zip(*places, strict=True)):
                    piles.append(tuple(sorted(next(tiles) for _ in range(left))))
                    seats = [seat for seat, _ in state["taken"][planet][:gone]]
                    taken.append(tuple((seat, next(tiles)) for seat in seats))
                deal = tuple(piles), tuple(taken)
                assert tracker.is_possible(with_tiles(state, deal)) == (deal in worlds)
                refused += deal not in worlds
            for deal in worlds:
                assert tracker.is_possible(with_tiles(state, deal))
                accepted += 1
    assert refused > 100 and accepted > 100


def enumerate_positions(seed: int, penalty: bool) -> Iterable[tuple[dict, Tracker, dict]]:
    """Some positions of a small game before its end, each with a tracker and its worlds."""
    for number, (game, witness) in enumerate(play_small(seed, 2, space_tile_penalty=penalty)):
        if number % 7 == 6:
            tracker = witness.trackers[number % 2]
            worlds = enumerate_tiles(tracker)
            if len(worlds) <= 500:
                yield game.snapshot(), tracker, worlds


def test_enumeration_refuses_large_positions() -> None:
    rng = random.Random(1)
    game = OracleGame(2, make_rules(2), PLANETS, CARDS, random_setup(rng, 2, 5))
    tracker = Witness(game, make_rules(2)).trackers[0]
    with pytest.raises(TooManyWorldsError):
        enumerate_tiles(tracker, limit=1000)
    with pytest.raises(TooManyWorldsError):
        enumerate_cards(tracker, limit=1000)


def shares(**kinds: int) -> dict[str, Fraction]:
    return {kind: Fraction(n) for kind, n in kinds.items()}


# ------------------------------------------------------------------------------------------------- cards


def random_cards(rng: random.Random, seats: int, size: int, cards: str, moves: int) -> Table:
    """Random top-ups with few cards and several shuffles."""
    ids = words(cards)
    rng.shuffle(ids)
    hands = [" ".join(ids.pop() for _ in range(size)) for _ in range(seats)]
    table = Table([], seats, hands=hands, draw=" ".join(ids))
    for _ in range(rng.randint(1, moves)):
        who = rng.randrange(seats)
        discards = [card for card in table.hands[who] if rng.random() < 0.6]
        future = sorted([*table.discard, *discards])
        rng.shuffle(future)
        table.top_up(who, " ".join(discards), future)
    return table


@pytest.mark.parametrize(
    ("seats", "size", "cards"), [(2, 2, "a b c d e f"), (3, 1, "a b c d e"), (3, 2, "a b c d e f g")]
)
def test_sm74_cards_against_all_hands(seats: int, size: int, cards: str) -> None:
    """Marginals are means, and canonical forms are equal if and only if the possible hands are."""
    rng = random.Random(seats)
    forms: dict[Hashable, Hashable] = {}
    worlds_of: dict[Hashable, Hashable] = {}
    shuffles = repeats = 0
    for _ in range(150):
        table = random_cards(rng, seats, size, cards, 6 if size == 1 else 4)
        tracker = table.seat0
        worlds = enumerate_cards(tracker)
        assert worlds == enumerate_cards_by_replay(tracker)
        true = (tuple(tuple(sorted(hand)) for hand in table.hands), tuple(sorted(table.draw)))
        assert worlds[true] > 0
        hands: list[dict] = [defaultdict(Fraction) for _ in range(seats)]
        draw: dict = defaultdict(Fraction)
        for (everybody, pile), share in worlds.items():
            for into, found in zip([*hands, draw], [*everybody, pile], strict=True):
                for card in found:
                    into[card] += share
        assert tracker.card_marginals() == {"hands": hands, "draw": draw}
        form, possible = tracker.canonical_cards(), frozenset(worlds.items())
        repeats += form in worlds_of
        assert forms.setdefault(possible, form) == form
        assert worlds_of.setdefault(form, possible) == possible
        shuffles += tracker.epoch > 1
    assert shuffles > 10 and repeats > 5


def test_cards_with_repeated_ids_are_for_the_replay_only() -> None:
    table = Table([], 2, hands=["a", "b"], draw="a c")
    with pytest.raises(NotImplementedError):
        table.seat0.card_marginals()
    found = enumerate_cards_by_replay(table.seat0)
    assert {state: float(share) for state, share in found.items()} == pytest.approx(
        {
            ((("a",), ("a",)), ("b", "c")): 1 / 3,  # each piece its own: the other a is one of three
            ((("a",), ("b",)), ("a", "c")): 1 / 3,
            ((("a",), ("c",)), ("a", "b")): 1 / 3,
        }
    )


# ------------------------------------------------------------------------------------------ whole games


def play_game(seed: int, num_players: int, **changes: object) -> Iterable[tuple[OracleGame, Witness]]:
    rng = random.Random(seed)
    rules = make_rules(num_players, **changes)
    game = OracleGame(num_players, rules, PLANETS, CARDS, random_setup(rng, num_players, rules["hand_size"]))
    witness = Witness(game, rules)
    shuffled = shuffler(rng)
    while not game.over:
        witness.play(random_action(rng, game.legal()), shuffled)
        yield game, witness


@pytest.mark.parametrize("penalty", [False, True])
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_sm74_the_true_state_is_always_possible(num_players: int, penalty: bool) -> None:
    """Marginals add up to the public numbers, and two trackers of the same events agree."""
    shuffled = 0
    changes: dict[str, object] = {"space_tile_penalty": penalty, "max_rounds": 60}
    for number, (game, witness) in enumerate(play_game(num_players, num_players, **changes)):
        state = game.snapshot()
        for seat, tracker in enumerate(witness.trackers):
            assert tracker.why_impossible(state) is None, (number, seat)
            if number % 25:
                continue
            hash(tracker.canonical())
            tiles, cards = tracker.tile_marginals(), tracker.card_marginals()
            check_sums(state, tracker, tiles, cards)
        shuffled = max(tracker.epoch for tracker in witness.trackers)
    assert shuffled >= 1


def check_sums(state: dict, tracker: Tracker, tiles: dict, cards: dict) -> None:
    box: Counter[str] = Counter()
    for planet, pile in enumerate(state["piles"]):
        assert sum(tiles["piles"][planet].values()) == len(pile)
        if state["face_up"][planet]:
            assert tiles["piles"][planet] == shares(space=len(pile))
        for seat in range(tracker.num_players):
            number = sum(taker == seat for taker, _ in state["taken"][planet])
            assert sum(tiles["taken"][seat][planet].values()) == number
    for kinds in (*tiles["piles"], *tiles["total"]):
        for kind, expected in kinds.items():
            assert expected > 0
            box[kind] += expected
    assert box == tracker.box
    own = Counter(tile for row in state["taken"] for seat, tile in row if seat == tracker.seat)
    assert tiles["total"][tracker.seat] == own
    assert cards["hands"][tracker.seat] == dict.fromkeys(state["hands"][tracker.seat], 1)
    places = [*cards["hands"], cards["draw"]]
    for place, content in zip(places, [*state["hands"], state["draw_pile"]], strict=True):
        assert sum(place.values()) == len(content)
    everywhere: Counter[str] = Counter()
    for place in places:
        everywhere.update(place)
    everywhere.update(state["discard"])
    assert everywhere == Counter(tracker.cards)


def test_sm74_a_world_with_a_known_card_elsewhere_is_impossible() -> None:
    """An exchange with a card or tile that the seat knows gives an impossible world."""
    refuted = 0
    for number, (game, witness) in enumerate(play_game(3, 3, max_rounds=60)):
        if number % 20 != 19:
            continue
        state, tracker = game.snapshot(), witness.trackers[0]
        marginals = tracker.card_marginals()
        for mine, other in ((1, 2), (2, 1)):
            for card in state["hands"][mine]:
                for swap in state["hands"][other]:
                    world = game.snapshot()
                    world["hands"][mine][state["hands"][mine].index(card)] = swap
                    world["hands"][other][state["hands"][other].index(swap)] = card
                    sure = marginals["hands"][mine].get(card) == 1 or swap not in marginals["hands"][mine]
                    if sure:
                        refuted += 1
                        assert not tracker.is_possible(world)
    assert refuted > 0


def test_witness_reads_real_moves() -> None:
    """The witness reports looks, reserved tiles and deliveries of scan, develop and discover."""
    game = position_of(
        "J1S1 S1L1 S1L2 J2L1 J2L2",
        "J1L1 J1S2 S1L3 S1L4 J1S3",
        draw="J3S1 J3S2 J3S3 J3S4 J4S1 J4S2",
        piles={FREEZER: "water medal alien_blue space space", HAZARD: "space"},
        actions_per_turn=4,
    )
    rules = make_rules(2, actions_per_turn=4)
    witness = Witness(game, rules)

    def play(*actions: int) -> None:
        for action in actions:
            witness.play(action, no_shuffle)

    def hand() -> list[str]:
        assert game.player is not None
        return game.snapshot()["hands"][game.player]

    play(jump(hand().index("J1S1"), FREEZER))
    play(scan(hand().index("S1L1")), take("water"))
    zero, one = witness.trackers
    assert zero.tile_marginals()["total"][0] == shares(water=1)
    assert zero.tile_marginals()["piles"][FREEZER] == shares(medal=1, alien_blue=1, space=2)
    assert "water" in one.tile_marginals()["total"][0] and SPACE not in one.tile_marginals()["total"][0]
    slots = sorted((hand().index("S1L2"), hand().index("J2L1")))
    play(develop(*slots))
    assert game.snapshot()["phase"] == "develop"
    play(take("medal"))
    assert game.snapshot()["tiles"][0] == ["medal", "water"]
    play(0)  # seat 0 tops up
    play(jump(hand().index("J1L1"), FREEZER), DISCOVER)
    assert one.tile_marginals()["piles"][FREEZER] == shares(alien_blue=1, space=2)
    play(take("alien_blue"))
    assert zero.tile_marginals()["taken"][1][FREEZER] == shares(alien_blue=1)  # the pile was turned up
    assert one.tile_marginals()["total"][1] == shares(alien_blue=1)
    for tracker in witness.trackers:
        assert tracker.is_possible(game.snapshot())
    assert card_state(game.snapshot())[0][0] == tuple(zero.hand)
