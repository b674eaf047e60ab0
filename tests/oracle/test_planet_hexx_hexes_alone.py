"""Plain-Python Planet Hexx: the statements about ships, seats and hexes."""

from __future__ import annotations

import pytest

from .planet_hexx.board import CELLS
from .planet_hexx.cards import Program
from .planet_hexx.effects import STATEMENTS, Effect, carry_out
from .planet_hexx.moves import CELL, DIRECTION, PASS, SEAT
from .planet_hexx.situations import Situation


def test_relocate_the_target_to_what_is_beside_its_ship() -> None:
    game = Situation(
        hands=[["tow_cable"]],
        board={(-1, 0): "starry_deep", (-2, 0): "starry_deep"},
        ships=[(0, 0), (-1, 0)],
        stores=[0, 3],
    )
    game.play("tow_cable")
    assert game.cells() == {(0, 0), (-2, 0)}
    game.cell(-2, 0)
    assert game.ship(1) == (-2, 0) and game.store(0) == 1


def test_relocate_to_nowhere() -> None:
    game = Situation(hands=[["teleport_booth"]], deck=["pebble"])  # the only Space is the one it is on
    game.play("teleport_booth")
    assert game.ship(0) == (0, 0) and game.hand(0) == ["pebble"]


def test_place_any_breaks_rule_11() -> None:
    game = Situation(hands=[["terraforming", "magnet_world"]])
    game.play("terraforming")
    game.branch(1)
    game.play("magnet_world")
    assert game.asked == (0, "CELL") and (2, 0) in game.cells()
    game.cell(2, 0)
    assert game.table.board[2, 0].data == 3 and game.table.board[1, 0].data == 4  # it came into play
    assert game.table.actions_left == 1


def test_target_seat_counts_from_the_chooser() -> None:
    game = Situation(seats=4, hands=[["pickpockets"]], stores=[0, 0, 0, 4])
    game.play("pickpockets")
    game.branch(1)
    assert game.legal() == [SEAT + 1, SEAT + 2, SEAT + 3]
    game.seat(3)
    assert game.store(0) == 1 and game.store(3) == 3


def test_target_hex_by_what_where_and_data() -> None:
    board = {(0, 1): ("soggy_moon", 2), (0, -1): ("big_gus", 3), (-1, 0): ("ribbon_reef", 0)}
    game = Situation(board=board, ships=[(0, -1)])
    for words, cells in (
        (["planet", "anywhere", 3, 99], {(1, 0), (0, -1)}),
        (["planet", "anywhere", 0, 2], {(0, 1)}),
        (["hex", "adjacent", 0, 99], {(0, 0), (-1, 0)}),
        (["hex", "elsewhere", 0, 0], {(0, 0), (-1, 0)}),
        (["walled", "anywhere", 0, 99], {(-1, 0)}),
    ):
        effect = Effect(game.table, game.table.seats[0])
        going = STATEMENTS["target_hex"](effect, *words, [])
        assert going is not None
        try:
            found = {CELLS[move - CELL] for move in next(going).moves}
        except StopIteration:  # one alone is not asked for
            found = {effect.target_hex}
        assert found == cells, words


def test_a_hex_is_not_linked_to_itself() -> None:
    game = Situation(board={(0, 1): "wormhole", (0, 2): "wormhole"}, ships=[(0, 1)])
    effect = Effect(game.table, game.table.seats[0])
    list(STATEMENTS["target_hex"](effect, "hex", "linked", 0, 99, []) or ())
    assert effect.target_hex == (0, 2)


@pytest.mark.parametrize(
    ("rest", "starting_hexes"),
    [
        ([["add", 1]], True),
        ([["replace_hex"]], False),
        ([["if", ["on", "space"], [["add", 1]], [["replace_hex"]]]], False),
        ([["target_hex", "hex", "anywhere", 0, 99], ["replace_hex"]], True),  # that is another target
    ],
)
def test_what_is_offered_goes_by_what_is_done_to_it(rest: Program, starting_hexes: bool) -> None:
    game = Situation(board={(0, 1): "wormhole", (0, 2): "wormhole"})
    going = STATEMENTS["target_hex"](Effect(game.table, game.table.seats[0]), "hex", "anywhere", 0, 99, rest)
    assert going is not None
    assert (CELL + 108 in next(going).moves) == starting_hexes


