"""Plain-Python Planet Hexx, by rule: set-up, turns, declaring, what is known."""

from __future__ import annotations

from .planet_hexx.cards import FILES, TYPES, shipped
from .planet_hexx.chance import Chance
from .planet_hexx.moves import BRANCH, DISCARD, FLY, PASS, PLAY
from .planet_hexx.situations import Situation
from .planet_hexx.table import Table
from .planet_hexx_oracle import HexxOracle

SIX_SPACES = ["lot_of_nothing"] * 3 + ["starry_deep"] * 3

# ---------------------------------------------------------------------- set-up


def test_hx1_files_are_dealt_and_sides_chosen_before_hands() -> None:
    game = HexxOracle(4, 3, {})
    assert len({seat.file for seat in game.table.seats}) == 4
    for number in range(4):
        assert game.to_act == number and game.legal() == [BRANCH, BRANCH + 1]
        assert not any(seat.hand for seat in game.table.seats)
        game.step(BRANCH + number % 2)
    assert [seat.side for seat in game.table.seats] == [0, 1, 0, 1]
    assert [len(seat.hand) for seat in game.table.seats] == [6, 6, 6, 6]


def test_hx2_sides_have_six_points_and_one_type_twice() -> None:
    sides = shipped().sides
    assert sorted(sides) == [(file, side) for file in range(FILES) for side in (0, 1)]
    for points in sides.values():
        assert len(points) == 6 and set(points) == set(TYPES)


def test_hx3_highest_of_two_dice_starts_and_ties_roll_again() -> None:
    table = Table(3, 0, {})
    table.chance.dice = [6, 1, 2, 5, 3, 3, 2, 2, 1, 4]  # 7, 7, 6; then 4 against 5
    assert table.roll_for_start() == 1
    table.chance.dice = [1, 1, 2, 2, 3, 3]
    assert table.roll_for_start() == 2
    table.chance.dice = [1, 1, 5, 5, 4, 6, 3, 3, 3, 3, 6, 6, 1, 1]  # seats 1 and 2 are tied twice
    assert table.roll_for_start() == 1


def test_hx4_hx5_hx6_the_board_at_the_start() -> None:
    table = Table(2, 0, {})
    assert {cell: (hex_.kind.id, hex_.data) for cell, hex_ in table.board.items()} == {
        (0, 0): ("space_base", 0),
        (1, 0): ("delta_colony", 5),
    }
    assert [(seat.ship, seat.store) for seat in table.seats] == [((0, 0), 0)] * 2


def test_hx7_each_seat_in_order_gets_its_cards_from_the_top() -> None:
    game = HexxOracle(2, 4, {})
    top = [card.kind.id for card in game.table.deck[::-1]]
    game.step(BRANCH)
    game.step(BRANCH)
    for number in range(2):
        dealt = sorted(card.kind.id for card in game.table.seats[number].hand)
        assert dealt == sorted(top[6 * number : 6 * number + 6])


def test_order_of_chance_at_the_set_up() -> None:
    chance, files = Chance(11), list(range(8))
    chance.shuffle(files)
    totals = [chance.die() + chance.die() for _ in range(2)]
    assert totals[0] != totals[1]
    deck = [kind.id for kind in shipped().kinds for _ in range(kind.copies)]
    chance.shuffle(deck)
    table = Table(2, 11, {})
    assert [seat.file for seat in table.seats] == files[:2]
    assert table.active == totals.index(max(totals))
    assert [card.kind.id for card in table.deck] == deck


def test_hx56_the_deck_has_its_ratio() -> None:
    counts = [sum(kind.copies for kind in shipped().kinds if kind.type == type_) for type_ in TYPES]
    assert counts == [20, 20, 20, 24, 26]


# ---------------------------------------------------------------------- turns


def test_hx8_three_actions_and_no_fourth() -> None:
    game = Situation(hands=[SIX_SPACES, []])
    for name in ("lot_of_nothing", "starry_deep", "starry_deep"):
        assert game.asked == (0, "MAIN")
        game.discards(name)
    assert game.to_act == 1


def test_hx8_pass_ends_the_actions() -> None:
    game = Situation(hands=[SIX_SPACES, []])
    game.discards("lot_of_nothing")
    game.no()
    assert game.asked == (1, "MAIN") and game.table.actions_left == 3


def test_hx8_what_was_gained_for_one_purpose_goes_first() -> None:
    game = Situation(hands=[["time_borrowers"]], stores=[1], dice=[1])
    game.play("time_borrowers")
    assert (game.table.actions_left, game.table.gained) == (2, {"move": 1, "refresh": 1})
    game.fly()
    game.no()
    assert (game.table.actions_left, game.table.gained) == (2, {"refresh": 1})


def test_hx8_only_the_gained_kind_when_nothing_else_is_left() -> None:
    game = Situation(hands=[["gyro_stabiliser", "detour"]], actions_per_turn=1)
    game.play("gyro_stabiliser")
    assert game.legal() == [PASS, FLY]


def test_hx9_draw_up_to_six_on_the_own_turn_only() -> None:
    game = Situation(hands=[["detour"], ["detour"]], deck=SIX_SPACES)
    game.no()
    assert len(game.hand(0)) == 6 and game.hand(1) == ["detour"]


