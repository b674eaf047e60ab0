"""Tests rules of Planet Hexx: icons of hexes."""

import pytest

from tests.oracle.planet_hexx.moves import CELL, FLY, NUMBER, PLAY, YES
from tests.support.planet_hexx_pair import EVENT, Situation, doing

EAST, SOUTH_EAST, SOUTH_WEST, WEST, NORTH_WEST, NORTH_EAST = range(6)


def test_hx30_blue_with_may_and_without() -> None:
    game = Situation(dice=[1], board={(0, 1): "library_moon"}).fly(SOUTH_EAST)
    assert game.legal() == [YES, NUMBER, NUMBER + 1]
    game.yes()
    assert game.store(0) == 2
    forced = Situation(dice=[1, 5], board={(0, 1): "roulette_prime"}).fly(SOUTH_EAST)
    assert forced.asked == (0, "MAIN") and forced.store(0) == 3


def test_hx31_through_only_by_another_edge_before_the_step() -> None:
    board = {(0, 1): "meteor_shower", (0, 2): "starry_deep"}
    game = Situation(dice=[6], stores=[3], board=board).fly(SOUTH_EAST).go(NORTH_WEST)  # out by the same edge
    assert game.store(0) == 3
    game.go(SOUTH_EAST, SOUTH_EAST)
    assert game.store(0) == 2 and game.ship(0) == (0, 2)


def test_hx31_not_when_starting_or_stopping_there() -> None:
    game = Situation(dice=[1, 1], stores=[3], board={(0, 1): "meteor_shower", (0, 2): "starry_deep"})
    game.fly(SOUTH_EAST).fly(SOUTH_EAST)
    assert game.store(0) == 3 and game.ship(0) == (0, 2)


def test_hx31_hr49_not_with_the_steps_of_two_moves() -> None:
    changes = {"starry_deep": {"on_through": [["add", 1]]}, EVENT: {"play": [[["move", 1], ["move", 1]]]}}
    board = {(0, 1): "starry_deep", (0, 2): "lot_of_nothing"}
    game = Situation(hands=[[EVENT]], board=board, changes=changes).play(EVENT)
    game.go(SOUTH_EAST).go(SOUTH_EAST)
    assert game.ship(0) == (0, 2) and game.store(0) == 0


def test_hx31_a_step_is_lost_if_the_through_effect_moved_the_ship_away() -> None:
    changes = {"meteor_shower": {"on_through": [["relocate", "planet", "anywhere"]]}}
    board = {(0, 1): "meteor_shower", (0, 2): "starry_deep", (1, 1): "starry_deep"}
    game = Situation(dice=[6], board=board, changes=changes)
    game.fly(SOUTH_EAST, SOUTH_EAST)  # from Delta Colony too there is a hex in that direction
    assert game.ship(0) == (1, 0) and game.asked == (0, "MAIN")


def test_hx31_a_step_is_lost_if_it_is_not_legal_any_more() -> None:
    gone = [["target_hex", "space", "adjacent", 0, 99], ["disintegrate"]]
    board = {(0, 1): "meteor_shower", (0, 2): "starry_deep"}
    game = Situation(
        dice=[6], board=board, changes={"meteor_shower": {"on_through": gone, "on_stop": [["add", 1]]}}
    )
    game.fly(SOUTH_EAST, SOUTH_EAST)
    assert (
        (0, 2) not in game.table.board
        and game.ship(0) == (0, 1)
        and game.store(0) == 1
        and game.asked == (0, "MAIN")
    )


def test_hx31_hx32_through_on_an_empty_hex_and_no_stop_where_one_goes_on() -> None:
    board = {(0, 1): "wormhole", (0, 2): "wormhole", (0, 3): "starry_deep"}
    game = Situation(dice=[3], board=board).fly(SOUTH_EAST, SOUTH_EAST, SOUTH_EAST)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 3)


def test_hx31_hx34_optional_through_is_asked() -> None:
    game = Situation(dice=[3], board={(0, 1): "slipstream", (0, 2): "starry_deep"})
    game.fly(SOUTH_EAST, SOUTH_EAST)
    assert game.asked == (0, "MAY") and game.ship(0) == (0, 1)
    game.yes()
    assert game.store(0) == 1 and game.ship(0) == (0, 2)


def test_hx32_stop_by_stopping_or_landing_not_by_staying() -> None:
    game = Situation(dice=[1], board={(0, 1): "garden_of_vox"}, deck=["pebble"]).fly(SOUTH_EAST).collect(0)
    assert game.asked == (0, "MAY")
    game.yes()
    assert game.hand(0) == ["pebble"]
    stay = Situation(dice=[1], board={(0, 1): "wormhole", (0, 2): "wormhole"}, ships=[(0, 1)]).fly().no()
    assert stay.asked == (0, "MAIN")


def test_hx33_hr8_start_at_every_action() -> None:
    game = Situation(
        hands=[["detour", "plot_twist", "pebble"]], board={(0, 1): "solar_panels"}, ships=[(0, 1)]
    )
    for number, card in enumerate(("detour", "plot_twist", "pebble"), 1):
        game.discards(card)
        assert game.asked == (0, "MAY")
        game.yes()
        assert game.store(0) == number
    assert game.to_act == 1