def test_no_target_hex_ends_the_effect() -> None:
    game = Situation()
    for _ in carry_out(
        game.table, [["target_hex", "walled", "anywhere", 0, 99], ["add", 5]], game.table.seats[0]
    ):
        raise AssertionError("nobody is asked")
    assert game.store(0) == 0


def test_disintegrate_sends_ships_next_door() -> None:
    board = {(0, 1): ("soggy_moon", 4), (-1, 1): "starry_deep"}
    game = Situation(hands=[["black_hole"]], board=board, ships=[(0, 0), (0, 1)], landed=[None, (0, 1)])
    game.play("black_hole")
    assert game.cells() == {(0, 1), (-1, 1)}  # not the two from the start
    game.cell(0, 1)
    assert game.cells() == {(0, 0), (1, 0), (-1, 1)}
    game.cell(-1, 1)
    assert (0, 1) not in game.table.board and game.ship(1) == (-1, 1)
    assert game.discarded("soggy_moon") == 1 and game.table.seats[1].last_landed is None


def test_disintegrate_not_what_holds_the_board_together() -> None:
    game = Situation(hands=[["black_hole"]], board={(0, 1): "starry_deep", (0, 2): "starry_deep"})
    game.play("black_hole")  # one to choose: not asked
    assert (0, 2) not in game.table.board and (0, 1) in game.table.board


def test_rotate_to_another_rotation() -> None:
    game = Situation(hands=[["spinning_anomaly"]], board={(0, 1): ("ribbon_reef", 0, 2)})
    game.play("spinning_anomaly")
    game.branch(0)
    assert game.legal() == [DIRECTION + k for k in (0, 1, 3, 4, 5)]
    game.rotation(5)
    assert game.table.board[0, 1].rotation == 5


def test_move_hex_takes_all_with_it() -> None:
    board = {(-1, 0): ("soggy_moon", 9), (0, 1): ("asteroid_belt", 0, 3)}
    game = Situation(hands=[["continental_drift"]], board=board, ships=[(0, 0), (-1, 0)], landed=[(-1, 0)])
    game.play("continental_drift")
    assert game.cells() == {(-1, 0), (0, 1)}
    game.cell(-1, 0)
    assert (-1, 0) not in game.cells() and (0, -1) in game.cells() and (2, 0) not in game.cells()
    game.cell(0, -1)
    moved = game.table.board[0, -1]
    assert (moved.kind.id, moved.data, game.ship(1)) == ("soggy_moon", 9, (0, -1))
    assert game.table.seats[0].last_landed == (0, -1)


def test_replace_hex_keeps_ships_and_forgets_landings() -> None:
    board = {(-1, 0): ("soggy_moon", 1)}
    hand = ["terraforming", "big_gus", "festival_world"]
    game = Situation(hands=[hand], board=board, ships=[(-1, 0)], landed=[(-1, 0)])
    game.play("terraforming")
    game.branch(0)  # the one hex that may be replaced
    assert game.asked == (0, "PLAY") and PASS in game.legal()
    game.play("festival_world")
    assert game.table.board[-1, 0].kind.id == "festival_world" and game.table.board[-1, 0].data == 3
    assert game.ship(0) == (-1, 0) and game.table.seats[0].last_landed is None
    assert len(game.hand(1)) == 1 and game.discarded("soggy_moon") == 1 and game.store(0) == 1


def test_replace_hex_by_rule_11() -> None:
    game = Situation(hands=[["terraforming", "big_gus", "ribbon_reef"]], board={(2, 0): "starry_deep"})
    game.play("terraforming")
    game.branch(0)
    assert game.asked == (0, "PLAY")
    assert len(game.legal()) == 2  # a Planet would lie beside Delta Colony
    game.play("ribbon_reef")
    game.rotation(1)
    assert game.table.board[2, 0].rotation == 1
