"""Planet Hexx, HX-48: each statement of the language of effects, about Actions, dice and Mission Files."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.planet_hexx.moves import FLY, NUMBER, PASS, POINT, UPLOAD
from tests.support.planet_hexx_pair import EVENT, Situation, doing


def test_hx46_hx48_hr22_gain_action_is_kept_on_the_own_turn_at_most_six() -> None:
    six = doing(["gain_action", "move", 2], ["gain_action", "any"], ["gain_action", "map", 6])
    assert six.table.gained == {"move": 2, "map": 3} and six.table.actions_left == 3


def test_hx8_hx48_use_action_takes_gained_ones_first() -> None:
    gain = [["gain_action", "refresh"], ["gain_action", "move"]]
    one = doing(*gain, ["use_action", 1])
    assert one.table.gained == {"refresh": 1} and one.table.actions_left == 2
    three = doing(*gain, ["use_action", 3])
    assert three.table.gained == {} and three.table.actions_left == 1
    others = doing(*gain, ["use_action", 6, "others"])
    assert others.table.gained == {"refresh": 1, "move": 1} and others.table.actions_left == 2
    gone = doing(*gain, ["use_action", 6, "active"])
    assert gone.table.active == 1  # no Action left


@pytest.mark.parametrize("kind", ["map", "move", "upload", "refresh", "event"])
def test_hx48_forbid_a_kind_of_action_until_the_end_of_the_turn(kind: str) -> None:
    hands = [["starry_deep", "detour"], []]
    free, banned = (
        doing(*effect, hands=hands, stores=[9]).legal() for effect in ([["add", 1]], [["forbid", kind]])
    )
    firsts = {"map": {7, 8}, "event": {7, 8}, "move": {FLY}, "upload": {19, 20}, "refresh": {43, 44}}[kind]
    lost = set(free) - set(banned)
    assert lost and lost <= firsts and not set(banned) - set(free)
    assert len(lost) == {"map": 1, "event": 1, "move": 1, "upload": 2, "refresh": 2}[kind]


def test_hx48_forbid_others_says_nothing_of_oneself_and_ends_with_the_turn() -> None:
    game = doing(["forbid", "move", "others"])
    assert FLY in game.legal()
    game.no()
    assert game.asked == (1, "MAIN") and FLY in game.legal()  # that turn is over


def test_hx48_move_goes_as_many_steps_without_a_roll() -> None:
    game = doing(["move", 3], board={(0, 1): "starry_deep"}).go(1, 4, 0)
    assert game.legal() == [NUMBER, NUMBER + 1] and game.ship(0) == (1, 0)
    two = doing(["move", 2], board={(0, 1): "starry_deep"}).go(1, 4)
    assert two.asked == (0, "MAIN")


@pytest.mark.parametrize(("die", "store"), [(1, 4), (2, 4), (3, 5), (4, 5), (5, 7), (6, 7)])
def test_hx48_roll_table(die: int, store: int) -> None:
    table = ["roll_table", [1, 2, [["expend", 1]]], [3, 4, []], [5, 6, [["add", 2]]]]
    assert doing(table, stores=[5], dice=[die]).store(0) == store


def test_hx48_one_row_of_a_table_is_carried_out_whatever_is_rolled_in_it() -> None:
    table = ["roll_table", [1, 3, [["roll"], ["add", 1]]], [4, 6, [["add", 5]]]]
    assert doing(table, dice=[1, 6]).store(0) == 1


@pytest.mark.parametrize("die", [1, 4, 6])
def test_hx48_a_roll_is_an_amount(die: int) -> None:
    game = doing(["roll"], ["add", "roll"], ["draw", "roll"], dice=[die])
    assert game.store(0) == die == len(game.hand(0))
    table = doing(["roll_table", [1, 6, [["add", "roll"]]]], dice=[die])
    assert table.store(0) == die


def test_hx48_hr23_counters_are_an_amount_and_at_most_nine() -> None:
    count = [["target_seat", "others"], ["counter", 1, "target"], ["take", "counters", "target"]]
    game = doing(*count, stores=[0, 9], counters=[0, 2])
    assert game.store(0) == 3 and game.table.seats[1].counters == 3
    most = doing(["counter", 9, "all"], counters=[3])
    assert [seat.counters for seat in most.table.seats] == [9, 9]


def test_hx48_modify_roll_outside_of_a_roll_is_for_own_moves_of_this_turn() -> None:
    game = doing(["modify_roll", 2], ["modify_roll", 1], dice=[1], board={(0, 1): "starry_deep"})
    game.fly(1, 4, 1, 4)
    assert game.asked == (0, "MAIN")  # four steps


@pytest.mark.parametrize(("card", "steps"), [("headwind", 2), ("cosmic_hiccup", 3)])
def test_hx48_modify_roll_changes_the_roll_that_it_answers(card: str, steps: int) -> None:
    game = Situation(hands=[[], [card]], dice=[4], board={(0, 1): "starry_deep"}).fly().play(card)
    game.go(*(1, 4, 1, 4)[:steps])
    assert game.asked == (0, "MAIN")


def test_hx48_reroll_without_the_bonuses_and_changes_that_it_had() -> None:
    hands = [["turbo_thruster"], ["gravity_flicker"]]
    game = Situation(hands=hands, dice=[6, 1], board={(0, 1): "starry_deep"}).play("turbo_thruster").fly()
    game.play("gravity_flicker").go(1)
    assert game.asked == (0, "MAIN")  # one step


@pytest.mark.parametrize("statement", ["reroll", "cancel"])
def test_hx48_reroll_and_cancel_do_nothing_in_other_windows(statement: str) -> None:
    changes = {"welcoming_committee": {"play": [[[statement]]]}}
    game = Situation(hands=[[], ["welcoming_committee"]], dice=[1], changes=changes).fly(0)
    game.play("welcoming_committee")
    assert game.asked == (0, "COLLECT") and game.ship(0) == (1, 0)


def test_hx48_cancel_takes_back_what_was_declared() -> None:
    for card, declared in (("red_tape", "cute_furry_things"), ("construction_fence", "starry_deep")):
        game = Situation(hands=[[declared], [card]]).play(declared)
        game.branch(0) if card == "red_tape" else game.cell(0, 1).play(card)
        assert game.store(0) == 0 and (0, 1) not in game.table.board


def test_hx38_hx48_upload_now_only_what_fits_and_pass() -> None:
    hands = [["pebble", "detour", "data_bomb"]]
    game = doing(["upload_now"], hands=hands, uploaded=[["big_gus"]])
    # pebble, detour, data_bomb: the Planet is there already
    assert game.legal() == [PASS, UPLOAD + 1, UPLOAD + 2]
    game.no()
    assert game.file(0) == [None, None, None, None, "big_gus", None]
    of_a_type = doing(["upload_now", "object"], hands=hands)
    assert of_a_type.legal() == [PASS, UPLOAD + 2]
    of_a_type.upload("data_bomb")
    assert of_a_type.file(0)[3] == "data_bomb" and of_a_type.store(0) == 0


def test_hx38_hx48_upload_self_where_a_point_is_open() -> None:
    game = doing(["upload_self"], ["upload_self"])
    assert game.file(0)[0] == EVENT and game.discarded(EVENT) == 0
    full = doing(["upload_self"], uploaded=[["duplicant"]])
    assert full.file(0)[0] == "duplicant" and full.discarded(EVENT) == 1


def test_hx48_delete_upload_counts_seats_from_the_chooser() -> None:
    files = [["detour"], [], ["pebble", "detour"]]
    game = Situation(seats=3, hands=[[], ["corrupted_files"]], stores=[0, 2], uploaded=files).no()
    game.play("corrupted_files").seat(1)
    assert game.legal() == [POINT + 6 + 1, POINT + 6 + 4]
    game.point(1, 4)
    assert game.discarded("pebble") == 1 and game.file(2)[4] is None


def test_hx48_delete_upload_of_all_and_of_nobody() -> None:
    game = doing(["delete_upload", "all"], seats=3, uploaded=[["detour"], [], ["pebble"]])
    assert game.legal() == [POINT + 1, POINT + 12 + 4]
    own = doing(["delete_upload", "others"], seats=3, uploaded=[["detour"]])
    assert own.asked == (0, "MAIN") and own.file(0)[1] == "detour"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (["data_ge", 2], True),
        (["data_ge", 3], False),
        (["planet_ge", 5], True),
        (["planet_ge", 6], False),
        (["on", "planet"], True),
        (["on", "space"], False),
        (["on_board", "space_base"], True),
        (["on_board", "wormhole"], False),
        (["top_is", "object"], False),  # nobody knows it
    ],
)
def test_hx48_if(condition: list[Any], holds: bool) -> None:
    choice = ["if", condition, [["counter", 1, "you"]], [["counter", 5, "you"]]]
    game = doing(choice, stores=[2], ships=[(1, 0)], deck=["data_bomb"])
    assert game.table.seats[0].counters == (1 if holds else 5)


@pytest.mark.parametrize(("least", "holds"), [(3, True), (4, False)])
def test_hx48_if_the_target_has_data(least: int, holds: bool) -> None:
    choice = ["if", ["target_data_ge", least], [["add", 1]], []]
    game = doing(["target_seat", "others"], choice, stores=[9, 3])
    assert game.store(0) == 9 + holds


def test_hx48_on_a_space_no_planet_has_data() -> None:
    changes = {EVENT: {"play": [[["if", ["planet_ge", 1], [["add", 1]], []]]]}}
    game = Situation(hands=[[EVENT]], changes=changes).play(EVENT)
    assert game.store(0) == 0


@pytest.mark.parametrize(("top", "store"), [("dilemma", 1), ("object", 0)])
def test_hx48_the_known_top_card(top: str, store: int) -> None:
    game = doing(["show_top", 1], ["if", ["top_is", top], [["add", 1]], []], deck=["detour"])
    assert game.store(0) == store


@pytest.mark.parametrize("wanted", [True, False])
def test_hx48_may_is_asked(wanted: bool) -> None:
    game = doing(["may", [["add", 1]]], ["add", 2])
    assert game.asked == (0, "MAY")
    game.yes() if wanted else game.no()
    assert game.store(0) == 2 + wanted


def test_hr16_an_effect_ends_with_the_game() -> None:
    uploaded = ["detour", "plot_twist", "duplicant", "pebble", "starry_deep"]
    game = doing(["upload_now"], ["add", 1], hands=[["data_bomb"]], uploaded=[uploaded]).upload("data_bomb")
    assert game.over == "finished" and game.table.winners == [0] and game.store(0) == 0
