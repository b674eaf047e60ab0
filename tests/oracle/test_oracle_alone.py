"""Tests of the oracle alone: random games with conservation checks, and hand-made positions."""

import random
from collections import Counter
from itertools import combinations

import pytest

from .positions import (
    CARDS,
    COLOURS,
    PLANETS,
    RANK,
    TILE_COUNTS,
    card,
    make_rules,
    no_shuffle,
    position_of,
    random_action,
    random_setup,
    shuffler,
    words,
)
from .space_mission_oracle import (
    OracleGame,
)

# ------------------------------------------------------------------------------------- random games


def check_state(
    state: dict, rules: dict, dealt: list[Counter], ids: Counter, rank: dict[str, int] = RANK
) -> None:
    """Check the invariants of a state from its snapshot."""
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
        if not rules["scan_face_up"]:  # with this option, a scan may have no look
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


@pytest.mark.parametrize("wrong", [[], ["J2S2", "J2S2"], ["J2S2", "J3S3", "J3S3"]])
def test_sm23_a_wrong_shuffle_is_refused(wrong: list[str]) -> None:
    game = position_of("J2S2 J3S3", "J1L1", draw="")
    with pytest.raises(ValueError):
        game.apply(0b11, lambda ids: wrong)


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
