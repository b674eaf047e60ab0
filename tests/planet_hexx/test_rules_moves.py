"""Tests rules of Planet Hexx: Moves and Landings."""

import pytest

from tests.oracle.planet_hexx.moves import DIRECTION, FLY, NUMBER, PASS
from tests.support.planet_hexx_pair import Situation

EAST, SOUTH_EAST, SOUTH_WEST, WEST, NORTH_WEST, NORTH_EAST = range(6)


def test_hx16_hr5_hr43_the_bonus_counts_and_below_zero_is_zero() -> None:
    game = Situation(hands=[["turbo_thruster"]], dice=[2], board={(0, 1): "starry_deep"})
    game.play("turbo_thruster").fly()
    for d in (SOUTH_EAST, NORTH_WEST) * 2 + (SOUTH_EAST,):  # 2 + 3 steps
        game.go(d)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 1)
    below = Situation(hands=[[], ["headwind"]], dice=[1]).fly().play("headwind")
    assert below.asked == (0, "MAIN") and below.ship(0) == (0, 0)


def test_hx17_stopping_ends_the_move() -> None:
    game = Situation(dice=[6], board={(0, 1): "starry_deep", (0, 2): "starry_deep"}).fly(SOUTH_EAST)
    assert game.asked == (0, "STEP")
    game.no()
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 1)


def test_hx17_without_a_legal_step_it_ends_by_itself() -> None:
    game = Situation(dice=[6], landed=[(1, 0)]).fly()
    assert game.asked == (0, "MAIN") and game.table.actions_left == 2


@pytest.mark.parametrize("rolled", [1, 2, 4])
def test_hx17_at_most_as_many_steps_as_were_rolled(rolled: int) -> None:
    game = Situation(dice=[rolled], board={(0, 1): "starry_deep"})
    game.fly(*(SOUTH_EAST, NORTH_WEST, SOUTH_EAST, NORTH_WEST)[:rolled])
    assert game.asked == (0, "MAIN")


def test_hx18_spaces_are_crossed_and_a_planet_ends_the_move() -> None:
    game = Situation(dice=[6], board={(0, 1): "starry_deep", (-1, 2): "soggy_moon"})
    game.fly(SOUTH_EAST, SOUTH_WEST)
    assert game.asked == (0, "COLLECT") and game.ship(0) == (-1, 2)


def test_hx19_never_twice_on_the_hex_landed_on_last() -> None:
    game = Situation(dice=[1, 6, 1, 6], board={(0, 1): "soggy_moon"}, actions_per_turn=6).fly(EAST).collect(0)
    game.fly(WEST)
    assert DIRECTION + EAST not in game.legal()
    game.go(SOUTH_EAST).collect(0).fly(NORTH_WEST).fly()
    assert DIRECTION + EAST in game.legal() and DIRECTION + SOUTH_EAST not in game.legal()


def test_hx19_hr6_relocation_neither_sets_nor_clears_it() -> None:
    game = Situation(hands=[["homing_beacon"]], landed=[(1, 0)], board={(0, 1): "soggy_moon"})
    game.play("homing_beacon").cell(0, 1)
    assert game.asked == (0, "MAY") and game.table.seats[0].last_landed == (1, 0)


@pytest.mark.parametrize(("ship", "direction"), [((0, 1), EAST), ((1, 1), WEST)])
def test_hx20_walls_block_from_both_sides(ship: tuple[int, int], direction: int) -> None:
    board = {(0, 1): "asteroid_belt", (1, 1): "starry_deep"}  # the belt has walls on 0, 1 and 2
    game = Situation(dice=[3], board=board, ships=[ship]).fly()
    assert game.asked == (0, "STEP") and DIRECTION + direction not in game.legal()


@pytest.mark.parametrize("turned", range(6))
def test_hx20_walls_turn_with_their_hex(turned: int) -> None:
    ring = {cell: "starry_deep" for cell in ((1, 1), (0, 2), (-1, 2), (-1, 1))}  # around (0, 1), with the two
    board = {**ring, (0, 1): ("asteroid_belt", 0, turned)}  # walls on edges 0, 1 and 2
    game = Situation(dice=[3], board=board, ships=[(0, 1)]).fly()
    walls = {(edge + turned) % 6 for edge in (0, 1, 2)}
    assert game.legal() == [PASS, *(DIRECTION + d for d in range(6) if d not in walls)]


@pytest.mark.parametrize(("rolled", "leaves"), [(2, False), (3, True)])
def test_hx20_a_hex_that_is_not_left_with_a_low_roll(rolled: int, leaves: bool) -> None:
    game = Situation(dice=[rolled], board={(0, 1): "becalmed_zone"}, ships=[(0, 1)]).fly()
    assert (game.asked == (0, "STEP")) == leaves


def test_hx20_a_move_without_a_roll_counts_as_its_steps() -> None:
    where = {"board": {(0, 1): "becalmed_zone"}, "ships": [(0, 1)]}
    game = Situation(hands=[["pack_and_go_androids", "pocket_rocket"]], **where)  # type: ignore[arg-type]
    game.play("pack_and_go_androids")  # two steps
    assert game.asked == (0, "MAIN")
    game.play("pocket_rocket")  # three
    assert game.asked == (0, "STEP")