def test_hx33_start_bonus_helps_the_move_that_is_declared() -> None:
    game = Situation(dice=[1], board={(0, 1): "launch_ramp", (0, 2): "starry_deep"}, ships=[(0, 1)])
    game.step(FLY)
    game.yes().go(SOUTH_EAST, NORTH_WEST, SOUTH_EAST)
    assert game.asked == (0, "MAIN")


def test_hx33_a_penalty_too_and_on_anothers_turn() -> None:
    """Seat 1 begins a Move that it has gained; its Surprise and the copy of none are no Actions (HR-8)."""
    game = Situation(
        hands=[[], ["tailgaters"]],
        dice=[1, 1],
        board={(0, 1): "solar_panels"},
        ships=[(0, 0), (0, 1)],
        stores=[5, 5],
        changes={"solar_panels": {"on_start": [["expend", 1]]}},
    )
    game.fly().play("tailgaters")
    assert game.store(1) == 5
    game.fly()
    assert game.asked == (1, "STEP") and game.store(1) == 4
    game.no()
    assert game.store(0) == 5  # its own ship is elsewhere


def test_hr8_an_action_that_answers_a_surprise_starts_costs_and_moves_do_not() -> None:
    changes = {"solar_panels": {"on_start": [["add", 1]]}}
    there = {"board": {(0, 1): "solar_panels"}, "ships": [(0, 1)], "changes": changes}
    game = Situation(hands=[["starry_deep", "force_field"], ["construction_fence"]], **there)
    game.play("starry_deep").cell(0, 2).play("construction_fence")
    assert game.store(0) == 1
    game.play("force_field")
    assert game.store(0) == 2
    paid = Situation(hands=[["paperwork"]], **there)  # costs a second Action
    paid.play("paperwork").branch(0)
    assert paid.store(0) == 1 + 3
    flown = Situation(hands=[["pocket_rocket"]], **there).play("pocket_rocket")
    assert flown.store(0) == 1 and flown.asked == (0, "STEP")


def test_hx34_a_penalty_is_not_asked() -> None:
    game = Situation(dice=[1], hands=[["detour"]], board={(0, 1): ("pirate_haven", 0)}).fly(SOUTH_EAST)
    assert game.hand(0) == [] and game.discarded("detour") == 1


def test_hx15_related_hexes() -> None:
    board = {(0, 1): ("dexatrani_minor", 3), (0, -1): ("dexatrani_major", 4)}
    both, alone = (Situation(dice=[1], board=b) for b in (board, {(0, 1): ("dexatrani_minor", 3)}))
    assert both.fly(SOUTH_EAST).yes().store(0) == 2
    assert YES not in alone.fly(SOUTH_EAST).legal()


def test_hx15_linked_wormholes_only() -> None:
    game = Situation(dice=[1], board={(0, 1): "wormhole", (0, 2): "starry_deep"}).fly(SOUTH_EAST).yes()
    assert game.ship(0) == (0, 1) and CELL not in game.legal() and PLAY not in game.legal()


def test_hr34_once_a_turn_is_used_by_a_yes_by_each_seat_by_all_copies() -> None:
    once = {"starry_deep": {"on_start": [["once", [["may", [["add", 1]]]]]]}}
    board = {(0, 1): "starry_deep", (0, 2): "starry_deep"}
    hands = [["detour", "plot_twist", "pebble", "big_gus"], ["tailgaters"]]
    game = Situation(hands=hands, board=board, ships=[(0, 1), (0, 1)], dice=[1, 1], changes=once)
    game.discards("detour").no().fly()
    assert game.asked == (0, "MAY")  # what was declined is not used
    game.yes().play("tailgaters").fly()
    assert game.asked == (1, "MAY")  # seat 1 has not used it
    game.no().no()  # seat 1 stays
    game.go(SOUTH_EAST).discards("pebble")
    assert game.store(0) == 1 and game.to_act == 1  # the other copy is used too
    game.no().discards("big_gus")  # seat 0's next turn
    assert game.asked == (0, "MAY")


def test_hr34_a_penalty_once_a_turn() -> None:
    changes = {"meteor_shower": {"on_through": [["once", [["expend", 1]]]]}}
    board = {(0, 1): "meteor_shower", (0, 2): "starry_deep", (1, 1): "starry_deep"}
    game = Situation(dice=[6], stores=[3], board=board, changes=changes)
    game.fly(SOUTH_EAST, SOUTH_EAST, NORTH_WEST, EAST)
    assert game.store(0) == 2


def test_hx31_hx32_hx33_three_icons_on_one_hex() -> None:
    three = {"on_through": [["add", 1]], "on_stop": [["add", 10]], "on_start": [["add", 30]]}
    board = {(0, 1): "meteor_shower", (0, 2): "starry_deep"}
    game = Situation(dice=[2, 1, 1], board=board, changes={"meteor_shower": three})
    game.fly(SOUTH_EAST, SOUTH_EAST)
    assert game.store(0) == 1
    game.fly(NORTH_WEST)
    assert game.store(0) == 11
    game.fly()
    assert game.store(0) == 41


