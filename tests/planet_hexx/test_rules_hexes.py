"""Tests rule HX-48 of Planet Hexx: statements about ships, seats and hexes."""

import pytest

from tests.oracle.planet_hexx.board import ORIGIN, Cell
from tests.oracle.planet_hexx.moves import DIRECTION, PASS, SEAT
from tests.support.planet_hexx_pair import Situation, doing

STARTERS = {ORIGIN, (1, 0)}
WORMHOLES = {(0, 1): "wormhole", (0, 2): "wormhole", (-1, 0): "ribbon_reef", (0, -1): ("big_gus", 3)}


@pytest.mark.parametrize(
    ("what", "where", "ship", "cells"),
    [
        ("hex", "anywhere", (0, 1), {ORIGIN, (1, 0), (0, 2), (-1, 0), (0, -1)}),
        ("hex", "elsewhere", (0, 1), {ORIGIN, (1, 0), (0, 2), (-1, 0), (0, -1)}),
        ("planet", "anywhere", (0, 1), {(1, 0), (0, -1)}),
        ("space", "adjacent", (0, 1), {ORIGIN, (0, 2)}),
        ("planet", "adjacent", ORIGIN, {(1, 0), (0, -1)}),
    ],
)
def test_hx48_relocate(what: str, where: str, ship: Cell, cells: set[Cell]) -> None:
    game = doing(["relocate", what, where], board=WORMHOLES, ships=[ship])
    assert game.asked == (0, "CELL") and game.cells() == cells
    to = sorted(cells)[0]
    game.cell(*to)
    assert game.ship(0) == to and game.ship(1) == ORIGIN


def test_hx48_relocate_to_the_only_one_there_is() -> None:
    linked = doing(["relocate", "space", "linked"], board=WORMHOLES, ships=[(0, 1)])
    assert linked.ship(0) == (0, 2)
    walled = doing(["relocate", "walled", "anywhere"], board=WORMHOLES)
    assert walled.ship(0) == (-1, 0)


def test_hx48_relocate_the_target_as_seen_from_its_ship() -> None:
    game = doing(
        ["target_seat", "others"],
        ["relocate", "hex", "adjacent", "target"],
        ["take", 1, "target"],
        board={(-1, 0): "starry_deep", (-2, 0): "starry_deep"},
        ships=[ORIGIN, (-1, 0)],
        stores=[0, 3],
    )
    assert game.cells() == {ORIGIN, (-2, 0)}
    game.cell(-2, 0)
    assert game.ship(1) == (-2, 0) and game.ship(0) == ORIGIN and game.store(0) == 1


def test_hx48_relocate_to_nowhere_is_nothing() -> None:
    game = doing(["relocate", "space", "anywhere"], ["draw", 1], deck=["pebble"])  # it is on the only Space
    assert game.ship(0) == ORIGIN and game.hand(0) == ["pebble"]


def test_hx48_target_seat_counts_from_the_chooser() -> None:
    game = doing(["target_seat", "others"], ["take", 1, "target"], seats=4, stores=[0, 0, 0, 4])
    assert game.legal() == [SEAT + 1, SEAT + 2, SEAT + 3]
    game.seat(3)
    assert game.store(0) == 1 and game.store(3) == 3
    every = doing(["target_seat", "all"], ["take", 1, "target"], seats=4)
    assert every.legal() == [SEAT, SEAT + 1, SEAT + 2, SEAT + 3]


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        (["planet", "anywhere", 3, 99], {(1, 0), (0, -1)}),
        (["planet", "anywhere", 4, 99], {(1, 0)}),
        (["planet", "anywhere", 0, 3], {(0, -1)}),
        (["hex", "adjacent", 0, 99], {ORIGIN, (0, 2), (1, 0)}),
        (["hex", "elsewhere", 0, 0], {ORIGIN, (0, 2), (-1, 0)}),
        (["space", "anywhere", 0, 99], {ORIGIN, (0, 1), (0, 2), (-1, 0)}),
        (["walled", "anywhere", 0, 99], {(-1, 0)}),
        (["space", "linked", 0, 99], {(0, 2)}),
    ],
)
def test_hx48_target_hex(words: list[object], cells: set[Cell]) -> None:
    game = doing(["target_hex", *words], ["may", [["add", 1]]], board=WORMHOLES, ships=[(0, 1)])
    if len(cells) > 1:
        assert game.cells() == cells
        game.cell(*sorted(cells)[0])
    assert game.asked == (0, "MAY")


def test_hx48_without_a_target_hex_the_effect_ends() -> None:
    game = doing(["target_hex", "walled", "anywhere", 0, 99], ["add", 5])
    assert game.store(0) == 0 and game.asked == (0, "MAIN")


