"""Tests rules of Planet Hexx: Refresh, Upload and the end of the game."""

import pytest

from tests.oracle.planet_hexx.moves import FLY, PASS, UPLOAD, UPLOAD_OTHERWISE
from tests.support.planet_hexx_pair import Situation

# Of a file that asks for Dilemmas twice:
ALL_BUT_SPACE = ["eager_interns", "detour", "plot_twist", "data_bomb", "pebble"]
COMPLETE = [*ALL_BUT_SPACE, "starry_deep"]


def test_hx40_refresh_discards_then_draws() -> None:
    game = Situation(hands=[["detour", "data_bomb"]], deck=["pebble"]).discards("detour")
    assert game.hand(0) == ["pebble", "data_bomb"] and game.discarded("detour") == 1


def test_hx40_without_a_hand_there_is_nothing_to_refresh() -> None:
    assert Situation(hands=[[]]).legal() == [PASS, FLY]


def test_hx35_upload_on_a_space_for_three_data() -> None:
    game = Situation(hands=[["detour"]], stores=[4]).upload("detour")
    assert game.store(0) == 1 and game.file(0)[1] == "detour" and not game.hand(0)


@pytest.mark.parametrize("cost", [0, 1, 5])
def test_hx35_for_as_many_data_as_the_option_says(cost: int) -> None:
    assert cost == 0 or not Situation(hands=[["detour"]], stores=[cost - 1], upload_cost=cost).can(
        UPLOAD, "detour"
    )
    game = Situation(hands=[["detour"]], stores=[cost], upload_cost=cost).upload("detour")
    assert game.store(0) == 0 and game.file(0)[1] == "detour"


@pytest.mark.parametrize(("store", "ship"), [(2, (0, 0)), (9, (1, 0))])
def test_hx35_no_upload_on_a_planet_or_with_less(store: int, ship: tuple[int, int]) -> None:
    assert not Situation(hands=[["detour"]], stores=[store], ships=[ship]).can(UPLOAD, "detour")


def test_hx35_hr44_a_ship_that_was_put_on_a_space_is_stopped_there() -> None:
    game = Situation(hands=[["teleport_booth", "detour"]], stores=[3], ships=[(1, 0)])
    assert not game.can(UPLOAD, "detour")
    assert game.play("teleport_booth").can(UPLOAD, "detour")
    assert Situation(hands=[["detour"]], stores=[3]).can(UPLOAD, "detour")  # no Move yet


def test_hx36_the_lowest_open_point_of_the_type_and_no_redundant_card() -> None:
    game = Situation(hands=[["detour", "plot_twist", "black_hole", "data_bomb"]], stores=[20])
    game.upload("plot_twist").upload("detour")
    assert game.file(0) == [None, "plot_twist", "detour", None, None, None]
    assert not game.can(UPLOAD, "black_hole") and game.can(UPLOAD, "data_bomb")


def test_hx37_an_uploaded_card_has_no_effect() -> None:
    game = Situation(hands=[["eager_interns"]], stores=[3]).upload("eager_interns")
    assert game.table.actions_left == 2 and game.discarded("eager_interns") == 0


def test_hx38_immediate_uploads_work_anywhere_for_nothing() -> None:
    game = Situation(hands=[["pansy_people", "eager_interns", "detour"]], stores=[1], ships=[(1, 0)])
    game.play("pansy_people")
    assert game.asked == (0, "UPLOAD_NOW")
    game.upload("eager_interns")
    assert game.file(0)[0] == "eager_interns" and game.store(0) == 0


def test_hx38_on_anothers_turn_too() -> None:
    changes = {"red_tape": {"play": [[["upload_now"]]]}}
    hands = [["eager_interns"], ["red_tape", "data_bomb"]]
    game = Situation(hands=hands, ships=[(0, 0), (1, 0)], changes=changes).play("eager_interns")
    game.play("red_tape").upload("data_bomb")
    assert game.file(1)[3] == "data_bomb"


