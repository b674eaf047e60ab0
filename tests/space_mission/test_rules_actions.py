"""Tests the turn, the six actions and the tile picks (SM-20 to SM-46)."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

from spacemission_env.core.errors import IllegalActionError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.engine.constants import NOWHERE
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.support.pieces import missing_pieces
from tests.support.positions import (
    CALDERA,
    DUSKMERE,
    FREEZER,
    HAZARD,
    HEGGAR,
    IRONVALE,
    RING_NAMES,
    RUBY,
    TIDEFALL,
    card_index,
    discards,
    draw_pile,
    fields_that_differ,
    hand,
    legal,
    other_box,
    piece,
    pile,
    play,
    position,
    state_bytes,
    tiles,
    words,
)

PENALTY = Rules(space_tile_penalty=True)
NO_END = Rules(space_tiles_to_end=16)  # revealed space tiles do not end these games
PENALTY_NO_END = Rules(space_tile_penalty=True, space_tiles_to_end=16)
OPEN_SCANS = Rules(scan_face_up=True, space_tiles_to_end=16)
HERE = {0: FREEZER}  # the planet of seat 0's ship
NOT_A_PICK = {"top_up", "jump", "fly", "scan", "develop", "discover"}


def kinds_of(game: Game) -> set[str]:
    return {move.split()[0] for move in legal(game)}


# ---------------------------------------------------------------- the turn


def test_sm_20_two_actions_and_no_passing() -> None:
    game = position("J1S1", "J1S2", "J1S3")
    who = []
    for _ in range(6):
        who.append((game.player, int(game.states[0].actions_left)))
        assert kinds_of(game) <= NOT_A_PICK  # nothing else may be done, so nobody passes
        game.step(0)
    assert who == [(seat, left) for seat in range(3) for left in (2, 1)]


def test_sm_20_any_actions_in_any_order_also_the_same_twice() -> None:
    first = position("J1S1 J1S2", "", ships={0: IRONVALE})
    moves = ["jump Freezer J1S1", "jump Hazard J1S2", "fly Ruby Red", "top_up"]
    assert set(moves) < set(legal(first))
    for move in moves:
        for second in ("top_up", "fly"):
            game = first.clone()
            play(game, move)
            assert game.player == 0
            play(game, "top_up" if second == "top_up" else legal(game, "fly")[0])
            assert game.player == 1
    twice = first.clone()
    play(twice, "jump Freezer J1S1", "jump Hazard J1S2")
    assert twice.player == 1
    assert twice.states[0].ship[0] == HAZARD


def test_sm_20_a_tile_pick_is_part_of_its_action() -> None:
    game = position("J1S1 S1L2", "", ships=HERE, piles={FREEZER: "water*4 space*4"})
    play(game, "scan J1S1")
    assert game.player == 0
    assert game.states[0].actions_left == 1
    play(game, "take water")
    assert (game.player, game.phase) == (0, "action")
    play(game, "scan S1L2")  # the turn's last action: its pick is made before the next seat's turn
    assert (game.player, game.phase) == (0, "reserve")
    play(game, "take water")
    assert (game.player, game.phase) == (1, "action")
    assert game.states[0].actions_left == 2


@pytest.mark.parametrize("actions", [1, 3, 4])
def test_sm_20_option_actions_per_turn(actions: int) -> None:
    game = position("", "", rules=Rules(actions_per_turn=actions))
    who = []
    for _ in range(2 * actions):
        who.append(game.player)
        game.step(0)
    assert who == [0] * actions + [1] * actions


def test_sm_21_any_cards_may_be_discarded_before_drawing_to_five() -> None:
    cards = words("J1S1 J2S2 J3S3 J4S4 S1L1")
    following = words("J1L1 J1L2 J1L3 J1L4 J2L1 J2L2 J2L3")
    first = position(" ".join(cards), "", draw=" ".join(following))
    chosen = [set(subset) for size in range(6) for subset in combinations(cards, size)]
    assert [{*filter(None, move[7:].split("+"))} for move in legal(first, "top_up")] == sorted(
        chosen, key=lambda subset: sum(1 << cards.index(card) for card in subset)
    )
    for subset in chosen:
        game = first.clone()
        play(game, "top_up " + "+".join(card for card in cards if card in subset))
        kept = [card for card in cards if card not in subset]
        assert sorted(hand(game, 0)) == sorted(kept + following[: len(subset)])
        assert set(discards(game)) == subset
        assert draw_pile(game)[:2] == following[len(subset) : len(subset) + 2]  # from the top, in order


@pytest.mark.parametrize("size", range(6))
def test_sm_21_a_short_hand_is_filled_to_five(size: int) -> None:
    cards = words("J1S1 J2S2 J3S3 J4S4 S1L1")[:size]
    game = position(" ".join(cards), "", draw="J1L1 J1L2 J1L3 J1L4 J2L1")
    play(game, "top_up")
    assert sorted(hand(game, 0)) == sorted(cards + words("J1L1 J1L2 J1L3 J1L4 J2L1")[: 5 - size])
    assert hand(game, 1) == []


@pytest.mark.parametrize("hand_size", [1, 3, 4])
def test_sm_21_option_hand_size(hand_size: int) -> None:
    game = position("J1S1", "", draw="J2S1 J2S2 J2S3 J2S4", rules=Rules(hand_size=hand_size))
    play(game, "top_up")
    assert len(hand(game, 0)) == hand_size
    play(game, "top_up " + "+".join(hand(game, 0)))
    assert len(hand(game, 0)) == hand_size


def test_sm_21_a_hand_stays_sorted_in_the_order_of_the_file() -> None:
    game = position("J4S1 S4L4", "", draw="S1L1 J1S1 J?L2")
    play(game, "top_up")
    assert hand(game, 0) == words("J1S1 J4S1 J?L2 S1L1 S4L4")


def test_sm_22_an_empty_top_up_changes_nothing_but_the_turn() -> None:
    game = position("J1S1 J2S2 J3S3 J4S4 S1L1", "J1L1")
    before = game.clone()
    play(game, "top_up")
    assert fields_that_differ(game, before) == {"actions_left", "decisions", "last_kind"}
    assert game.states[0].last_cards[0, 0] == 0


@pytest.mark.parametrize("hand_size", [5, 3, 1])
def test_sm_22_option_empty_top_up_off(hand_size: int) -> None:
    rules = Rules(empty_top_up=False, hand_size=hand_size)
    cards = words("J1S1 J2S2 J3S3 J4S4 S1L1")[:hand_size]
    game = position(" ".join(cards), "", draw="J1L1", rules=rules)
    allowed = position(" ".join(cards), "", rules=replace(rules, empty_top_up=True))
    assert allowed.mask()[0] == 1
    assert game.mask().tolist() == [0, *allowed.mask().tolist()[1:]]  # nothing else changes
    before = state_bytes(game)
    with pytest.raises(IllegalActionError, match=r"full .*nothing is discarded .SM-22; option empty_top_up"):
        game.step(0)
    assert state_bytes(game) == before
    play(game, f"top_up {cards[0]}")  # a discard makes it a top-up
    assert hand(game, 0) == sorted([*cards[1:], "J1L1"], key=[*cards, "J1L1"].index) or hand_size > 1
    assert game.player == 0
    short = position(" ".join(cards[1:]), "", rules=rules)
    assert "top_up" in legal(short)  # there is room for a card
    play(short, "top_up")
    assert len(hand(short, 0)) == hand_size


def test_sm_22_with_identical_cards() -> None:
    box = other_box(1)
    same = next(card.id for card in box.cards if sum(card.id == other.id for other in box.cards) >= 5)
    for allowed in (True, False):
        game = position(f"{same}*5", "", components=box, rules=Rules(empty_top_up=allowed))
        top_ups = ["top_up", *("top_up " + "+".join([same] * count) for count in range(1, 6))]
        assert legal(game, "top_up") == top_ups[0 if allowed else 1 :]


@pytest.mark.parametrize("num_players", [2, 5])
def test_sm_22_a_legal_action_exists_with_the_option_off(num_players: int) -> None:
    # Full hands, no chip, all ships on the gate: a card can be discarded, and one drawn for it.
    rules = Rules(empty_top_up=False)
    cards = [card.id for card in Game(2).components.cards]
    hands = [" ".join(cards[5 * j : 5 * j + 5]) for j in range(num_players)]
    for rest in ("draw", "discard"):
        game = position(*hands, rest=rest, rules=rules, gate=[20] * num_players)
        assert len(legal(game)) == 31
        play(game, legal(game)[-1])  # all five
        assert len(hand(game, 0)) == 5


@pytest.mark.parametrize("empty_top_up", [True, False])  # not to be refused while the hand is not full
def test_sm_22_a_legal_action_always_exists(empty_top_up: bool) -> None:
    # Nothing is left to this player: no card, no chip, on the gate, nothing to draw.
    game = position("", "", gate=(20,), rules=Rules(empty_top_up=empty_top_up))
    game.states[0].draw_size = 0
    assert legal(game) == ["top_up"]
    play(game, "top_up")
    assert legal(game) == ["top_up"]


# ---------------------------------------------------------------- SM-23: the draw pile


def test_sm_23_formed_anew_in_the_middle_of_a_top_up() -> None:
    cards = words("J1S1 J2S2 J3S3 J4S4 S1L1")
    orders = set()
    for seed in range(5):
        game = position(" ".join(cards), "J1L1", draw="J1L4", rest="discard", seed=seed)
        before = discards(game)
        play(game, "top_up J1S1+J2S2+J3S3")
        formed = game.last_shuffle()
        # The shuffle includes the discards of this top-up, but not the card drawn before.
        assert sorted(formed) == sorted([*before, "J1S1", "J2S2", "J3S3"])
        assert sorted(hand(game, 0)) == sorted(["J4S4", "S1L1", "J1L4", *formed[:2]])
        assert draw_pile(game) == formed[2:]
        assert discards(game) == []
        assert game.states[0].discard_size == 0
        assert game.states[0].shuffles == 1
        assert missing_pieces(game) is None
        orders.add(tuple(formed))
    assert len(orders) == 5  # each seed shuffles in its own way


def test_sm_23_formed_anew_at_the_moment_the_last_card_is_drawn() -> None:
    game = position("J1S1 J2S2 J3S3", "J1L1", draw="J1L3 J1L4", rest="discard")
    before = discards(game)
    play(game, "top_up")
    assert hand(game, 0) == words("J1S1 J2S2 J3S3 J1L3 J1L4")
    assert sorted(draw_pile(game)) == sorted(before)
    assert draw_pile(game) not in (before, before[::-1])  # not just turned over
    assert discards(game) == []


def test_sm_23_not_formed_before_the_last_card_is_drawn() -> None:
    game = position("J1S1 J2S2 J3S3", "J1L1", draw="J1L3 J1L4 S1L1", rest="discard")
    before = discards(game)
    play(game, "top_up")
    assert draw_pile(game) == ["S1L1"]
    assert discards(game) == before
    assert game.states[0].shuffles == 0


def without_other_cards(*hands: str, draw: str = "", discarded: str = "", seed: int = 1) -> Game:
    """A game without the unnamed cards, since with all sixty cards both piles are never empty."""
    game = position(*hands, draw=draw, seed=seed)
    s = game.states[0]
    faces = [card_index(game, name) for name in words(draw)]
    s.draw[: len(faces)] = faces[::-1]
    s.draw_size = len(faces)
    for name in words(discarded):
        s.discard[card_index(game, name)] += 1
    s.discard_size = len(words(discarded))
    return game


def test_sm_23_where_the_discard_pile_is_empty_it_waits_for_the_next_draw() -> None:
    game = without_other_cards("J1S1 J2S2", "J3S3", draw="J4S4")
    play(game, "top_up")
    assert hand(game, 0) == words("J1S1 J2S2 J4S4")  # two fewer than five
    assert game.states[0].shuffles == 0
    play(game, "jump Freezer J1S1")
    assert draw_pile(game) == []  # a card on the discard pile alone forms no pile
    assert discards(game) == ["J1S1"]
    play(game, "top_up")
    assert hand(game, 1) == words("J1S1 J3S3")
    assert game.states[0].shuffles == 1
    assert discards(game) == []


def test_sm_23_both_piles_empty_the_player_draws_fewer() -> None:
    game = without_other_cards("J1S1", "J3S3")
    play(game, "top_up")
    assert hand(game, 0) == ["J1S1"]
    assert game.states[0].shuffles == 0


def test_sm_23_every_order_of_the_new_pile_occurs() -> None:
    orders: Counter[tuple[str, ...]] = Counter()
    for seed in range(60):
        full = "J1S1 J1S3 J1S4 J2S4"
        game = without_other_cards(full, "", draw="J1S2", discarded="J2S1 J2S2 J2S3", seed=seed)
        play(game, "top_up")
        orders[tuple(draw_pile(game))] += 1
    assert set(orders) == set(permutations(words("J2S1 J2S2 J2S3")))
    assert min(orders.values()) >= 3


def test_sm_23_a_recorded_shuffle_is_used_where_one_is_given() -> None:
    game = position("J1S1 J2S2 J3S3", "J1L1", draw="J1L3 J1L4", rest="discard")
    order = discards(game)[::2] + discards(game)[1::2]
    game.step(0, np.array([card_index(game, name) for name in order], np.int8))
    assert draw_pile(game) == order
    assert game.last_shuffle() == order


# ---------------------------------------------------------------- jump and fly


@pytest.mark.parametrize("where", [None, CALDERA])
def test_sm_24_jump(where: int | None) -> None:
    game = position("J1S1 J2S2", "", ships={} if where is None else {0: where}, gate=(3, 1))
    before = game.clone()
    planets = ["Freezer", "Hazard", *(["Caldera"] if where is None else [])]
    assert {move for move in legal(game, "jump") if "J1S1" in move} == {f"jump {p} J1S1" for p in planets}
    play(game, "jump Hazard J1S1")
    assert game.states[0].ship.tolist()[:2] == [HAZARD, NOWHERE]
    assert game.states[0].gate.tolist()[:2] == [4, 1]
    assert game.states[0].supply.tolist()[:2] == [16, 19]
    assert hand(game, 0) == ["J2S2"]
    assert discards(game) == ["J1S1"]
    changed = "ship gate supply hand hand_epoch hand_size discard discard_size actions_left decisions"
    noted = {"last_kind", "last_cards", *(["last_from"] if where is not None else [])}  # from the gate: none
    assert fields_that_differ(game, before) == set(changed.split()) | noted


@pytest.mark.parametrize("where", range(8))
def test_sm_24_a_joker_jumps_to_any_other_planet(where: int) -> None:
    game = position("J?S1", "", ships={0: where})
    others = [name for p, name in enumerate(RING_NAMES) if p != where]
    assert legal(game, "jump") == [f"jump {name} J?S1" for name in others]
    assert legal(position("J?S1", ""), "jump") == [f"jump {name} J?S1" for name in RING_NAMES]


@pytest.mark.parametrize("where", range(8))
def test_sm_25_fly_to_a_ring_neighbour(where: int) -> None:
    first = position("J1S1", "", ships={0: where, 1: FREEZER})
    after, before = RING_NAMES[(where + 1) % 8], RING_NAMES[(where - 1) % 8]
    assert set(legal(first, "fly")) == {f"fly {after}", f"fly {before}"}
    for name in (after, before):
        game = first.clone()
        play(game, f"fly {name}")
        assert RING_NAMES[game.states[0].ship[0]] == name
        noted = {"last_kind", "last_from"}
        assert (
            fields_that_differ(game, first) == {"ship", "actions_left", "decisions"} | noted
        )  # no card, no probe


def test_sm_26_other_actions_need_a_planet() -> None:
    game = position("S?L1 S?L3 J1L? J3L?", "", taken={p: "0:water" for p in range(8)})
    assert kinds_of(game) == {"top_up", "jump"}
    assert kinds_of(position("S?L1 J1L?", "", stations={p: 0 for p in range(8)})) == {"top_up", "jump"}


@pytest.mark.parametrize("where", range(8))
@pytest.mark.parametrize("seat", [0, 1])
def test_sm_26_only_the_planet_of_the_own_ship(seat: int, where: int) -> None:
    """Scan, develop and discover change the planet of the own ship and no other."""
    others = [p for p in range(8) if p != where]
    ships = {seat: where, 1 - seat: (where + 1) % 8}
    hands = ["", ""]
    hands[seat] = "S?L1 J1L? J3L?"
    scanned = {p: f"{seat}:water" for p in range(8)}
    game = position(*hands, ships=ships, taken=scanned, start=seat)
    before = game.clone().states[0]
    play(game, "scan S?L1")
    play(game, legal(game, "take")[0])
    s = game.states[0]
    assert s.taken[where] == 2
    assert s.taken[others].tolist() == [1] * 7
    assert (s.pile[others] == before.pile[others]).all()
    play(game, "develop J1L?+J3L?")
    play(game, legal(game, "take")[0])
    assert [p for p in range(8) if s.station[p] != NOWHERE] == [where]
    assert s.reserved.sum(0).tolist() == [0 if p == where else 1 for p in range(8)]
    assert (s.pile[others] == before.pile[others]).all()
    # A neighbour with a station does not make the own planet discoverable.
    game = position("", "", ships=ships, stations={p: seat for p in others}, start=seat)
    assert legal(game, "discover") == []
    game = position("", "", ships=ships, stations={where: 1 - seat}, start=seat)
    play(game, "discover", *legal_first_take(game))
    assert game.states[0].taken.tolist() == [1 if p == where else 0 for p in range(8)]


def legal_first_take(game: Game) -> list[str]:
    """The first legal pick after `discover`, found on a copy."""
    copy = game.clone()
    play(copy, "discover")
    return legal(copy, "take")[:1]


# ---------------------------------------------------------------- cards played and chips


def test_sm_27_cards_played_and_discarded_lie_open() -> None:
    cards = "J1S1 S1L2 J2L1 J3L2 J4L4"
    game = position(cards, "J2S1 J2S2", "J3S1", draw="J1S2", piles={FREEZER: "water*8"})
    play(game, "jump Freezer J1S1", "scan S1L2", "take water")
    play(game, "top_up J2S1", "top_up")
    play(game, "top_up", "top_up")
    play(game, "develop J2L1+J3L2", "take water")
    assert discards(game) == words("J1S1 J2S1 J2L1 J3L2 S1L2")
    for seat in range(3):
        shown = np.flatnonzero(piece(game, seat, "discard"))
        assert [game.components.cards[i].id for i in shown] == discards(game)


def test_sm_27_the_discard_pile_is_hidden_again_once_shuffled() -> None:
    game = position("J1S1 J2S2 J3S3", "J1L1", draw="J1L3 J1L4", rest="discard")
    assert piece(game, 1, "discard").sum() == len(discards(game)) == 54
    play(game, "top_up")
    assert piece(game, 1, "discard").sum() == 0
    assert round(float(piece(game, 1, "draw_pile_size")[0]) * 60) == 54


def test_sm_28_jump_scan_and_develop_need_a_chip() -> None:
    hands = "J1S1 J1L? J3L?"
    with_chip = position(hands, "", ships=HERE, taken={FREEZER: "0:water"}, gate=(18,))
    assert kinds_of(with_chip) == {"top_up", "jump", "fly", "scan", "develop"}
    without = position(hands, "", ships=HERE, taken={FREEZER: "0:water"}, gate=(19,))
    assert without.states[0].supply[0] == 0
    # Develop, although its own probe would return first (SM-41).
    assert kinds_of(without) == {"top_up", "fly"}
    for action in (32 + HAZARD, 74, 79 + 7):
        with pytest.raises(IllegalActionError):
            without.step(action)


def test_sm_28_fly_discover_and_top_up_need_none() -> None:
    game = position("J1S1", "", ships=HERE, stations={FREEZER: 1}, gate=(20,))
    assert kinds_of(game) == {"top_up", "fly", "discover"}
    play(game, "discover", *legal_first_take(game))
    assert len(tiles(game, 0)) == 1


def test_sm_28_the_last_chip_may_be_used() -> None:
    game = position("J1S1 S1L2", "", ships=HERE, gate=(19,))
    play(game, "scan J1S1", legal_after(game, "scan J1S1"))
    assert game.states[0].supply[0] == 0
    assert legal(game, "scan") == []
    developing = position("J1L? J3L?", "", ships=HERE, taken={FREEZER: "0:water"}, gate=(18,))
    play(developing, "develop J1L?+J3L?")
    assert developing.states[0].supply[0] == 1  # the station took the last, the own probe came back


def legal_after(game: Game, move: str) -> str:
    """The first legal pick after a move, found on a copy."""
    copy = game.clone()
    play(copy, move)
    return legal(copy, "take")[0]


def test_sm_28_a_scan_needs_a_chip_also_where_only_space_tiles_lie() -> None:
    hidden = [{FREEZER: "space*8"}, {FREEZER: "water*8"}]
    masks = [
        position("J1S1", "", ships=HERE, gate=(gate,), piles=pile_).mask().tolist()
        for gate in (20, 19)
        for pile_ in hidden
    ]
    assert masks[0] == masks[1]  # without a chip; the legal moves do not reveal the pile
    assert masks[2] == masks[3]
    assert masks[0][74] == 0
    assert masks[2][74] == 1


def test_sm_28_option_chips_per_player() -> None:
    game = position("J1S1 J2S2", "", rules=Rules(chips_per_player=1))
    play(game, "jump Freezer J1S1")
    assert legal(game, "jump") == []


# ---------------------------------------------------------------- scan


def test_sm_30_the_card_shows_the_scan_number_or_a_joker() -> None:
    game = position("J1S1 J1S2 J2S? S2L1 S?L1", "", ships={0: HAZARD})
    assert legal(game, "scan") == ["scan J1S2", "scan J2S?", "scan S2L1", "scan S?L1"]
    play(game, "scan S2L1")
    assert discards(game) == ["S2L1"]
    assert hand(game, 0) == words("J1S1 J1S2 J2S? S?L1")


def test_sm_31_the_player_sees_the_pile_and_reserves_a_point_tile() -> None:
    game = position(
        "J1S1", "", "", ships=HERE, piles={FREEZER: "water*2 medal*3 alien_blue space*2"}, gate=(2,)
    )
    play(game, "scan J1S1")
    assert game.phase == "reserve"
    assert game.player == 0
    assert legal(game) == ["take alien_blue", "take water", "take medal"]  # no space tile
    seen = piece(game, 0, "pile_in_view") * 8
    assert seen.tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 2, 3, 2]
    for seat in (1, 2):
        assert not piece(game, seat, "pile_in_view").any()
    play(game, "take medal")
    s = game.states[0]
    assert pile(game, FREEZER) == words("alien_blue water*2 medal*2 space*2")
    assert s.reserved[:3, FREEZER].tolist() == [1, 0, 0]
    assert s.supply[:3].tolist() == [17, 20, 20]  # marked with a probe
    assert s.scanned[:3, FREEZER].tolist() == [1, 0, 0]
    assert tiles(game, 0) == []  # reserved, not received
    assert not s.face_up.any()
    assert s.station[FREEZER] == NOWHERE


def test_sm_31_no_space_tile_is_reserved_without_the_option() -> None:
    for rules, allowed in (("printed", False), ("yucata", False), (PENALTY, True)):
        game = position("J1S1", "", ships=HERE, piles={FREEZER: "water space*7"}, rules=rules)
        play(game, "scan J1S1")
        assert ("take space" in legal(game)) == allowed


def test_sm_32_a_planet_may_be_scanned_repeatedly() -> None:
    game = position(
        "J1S1 S1L1", "J?S1 S1L2", ships={0: FREEZER, 1: FREEZER}, piles={FREEZER: "water*4 medal*4"}
    )
    play(game, "scan J1S1", "take water", "scan S1L1", "take water")
    play(game, "scan J?S1", "take medal", "scan S1L2", "take medal")
    s = game.states[0]
    assert s.reserved[:2, FREEZER].tolist() == [2, 2]
    assert s.supply[:2].tolist() == [18, 18]
    assert pile(game, FREEZER) == words("water*2 medal*2")


@pytest.mark.parametrize("developer", [0, 1])
def test_sm_32_every_reserved_tile_is_received_whoever_develops(developer: int) -> None:
    game = position(
        "J2L1 J3L2",
        "J4L1 J?L2",
        taken={FREEZER: "0:water 1:medal 0:alien_blue 1:medal"},
        piles={FREEZER: "matter_blue*2 space*2"},
        ships={developer: FREEZER},
        player=developer,
        start=developer,
    )
    play(game, "develop J2L1+J3L2" if developer == 0 else "develop J4L1+J?L2", "take matter_blue")
    own = ["matter_blue"]
    assert tiles(game, 0) == words("alien_blue") + own * (developer == 0) + ["water"]
    assert tiles(game, 1) == own * (developer == 1) + words("medal*2")
    s = game.states[0]
    assert not s.reserved.any()
    assert s.supply[:2].tolist() == [20 - (developer == 0), 20 - (developer == 1)]


@pytest.mark.parametrize("rules", [NO_END, PENALTY_NO_END], ids=["printed", "penalty"])
def test_sm_34_a_pile_of_only_space_tiles_is_turned_up_by_a_scan(rules: Rules) -> None:
    game = position("J1S1 J2L1 J3L2", "", ships=HERE, piles={FREEZER: "space*8"}, rules=rules, gate=(1,))
    play(game, "scan J1S1")
    s = game.states[0]
    assert (game.player, game.phase, int(s.actions_left)) == (0, "action", 1)  # no pick, the action is spent
    assert s.face_up[FREEZER] == 1
    assert s.revealed == 8
    assert not s.reserved.any()
    assert s.supply[0] == 19
    assert discards(game) == ["J1S1"]
    assert s.scanned[0, FREEZER] == 1
    assert legal(game, "develop") == ["develop J2L1+J3L2"]  # the scan has taken place (SM-40)
    play(game, "develop J2L1+J3L2")
    assert s.station[FREEZER] == 0


def test_sm_35_nothing_to_look_for() -> None:
    cards = "J1S1 S1L2 J1L1"
    empty = position(cards, "", ships=HERE, taken={FREEZER: "1:water*8"})
    assert legal(empty, "scan") == []
    open_ = position(cards, "", ships=HERE, piles={FREEZER: "space*8"}, face_up=[FREEZER], rules=NO_END)
    assert open_.states[0].face_up[FREEZER] == 1
    assert legal(open_, "scan") == []
    for game in (empty, open_):
        with pytest.raises(IllegalActionError, match=r"nothing to look for .*SM-35; option scan_face_up"):
            game.step(74 + hand(game, 0).index("J1S1"))
    face_down = position(cards, "", ships=HERE, piles={FREEZER: "space*8"}, rules=NO_END)
    assert legal(face_down, "scan") == ["scan J1S1", "scan S1L2"]  # nobody knows yet


def nothing_to_look_for(rules: Rules) -> list[Game]:
    """Seat 0 on Freezer, whose pile is used up, or open after a scan, or open after a take."""
    tables = (
        {"taken": {FREEZER: "1:water*8"}},
        {"piles": {FREEZER: "space*8"}, "face_up": [FREEZER]},
        {"piles": {FREEZER: "space*6"}, "taken": {FREEZER: "1:water*2"}},
    )
    return [position("J1S1 S1L2 J1L1 S2L2", "", ships=HERE, rules=rules, **table) for table in tables]


def test_sm_35_option_scan_face_up() -> None:
    for game, without in zip(nothing_to_look_for(OPEN_SCANS), nothing_to_look_for(NO_END), strict=True):
        assert legal(game, "scan") == ["scan J1S1", "scan S1L2"]  # its scan number is 1
        legal_elsewhere = [move for move in legal(game) if not move.startswith("scan")]
        assert legal_elsewhere == legal(without)
        with pytest.raises(IllegalActionError, match="does not show the planet's coordinates"):
            game.step(74 + hand(game, 0).index("S2L2"))
        before = game.clone()
        play(game, "scan S1L2")
        assert (game.player, game.phase, game.states[0].actions_left) == (0, "action", 1)  # no pick
        assert discards(game) == ["S1L2"]
        changed = "hand hand_epoch hand_size discard discard_size actions_left decisions scanned"
        noted = "last_kind last_cards last_from"
        assert fields_that_differ(game, before) == {*changed.split(), *noted.split()}  # no chip, look or tile
        assert game.states[0].scanned[0, FREEZER] == 1
        assert missing_pieces(game) is None


def test_sm_35_option_scan_face_up_counts_as_a_scan() -> None:
    for game in nothing_to_look_for(OPEN_SCANS):
        assert legal(game, "develop") == []
        play(game, "scan J1S1")
        assert legal(game, "develop") == ["develop J1L1+S1L2", "develop J1L1+S2L2"]  # SM-40
        play(game, "develop J1L1+S2L2")
        assert game.states[0].station[FREEZER] == 0
        assert game.phase == "action"  # SM-42
        assert tiles(game, 0) == []


def test_sm_35_option_scan_face_up_leaves_other_scans_alone() -> None:
    game = position("J1S1", "", ships=HERE, piles={FREEZER: "medal water space*6"}, rules=OPEN_SCANS)
    play(game, "scan J1S1")
    assert legal(game) == ["take water", "take medal"]
    hidden = position("J1S1", "", ships=HERE, piles={FREEZER: "space*8"}, rules=OPEN_SCANS)
    play(hidden, "scan J1S1")  # SM-34
    assert hidden.states[0].face_up[FREEZER] == 1
    assert hidden.states[0].looked[0, FREEZER] == 0


# ---------------------------------------------------------------- what all see a player do


def test_sm_70_the_last_two_actions_of_each_player() -> None:
    cards = "J1S1 J2S2 J3S3"
    game = position(cards, "J1L1", ships={0: CALDERA, 1: HAZARD}, rules=Rules(actions_per_turn=3))
    play(game, "fly Hazard", "jump Freezer J1S1", "top_up J2S2+J3S3")
    kinds = ("top_up", "jump", "fly", "scan", "develop", "discover")
    for seat, k in ((0, 0), (1, 1)):
        marks = piece(game, seat, "last_actions")[k]
        assert [kinds[row.argmax()] for row in marks] == ["top_up", "jump"]  # latest first
        assert marks.sum() == 2
        assert (piece(game, seat, "last_cards")[k] * 5).round().tolist() == [2, 1]
        assert piece(game, seat, "last_from")[k].tolist() == [1, *[0] * 7]  # from Freezer
        assert not piece(game, seat, "last_actions")[1 - k].any()
    play(game, "top_up", "fly Caldera", "fly Hazard")
    assert [kinds[row.argmax()] for row in piece(game, 0, "last_actions")[1]] == ["fly", "fly"]
    assert (piece(game, 0, "last_cards")[1] == 0).all()
    assert piece(game, 0, "last_from")[1].argmax() == CALDERA


def test_sm_70_a_tile_pick_is_part_of_its_action() -> None:
    game = position("J1S1 S1L1", "", ships=HERE, piles={FREEZER: "water*2 medal*2 space*4"})
    play(game, "scan J1S1", "take water", "scan S1L1", "take medal")
    assert piece(game, 1, "last_actions")[1, :, 3].tolist() == [1, 1]
    assert (piece(game, 1, "last_cards")[1] * 5).round().tolist() == [1, 1]


# ---------------------------------------------------------------- develop


@pytest.mark.parametrize(
    ("cards", "where", "pairs"),
    [
        ("J2L1 J3L2", FREEZER, ["J2L1 J3L2"]),
        ("J1L2 J4L1", FREEZER, ["J1L2 J4L1"]),  # in either order
        ("J1L1 J2L1", FREEZER, []),
        ("J1L3 J2L4", FREEZER, []),
        ("J1L2 J1L?", FREEZER, ["J1L2 J1L?"]),  # a joker for one of them
        ("J2L1 J3L?", FREEZER, ["J2L1 J3L?"]),
        ("J1L3 J1L?", FREEZER, []),
        ("J1L? J3L?", FREEZER, ["J1L? J3L?"]),  # two jokers
        ("S2L? S4L?", DUSKMERE, ["S2L? S4L?"]),
        ("J1S1 J2L2", FREEZER, []),  # a card without a landing coordinate
        ("J?S1 S?L1", FREEZER, []),  # jokers of other colours do not land
        ("J1L2 S1L4", IRONVALE, ["J1L2 S1L4"]),
        ("J1L3 J1L4 S2L3 S4L?", HAZARD, ["J1L3 J1L4", "J1L3 S4L?", "J1L4 S2L3", "J1L4 S4L?", "S2L3 S4L?"]),
        ("J1L2", FREEZER, []),
    ],
)
def test_sm_40_two_cards_serve_the_two_landing_numbers(cards: str, where: int, pairs: list[str]) -> None:
    game = position(cards, "", ships={0: where}, taken={where: "0:water"})
    assert legal(game, "develop") == [f"develop {pair.replace(' ', '+')}" for pair in pairs]


def test_sm_41_cards_station_reserved_tiles_then_a_tile_of_choice() -> None:
    game = position(
        "J1S1 J2L1 J3L2",
        "J1S2",
        "",
        ships=HERE,
        taken={FREEZER: "1:water 0:medal 2:medal 1:alien_brown", HAZARD: "1:water"},
        piles={FREEZER: "matter_blue matter_green space*2"},
        gate=(5, 0, 3),
    )
    s = game.states[0]
    assert s.supply[:3].tolist() == [14, 17, 16]
    play(game, "develop J2L1+J3L2")
    # Before the pick: all else is done.
    assert (game.player, game.phase) == (0, "develop")
    assert discards(game) == words("J2L1 J3L2")
    assert hand(game, 0) == ["J1S1"]
    assert s.station.tolist() == [0] + [NOWHERE] * 7
    assert [tiles(game, seat) for seat in range(3)] == [["medal"], words("alien_brown water"), ["medal"]]
    assert s.reserved[:3, FREEZER].tolist() == [0, 0, 0]
    assert s.supply[:3].tolist() == [14, 19, 17]  # 14: one chip out for the station, one probe back
    assert s.reserved[1, HAZARD] == 1  # other planets keep theirs
    assert legal(game) == ["take matter_green", "take matter_blue"]
    assert (piece(game, 0, "pile_in_view") * 8).tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 2]
    assert not piece(game, 1, "pile_in_view").any()
    play(game, "take matter_green")
    assert tiles(game, 0) == words("matter_green medal")
    assert pile(game, FREEZER) == words("matter_blue space*2")
    assert s.face_up[FREEZER] == 0
    assert s.gate[:3].tolist() == [5, 0, 3]
    assert s.supply[:3].tolist() == [14, 19, 17]
    assert (game.player, game.phase, int(s.actions_left)) == (0, "action", 1)


@pytest.mark.parametrize(
    ("taken", "left", "rules", "received"),
    [
        ("0:water 1:medal*6 0:water", "", NO_END, ("water*2", "medal*6")),
        ("0:water", "space*7", NO_END, ("water", "")),
        ("0:water", "space*7", PENALTY_NO_END, ("water", "")),
    ],
)
def test_sm_42_develop_where_nothing_can_be_taken(
    taken: str, left: str, rules: Rules, received: tuple[str, str]
) -> None:
    lying = {FREEZER: left} if left else {}
    game = position("J2L1 J3L2", "", ships=HERE, taken={FREEZER: taken}, piles=lying, rules=rules)
    revealed = len(words(left))
    assert game.states[0].revealed == revealed
    play(game, "develop J2L1+J3L2")
    assert (game.phase, int(game.states[0].actions_left)) == ("action", 1)
    assert game.states[0].station[FREEZER] == 0
    assert [tiles(game, seat) for seat in range(2)] == [words(text) for text in received]
    assert game.states[0].revealed == revealed  # not counted twice
    assert pile(game, FREEZER) == words(left)


def test_sm_43_nor_twice_in_one_turn() -> None:
    game = position("J2L1 J3L2 J1L? J3L?", "", ships=HERE, taken={FREEZER: "0:water"})
    play(game, "develop J2L1+J3L2", legal_after(game, "develop J2L1+J3L2"))
    assert legal(game, "develop") == []
    assert game.states[0].station[FREEZER] == 0


# ---------------------------------------------------------------- discover and revealed piles


@pytest.mark.parametrize("developer", [0, 1])
def test_sm_45_discover_on_a_developed_planet_whoever_developed_it(developer: int) -> None:
    game = position(
        "J1S1", "", ships=HERE, stations={FREEZER: developer}, piles={FREEZER: "water medal*5 space*2"}
    )
    before = game.clone()
    assert legal(game, "discover") == ["discover"]
    play(game, "discover")
    assert (game.player, game.phase) == (0, "discover")
    assert legal(game) == ["take water", "take medal"]  # it must take one, and a point tile
    assert (piece(game, 0, "pile_in_view") * 8).tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 1, 5, 2]
    play(game, "take water")
    assert tiles(game, 0) == ["water"]
    assert hand(game, 0) == ["J1S1"]  # no card
    assert (game.states[0].supply == before.states[0].supply).all()  # no chip
    assert not game.states[0].reserved.any()
    assert not game.states[0].scanned[0, FREEZER] or developer == 0
    assert (game.player, int(game.states[0].actions_left)) == (0, 1)


def last_point_tile(kind_of_pick: str, left: str, rules: Rules = NO_END) -> Game:
    """A game at a pick of this kind on Freezer with the tiles `left` in the pile."""
    gone = words("mineral_red*4 alien_blue*4")[: 8 - len(words(left))]
    cards, first = {
        "reserve": ("J1S1", "scan J1S1"),
        "develop": ("J2L1 J3L2", "develop J2L1+J3L2"),
        "discover": ("", "discover"),
    }[kind_of_pick]
    game = position(
        cards,
        "",
        ships=HERE,
        stations={FREEZER: 1} if kind_of_pick == "discover" else {},
        scanned={0: [FREEZER]} if kind_of_pick == "develop" else {},
        taken={FREEZER: " ".join(f"1:{name}" for name in gone)},
        piles={FREEZER: left},
        rules=rules,
    )
    play(game, first)
    assert game.phase == kind_of_pick
    return game


@pytest.mark.parametrize("kind_of_pick", ["reserve", "develop", "discover"])
@pytest.mark.parametrize(
    ("left", "tile", "revealed"),
    [("water space*3", "water", 3), ("water medal space*3", "medal", 0), ("water", "water", 0)],
    ids=["only space tiles", "a point tile is left", "emptied"],
)
def test_sm_46_only_space_tiles_are_turned_up(kind_of_pick: str, left: str, tile: str, revealed: int) -> None:
    game = last_point_tile(kind_of_pick, left)
    assert game.states[0].revealed == 0
    play(game, f"take {tile}")
    assert game.states[0].face_up.tolist() == [revealed > 0] + [0] * 7
    assert game.states[0].revealed == revealed
    assert len(pile(game, FREEZER)) == len(words(left)) - 1
    for seat in (0, 1):
        assert (piece(game, seat, "face_up") * 8).tolist() == [revealed] + [0] * 7


def test_sm_46_with_the_penalty_option_a_space_tile_may_go_first() -> None:
    game = last_point_tile("discover", "water space*3", PENALTY_NO_END)
    play(game, "take space")
    assert game.states[0].face_up[FREEZER] == 0  # the water is still there
    play(game, "discover", "take water")
    assert game.states[0].face_up[FREEZER] == 1
    assert game.states[0].revealed == 2


# ---------------------------------------------------------------- illegal moves

# Rule and case; cards of seat 0, table, refused action, message.
REFUSED: dict[str, tuple[str, Json, int, str]] = {
    "sm_24 where the ship is": ("J1S1", {"ships": HERE}, 32 + FREEZER, "SM-24"),
    **{
        f"sm_25 from the gate, {action}": (
            "J1S1 J2L1 J3L2",
            {"ships": {1: FREEZER}},
            action,
            "the ship is on the jump gate",
        )
        for action in (72, 74, 79, 89)
    },
    "sm_28 no chip": ("J1S1 J1L1", {"gate": (20,)}, 32, "no chip is left in the supply"),
    "sm_30 developed by itself": (
        "J1S1",
        {"ships": HERE, "stations": {FREEZER: 0}},
        74,
        "is developed",
    ),
    "sm_30 developed by another": (
        "J1S1",
        {"ships": HERE, "stations": {FREEZER: 1}},
        74,
        "is developed",
    ),
    "sm_35 option, developed": (
        "J1S1",
        {"ships": HERE, "taken": {FREEZER: "1:water*8"}, "stations": {FREEZER: 1}, "rules": OPEN_SCANS},
        74,
        "the planet is developed .SM-30",
    ),
    "sm_35 option, no chip": (
        "J1S1",
        {"ships": HERE, "taken": {FREEZER: "1:water*8"}, "gate": (20,), "rules": OPEN_SCANS},
        74,
        "no chip is left in the supply .*SM-28",
    ),
    "sm_40 never scanned": ("J2L1 J3L2", {"ships": HERE}, 79, "player has not scanned the planet .*SM-40"),
    "sm_40 scanned by another": ("J2L1 J3L2", {"ships": HERE, "taken": {FREEZER: "1:water"}}, 79, "SM-40"),
    "sm_40 scanned elsewhere": ("J2L1 J3L2", {"ships": HERE, "taken": {HAZARD: "0:water"}}, 79, "SM-40"),
    **{
        f"sm_43 developed by {seat}": (
            "J2L1 J3L2 J1L?",
            {"ships": HERE, "stations": {FREEZER: seat}, "taken": {FREEZER: "0:water 1:medal"}},
            79,
            "the planet is developed",
        )
        for seat in (0, 1)
    },
    "sm_45 undeveloped": (
        "J1S1",
        {"ships": HERE, "taken": {FREEZER: "0:water"}, "stations": {HAZARD: 0}},
        89,
        "the planet is not developed .*SM-45",
    ),
    **{
        f"sm_45 {what}": ("", {"ships": HERE, "stations": {FREEZER: 0}, **table}, 89, "SM-45")
        for what, table in {
            "used up": {"taken": {FREEZER: "1:water*8"}},
            "only space": {"taken": {FREEZER: "1:water*3"}, "piles": {FREEZER: "space*5"}},
            "only space, penalty": {
                "taken": {FREEZER: "1:water*3"},
                "piles": {FREEZER: "space*5"},
                "rules": PENALTY,
            },
        }.items()
    },
}


@pytest.mark.parametrize(("cards", "table", "action", "said"), REFUSED.values(), ids=REFUSED)
def test_sm_24_to_45_refused(cards: str, table: Json, action: int, said: str) -> None:
    game = position(cards, "", **table)
    kind = kind_of(action)
    if kind == "jump":
        assert not game.mask()[action]
    else:
        assert legal(game, kind) == []  # with any card
    with pytest.raises(IllegalActionError, match=said):
        game.step(action)


REASONS = {  # of some moves while a tile is picked, and while not
    True: dict.fromkeys((0, 72), "a tile has to be picked now")
    | {99: "no medal tile may be taken", 100: "no space tile may be taken"},
    False: dict.fromkeys((8, 64), "the hand has only 2 cards")
    | dict.fromkeys((35, 75), "the card does not show the planet's coordinates")
    | {32: "the ship is already there", 98: "there is no tile pick now"},
}


@pytest.mark.parametrize("picking", [False, True])
def test_an_illegal_move_is_refused_and_changes_nothing(picking: bool) -> None:
    table: Json = {"taken": {HEGGAR: "1:water"}, "piles": {FREEZER: "water*6 space*2"}}
    game = position("J1S1 J2L1", "J1S2", ships=HERE, stations={RUBY: 1}, **table)
    if picking:
        play(game, "scan J1S1")
    before = state_bytes(game)
    allowed = set(game.legal_actions())
    for action in range(101):
        if action in allowed:
            continue
        reason = REASONS[picking].get(action, "")
        with pytest.raises(IllegalActionError, match=f"player_0: action {action} .*{reason}"):
            game.step(action)
        assert state_bytes(game) == before
    assert legal(game, "take" if picking else "fly") != []
    assert TIDEFALL not in np.flatnonzero(game.states[0].taken)