def test_hx9_discard_down_to_six_one_by_one() -> None:
    game = Situation(hands=[[*SIX_SPACES, "detour", "data_bomb"], ["detour"] * 7])
    game.no()
    assert game.asked == (0, "DISCARD") and len(game.legal()) == 8
    game.discards("detour")
    assert game.asked == (0, "DISCARD") and len(game.legal()) == 7
    game.discards("data_bomb")
    assert game.hand(0) == SIX_SPACES and game.discarded("detour") == 1
    assert game.asked == (1, "MAIN") and len(game.hand(1)) == 7


def test_what_lasts_for_a_turn_ends_with_it() -> None:
    game = Situation(hands=[["strict_diet", "turbo_thruster"], []])
    game.play("strict_diet")
    game.play("turbo_thruster")
    seat = game.table.seats[0]
    assert FLY not in game.legal() and seat.bonus == 3
    game.no()
    assert seat.bonus == 0 and not seat.bans and game.table.latest_event is None


# ---------------------------------------------------------------------- declaring


def test_failed_map_goes_back_to_the_hand_and_is_known() -> None:
    game = Situation(hands=[["starry_deep"], ["construction_fence"]])
    game.play("starry_deep")
    game.cell(0, 1)
    assert game.asked == (1, "WINDOW") and game.table.played[0].kind.id == "starry_deep"
    game.play("construction_fence")
    assert (0, 1) not in game.table.board and game.table.actions_left == 2
    assert [(c.kind.id, c.known) for c in game.table.seats[0].hand] == [("starry_deep", True)]


def test_failed_card_comes_behind_its_copies_with_its_epoch() -> None:
    game = Situation(hands=[["starry_deep", "starry_deep"], ["construction_fence"]])
    game.table.shuffles = 4
    game.play("starry_deep")
    game.cell(0, 1)
    game.play("construction_fence")
    assert [(c.known, c.epoch) for c in game.table.seats[0].hand] == [(False, 0), (True, 0)]


def test_failed_card_goes_to_the_discard_if_the_hand_is_full() -> None:
    game = Situation(hands=[["starry_deep"] * 3 + ["lot_of_nothing"] * 9, ["construction_fence"]])
    game.play("starry_deep")
    seat = game.table.seats[0]
    seat.take_in_hand(game.table.deck.pop())  # as a card drawn meanwhile
    game.cell(0, 1)
    game.play("construction_fence")
    assert len(seat.hand) == 12 and game.discarded("starry_deep") == 1


def test_failed_event_goes_to_the_discard_and_is_not_paid() -> None:
    game = Situation(hands=[["miss_galaxy"], ["red_tape"]], stores=[1])
    game.play("miss_galaxy")
    game.branch(0)
    game.play("red_tape")
    assert game.store(0) == 1 and not game.hand(0)
    assert game.discarded("miss_galaxy") == game.discarded("red_tape") == 1


def test_failed_upload_is_not_paid() -> None:
    game = Situation(hands=[["detour"], ["critical_circuit"]], stores=[3])
    game.upload("detour")
    game.play("critical_circuit")
    assert game.store(0) == 3 and game.hand(0) == ["detour"] and game.file(0) == [None] * 6


def test_an_action_banned_in_its_window_fails() -> None:
    game = Situation(hands=[["detour"], ["engine_trouble", "static"]], stores=[3])
    game.fly()
    game.play("engine_trouble")
    assert game.asked == (0, "MAIN") and FLY not in game.legal()
    assert game.table.actions_left == 2


def test_a_map_card_that_has_lost_its_cells_fails_without_a_window() -> None:
    game = Situation(
        hands=[["pebble"], ["construction_fence"]], board={(0, 1): "solar_panels"}, ships=[(0, 1)]
    )
    game.play("pebble")
    assert game.asked == (0, "MAY")  # the Start effect comes before the cell is chosen
    game.table.board.cells_for = lambda *_: []  # type: ignore[method-assign]  # as if it had taken all away
    game.yes()
    assert game.asked == (0, "MAIN")
    assert game.hand(0) == ["pebble"] and game.table.actions_left == 2 and game.store(0) == 1


# ---------------------------------------------------------------------- what is known


def test_shown_top_cards_stay_known_in_the_hand() -> None:
    game = Situation(hands=[["fortune_tellers"]], deck=["eager_interns", "detour"])
    game.play("fortune_tellers")  # an Alien on top: three cards
    assert [(c.kind.id, c.known) for c in game.table.seats[0].hand][:3].count(("eager_interns", True)) == 1
    assert sum(c.known for c in game.table.seats[0].hand) == 1 and game.table.deck_known == 0


def test_cards_drawn_after_a_shuffle_carry_its_number() -> None:
    game = Situation(hands=[["detour", "pebble"]], rest=False, discard=["data_bomb"])
    game.discards("detour")
    assert game.table.shuffles == 1 and game.table.deck_known == 0
    drawn = [c for c in game.table.seats[0].hand if c.kind.id != "pebble"]
    assert [c.epoch for c in drawn] == [1]


def test_snapshot_is_of_plain_things() -> None:
    game = Situation(hands=[["starry_deep"], ["pebble"]], discard=["detour"], board={(0, 1): "ribbon_reef"})
    shot = game.snapshot()
    assert shot["hands"] == [[["starry_deep", 0, 0]], [["pebble", 0, 0]]]
    assert shot["discard"] == {"detour": 1} and shot["mask"] == game.legal()
    assert shot["board"][108] == ["space_base", 0, 0] and shot["ships"] == [108, 108]
    assert PLAY in shot["mask"] and DISCARD in shot["mask"]
