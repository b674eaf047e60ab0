"""Tests of the oracle alone: random games with conservation checks, and hand-made positions."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement, product

import pytest

from .positions import (
    CALDERA,
    CARDS,
    COLOURS,
    DISCOVER,
    DUSKMERE,
    FLY_NEXT,
    FLY_PREVIOUS,
    FREEZER,
    HAZARD,
    HEGGAR,
    IRONVALE,
    PLANETS,
    RANK,
    RUBY,
    TIDEFALL,
    TILE_COUNTS,
    card,
    develop,
    expected,
    jump,
    legal_of,
    make_rules,
    no_shuffle,
    play,
    position_of,
    random_action,
    random_setup,
    scan,
    shuffler,
    take,
    words,
)
from .space_mission_oracle import (
    TILE_NAMES,
    OracleGame,
    colour_points,
    gate_points,
    matter_points,
    water_points,
    winning_seats,
)

# ------------------------------------------------------------------------------------- random games


def check_state(
    state: dict, rules: dict, dealt: list[Counter], ids: Counter, rank: dict[str, int] = RANK
) -> None:
    """What holds in every state, worked out from the snapshot alone."""
    seats = range(len(state["hands"]))
    held: list[list[str]] = [[] for _ in seats]
    chips = [state["supply"][seat] + state["gate"][seat] for seat in seats]
    revealed = 0
    for position in range(8):
        pile, taken = Counter(state["piles"][position]), state["taken"][position]
        assert pile + Counter(tile for _, tile in taken) == dealt[position]
        station, face_up = state["stations"][position], state["face_up"][position]
        for seat, tile in taken:
            if station is None:
                chips[seat] += 1
            else:
                held[seat].append(tile)
            assert seat in state["seen"][position]
        if station is not None:
            chips[station] += 1
            assert station in state["scanned"][position]
        if not rules["scan_face_up"]:  # there one may scan what nobody need look through
            assert set(state["scanned"][position]) <= set(state["seen"][position])
        if face_up:
            assert set(pile) == {"space"}
            revealed += pile["space"]
        else:  # SM-46; a pile dealt with space tiles only is not known before a scan
            assert set(pile) != {"space"} or not state["seen"][position]
    assert state["revealed"] == revealed
    assert state["last_round"] == (revealed >= rules["space_tiles_to_end"])
    assert chips == [rules["chips_per_player"]] * len(chips)
    assert min(state["supply"]) >= 0
    assert state["tiles"] == [sorted(tiles) for tiles in held]
    in_hands = Counter(name for hand in state["hands"] for name in hand)
    assert in_hands + Counter(state["draw_pile"]) + Counter(state["discard"]) == ids
    for hand in state["hands"]:
        assert hand == sorted(hand, key=rank.__getitem__) and len(hand) <= rules["hand_size"]
    assert state["actions_left"] <= rules["actions_per_turn"]
    if state["phase"] == "action":
        assert state["actions_left"] >= 1


def check_distinct(state: dict, legal: list[int], no_empty_top_up: bool) -> None:
    """One index per distinct move, the one with the lowest slots; no move is left without an index."""
    if state["phase"] != "action":
        return
    hand = state["hands"][state["player"]]
    discards = [
        tuple(hand[slot] for slot in range(5) if action >> slot & 1) for action in legal if action < 32
    ]
    wanted = {chosen for size in range(len(hand) + 1) for chosen in combinations(hand, size)}
    if no_empty_top_up:
        wanted.remove(())
    assert len(discards) == len(set(discards)) and set(discards) == wanted
    jumps = [(hand[(action - 32) // 8], (action - 32) % 8) for action in legal if 32 <= action < 72]
    scans = [hand[action - 74] for action in legal if 74 <= action < 79]
    pairs = list(combinations(range(5), 2))
    develops = [tuple(hand[slot] for slot in pairs[action - 79]) for action in legal if 79 <= action < 89]
    for moves in (jumps, scans, develops):
        assert len(moves) == len(set(moves))


def play_random(
    seed: int, num_players: int, cards: list[dict] | None = None, **changes: object
) -> tuple[OracleGame, int]:
    rng = random.Random(seed)
    cards = cards or CARDS
    rank: dict[str, int] = {}
    for row in cards:
        rank.setdefault(row["id"], len(rank))
    rules = make_rules(num_players, **changes)
    setup = random_setup(rng, num_players, rules["hand_size"], cards)
    dealt = [Counter(pile) for pile in setup["piles"]]
    ids = Counter(row["id"] for row in cards)
    game = OracleGame(num_players, rules, PLANETS, cards, setup)
    turns = [0] * num_players
    decisions = 0
    while not game.over:
        before = game.snapshot()
        check_state(before, rules, dealt, ids, rank)
        legal = game.legal()
        assert legal and legal == sorted(set(legal))
        assert game.player is not None
        full = len(before["hands"][game.player]) == rules["hand_size"]
        forbidden = full and not rules["empty_top_up"]
        assert (legal[0] == 0) == (before["phase"] == "action" and not forbidden)  # SM-22
        check_distinct(before, legal, forbidden)
        if before["phase"] == "action" and before["actions_left"] == rules["actions_per_turn"]:
            turns[game.player] += 1
        game.apply(random_action(rng, legal), shuffler(rng))
        decisions += 1
    after = game.snapshot()
    check_state(after, rules, dealt, ids, rank)
    assert after["player"] is None and after["phase"] == "over" and after["actions_left"] == 0
    assert game.player is None and game.legal() == []
    assert game.reason == ("finished" if after["last_round"] else "truncated")
    assert turns == [game.round] * num_players  # SM-51, SM-53
    totals = [points["total"] for points in game.scores()]
    for points in game.scores():
        assert points["total"] == sum(points.values()) - points["total"]
    assert all(totals[seat] == max(totals) for seat in game.winners()) and game.winners()
    with pytest.raises(ValueError):
        game.apply(0, no_shuffle)
    return game, decisions


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_random_games_finish(num_players: int) -> None:
    reasons = Counter(play_random(seed, num_players)[0].reason for seed in range(4))
    assert reasons["finished"] >= 1


@pytest.mark.parametrize(
    "changes",
    [
        {"space_tile_penalty": True},
        {"chips_per_player": 3},
        {"hand_size": 1},
        {"hand_size": 3, "actions_per_turn": 3},
        {"actions_per_turn": 1, "max_rounds": 60},
        {"actions_per_turn": 4, "space_tiles_to_end": 1},
        {"max_rounds": 1},
        {"gate_points_without_probe": True, "space_tiles_to_end": 16, "max_rounds": 40},
        {"empty_top_up": False},
        {"empty_top_up": False, "hand_size": 1, "start_player": 1},
        {"scan_face_up": True, "space_tile_penalty": True, "max_rounds": 40},
    ],
)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_random_games_with_options(num_players: int, changes: dict) -> None:
    play_random(num_players, num_players, **changes)


@pytest.mark.parametrize("num_players", [2, 5])
def test_random_games_with_identical_cards(num_players: int) -> None:
    cards = [
        card(face) for face in words("J1S1 J2L? S3L3 J?S? J4L1 S2L2 J3S4 J?L4 S1L? J2S2") for _ in range(6)
    ]
    play_random(7, num_players, cards)


@pytest.mark.parametrize("num_players", [2, 5])
def test_random_games_with_two_numbers_of_one_colour(num_players: int) -> None:
    cards = [
        *({"id": f"J{a}{b}", "jump": [a, b]} for a, b in combinations((1, 2, 3, 4), 2)),
        *({"id": f"S{a}{b}", "scan": [a, b]} for a, b in combinations((1, 2, 3, 4), 2)),
        *({"id": f"L{a}{b}", "landing": [a, b]} for a, b in combinations((1, 2, 3, 4), 2)),
    ]
    play_random(11, num_players, CARDS[:42] + cards)


def test_default_components_are_balanced() -> None:
    assert len(PLANETS) == 12 and len(CARDS) == 60 and len(RANK) == 60
    assert sum(TILE_COUNTS.values()) == 64
    for colour in COLOURS.values():
        assert Counter(row[colour] for row in CARDS if colour in row) == {1: 9, 2: 9, 3: 9, 4: 9, "?": 4}
    assert [row["id"] for row in CARDS][:6] == words("J1S1 J1S2 J1S3 J1S4 J2S1 J2S2")


def test_sm07_sm20_turn_order_and_rounds() -> None:
    game = position_of("J1S1", "J1S2", "J1S3", start=2, hand_size=1)
    seen = []
    while game.round < 3:
        state = game.snapshot()
        seen.append((state["player"], state["actions_left"], state["round"]))
        game.apply(0, no_shuffle)
    assert seen == [(seat, left, turn) for turn in (1, 2) for seat in (2, 0, 1) for left in (2, 1)]


def test_sm21_top_up_discards_then_draws_in_order() -> None:
    game = position_of("J4S4 S1L1 J4L4", "J1L1", draw="S4L4 J1S4 J2S2 J3S3 J1S1")
    assert game.snapshot()["hands"][0] == ["J4S4", "J4L4", "S1L1"]  # sorted in the order of the cards
    assert legal_of(game, "top up") == list(range(8))
    game.apply(0b101, no_shuffle)
    state = game.snapshot()
    assert state["discard"] == ["J4S4", "S1L1"] and state["draw_pile"] == ["J1S1"]
    assert state["hands"][0] == ["J1S4", "J2S2", "J3S3", "J4L4", "S4L4"]


def test_sm22_top_up_of_a_full_hand_changes_nothing() -> None:
    game = position_of("J4S4 S1L1 J4L4 J4L3 J4L2", "J1L1")
    before = game.snapshot()
    game.apply(0, no_shuffle)
    assert game.snapshot() == before | {"actions_left": 1}


def test_sm22_empty_top_up_off() -> None:
    game = position_of("J4S4 S1L1 J4L4 J4L3 J4L2", "J1L1", empty_top_up=False)
    assert legal_of(game, "top up") == list(range(1, 32))
    game.apply(1, no_shuffle)
    assert legal_of(game, "top up") == list(range(1, 32))  # filled up again
    game.apply(1, no_shuffle)
    assert legal_of(game, "top up") == [0, 1]  # seat 1 holds one card: something to draw


def test_sm23_shuffle_in_the_middle_of_a_top_up() -> None:
    game = position_of("J2S2 J3S3 J4S4 J1L1 S1L1", "J1L2", draw="J1S1")
    calls = []

    def shuffled(ids: list[str]) -> list[str]:
        calls.append(ids)
        return ["J3S3", "J1L1", "J2S2"]

    game.apply(0b01011, shuffled)
    state = game.snapshot()
    assert calls == [["J1L1", "J2S2", "J3S3"]]  # this very top-up's discards, by plain string order
    assert state["hands"][0] == ["J1S1", "J3S3", "J4S4", "J1L1", "S1L1"]
    assert state["draw_pile"] == ["J2S2"] and state["discard"] == []


def test_sm23_shuffle_at_the_moment_the_last_card_is_drawn() -> None:
    game = position_of("J2S2 J2S1 J3S3 J3S4 J4S4", "J1L1", draw="J1S1")
    game.apply(0b00001, lambda ids: ids)
    state = game.snapshot()
    assert state["draw_pile"] == ["J2S1"] and state["discard"] == []
    assert state["hands"][0][0] == "J1S1"


def test_sm23_put_off_while_the_discard_pile_is_empty() -> None:
    game = position_of("J1L1 J2S2 J3S3 J3S4", "J2L1 J2L2 J2L3 J2L4 J3L1", draw="J1S1")
    play(game, [0])  # draws the last card; there is nothing to shuffle
    assert game.snapshot()["draw_pile"] == [] and game.snapshot()["discard"] == []
    play(game, [jump(game.snapshot()["hands"][0].index("J1L1"), FREEZER), 0])  # full hand: no card needed
    state = game.snapshot()
    assert state["draw_pile"] == [] and state["discard"] == ["J1L1"]
    game.apply(0b1, lambda ids: ids[::-1])  # now a card must be drawn
    state = game.snapshot()
    assert state["hands"][1] == ["J2L1", "J2L2", "J2L3", "J2L4", "J3L1"]
    assert state["draw_pile"] == ["J1L1"] and state["discard"] == []


def test_sm23_both_piles_empty() -> None:
    game = position_of("J2S2 J3S3", "J1L1", draw="")
    play(game, [0])
    assert game.snapshot()["hands"][0] == ["J2S2", "J3S3"]
    game.apply(0b11, lambda ids: ids)  # the own discards come back, and no more
    state = game.snapshot()
    assert state["hands"][0] == ["J2S2", "J3S3"] and state["draw_pile"] == [] and state["discard"] == []


@pytest.mark.parametrize("wrong", [[], ["J2S2", "J2S2"], ["J2S2", "J3S3", "J3S3"]])
def test_sm23_a_wrong_shuffle_is_refused(wrong: list[str]) -> None:
    game = position_of("J2S2 J3S3", "J1L1", draw="")
    with pytest.raises(ValueError):
        game.apply(0b11, lambda ids: wrong)


def test_sm24_jump() -> None:
    game = position_of("J1S1 J?S1 S1L1", "J1L1")
    assert game.snapshot()["hands"][0] == ["J1S1", "J?S1", "S1L1"]
    assert legal_of(game, "jump") == [jump(0, p) for p in (FREEZER, HAZARD, CALDERA)] + [
        jump(1, p) for p in range(8)
    ]
    assert not legal_of(game, "fly") and not legal_of(game, "scan")  # SM-25, SM-26
    play(game, [jump(0, HAZARD)])
    state = game.snapshot()
    assert (state["ships"][0], state["gate"][0], state["supply"][0]) == (HAZARD, 1, 19)
    assert state["discard"] == ["J1S1"] and state["actions_left"] == 1
    assert legal_of(game, "jump") == [jump(0, p) for p in range(8) if p != HAZARD]
    with pytest.raises(ValueError):
        game.apply(jump(0, HAZARD), no_shuffle)


def test_sm25_fly_both_ways_round_the_ring() -> None:
    game = position_of("J1S1", "J3S1", actions_per_turn=4)
    play(game, [jump(0, FREEZER), FLY_PREVIOUS])
    assert game.snapshot()["ships"][0] == DUSKMERE
    play(game, [FLY_NEXT])
    assert game.snapshot()["ships"][0] == FREEZER
    play(game, [FLY_NEXT])
    assert game.snapshot()["ships"][0] == HAZARD and game.snapshot()["supply"][0] == 19


def test_sm28_every_probe_and_station_needs_a_chip() -> None:
    game = position_of("J1S1 S1L1 S1L2 J2L2 J2L1", "J1L1", actions_per_turn=4, chips_per_player=1)
    play(game, [jump(0, FREEZER)])
    assert not legal_of(game, "jump") and not legal_of(game, "scan")
    assert legal_of(game, "fly")
    game = position_of("J1S1 S1L1 S1L2 J2L2 J2L1", "J1L1", actions_per_turn=4, chips_per_player=2)
    play(game, [jump(0, FREEZER), scan(game.snapshot()["hands"][0].index("S1L1") - 1)])
    assert game.snapshot()["supply"][0] == 1  # laid when the tile is chosen
    play(game, [take("medal")])
    assert game.snapshot()["supply"][0] == 0
    assert not legal_of(game, "develop")  # counted before its own probes return
    game = position_of("J1S1 S1L1 S1L2 J2L2 J2L1", "J1L1", actions_per_turn=4, chips_per_player=3)
    play(game, [jump(0, FREEZER), scan(2), take("medal")])
    assert legal_of(game, "develop")


def test_sm31_scan_reserves_a_tile() -> None:
    game = position_of("J1S1 S1L1 S?L1 S2L2", "J1L1", piles={FREEZER: "water space alien_blue"})
    play(game, [jump(0, FREEZER)])
    assert legal_of(game, "scan") == [scan(0), scan(2)]
    play(game, [scan(0)])
    state = game.snapshot()
    assert (state["phase"], state["player"], state["actions_left"]) == ("reserve", 0, 0)
    assert state["seen"][FREEZER] == [0] and state["taken"][FREEZER] == [] and state["supply"][0] == 19
    assert game.legal() == expected("alien_blue water")  # never the space tile
    play(game, [take("alien_blue")])
    state = game.snapshot()
    assert state["taken"][FREEZER] == [[0, "alien_blue"]] and state["piles"][FREEZER] == ["space", "water"]
    assert state["supply"][0] == 18 and state["scanned"][FREEZER] == [0] and state["tiles"][0] == []
    assert state["player"] == 1 and state["actions_left"] == 2 and state["revealed"] == 0


def test_sm32_scan_repeatedly() -> None:
    game = position_of("J1S1 S1L1 S?L1", "J1L1", actions_per_turn=3)
    play(game, [jump(0, FREEZER), scan(0), take("medal"), scan(0), take("medal")])
    assert game.snapshot()["taken"][FREEZER] == [[0, "medal"], [0, "medal"]]


def test_sm34_scan_of_space_tiles_only_then_develop() -> None:
    game = position_of(
        "J1S1 S1L1 S1L2 J2L2",
        "J1S1 S1L3",
        piles={FREEZER: "space " * 4},
        actions_per_turn=3,
        space_tiles_to_end=6,
    )
    play(game, [jump(0, FREEZER), scan(1)])
    state = game.snapshot()
    assert state["phase"] == "action" and state["actions_left"] == 1 and state["player"] == 0
    assert state["face_up"][FREEZER] and state["revealed"] == 4 and not state["last_round"]
    assert state["supply"][0] == 19 and state["taken"][FREEZER] == [] and "S1L1" in state["discard"]
    assert state["scanned"][FREEZER] == [0] and state["seen"][FREEZER] == [0]
    assert not legal_of(game, "scan")  # SM-35
    assert legal_of(game, "develop") == []  # no landing 1 is left in this hand
    game = position_of("J1S1 S1L1 S1L2 J2L2", "J1S1 S1L3", piles={FREEZER: "space " * 4}, actions_per_turn=3)
    play(game, [jump(0, FREEZER), scan(2), develop(0, 1)])  # SM-34, SM-42: developed, and no tile
    state = game.snapshot()
    assert state["stations"][FREEZER] == 0 and state["tiles"][0] == [] and state["player"] == 1
    play(game, [jump(0, FREEZER)])
    assert not legal_of(game, "discover") and not legal_of(game, "scan")  # SM-45, SM-30


def test_sm34_needs_a_chip_all_the_same() -> None:
    game = position_of("J1S1 S1L1", "J1S1", piles={FREEZER: "space space"}, chips_per_player=1)
    play(game, [jump(0, FREEZER)])
    assert not legal_of(game, "scan")  # SM-28


def test_sm34_may_trigger_the_end() -> None:
    game = position_of("J1S1 S1L1", "J1S1", piles={FREEZER: "space " * 6})
    play(game, [jump(0, FREEZER), scan(0)])
    assert game.snapshot()["last_round"] and not game.over
    play(game, [0, 0])
    assert game.over and game.reason == "finished" and game.round == 1


def test_sm35_no_scan_of_an_empty_pile() -> None:
    game = position_of("J1S1 S1L1", "J1S1", piles={FREEZER: ""})
    play(game, [jump(0, FREEZER)])
    assert not legal_of(game, "scan")


def test_sm35_scan_face_up() -> None:
    """On: an empty or face-up pile may be scanned while undeveloped; that is then a scan (SM-40)."""
    for pile in ("", "medal space space"):
        game = position_of(
            "J1S1 S1L1 J?S1 S1L2 J2L2", "J?S1", piles={FREEZER: pile}, scan_face_up=True, actions_per_turn=4
        )
        play(game, [jump(0, FREEZER)])
        if pile:
            play(game, [scan(game.snapshot()["hands"][0].index("S1L1")), take("medal")])
            assert game.snapshot()["face_up"][FREEZER]
        before = game.snapshot()
        chips = before["supply"][0]
        slot = before["hands"][0].index("J?S1")
        assert scan(slot) in game.legal()
        play(game, [scan(slot)])
        state = game.snapshot()
        assert state["phase"] == "action" and state["actions_left"] == before["actions_left"] - 1
        assert state["supply"][0] == chips and state["scanned"][FREEZER] == [0]
        assert state["discard"] == sorted([*before["discard"], "J?S1"])
        for unchanged in ("piles", "face_up", "taken", "seen", "revealed", "tiles"):
            assert state[unchanged] == before[unchanged]
    game = position_of("J1S1 S1L1", "J1S1", piles={FREEZER: ""}, scan_face_up=True, chips_per_player=1)
    play(game, [jump(0, FREEZER)])
    assert not legal_of(game, "scan")  # SM-28 all the same


def test_sm35_scan_face_up_opens_the_way_to_develop() -> None:
    game = position_of(
        "J1S1 J?S1 S1L1 S?L3 J1L2", "J?S1", piles={FREEZER: ""}, scan_face_up=True, actions_per_turn=4
    )
    play(game, [jump(0, FREEZER)])
    hand = game.snapshot()["hands"][0]
    assert not legal_of(game, "develop")
    play(game, [scan(hand.index("J?S1"))])
    assert legal_of(game, "develop")
    play(game, legal_of(game, "develop"))
    state = game.snapshot()
    assert state["stations"][FREEZER] == 0 and state["phase"] == "action"
    assert not legal_of(game, "scan")  # developed


def test_sm12_two_numbers_of_one_colour() -> None:
    cards = [
        {"id": "J13", "jump": [1, 3]},
        {"id": "S1?", "scan": [2, "?"]},
        {"id": "L12", "landing": [1, 2]},
        {"id": "L13", "landing": [1, 3]},
        {"id": "L34", "landing": [3, 4]},
        {"id": "S1L1", "scan": 1, "landing": 1},
    ]
    game = position_of("J13 S1? L12 L13 L34", "S1L1", draw="", cards=cards, actions_per_turn=3)
    assert legal_of(game, "jump") == [jump(0, p) for p in (FREEZER, HAZARD, CALDERA, RUBY, DUSKMERE)]
    play(game, [jump(0, FREEZER), scan(0), take("medal")])
    # Freezer asks 1 and 2: L12 with L13 (2 and 1). L34 shows neither; one card alone is never both.
    assert game.snapshot()["hands"][0] == ["L12", "L13", "L34"]
    assert legal_of(game, "develop") == [develop(0, 1)]
    one = position_of("J13 S1? L12 L34", "S1L1", draw="", cards=cards, actions_per_turn=3)
    play(one, [jump(0, FREEZER), scan(0), take("medal")])
    assert not legal_of(one, "develop")


def test_sm07_start_player_option() -> None:
    for agreed in ("random", 0, 1):
        assert position_of("J1S1", "J1L1", start=1, start_player=agreed).player == 1
    for wrong in (2, -1, "first"):
        with pytest.raises(ValueError):
            position_of("J1S1", "J1L1", start_player=wrong)


def test_sm40_only_who_has_scanned_may_develop() -> None:
    game = position_of("J1S1 S1L1 S1L2 J2L2", "J?S1 S1L1 S1L2 J2L2", actions_per_turn=3)
    play(game, [jump(0, FREEZER)])
    assert not legal_of(game, "develop")
    play(game, [scan(2), take("medal"), 0, jump(0, FREEZER)])
    assert game.player == 1 and not legal_of(game, "develop")
    play(game, [scan(1), take("medal")])  # leaves J2L2 and S1L2: no landing 1
    assert not legal_of(game, "develop")
    game = position_of("J1S1 S1L1 S1L2 J2L2 S4L?", "J1S1", actions_per_turn=3)
    play(game, [jump(0, FREEZER), scan(2), take("medal")])  # J2L2, S1L1, S4L?
    assert game.snapshot()["hands"][0] == ["J2L2", "S1L1", "S4L?"]
    assert legal_of(game, "develop") == [develop(0, 1), develop(0, 2), develop(1, 2)]


@pytest.mark.parametrize(
    ("landing", "pair", "fits"),
    [
        ([1, 2], "J2L1 J2L2", True),
        ([1, 2], "J3L2 J4L1", True),
        ([1, 2], "J2L1 J3L1", False),
        ([1, 2], "J2L2 J3L2", False),
        ([1, 2], "J2L1 J3L?", True),
        ([1, 2], "J2L2 J3L?", True),
        ([1, 2], "J2L3 J3L?", False),
        ([1, 2], "J1L? J3L?", True),
        ([3, 3], "J2L3 J3L3", True),
        ([3, 3], "J2L3 J3L?", True),
        ([3, 3], "J2L3 J3L2", False),
        ([1, 2], "J2S1 J3L?", False),
    ],
)
def test_sm40_pairs_of_landing_cards(landing: list[int], pair: str, fits: bool) -> None:
    planets = [PLANETS[0] | {"landing": landing}, *PLANETS[1:]]
    game = position_of(f"J1S2 S1L4 {pair}", "J1S1", planets=planets, actions_per_turn=3)
    hand = game.snapshot()["hands"][0]
    play(game, [jump(hand.index("J1S2"), FREEZER)])
    hand = game.snapshot()["hands"][0]
    play(game, [scan(hand.index("S1L4")), take("water")])
    assert sorted(game.snapshot()["hands"][0]) == sorted(pair.split())
    assert legal_of(game, "develop") == ([develop(0, 1)] if fits else [])


def test_sm41_order() -> None:
    game = position_of(
        "J1S1 S1L1 S?L3",
        "J1S2 S1L2 J2L2 J3L1",
        piles={FREEZER: "water medal alien_blue space mineral_red"},
        actions_per_turn=3,
        chips_per_player=3,
    )
    play(game, [jump(0, FREEZER), scan(0), take("water"), scan(0), take("alien_blue")])
    state = game.snapshot()
    assert state["supply"] == [0, 3] and state["player"] == 1
    play(game, [jump(0, FREEZER), scan(2), take("medal")])
    assert game.snapshot()["tiles"] == [[], []]
    play(game, [develop(0, 1)])
    state = game.snapshot()  # at the tile pick everything before it has happened
    assert (state["phase"], state["player"], state["actions_left"]) == ("develop", 1, 0)
    assert state["discard"] == sorted(words("J1S1 S1L1 S?L3 J1S2 S1L2 J2L2 J3L1"))
    assert state["hands"][1] == [] and state["stations"][FREEZER] == 1
    assert state["tiles"] == [["alien_blue", "water"], ["medal"]]
    assert state["supply"] == [2, 1] and state["gate"] == [1, 1]
    assert game.legal() == expected("mineral_red")
    play(game, [take("mineral_red")])
    state = game.snapshot()
    assert state["tiles"][1] == ["medal", "mineral_red"]
    assert state["taken"][FREEZER] == [[0, "water"], [0, "alien_blue"], [1, "medal"], [1, "mineral_red"]]
    assert state["face_up"][FREEZER] and state["revealed"] == 1  # SM-46
    assert state["player"] == 0 and state["round"] == 2


def test_sm42_develop_without_a_tile_where_the_pile_is_empty() -> None:
    game = position_of("J1S2 S1L2 J2L2 J3L1", "J1S1", piles={FREEZER: "water"}, actions_per_turn=3)
    play(game, [jump(0, FREEZER), scan(2), take("water")])
    state = game.snapshot()
    assert state["piles"][FREEZER] == [] and not state["face_up"][FREEZER] and state["revealed"] == 0
    play(game, [develop(0, 1)])
    state = game.snapshot()
    assert state["player"] == 1 and state["tiles"][0] == ["water"] and state["supply"][0] == 18
    play(game, [jump(0, FREEZER)])
    assert not legal_of(game, "discover")


def test_sm45_discover_on_anybodys_station() -> None:
    game = position_of(
        "J1S2 S1L2 J2L2 J3L1", "J1S1", piles={FREEZER: "water medal medal space space"}, actions_per_turn=3
    )
    play(game, [jump(0, FREEZER)])
    assert not legal_of(game, "discover")  # not developed yet
    play(game, [scan(2), take("water"), develop(0, 1), take("medal")])
    play(game, [jump(0, FREEZER)])
    assert legal_of(game, "discover") == [DISCOVER]
    assert not legal_of(game, "develop") and not legal_of(game, "scan")  # SM-43, SM-30
    play(game, [DISCOVER])
    state = game.snapshot()
    assert state["phase"] == "discover" and state["seen"][FREEZER] == [0, 1] and state["actions_left"] == 1
    assert game.legal() == expected("medal")
    play(game, [take("medal")])
    state = game.snapshot()
    assert state["phase"] == "action" and state["player"] == 1 and state["tiles"][1] == ["medal"]
    assert state["revealed"] == 2 and not legal_of(game, "discover")


def test_sm46_reserving_the_last_point_tile_turns_the_rest_up() -> None:
    game = position_of("J1S2 S1L2 S?L1", "J1S1", piles={FREEZER: "water space space space"})
    play(game, [jump(0, FREEZER), scan(0), take("water")])
    state = game.snapshot()
    assert state["face_up"][FREEZER] and state["revealed"] == 3 and state["piles"][FREEZER] == ["space"] * 3


def test_sm50_sm51_the_round_is_played_to_the_end() -> None:
    game = position_of(
        "J1S3",
        "J1S2 S1L1",
        "J2S2 S2L2",
        start=1,
        piles={FREEZER: "water " + "space " * 7, HEGGAR: "medal space"},
    )
    play(game, [jump(0, FREEZER), scan(0), take("water")])
    assert game.snapshot()["revealed"] == 7 and not game.snapshot()["last_round"]
    play(game, [jump(0, HEGGAR), scan(0), take("medal")])
    state = game.snapshot()
    assert state["revealed"] == 8 and state["last_round"] and state["player"] == 0
    play(game, [jump(0, CALDERA)])
    assert not game.over
    play(game, [FLY_NEXT])
    assert game.over and game.reason == "finished" and game.round == 1
    assert game.scores()[1]["total"] == 9  # SM-52: the reserved water tile counts for nobody


def test_sm50_the_trigger_leaves_the_rest_of_the_turn() -> None:
    game = position_of("J1S3", "J1S2 S1L1", piles={FREEZER: "water " + "space " * 6}, actions_per_turn=3)
    play(game, [0, 0, 0, jump(0, FREEZER), scan(0), take("water")])
    assert game.snapshot()["last_round"] and not game.over and game.player == 1
    play(game, [FLY_NEXT])
    assert game.over and game.reason == "finished"


def test_sm53_truncation_and_finish_in_the_last_round() -> None:
    game = position_of("J1S3", "J1S2 S1L1", max_rounds=2)
    play(game, [0] * 8)
    assert game.over and game.reason == "truncated" and game.round == 2
    assert game.snapshot()["phase"] == "over" and not game.snapshot()["last_round"]
    game = position_of("J1S3", "J1S2 S1L1", piles={FREEZER: "water " + "space " * 6}, max_rounds=1)
    play(game, [0, 0, jump(0, FREEZER), scan(0), take("water")])
    assert game.reason == "finished"


def test_identical_cards_give_one_index_per_move() -> None:
    game = position_of("J1L1 J1L1 J1L1 J2L2 J2L2", "J1S1", actions_per_turn=4)
    wanted = [m for m in range(32) if (m & 7) in (0, 1, 3, 7) and (m >> 3) in (0, 1, 3)]
    assert legal_of(game, "top up") == wanted
    assert legal_of(game, "jump") == [jump(0, p) for p in (FREEZER, HAZARD, CALDERA)] + [
        jump(3, p) for p in (HEGGAR, TIDEFALL, IRONVALE)
    ]
    for slot, pairs in ((0, [(0, 1)]), (1, [(0, 1), (1, 2)])):
        game = position_of("J1S1 S2L? S2L? S2L? S2L3", "J1S1", actions_per_turn=4)
        play(game, [jump(0, HAZARD)])
        assert game.snapshot()["hands"][0] == ["S2L3", "S2L?", "S2L?", "S2L?"]
        assert legal_of(game, "scan") == [scan(0), scan(1)]
        play(game, [scan(slot), take("medal")])
        assert legal_of(game, "develop") == [develop(*pair) for pair in pairs]


def test_illegal_actions_leave_the_state_alone() -> None:
    game = position_of("J1S1 S1L1", "J1S1")
    before = game.snapshot()
    for action in sorted(set(range(-2, 104)) - set(game.legal())):
        with pytest.raises(ValueError):
            game.apply(action, no_shuffle)
    assert game.snapshot() == before


# -------------------------------------------------------------------------------------------- scoring


@pytest.mark.parametrize(
    ("probes", "points", "literal"),
    [
        ([2, 5, 2, 2, 1], [6, 9, 6, 6, 0], [6, 9, 6, 6, 0]),  # the rulebook's example
        ([5, 4, 3, 2, 1], [9, 6, 3, 1, 0], [9, 6, 3, 1, 0]),
        ([3, 3], [9, 9], [9, 9]),
        ([3, 3, 1], [9, 9, 3], [9, 9, 3]),
        ([4, 2, 2, 1], [9, 6, 6, 1], [9, 6, 6, 1]),
        ([2, 2, 2, 2, 1], [9, 9, 9, 9, 0], [9, 9, 9, 9, 0]),
        ([1, 0], [9, 0], [9, 6]),
        ([0, 0], [0, 0], [9, 9]),
        ([0, 3, 0, 1], [0, 9, 0, 6], [3, 9, 3, 6]),
    ],
)
def test_sm60_sm61_gate(probes: list[int], points: list[int], literal: list[int]) -> None:
    assert gate_points(probes, False) == points
    assert gate_points(probes, True) == literal


def test_sm63_sm64_sm65_examples() -> None:
    minerals = ["mineral_red"] * 3 + ["mineral_blue"] * 2 + ["mineral_green"] * 2
    aliens = ["alien_brown"] * 4 + ["alien_blue"] * 2
    assert colour_points(minerals, TILE_NAMES[:4]) == 21
    assert colour_points(aliens, TILE_NAMES[4:6]) == 24
    assert [matter_points(green, blue) for green, blue in ((0, 0), (1, 1), (3, 1), (0, 2))] == [0, 7, 11, 4]
    assert [water_points(number) for number in range(9)] == [0, 2, 5, 9, 14, 16, 19, 23, 28]


def test_scores_of_a_table() -> None:
    game = position_of("J1S1", "J1S2", "J1S3", "J1S4")
    pilots = game._pilots
    pilots[0].tiles = (
        ["mineral_red"] * 3
        + ["mineral_blue"] * 2
        + ["mineral_green"] * 2
        + ["matter_green"] * 2
        + ["matter_blue"]
    )
    pilots[1].tiles = ["alien_brown"] * 4 + ["alien_blue"] * 2 + ["water"] * 6 + ["medal"] * 2
    pilots[2].tiles = ["space", "space", "medal"]
    for pilot, gate in zip(pilots, (1, 2, 2, 0), strict=True):
        pilot.gate = gate
    game._sites[3].station = game._sites[4].station = 0
    scores = game.scores()
    keys = ["gate", "stations", "minerals", "aliens", "matter", "water", "medals", "space", "total"]
    assert [list(row) for row in scores] == [keys] * 4
    assert [list(row.values()) for row in scores] == [
        [3, 6, 21, 0, 9, 0, 0, 0, 39],
        [9, 0, 0, 24, 0, 19, 6, 0, 58],
        [9, 0, 0, 0, 0, 0, 3, -20, -8],
        [0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert game.winners() == [1]


def test_sm66_space_tile_with_the_penalty() -> None:
    game = position_of(
        "J1S2 S1L2 J2L2 J3L1",
        "J1S1",
        piles={FREEZER: "water medal space space"},
        actions_per_turn=3,
        space_tile_penalty=True,
    )
    play(game, [jump(0, FREEZER), scan(2)])
    assert game.legal() == expected("water medal space")
    play(game, [take("space")])
    state = game.snapshot()
    assert state["taken"][FREEZER] == [[0, "space"]] and state["supply"][0] == 18
    assert game.scores()[0]["space"] == 0  # only reserved
    play(game, [develop(0, 1), take("medal"), jump(0, FREEZER), DISCOVER, take("water")])
    state = game.snapshot()
    assert state["tiles"] == [["medal", "space"], ["water"]] and state["revealed"] == 1
    assert game.scores()[0]["space"] == -10 and game.scores()[0]["total"] == 9 + 3 + 3 - 10
    assert not legal_of(game, "discover")  # a face-up space tile is no tile to discover


def test_sm67_winners() -> None:
    assert winning_seats([10, 12, 12], [9, 0, 1]) == [2]
    assert winning_seats([12, 12, 12], [1, 0, 1]) == [0, 2]
    assert winning_seats([-3, -10], [0, 4]) == [0]
    game = position_of("J1S1", "J1S2")
    assert game.winners() == [0, 1]
    game._sites[0].station = 1  # 3 points by a station against 3 points by a medal
    game._pilots[0].tiles = ["medal"]
    assert [row["total"] for row in game.scores()] == [3, 3] and game.winners() == [1]


def test_wrong_set_ups_are_refused() -> None:
    rng = random.Random(1)
    good = random_setup(rng, 2, 5)
    rules = make_rules(2)
    OracleGame(2, rules, PLANETS, CARDS, good)
    for key, value in (
        ("ring", good["ring"][:7]),
        ("ring", ["Nowhere", *good["ring"][1:]]),
        ("piles", [["gold"], *good["piles"][1:]]),
        ("hands", good["hands"][:1]),
        ("hands", [["J9S9"], good["hands"][1]]),
        ("start_player", 2),
    ):
        with pytest.raises(ValueError):
            OracleGame(2, rules, PLANETS, CARDS, good | {key: value})
    with pytest.raises(ValueError):
        OracleGame(2, {**rules, "unknown": 1}, PLANETS, CARDS, good)
    with pytest.raises(ValueError):
        OracleGame(6, rules, PLANETS, CARDS, good)
    with pytest.raises(ValueError):
        OracleGame(2, rules, PLANETS, [*CARDS, card("J1S1") | {"scan": 2}], good)


def test_gate_points_against_a_literal_ranking() -> None:
    """SM-60 again, by handing out the ranks one after the other."""
    for size in (2, 3, 4, 5):
        for probes in product(range(4), repeat=size):
            points = [0] * size
            rank = 0
            for level in sorted(set(probes), reverse=True):
                tied = [seat for seat in range(size) if probes[seat] == level]
                for seat in tied:
                    points[seat] = (9, 6, 3, 1, 0)[rank]
                rank += len(tied)
            assert gate_points(probes, True) == points


def test_matter_and_colour_points_by_hand() -> None:
    for chosen in combinations_with_replacement(["matter_green", "matter_blue"], 5):
        pair = min(Counter(chosen)["matter_green"], Counter(chosen)["matter_blue"])
        assert matter_points(chosen.count("matter_green"), chosen.count("matter_blue")) == 3 * pair + 2 * 5
    assert colour_points([], TILE_NAMES[:4]) == 0
