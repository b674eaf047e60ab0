"""Planet Hexx by rule: icons of hexes."""

from __future__ import annotations

from tests.oracle.planet_hexx.moves import CELL, FLY, NUMBER, PLAY, YES
from tests.support.planet_hexx_pair import Situation

EAST, SOUTH_EAST, SOUTH_WEST, WEST, NORTH_WEST, NORTH_EAST = range(6)


def test_hx30_blue_with_may_and_without() -> None:
    game = Situation(dice=[1], board={(0, 1): "library_moon"})
    game.fly(SOUTH_EAST)
    assert game.legal() == [YES, NUMBER, NUMBER + 1]
    game.yes()
    assert game.store(0) == 2
    forced = Situation(dice=[1, 5], board={(0, 1): "roulette_prime"})
    forced.fly(SOUTH_EAST)
    assert forced.asked == (0, "MAIN") and forced.store(0) == 3


def test_hx31_through_only_by_another_edge_before_the_step() -> None:
    board = {(0, 1): "meteor_shower", (0, 2): "starry_deep"}
    game = Situation(dice=[6], stores=[3], board=board)
    game.fly(SOUTH_EAST)
    game.go(NORTH_WEST)  # out by the same edge
    assert game.store(0) == 3
    game.go(SOUTH_EAST, SOUTH_EAST)
    assert game.store(0) == 2 and game.ship(0) == (0, 2)


def test_hx31_not_when_starting_or_stopping_there() -> None:
    game = Situation(dice=[1, 1], stores=[3], board={(0, 1): "meteor_shower", (0, 2): "starry_deep"})
    game.fly(SOUTH_EAST)
    game.fly(SOUTH_EAST)
    assert game.store(0) == 3 and game.ship(0) == (0, 2)


def test_hx31_a_step_is_lost_if_the_through_effect_moved_the_ship_away() -> None:
    changes = {"meteor_shower": {"on_through": [["relocate", "planet", "anywhere"]]}}
    board = {(0, 1): "meteor_shower", (0, 2): "starry_deep", (1, 1): "starry_deep"}
    game = Situation(dice=[6], board=board, changes=changes)
    game.fly(SOUTH_EAST, SOUTH_EAST)  # from Delta Colony too there is a hex in that direction
    assert game.ship(0) == (1, 0) and game.asked == (0, "MAIN")


def test_hx31_a_step_is_lost_if_it_is_not_legal_any_more() -> None:
    gone = [["target_hex", "space", "adjacent", 0, 99], ["disintegrate"]]
    board = {(0, 1): "meteor_shower", (0, 2): "starry_deep"}
    game = Situation(dice=[6], board=board, changes={"meteor_shower": {"on_through": gone, "on_stop": None}})
    game.fly(SOUTH_EAST, SOUTH_EAST)
    assert (0, 2) not in game.table.board and game.ship(0) == (0, 1) and game.asked == (0, "MAIN")


def test_hx31_hx32_through_on_an_empty_hex_and_no_stop_where_one_goes_on() -> None:
    board = {(0, 1): "wormhole", (0, 2): "wormhole", (0, 3): "starry_deep"}
    game = Situation(dice=[3], board=board)
    game.fly(SOUTH_EAST, SOUTH_EAST, SOUTH_EAST)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 3)


def test_hx31_hx34_optional_through_is_asked() -> None:
    game = Situation(dice=[3], board={(0, 1): "slipstream", (0, 2): "starry_deep"})
    game.fly(SOUTH_EAST, SOUTH_EAST)
    assert game.asked == (0, "MAY") and game.ship(0) == (0, 1)
    game.yes()
    assert game.store(0) == 1 and game.ship(0) == (0, 2)


def test_hx32_stop_by_stopping_or_landing_not_by_staying() -> None:
    game = Situation(dice=[1], board={(0, 1): "garden_of_vox"}, deck=["pebble"])
    game.fly(SOUTH_EAST)
    game.collect(0)
    assert game.asked == (0, "MAY")
    game.yes()
    assert game.hand(0) == ["pebble"]
    stay = Situation(dice=[1], board={(0, 1): "wormhole", (0, 2): "wormhole"}, ships=[(0, 1)])
    stay.fly()
    stay.no()
    assert stay.asked == (0, "MAIN")


def test_hx33_hr8_start_once_a_turn_at_any_own_action() -> None:
    game = Situation(hands=[["detour", "plot_twist"]], board={(0, 1): "solar_panels"}, ships=[(0, 1)])
    game.discards("detour")
    assert game.asked == (0, "MAY")
    game.no()
    game.discards("plot_twist")
    assert game.asked == (0, "MAY")  # the declined one does not count
    game.yes()
    assert game.store(0) == 1
    game.discards(game.hand(0)[0])
    assert game.store(0) == 1 and game.to_act == 1


def test_hx33_start_bonus_helps_the_move_that_is_declared() -> None:
    game = Situation(dice=[1], board={(0, 1): "launch_ramp", (0, 2): "starry_deep"}, ships=[(0, 1)])
    game.step(FLY)
    game.yes()
    game.go(SOUTH_EAST, NORTH_WEST, SOUTH_EAST)
    assert game.asked == (0, "MAIN")


def test_hx33_not_on_anothers_turn() -> None:
    game = Situation(
        hands=[[], ["tailgaters"]],
        dice=[1, 1],
        board={(0, 1): "solar_panels"},
        ships=[(0, 0), (0, 1)],
    )
    game.fly()
    game.play("tailgaters")
    game.fly()
    assert game.asked == (1, "STEP")


def test_hx34_a_penalty_is_not_asked() -> None:
    game = Situation(dice=[1], hands=[["detour"]], board={(0, 1): ("pirate_haven", 0)})
    game.fly(SOUTH_EAST)
    assert game.hand(0) == [] and game.discarded("detour") == 1


def test_hx15_related_hexes() -> None:
    board = {(0, 1): ("dexatrani_minor", 3), (0, -1): ("dexatrani_major", 4)}
    both, alone = (Situation(dice=[1], board=b) for b in (board, {(0, 1): ("dexatrani_minor", 3)}))
    for game, got in ((both, 2), (alone, 1)):
        game.fly(SOUTH_EAST)
        game.yes()
        assert game.store(0) == got


def test_hx15_linked_wormholes_only() -> None:
    game = Situation(dice=[1], board={(0, 1): "wormhole", (0, 2): "starry_deep"})
    game.fly(SOUTH_EAST)
    game.yes()
    assert game.ship(0) == (0, 1) and CELL not in game.legal() and PLAY not in game.legal()


def test_hr8_a_start_effect_again_in_the_next_turn() -> None:
    game = Situation(hands=[["detour"], []], board={(0, 1): "solar_panels"}, ships=[(0, 1)])
    game.discards("detour")
    game.yes()
    game.no(2)
    game.step(game.legal()[-1])  # a Refresh in seat 0's next turn
    assert game.asked == (0, "MAY")