@pytest.mark.parametrize(
    ("rest", "starting_hexes"),
    [
        ([["add", 1]], True),
        ([["replace_hex"]], False),
        ([["disintegrate"]], False),
        ([["move_hex"]], False),
        ([["rotate"]], True),
        ([["may", [["disintegrate"]]]], False),
        ([["roll_table", [1, 3, []], [4, 6, [["move_hex"]]]]], False),
        ([["if", ["on", "space"], [["add", 1]], [["replace_hex"]]]], False),
        ([["target_hex", "hex", "anywhere", 0, 99], ["replace_hex"]], True),  # that is another target
        ([["may", [["target_hex", "hex", "anywhere", 0, 99], ["replace_hex"]]], ["rotate"]], True),  # and so
        ([["may", [["target_hex", "hex", "anywhere", 0, 99]]], ["replace_hex"]], False),
    ],
)
def test_hx48_what_is_offered_goes_by_what_is_done_to_it(rest: list[object], starting_hexes: bool) -> None:
    board = {(0, 1): "starry_deep", (1, -1): "starry_deep"}
    game = doing(["target_hex", "hex", "anywhere", 0, 99], *rest, board=board)
    assert game.asked == (0, "CELL") and game.cells() == {*board, *(STARTERS if starting_hexes else ())}


def test_hx22_hx48_hr6_disintegrate_sends_ships_next_door() -> None:
    board = {(0, 1): ("soggy_moon", 4), (-1, 1): "starry_deep"}
    game = Situation(hands=[["black_hole"]], board=board, ships=[(0, 0), (0, 1)], landed=[None, (0, 1)])
    game.play("black_hole")
    assert game.cells() == {(0, 1), (-1, 1)}  # not the two from the start
    game.cell(0, 1)
    assert game.cells() == {(0, 0), (1, 0), (-1, 1)}
    game.cell(-1, 1)
    assert (0, 1) not in game.table.board and game.ship(1) == (-1, 1) and game.ship(0) == ORIGIN
    assert game.discarded("soggy_moon") == 1 and game.table.seats[1].last_landed is None


def test_hx48_disintegrate_not_what_holds_the_board_together() -> None:
    game = Situation(hands=[["black_hole"]], board={(0, 1): "starry_deep", (0, 2): "starry_deep"})
    game.play("black_hole")  # one to choose: not asked
    assert (0, 2) not in game.table.board and (0, 1) in game.table.board


def test_hx48_a_ring_hangs_together_without_one_of_its_hexes() -> None:
    ring = {cell: "starry_deep" for cell in ((1, 1), (0, 2), (-1, 2), (-1, 1))}  # around (0, 1)
    game = Situation(hands=[["black_hole"]], board=ring).play("black_hole")
    assert game.cells() == set(ring)


def test_hx48_what_is_gone_is_not_done_to_again() -> None:
    target = ["target_hex", "space", "anywhere", 0, 99]
    game = doing(target, ["disintegrate"], ["disintegrate"], ["rotate"], board={(0, 1): "ribbon_reef"})
    assert (0, 1) not in game.table.board and game.asked == (0, "MAIN")


def test_hx48_rotate_to_another_rotation() -> None:
    game = Situation(hands=[["spinning_anomaly"]], board={(0, 1): ("asteroid_belt", 0, 2)})
    game.play("spinning_anomaly").branch(0)
    assert game.legal() == [DIRECTION + k for k in (0, 1, 3, 4, 5)]
    game.rotation(5)
    assert game.table.board[0, 1].rotation == 5
    plain = doing(["target_hex", "hex", "anywhere", 0, 99], ["rotate"], ["add", 1]).cell(1, 0)
    assert plain.store(0) == 1  # a hex without walls is not turned


def test_hx19_hx22_hx48_hr6_move_hex_takes_all_with_it() -> None:
    board = {(-1, 0): ("soggy_moon", 9), (0, 1): ("asteroid_belt", 0, 3)}
    game = Situation(hands=[["continental_drift"]], board=board, ships=[(0, 0), (-1, 0)], landed=[(-1, 0)])
    game.play("continental_drift")
    assert game.cells() == {(-1, 0), (0, 1)}
    game.cell(-1, 0)
    assert (-1, 0) not in game.cells() and (0, -1) in game.cells() and (2, 0) not in game.cells()
    game.cell(0, -1)
    moved = game.table.board[0, -1]
    assert (moved.kind.id, moved.data, game.ship(1)) == ("soggy_moon", 9, (0, -1))
    assert game.table.seats[0].last_landed == (0, -1) and (-1, 0) not in game.table.board