@pytest.mark.parametrize(
    ("effect", "asked"),
    [
        ([["collect", 2], ["draw", 1]], False),
        ([["if", ["data_ge", 9], [["collect", 1]], [["draw", 1]]]], False),
        ([["roll_table", [1, 6, [["may", [["collect", 1]]]]]]], False),
        ([["draw", 1]], True),
    ],
)
def test_hx25_hr26_at_data_0_blue_works_unless_it_relies_on_collecting(
    effect: list[object], asked: bool
) -> None:
    blue = {"on_collect": effect, "may_collect": True}
    game = Situation(dice=[1], board={(0, 1): ("library_moon", 0)}, changes={"library_moon": blue})
    game.fly(SOUTH_EAST)
    assert game.asked == (0, "COLLECT" if asked else "MAIN")
    if asked:
        assert game.legal() == [YES, NUMBER]
    forced = Situation(
        dice=[1],
        board={(0, 1): ("library_moon", 0)},
        changes={"library_moon": {**blue, "may_collect": False}},
    )
    forced.fly(SOUTH_EAST)
    assert forced.asked == (0, "MAIN") and len(forced.hand(0)) == asked


@pytest.mark.parametrize("data", [0, 1])
def test_hr26_stop_and_start_of_a_planet_at_data_0_too_not_of_a_space(data: int) -> None:
    effect = [["collect", 1], ["draw", 1]]
    changes = {"garden_of_vox": {"on_stop": effect, "on_start": effect}, "starry_deep": {"on_start": effect}}
    game = Situation(
        dice=[1], hands=[["detour"]], board={(0, 1): ("garden_of_vox", 2 * data)}, changes=changes
    )
    game.fly(SOUTH_EAST)
    if data:
        game.collect(0)
    assert len(game.hand(0)) == 1 + data and game.store(0) == data
    game.discards("detour")
    assert len(game.hand(0)) == 1 + 2 * data and game.store(0) == 2 * data
    space = Situation(hands=[["detour"]], board={(0, 1): "starry_deep"}, ships=[(0, 1)], changes=changes)
    space.discards("detour")
    assert len(space.hand(0)) == 2


def test_hx24_hr33_what_is_collected_can_be_more_or_less() -> None:
    hands = [["gyro_stabiliser", "harvest_scoop"], ["welcoming_committee"]]
    changes = {
        "gyro_stabiliser": {"play": [[["modify_collect", 2]]]},
        "welcoming_committee": {"play": [[["modify_collect", -1]]]},
    }
    game = Situation(dice=[1], hands=hands, board={(0, 1): ("library_moon", 6)}, changes=changes)
    game.play("gyro_stabiliser").fly(SOUTH_EAST).play("welcoming_committee")
    game.yes()  # 2 by the blue text, 2 more in this turn, 1 less at this Landing
    assert game.store(0) == 3
    game.play("harvest_scoop")  # an Event that Collects 2
    assert game.store(0) == 3 + min(2 + 2, 3)


def test_hr33_a_landing_that_gives_nothing() -> None:
    changes = {"welcoming_committee": {"play": [[["modify_collect", -1]]]}}
    game = Situation(
        dice=[1], hands=[[], ["welcoming_committee"]], board={(0, 1): "big_gus"}, changes=changes
    )
    game.fly(SOUTH_EAST).play("welcoming_committee")
    assert game.asked == (0, "MAIN") and game.store(0) == 0
    game = doing(["modify_collect", -3], ["collect", 1], ships=[(1, 0)], stores=[5])
    assert game.store(0) == 5 and game.table.board[1, 0].data == 5  # nothing is given back


def test_hr33_the_normal_amount_of_this_landing_is_more_too() -> None:
    changes = {"welcoming_committee": {"play": [[["modify_collect", 1]]]}}
    hands, board = [[], ["welcoming_committee"]], {(0, 1): ("library_moon", 6)}
    game = Situation(dice=[1], hands=hands, board=board, changes=changes)
    game.fly(SOUTH_EAST).play("welcoming_committee").collect(1)
    assert game.store(0) == 2


def test_hr33_the_bonus_of_others_ends_with_the_turn() -> None:
    fewer = {"gyro_stabiliser": {"play": [[["modify_collect", -1, "others"]]]}}
    hands = [["gyro_stabiliser"], ["tailgaters"]]
    game = Situation(dice=[1, 1, 1, 1], hands=hands, board={(0, 1): "big_gus"}, changes=fewer)
    game.play("gyro_stabiliser").fly().play("tailgaters").fly(SOUTH_EAST)
    assert game.store(1) == 0
    game.no(2)  # seat 0 stays and ends its turn
    game.fly(NORTH_WEST).fly(EAST).collect(1)
    assert game.store(1) == 1
