"""Tests rules of Planet Hexx: hexes and Map Actions."""

from tests.oracle.planet_hexx.board import NUMBER_OF, around
from tests.oracle.planet_hexx.moves import DIRECTION
from tests.support.planet_hexx_pair import Situation


def test_hx10_only_cells_that_touch_a_hex() -> None:
    game = Situation(hands=[["starry_deep"]]).play("starry_deep")
    places = {*around((0, 0)), *around((1, 0))} - {(0, 0), (1, 0)}
    assert game.cells() == places and len(places) == 8


def test_hx10_hr1_not_outside_the_grid() -> None:
    edge = {(q, 0): "starry_deep" for q in range(2, 9)}
    game = Situation(hands=[["lot_of_nothing"]], board=edge).play("lot_of_nothing")
    assert all(cell in NUMBER_OF for cell in game.cells()) and (8, -1) in game.cells()


def test_hx11_a_planet_touches_a_space_and_no_planet() -> None:
    game = Situation(hands=[["big_gus"]], board={(-1, 0): "starry_deep"}).play("big_gus")
    beside_delta = set(around((1, 0)))
    assert game.cells() and not game.cells() & beside_delta
    alone = Situation(hands=[["big_gus"]]).play("big_gus")
    assert alone.cells() == {(-1, 0), (-1, 1), (0, -1)}


def test_hx11_hx55_unless_a_card_says_so() -> None:
    game = Situation(hands=[["pebble", "big_gus"]]).play("pebble")
    assert game.cells() == {*around((0, 0))} - {(1, 0)}  # it still has to touch a Space
    game.cell(0, 1).play("big_gus")
    assert (-1, 1) in game.cells()  # beside Pebble, which says so
    assert (1, -1) not in game.cells()  # beside Delta Colony


def test_hx12_a_space_may_touch_only_planets() -> None:
    game = Situation(hands=[["starry_deep"]]).play("starry_deep")
    assert (2, 0) in game.cells()  # touches Delta Colony alone


def test_hx13_hr42_printed_data_and_x() -> None:
    game = Situation(hands=[["big_gus"]]).play("big_gus").cell(-1, 0)
    assert game.table.board[-1, 0].data == 6


def test_hr42_a_planet_with_an_x_gets_no_data() -> None:
    changes = {"unmapped_world": {"on_enter": [["draw", 1]]}}
    game = Situation(hands=[["unmapped_world"]], changes=changes).play("unmapped_world").cell(-1, 0)
    assert game.table.board[-1, 0].data == 0


def test_hx14_entering_once_and_for_free() -> None:
    game = Situation(hands=[["great_comet", "unmapped_world"]], dice=[4], stores=[0]).play("great_comet")
    game.cell(0, 1)
    assert game.table.board[1, 0].data == 6
    game.play("unmapped_world").cell(-1, 0)
    assert game.table.board[-1, 0].data == 4  # on_enter aims at the hex that came
    assert game.table.board[1, 0].data == 6 and game.table.actions_left == 1


def test_hx10_rotation_is_asked_only_with_walls() -> None:
    game = Situation(hands=[["asteroid_belt"]]).play("asteroid_belt").cell(0, 1)
    assert game.legal() == [DIRECTION + k for k in range(6)]
    game.rotation(4)
    assert game.table.board[0, 1].rotation == 4
