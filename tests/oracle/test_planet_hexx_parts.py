"""Parts of the plain-Python Planet Hexx, by themselves. (The rules are tested in tests/planet_hexx.)"""

from __future__ import annotations

from itertools import count

import pytest

from .planet_hexx.board import CELLS, DIRECTIONS, beside, opposite
from .planet_hexx.cards import numbered, words
from .planet_hexx.effects import STATEMENTS
from .planet_hexx.moves import PASS, in_words
from .planet_hexx.situations import Situation
from .planet_hexx_oracle import HexxOracle


def test_cells_and_directions() -> None:
    assert len(CELLS) == 217 and CELLS[0] == (0, -8) and CELLS[108] == (0, 0) and CELLS[-1] == (0, 8)
    for d, (dq, dr) in enumerate(DIRECTIONS):
        back = DIRECTIONS[opposite(d)]
        assert (dq + back[0], dr + back[1]) == (0, 0) and beside((0, 0), d) == (dq, dr)


def test_moves_in_words() -> None:
    assert [in_words(m) for m in (0, 6, 9, 55 + 108, 274)] == [
        "pass",
        "move",
        "play slot 2",
        "cell (0, 0)",
        "direction 2",
    ]


def test_hx48_every_statement_of_the_page_is_there() -> None:
    words = """add expend take collect planet_add planet_sub planets_add planets_sub draw discard
    random_discard dump show_hand show_top recover gain_action use_action forbid move relocate
    place target_seat target_hex
    disintegrate rotate move_hex replace_hex roll roll_table modify_roll reroll upload_now upload_self
    delete_upload copy cancel counter if may once modify_collect"""
    assert set(STATEMENTS) == set(words.split())


def test_snapshot_is_of_plain_things() -> None:
    game = Situation(hands=[["starry_deep"], ["pebble"]], discard=["detour"], board={(0, 1): "ribbon_reef"})
    shot = game.snapshot()
    assert shot["hands"] == [[["starry_deep", 0, 0]], [["pebble", 0, 0]]]
    assert shot["discard"] == {"detour": 1} and shot["mask"] == game.legal()
    assert shot["board"][108] == ["space_base", 0, 0] and shot["ships"] == [108, 108]


def test_words_are_first_in_statements_and_each_once_has_a_number() -> None:
    program = [["if", ["on_board", "collect"], [["once", [["draw", 1]]]], [["once", [["move", "roll"]]]]]]
    assert words(program) == ["if", "on_board", "once", "draw", "once", "move"]
    then, otherwise = numbered(program, count(5))[0][2:]
    assert then == [["once", [["draw", 1]], 5]] and otherwise == [["once", [["move", "roll"]], 6]]


def test_an_illegal_move_is_refused() -> None:
    game = HexxOracle(2, 0, {})
    with pytest.raises(ValueError, match="not one of"):
        game.step(PASS)
    with pytest.raises(ValueError, match="5 players"):
        HexxOracle(5, 0, {})
    with pytest.raises(ValueError, match="hand"):
        HexxOracle(2, 0, {"hand": 5})