def test_hx48_a_moved_hex_keeps_its_rotation_and_its_walls() -> None:
    game = doing(
        ["target_hex", "walled", "anywhere", 0, 99],
        ["move_hex"],
        ["planet_add", 1],
        board={(0, 1): ("ribbon_reef", 0, 2)},
    )
    game.cell(-1, 0)
    assert game.table.board[-1, 0].rotation == 2
    game.fly()
    assert DIRECTION + 3 in game.legal()  # walls on edges 0 and 3, turned to 2 and 5


def test_hx11_hx48_move_hex_by_the_rules_of_laying_it() -> None:
    board = {(-1, 0): "pebble", (0, 1): "starry_deep", (-1, 1): "big_gus"}
    game = doing(["target_hex", "planet", "elsewhere", 0, 99], ["move_hex"], board=board)
    assert game.cells() == {(-1, 0), (-1, 1)}
    game.cell(-1, 1)
    # beside a Space and no Planet but Pebble, which says so
    assert {(-1, 2), (0, 2)} <= game.cells() and not game.cells() & {(1, -1), (2, 0), (-2, 0)}


def test_hx48_the_target_goes_with_the_hex_that_is_moved() -> None:
    target = ["target_hex", "planet", "adjacent", 0, 99]
    game = doing(
        target, ["move_hex"], ["planet_add", 2], board={(-1, 0): "soggy_moon"}, landed=[None, (1, 0)]
    )
    game.cell(0, -1)
    assert game.table.board[0, -1].data == 6


def test_hx11_hx48_no_hex_is_offered_that_could_only_stay() -> None:
    board = {(0, -1): "big_gus", (-1, 1): "soggy_moon"}  # each bars the other from all cells but its own
    game = doing(["target_hex", "hex", "anywhere", 0, 99], ["move_hex"], ["add", 1], board=board)
    assert game.asked == (0, "MAIN") and game.store(0) == 0
    alone = doing(["target_hex", "hex", "anywhere", 0, 99], ["move_hex"], board={(0, -1): "big_gus"})
    assert alone.cells() == {(-1, 0), (-1, 1)}


def test_hx14_hx48_place_any_breaks_rule_11() -> None:
    game = Situation(hands=[["terraforming", "magnet_world"]]).play("terraforming").branch(1)
    assert game.asked == (0, "PLAY") and PASS in game.legal()
    game.play("magnet_world")
    assert game.asked == (0, "CELL") and (2, 0) in game.cells()
    game.cell(2, 0)
    assert game.table.board[2, 0].data == 3 and game.table.board[1, 0].data == 4  # it came into play
    assert game.table.actions_left == 1


def test_hx48_place_legal_is_by_rule_11() -> None:
    game = doing(["place", "legal"], ["add", 1], hands=[["big_gus", "ribbon_reef", "detour"]])
    assert len(game.legal()) == 3  # pass, and the two Map cards
    again = doing(["place", "legal"], ["add", 1], hands=[["big_gus", "ribbon_reef", "detour"]])
    game.play("big_gus")
    assert game.cells() == {(-1, 0), (-1, 1), (0, -1)}
    game.cell(-1, 0)
    assert game.table.board[-1, 0].data == 6 and game.store(0) == 1
    again.play("ribbon_reef").cell(2, 0).rotation(2)
    assert again.table.board[2, 0].rotation == 2
    none = doing(["place", "legal"], ["add", 1], hands=[["big_gus"]]).no()
    assert none.hand(0) == ["big_gus"] and none.store(0) == 1


def test_hx19_hx22_hx48_replace_hex_keeps_ships_and_forgets_landings() -> None:
    board = {(-1, 0): ("soggy_moon", 1)}
    hand = ["terraforming", "big_gus", "festival_world"]
    game = Situation(hands=[hand], board=board, ships=[(-1, 0)], landed=[(-1, 0)]).play("terraforming")
    game.branch(0)  # the one hex that may be replaced
    assert game.asked == (0, "PLAY") and PASS in game.legal()
    game.play("festival_world")
    assert game.table.board[-1, 0].kind.id == "festival_world" and game.table.board[-1, 0].data == 3
    assert game.ship(0) == (-1, 0) and game.table.seats[0].last_landed is None
    assert len(game.hand(1)) == 1 and game.discarded("soggy_moon") == 1 and game.store(0) == 1


def test_hx11_hx48_replace_hex_by_rule_11() -> None:
    game = Situation(hands=[["terraforming", "big_gus", "ribbon_reef"]], board={(2, 0): "starry_deep"})
    game.play("terraforming").branch(0)
    assert game.asked == (0, "PLAY")
    assert len(game.legal()) == 2  # a Planet would lie beside Delta Colony
    game.play("ribbon_reef").rotation(1)
    assert game.table.board[2, 0].rotation == 1