def test_hx20_a_ban_at_the_start() -> None:
    game = Situation(hands=[["detour"]], stores=[9], board={(0, 1): "radio_shadow"}, ships=[(0, 1)])
    assert not game.can(19, "detour") and FLY in game.legal()


def test_hx21_hx22_only_to_hexes_and_ships_do_not_block() -> None:
    game = Situation(dice=[3], ships=[(0, 0), (1, 0)]).fly()
    assert game.legal() == [PASS, DIRECTION + EAST]
    game.go(EAST)
    assert game.ship(0) == game.ship(1)


def test_hx23_collect_is_optional_and_once() -> None:
    game = Situation(dice=[1, 1], ships=[(0, 0)]).fly(EAST)
    assert game.legal() == [NUMBER, NUMBER + 1]
    game.collect(1)
    assert game.store(0) == 1 and game.table.board[1, 0].data == 4
    assert game.asked == (0, "MAIN")
    declined = Situation(dice=[1]).fly(EAST).collect(0)
    assert declined.store(0) == 0 and declined.table.board[1, 0].data == 5


def test_hx24_never_more_than_there_is() -> None:
    game = Situation(dice=[1], board={(0, 1): ("mother_lode", 2)}, hands=[["detour", "data_bomb"]])
    game.fly(SOUTH_EAST).yes()
    game.discards("detour")
    assert game.store(0) == 2 and game.table.board[0, 1].data == 0


def test_hx25_an_empty_planet_gives_nothing() -> None:
    game = Situation(dice=[1], board={(0, 1): ("roulette_prime", 0)}).fly(SOUTH_EAST)
    assert game.asked == (0, "MAIN") and game.table.seats[0].last_landed == (0, 1)


def test_hx26_collecting_on_anothers_turn() -> None:
    game = Situation(hands=[["detour"], ["tailgaters"]], dice=[1, 1]).fly().play("tailgaters")
    assert game.asked == (1, "GAINED")
    game.fly(EAST)
    assert game.asked == (1, "COLLECT")
    game.collect(1)
    assert game.store(1) == 1 and game.asked == (0, "STEP")


def test_hx27_a_relocated_ship_does_not_land_or_stop() -> None:
    board = {(0, 1): "wormhole", (0, 2): "wormhole", (0, 3): "wormhole"}
    game = Situation(dice=[1], board=board).fly(SOUTH_EAST)
    assert game.asked == (0, "MAY")
    game.yes().cell(0, 3)
    assert game.ship(0) == (0, 3) and game.asked == (0, "MAIN")
    planet = Situation(hands=[["homing_beacon"]]).play("homing_beacon")
    assert planet.ship(0) == (1, 0) and planet.asked == (0, "MAY")  # what the card says; no COLLECT


def test_hx28_a_forced_expend_takes_what_there_is() -> None:
    game = Situation(hands=[["cute_furry_things"]], seats=3, stores=[0, 1, 5]).play("cute_furry_things")
    game.branch(1)
    assert [game.store(j) for j in range(3)] == [0, 0, 3]


def test_hx29_hr7_data_stays_between_zero_and_99() -> None:
    game = Situation(hands=[["bag_of_rocks", "fertiliser_drone"]], board={(0, 1): ("soggy_moon", 98)})
    game.play("fertiliser_drone").cell(0, 1)
    assert game.table.board[0, 1].data == 99
    poor = Situation(hands=[["bag_of_rocks"]], board={(0, 1): ("soggy_moon", 2)}).play("bag_of_rocks")
    poor.cell(0, 1)
    assert poor.table.board[0, 1].data == 0


def test_hr25_after_landing_come_window_collect_and_stop() -> None:
    hands = [[], ["welcoming_committee"]]
    game = Situation(dice=[1], board={(0, 1): "garden_of_vox"}, hands=hands, stores=[1], deck=["pebble"])
    game.fly(SOUTH_EAST)
    assert game.asked == (1, "WINDOW")
    game.no()
    assert game.asked == (0, "COLLECT")
    game.collect(1)
    assert game.asked == (0, "MAY")


def test_hr25_who_is_not_there_any_more_neither_collects_nor_stops() -> None:
    away = [["target_seat", "others"], ["relocate", "space", "anywhere", "target"]]
    changes = {"welcoming_committee": {"play": [away]}}
    hands = [[], ["welcoming_committee"]]
    game = Situation(dice=[1], board={(0, 1): "garden_of_vox"}, hands=hands, changes=changes).fly(SOUTH_EAST)
    game.play("welcoming_committee")
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 0) and game.hand(0) == []
    assert game.table.seats[0].last_landed == (0, 1)


def test_hr25_who_is_moved_while_collecting_does_not_stop() -> None:
    blue = {"on_collect": [["relocate", "space", "linked"]], "related": ["wormhole"], "may_collect": True}
    changes = {"garden_of_vox": blue, "wormhole": {"related": ["wormhole", "garden_of_vox"]}}
    board = {(0, 1): "garden_of_vox", (0, 2): "wormhole"}
    game = Situation(dice=[1], board=board, changes=changes).fly(SOUTH_EAST)
    game.yes()  # to the Wormhole, which has a Stop effect of its own
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 2)
