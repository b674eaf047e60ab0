"""Tests components, set-up, cards, planets and the action table (SM-01 to SM-12, docs/actions.md)."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import ComponentsError, RulesError, SetupError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import Components, components_from_data, load_components
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, NOWHERE
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules, make_rules
from tests.support.chi_square import is_even
from tests.support.positions import (
    FREEZER,
    HAZARD,
    IRONVALE,
    JUMP_NUMBERS,
    LANDING_NUMBERS,
    RING_NAMES,
    SCAN_NUMBERS,
    draw_pile,
    hand,
    legal,
    pile,
    play,
    position,
    words,
)

DEALS = 100  # deals in tests of random numbers, with fixed seeds

# docs/default_box.md: name, jump, scan, landing.
PLANETS = """
Freezer 1 1 1 2 / Hazard 1 2 3 4 / Caldera 1 3 1 3 / Green Heggar 2 2 1 4
/ Tidefall 2 3 2 3 / Ironvale 2 4 2 4 / Ruby Red 3 3 1 2 / Duskmere 3 4 3 4
/ Amberlight 3 1 2 4 / Mirador 4 4 1 3 / Nyx Prime 4 1 1 4 / Verdance 4 2 2 3
"""
JOKER_CARDS = words("J?S1 J?S3 J2S? J4S? J?L2 J?L4 J1L? J3L? S?L1 S?L3 S2L? S4L?")
TILES = {
    **{f"mineral_{colour}": 4 for colour in ("red", "purple", "green", "blue")},
    **{"alien_brown": 5, "alien_blue": 5, "matter_green": 4, "matter_blue": 4, "water": 8, "medal": 6},
    "space": 16,
}


def default_card_ids() -> list[str]:
    """The 60 cards in the order of sorted hands, from docs/default_box.md."""
    ids = [f"{x}{a}{y}{b}" for x, y in ("JS", "JL", "SL") for a in "1234" for b in "1234"] + JOKER_CARDS
    kinds = ["JS", "JL", "SL"]
    return sorted(ids, key=lambda i: (kinds.index(i[0] + i[2]), "1234?".index(i[1]), "1234?".index(i[3])))


def number_on(card_id: str, letter: str) -> str:
    """The number of a colour in a card id: a digit, `?`, or an empty text."""
    faces = {card_id[0]: card_id[1], card_id[2]: card_id[3]}
    return faces.get(letter, "")


def serves(card_id: str, letter: str, number: int) -> bool:
    return number_on(card_id, letter) in (str(number), "?")


def with_planet(index: int, **changes: int | tuple[int, int]) -> Components:
    """The default components with one planet changed."""
    components = load_components(None)
    planets = list(components.planets)
    planets[index] = replace(planets[index], **changes)
    return replace(components, planets=tuple(planets), sha256="changed")


# ---------------------------------------------------------------- set-up


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("chips", [20, 1, 7, 100])
def test_sm_01_each_player_has_twenty_chips_or_as_the_option_says(num_players: int, chips: int) -> None:
    game = Game(num_players, Rules(chips_per_player=chips) if chips != 20 else "printed")
    game.reset(seed=4)
    assert game.states[0].supply.tolist() == [chips] * num_players + [0] * (5 - num_players)
    assert game.states[0].num_players == num_players
    assert {game.player} <= set(range(num_players))


def test_sm_01_probes_and_stations_come_from_one_supply() -> None:
    game = position(
        "J1S1 S1L1 J2L2 J4L4",
        "",
        taken={IRONVALE: "0:water"},
        piles={IRONVALE: "alien_brown*5 space*2"},
        ships={0: IRONVALE},
    )
    assert game.states[0].supply[0] == 19
    play(game, "develop J2L2+J4L4", "take alien_brown")  # its own probe returns, a station goes out
    assert game.states[0].supply[0] == 19
    play(game, "jump Freezer J1S1")
    assert game.states[0].supply[0] == 18


@pytest.mark.parametrize("num_players", [1, 6])
def test_sm_01_two_to_five_players(num_players: int) -> None:
    with pytest.raises(RulesError):
        Game(num_players)


def test_sm_02_eight_of_twelve_planets_lie_in_random_order() -> None:
    game = Game(2)
    at: list[set[int]] = [set() for _ in range(8)]
    rings = set()
    for seed in range(DEALS):
        game.reset(seed=seed)
        ring = game.states[0].ring.tolist()
        assert len(set(ring)) == 8
        assert set(ring) <= set(range(12))
        rings.add(tuple(ring))
        for p, planet in enumerate(ring):
            at[p].add(planet)
    assert all(planets == set(range(12)) for planets in at)  # any planet, anywhere
    assert len(rings) == DEALS


@pytest.fixture(scope="module")
def many_deals() -> np.ndarray:
    """The states of many deals of one game for three."""
    games = BatchedGames(3 * DEALS, 3)
    for i in range(games.count):
        games.deal(i, i)
    return games.states


def test_sm_02_each_planet_is_drawn_equally_often(many_deals: np.ndarray) -> None:
    counts = np.zeros((8, 12))
    for ring in many_deals["ring"]:
        counts[range(8), ring] += 1
    deals = len(many_deals)
    assert is_even(counts, deals / 12, deals * (1 / 12) * (11 / 12))


def test_sm_03_sixty_four_tiles_are_dealt_eight_to_each_planet() -> None:
    game = Game(3)
    piles = set()
    for seed in range(DEALS):
        game.reset(seed=seed)
        s = game.states[0]
        assert s.pile.sum(1).tolist() == [8] * 8
        assert dict(zip(KIND_NAMES, s.pile.sum(0).tolist(), strict=True)) == TILES
        assert not s.taken.any()
        assert not s.face_up.any()
        piles.add(s.pile.tobytes())
    assert len(piles) == DEALS


def test_sm_03_each_kind_falls_evenly_on_the_piles(many_deals: np.ndarray) -> None:
    share = np.array(list(TILES.values())) / 64
    # Eight tiles drawn of 64 without replacement.
    mean, variance = 8 * share, 8 * share * (1 - share) * (56 / 63)
    deals = len(many_deals)
    assert is_even(many_deals["pile"].sum(0, dtype=np.int64), deals * mean, deals * variance)


def test_sm_04_colours_are_equally_frequent() -> None:
    assert load_components(None).tiles == tuple(TILES.values())
    game = position("", "")
    assert Counter(name for p in range(8) for name in pile(game, p)) == TILES
    assert sum(TILES[name] for name in TILES if name.startswith("mineral")) == 16
    assert sum(TILES[name] for name in TILES if name != "space") == 48


@pytest.mark.parametrize("num_players", [2, 5])
def test_sm_05_every_ship_starts_on_the_gate(num_players: int) -> None:
    game = Game(num_players)
    game.reset(seed=2)
    assert (game.states[0].ship[:num_players] == NOWHERE).all()
    assert game.states[0].gate.tolist() == [0] * 5  # a ship on the gate is not a probe
    assert not any(move.startswith("fly") for move in legal(game))


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_sm_06_five_cards_each_and_the_rest_in_the_draw_pile(num_players: int) -> None:
    game = Game(num_players)
    order = default_card_ids()
    first_cards = set()
    for seed in range(DEALS):
        game.reset(seed=seed)
        s = game.states[0]
        hands = [hand(game, seat) for seat in range(num_players)]
        assert [len(cards) for cards in hands] == [5] * num_players
        assert s.hand_size.tolist() == [5] * num_players + [0] * (5 - num_players)
        assert s.draw_size == 60 - 5 * num_players
        assert s.discard_size == 0
        assert not s.discard.any()
        assert sorted([*draw_pile(game), *(card for cards in hands for card in cards)]) == sorted(order)
        for cards in hands:
            assert cards == sorted(cards, key=order.index)
        first_cards |= {hands[0][0], draw_pile(game)[0], draw_pile(game)[-1]}
    assert len(first_cards) > 40  # after a shuffle, nearly all cards are first or last in some deal


def test_sm_06_every_seat_is_dealt_every_card(many_deals: np.ndarray) -> None:
    held = np.zeros((3, 60))
    for hands in many_deals["hand"]:
        for seat in range(3):
            held[seat, hands[seat]] += 1
    deals = len(many_deals)
    assert is_even(held, deals / 12, deals * (1 / 12) * (11 / 12))


@pytest.mark.parametrize("hand_size", [1, 3])
def test_sm_06_option_hand_size(hand_size: int) -> None:
    game = Game(4, Rules(hand_size=hand_size))
    game.reset(seed=3)
    assert [len(hand(game, seat)) for seat in range(4)] == [hand_size] * 4
    assert game.states[0].draw_size == 60 - 4 * hand_size


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("preset", ["printed", "yucata"])
def test_sm_07_the_start_player_is_random_and_moves_first(num_players: int, preset: str) -> None:
    game = Game(num_players, preset)
    starts: Counter[int] = Counter()
    for seed in range(DEALS):
        game.reset(seed=seed)
        starts[int(game.states[0].start_player)] += 1
        assert game.player == game.states[0].start_player
    assert set(starts) == set(range(num_players))
    assert min(starts.values()) > DEALS / num_players / 2


def turns_of(game: Game, count: int) -> list[int | None]:
    """The seats of the next turns, of two empty top-ups each."""
    turns = []
    for _ in range(count):
        turns.append(game.player)
        game.step(0)
        game.step(0)
    return turns


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_sm_07_play_goes_clockwise_in_seat_order(num_players: int) -> None:
    game = position(*[""] * num_players, start=1)
    assert turns_of(game, 2 * num_players) == [(1 + i) % num_players for i in range(num_players)] * 2


@pytest.mark.parametrize("agreed", [0, 1, 2])
def test_sm_07_option_start_player(agreed: int) -> None:
    game, drawn = Game(3, Rules(start_player=agreed)), Game(3)
    others = set()
    for seed in range(20):
        game.reset(seed=seed)
        drawn.reset(seed=seed)
        assert game.player == game.states[0].start_player == agreed
        others.add(int(drawn.states[0].start_player))
        # The option changes only the start player.
        assert game.setup_json() | {"start_player": 0} == drawn.setup_json() | {"start_player": 0}
    assert len(others) == 3
    assert turns_of(game, 6) == [(agreed + i) % 3 for i in range(3)] * 2
    assert game.rounds == 3


def test_sm_07_option_start_player_refuses_who_is_not_there() -> None:
    with pytest.raises(RulesError, match="start_player: there is no seat 2 with 2 players"):
        Game(2, Rules(start_player=2))
    with pytest.raises(RulesError, match="start_player: there is no seat 3 with 3 players"):
        BatchedGames(2, 3, Rules(start_player=3))


def test_sm_07_a_setup_must_name_the_agreed_start_player() -> None:
    game, free = Game(3, Rules(start_player=2)), Game(3)
    free.reset(seed=1)
    setup = free.setup_json() | {"start_player": 1}
    with pytest.raises(SetupError, match="setup: start_player: 1, but by the rules option seat 2 begins"):
        game.reset(setup=setup)
    game.reset(setup=setup | {"start_player": 2})
    assert game.player == 2


# ---------------------------------------------------------------- cards and planets


def test_sm_10_blue_serves_jumps_green_scans_orange_landings() -> None:
    """Each card serves its own number of a colour, a joker all numbers, on all planets."""
    for card_id in default_card_ids():
        other = "S1L1" if card_id != "S1L1" else "S1L2"
        for p, planet in enumerate(RING_NAMES):
            game = position(f"{card_id} {other}", "", taken={p: "0:medal"}, ships={0: p})
            jumps = {move for move in legal(game, "jump") if move.endswith(f" {card_id}")}
            assert jumps == {
                f"jump {RING_NAMES[q]} {card_id}"
                for q in range(8)
                if q != p and serves(card_id, "J", JUMP_NUMBERS[q])
            }
            scans = f"scan {card_id}" in legal(game, "scan")
            assert scans == serves(card_id, "S", SCAN_NUMBERS[p]), (card_id, planet)
            a, b = LANDING_NUMBERS[p]
            lands = any(
                serves(x, "L", a) and serves(y, "L", b) for x, y in ((card_id, other), (other, card_id))
            )
            assert bool(legal(game, "develop")) == lands, (card_id, planet)


def test_sm_10_a_play_uses_up_the_whole_card() -> None:
    game = position("J1S1", "", ships={0: HAZARD})
    play(game, "jump Freezer J1S1")
    assert hand(game, 0) == []
    assert legal(game, "scan") == []  # its scan coordinate is lost too


def test_sm_11_the_planets_of_the_default_table() -> None:
    planets = load_components(None).planets
    lines = [" ".join(map(str, (p.name, p.jump, p.scan, *p.landing))) for p in planets]
    assert lines == [" ".join(line.split()) for line in PLANETS.split("/")]


def test_sm_11_a_planet_has_a_jump_a_scan_and_two_landing_numbers() -> None:
    components = with_planet(FREEZER, jump=4, scan=3, landing=(3, 1))
    cards = "J1S1 J4S3 S1L1 S2L3 S3L2"
    away = position(cards, "", ships={0: IRONVALE}, components=components)
    assert [move for move in legal(away, "jump") if "Freezer" in move] == ["jump Freezer J4S3"]
    there = position(cards, "", ships={0: FREEZER}, taken={FREEZER: "0:water"}, components=components)
    assert legal(there, "scan") == ["scan J4S3", "scan S3L2"]
    assert legal(there, "develop") == ["develop S1L1+S2L3"]
    same = position(
        "S1L1 S2L1 S3L3 S4L3", "", ships={0: FREEZER}, scanned={0: [FREEZER]}, components=components
    )
    assert len(legal(same, "develop")) == 4  # one of each number, not two of one


@pytest.mark.parametrize(
    ("cards", "lands"),
    [
        ("J1L2 J2L2", True),  # two cards that show the number
        ("J1L2 J1L?", True),
        ("J1L? J3L?", True),
        ("J1L2", False),  # one card does not serve both
        ("J1L2 J1L3", False),
        ("J1L? J1L3", False),
    ],
)
def test_sm_11_the_two_landing_numbers_of_a_planet_may_be_equal(cards: str, lands: bool) -> None:
    components = with_planet(FREEZER, landing=(2, 2))
    game = position(cards, "", taken={FREEZER: "0:water"}, ships={0: FREEZER}, components=components)
    assert bool(legal(game, "develop")) == lands


def test_sm_12_the_cards_of_the_default_table() -> None:
    cards = load_components(None).cards
    assert [card.id for card in cards] == default_card_ids()
    for card in cards:
        shown = {"J": card.jump, "S": card.scan, "L": card.landing}
        assert shown == {
            letter: tuple(int(n.replace("?", "5")) for n in number_on(card.id, letter)) for letter in "JSL"
        }
    for letter in "JSL":
        numbers = Counter(number_on(card.id, letter) for card in cards if letter in card.id)
        assert numbers == {"1": 9, "2": 9, "3": 9, "4": 9, "?": 4}


def box_data() -> Json:
    """The default components as plain data."""
    data = load_components(None).to_json()
    del data["sha256"]
    return data | {"tiles": dict(TILES)}


def test_sm_12_the_box_is_data() -> None:
    data = box_data()
    assert components_from_data(data, "here").sha256 == load_components(None).sha256
    data["planets"][0]["jump"] = 4  # an owner of the box enters another number
    data["cards"][0] = {"id": "twin", "jump": 4, "scan": 4}
    data["cards"][1] = {"id": "twin", "jump": 4, "scan": 4}
    other = components_from_data(data, "here")
    assert other.sha256 != load_components(None).sha256
    game = position("twin*2", "", components=other)
    # One index per distinct move: identical cards are named by the lowest slots.
    assert legal(game) == ["top_up", "top_up twin", "top_up twin+twin", "jump Freezer twin"]


@pytest.mark.parametrize(
    ("planet", "card", "said"),
    [
        (
            "hAz ard",
            None,
            "planets and cards: 'Hazard J1S1' and 'hAz ard J1S1' differ only in case or blanks",
        ),
        ("HazardJ1", {"id": "S1", "jump": 1, "scan": 2}, "'Hazard J1S1' and 'HazardJ1 S1' differ only in"),
        (
            None,
            {"id": "one+two", "jump": 1, "scan": 1},
            r"'one+two': id: '+' stands between the cards of a move",
        ),
    ],
)
def test_names_that_moves_cannot_tell_apart_are_refused(planet: str | None, card: Json, said: str) -> None:
    data = box_data()
    data["planets"][0]["name"] = "Hazard"
    data["planets"][1]["name"] = planet or "Other"
    if card:
        data["cards"][-1] = card
    with pytest.raises(ComponentsError) as refused:
        components_from_data(data, "here")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "card", [{"id": "new", "jump": 1}, {"id": "new", "jump": 1, "scan": 1, "landing": 1}, {"id": "new"}]
)
def test_sm_12_a_card_shows_two_colours(card: Json) -> None:
    data = box_data()
    data["cards"][7] = card
    with pytest.raises(ComponentsError, match=r"cards\[7\] 'new': expected two of the colours"):
        components_from_data(data, "here")


# ---------------------------------------------------------------- presets and the action space


def test_presets_are_the_two_of_the_rules_and_one_for_the_tiny_box() -> None:
    assert set(PRESETS) == {"printed", "yucata", "tiny"}
    assert make_rules(None) == make_rules("printed") == Rules()
    printed = {
        "reserved_tiles_visible": False,
        "space_tile_penalty": False,
        "chips_per_player": 20,
        "hand_size": 5,
        "actions_per_turn": 2,
        "gate_points_without_probe": False,
        "space_tiles_to_end": None,
        "max_rounds": 100,
        "start_player": "random",
        "empty_top_up": True,
        "scan_face_up": False,
    }
    options = Rules().to_json()
    assert {name: options.pop(name) for name in printed} == printed
    assert not any(options.values())  # an option added later is off by default
    assert make_rules("yucata") == Rules(reserved_tiles_visible=True)
    assert make_rules("yucata,max_rounds=7,hand_size=4") == Rules(True, max_rounds=7, hand_size=4)
    assert make_rules("space_tile_penalty=on,space_tiles_to_end=none") == Rules(space_tile_penalty=True)
    assert make_rules({"max_rounds": 3}) == Rules(max_rounds=3)
    assert make_rules("start_player=2,empty_top_up=off,scan_face_up=on") == Rules(
        start_player=2, empty_top_up=False, scan_face_up=True
    )
    assert make_rules("yucata,start_player=random") == PRESETS["yucata"]
