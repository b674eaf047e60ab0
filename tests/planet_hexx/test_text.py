"""Text and JSON of a seat tell every public fact; that they tell nothing hidden: test_secrecy.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.declare import CHECK
from spacemission_env.games.planet_hexx.engine.grid import CELL_OF
from spacemission_env.games.planet_hexx.engine.stack import push
from tests.planet_hexx.positions import kind, new_game, table


def position() -> Any:
    """Seat 0 is to take an Action; all seats have something of everything."""
    game = table(["unmapped_world", "asteroid_belt"], ["miss_galaxy"], ["big_gus"])
    s = game.states[0]
    s.deck_known = 2
    s.known[1, 0] = 1
    s.discard[kind(game, "wormhole")] = 1
    return game


def _set(field: str, value: Any, *place: Any) -> Callable[[Any, Any], None]:
    def change(game: Any, s: Any) -> None:
        number = kind(game, value) if isinstance(value, str) else value
        if place:
            s[field][place] = number
        else:
            s[field] = number

    return change


def _frame(what: int, mode: int, **fields: Any) -> Callable[[Any, Any], None]:
    def change(game: Any, s: Any) -> None:
        f = push(s, what, mode, 1)
        for name, value in fields.items():
            f[name] = kind(game, value) if isinstance(value, str) else value

    return change


PUBLIC: dict[str, Callable[[Any, Any], None]] = {
    "who began": _set("start_player", 1),
    "whose turn": _set("active", 2),
    "round": _set("round_number", 9),
    "Actions left": _set("actions_left", 1),
    "gained Actions of a kind": _set("gained", 1, c.MOVE),
    "Actions gained in this turn": _set("gained_ever", 2, 1),
    "a ban": _set("banned", 1 << c.UPLOAD, 1),
    "a roll bonus": _set("bonus", -2, 1),
    "a bonus to Collecting": _set("collect_bonus", 1, 2),
    "Actions begun": _set("begun", 2),
    "a used Surprise": _set("surprised", 1, 2),
    "the latest Event": _set("latest", "miss_galaxy"),
    "where a ship is": _set("ship", CELL_OF[1, 0], 1),
    "where it Landed last": _set("landed", CELL_OF[1, 0], 1),
    "Data of a Store": _set("store", 7, 2),
    "Snooger counters": _set("counters", 2, 1),
    "mission": _set("file", 7, 1),
    "a point": _set("points", 3, 1, 0),
    "an uploaded card": _set("filled", "wormhole", 1, 5),
    "a card that all have seen": _set("known", 0, 1, 0),
    "size of a hand": _set("hand_size", 0, 2),
    "size of the deck": _set("deck_size", 50),
    "known cards of the deck": _set("deck_known", 1),
    "the Discard": _set("discard", 2, 0),
    "a hex": _set("hex", "wormhole", CELL_OF[0, 0]),
    "Data of a Planet": _set("hex_data", 3, CELL_OF[1, 0]),
    "walls": _set("walls", 5, CELL_OF[0, 0]),
    "the own hand": _set("hand", "wormhole", 0, 1),
    "a Map Action": _frame(c.PLAYING, c.MAP, card="wormhole", step=CHECK, cell=CELL_OF[0, 1]),
    "a Move Action": _frame(c.PLAYING, c.MOVE, step=CHECK),
    "a branch": _frame(c.PLAYING, c.EVENT, card="miss_galaxy", step=CHECK, branch=1),
    "an Upload at its other cost": _frame(c.PLAYING, c.UPLOAD, card="bag_of_rocks", step=CHECK, branch=1),
    "a cancelled Action": _frame(c.PLAYING, c.MOVE, step=CHECK, cancelled=1),
    "a roll": _frame(c.ROLLING, c.MOVE, roll=5),
    "steps left": _frame(c.MOVING, 0, roll=5, left=3),
    "more to Collect": _frame(c.MOVING, 0, roll=5, more=1),
    "a target seat": _frame(c.CARRYING_OUT, 0, card="miss_galaxy", target=2),
    "a target hex": _frame(c.CARRYING_OUT, 0, card="miss_galaxy", hex=CELL_OF[1, 0]),
    "discards to come": _frame(c.DISCARDING, c.ANY, left=2),
    "an Action to be used now": _frame(c.GAINING, c.UPLOAD),
}


@pytest.mark.parametrize("fact", PUBLIC)
def test_every_public_fact_is_in_text_and_json(fact: str) -> None:
    """Whatever the observation of a seat shows, people are told too."""
    before, after = position(), position()
    PUBLIC[fact](after, after.states[0])
    assert before.observe(0).tobytes() != after.observe(0).tobytes()
    seen, text = before.seat_json(0), before.spec.text
    assert after.seat_json(0) != seen
    assert text.board(before, 0) != text.board(after, 0)


def test_the_choice_of_a_side_shows_the_points_of_both() -> None:
    """HX-1: in the list of moves, which the terminal and the web page show too, and on the board."""
    game = new_game(2)
    sides = game.seat_json()["sides"]
    for action, side in zip(game.legal_actions(), sides, strict=True):
        words = f"takes the mission {side['name'].capitalize()}: {', '.join(side['points'])}"
        assert game.words(action) == f"player_{game.player} {words}"
        shown = " ".join(game.spec.text.board(game).split())
        assert f"{side['name'].capitalize()} ({', '.join(side['points'])})" in shown