def test_hx39_another_cost_also_from_a_planet_if_anywhere() -> None:
    hand = ["pack_and_go_androids", "bag_of_rocks", "spare_antenna"]
    game = Situation(hands=[hand], stores=[4], ships=[(1, 0)])
    assert [game.can(UPLOAD_OTHERWISE, name) for name in hand] == [True, False, True]
    assert not any(game.can(UPLOAD, name) for name in hand)
    game.upload_otherwise("pack_and_go_androids")
    assert game.store(0) == 2 and game.table.latest_event is None  # it was not Played


def test_hx39_a_cost_of_cards() -> None:
    game = Situation(hands=[["duplicant", "detour", "pebble"]]).upload_otherwise("duplicant")
    assert game.asked == (0, "DISCARD")
    game.discards("pebble")
    assert game.file(0)[0] == "duplicant" and game.hand(0) == ["detour"]
    assert not Situation(hands=[["duplicant"]]).can(UPLOAD_OTHERWISE, "duplicant")


def test_hx53_the_sixth_point_wins_at_once() -> None:
    game = Situation(hands=[["starry_deep"]], stores=[3], uploaded=[ALL_BUT_SPACE]).upload("starry_deep")
    assert (game.over, game.table.winners, game.to_act) == ("finished", [0], None)
    assert game.engine.rewards().tolist() == [1.0, -1.0]


def test_hx53_also_on_another_turn() -> None:
    spaces_left = ["detour", "plot_twist", "data_bomb", "pebble", "starry_deep"]
    game = Situation(
        hands=[["mysterious_egg", "eager_interns"], ["robotic_union", "card_sharks"]],
        uploaded=[[], spaces_left],
        dice=[1],
    )
    game.play("mysterious_egg")
    assert game.asked == (1, "WINDOW")
    game.play("robotic_union")  # it copies the egg, and is itself an Alien
    assert game.over == "finished" and game.table.winners == [1] and game.table.active == 0


@pytest.mark.parametrize(("stores", "winners"), [([4, 9], [1]), ([5, 2], [0])])
def test_hx54_equal_turns_most_data_wins(stores: list[int], winners: list[int]) -> None:
    game = Situation(
        hands=[["starry_deep"], ["lot_of_nothing"]],
        stores=[stores[0] + 3, stores[1] + 3],
        uploaded=[ALL_BUT_SPACE, ALL_BUT_SPACE],
        equal_turns=True,
    )
    game.upload("starry_deep")
    assert not game.over
    game.no().upload("lot_of_nothing")
    assert not game.over
    game.no()
    assert (game.over, game.table.winners) == ("finished", winners)


@pytest.mark.parametrize(("other", "winners"), [(ALL_BUT_SPACE, [0]), (COMPLETE, [0, 1])])
def test_hx54_equal_data_shares_the_win_among_complete_seats(other: list[str], winners: list[int]) -> None:
    game = Situation(uploaded=[COMPLETE, other], stores=[2, 2], equal_turns=True, hands=[[], []]).no(2)
    assert game.table.winners == winners
    assert game.engine.rewards().tolist() == ([1.0, -1.0] if winners == [0] else [0.5, 0.5])


def test_hx54_a_file_that_lost_a_card_is_not_complete() -> None:
    game = Situation(
        hands=[[], ["corrupted_files"]],
        uploaded=[COMPLETE],
        stores=[0, 2],
        equal_turns=True,
    )
    game.no().play("corrupted_files").point(1, 0).no()
    assert not game.over and game.file(0)[0] is None


def test_hr11_max_turns_truncate() -> None:
    game = Situation(max_turns=2)
    for _ in range(4):
        assert not game.over
        game.no()
        while game.asked and game.asked[1] == "DISCARD":
            game.step(game.legal()[0])
    assert (game.over, game.table.winners) == ("truncated", [])
