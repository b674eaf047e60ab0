"""Tests the pieces of the observation, and the planes."""

import numpy as np
import pytest

from spacemission_env import planet_hexx_v0
from spacemission_env.core.errors import SetupError
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.cards import new_deck
from spacemission_env.games.planet_hexx.engine.grid import CELL_OF, COORDINATES
from spacemission_env.games.planet_hexx.engine.layout import CARD, CELL, CELL_FEATURES, DEED, LAYOUT, ROW
from spacemission_env.games.planet_hexx.game import Game
from tests.planet_hexx.positions import asked, at, kind, play, random_walk, slot, table

SPEC = find_game("planet_hexx")


def seen(game: Game, seat: int, name: str) -> np.ndarray:
    """A piece of a seat's observation as whole numbers."""
    piece = LAYOUT[name]
    return game.whole_numbers(seat)[0, piece.slice].astype(int).reshape(piece.shape)


def pool(game: Game, seat: int, age: int) -> dict[str, int]:
    """Counts of the cards that a seat has not seen, by id."""
    ids = [card.id for card in game.components.cards]
    return {ids[k]: int(n) for k, n in enumerate(seen(game, seat, "pool")[age, : len(ids)]) if n}


def test_a_move_and_its_roll_are_seen_by_all() -> None:
    game = table(["soggy_moon"], ["red_tape"], ["data_bomb"])
    game.step(6)
    assert asked(game) == (0, "step")
    rolled = int(game.states[0].stack[1].roll)
    for seat in range(3):
        flight, move = seen(game, seat, "under_way")[:2]
        assert (flight[ROW["flight"]], move[ROW["move"]]) == (1, 1)
        assert flight[ROW[f"seat_{-seat % 3}"]] == 1
        assert (flight[ROW["roll"]], flight[ROW["left"]]) == (rolled, rolled)
        roll, declared = seen(game, seat, "deeds")[:2]
        assert (roll[DEED["roll"]], roll[DEED["number"]]) == (1, rolled)
        assert declared[DEED["move"]] == 1
        assert declared[DEED[f"seat_{-seat % 3}"]] == 1
        assert seen(game, seat, "asked").any() == (seat == 0)
    game.step(272)
    assert seen(game, 1, "under_way")[0, ROW["came"]] == 1 + 3
    assert seen(game, 1, "under_way")[0, ROW["left"]] == rolled - 1
    assert seen(game, 1, "landed")[2].tolist() == [10, 9]


def test_a_window_is_seen_but_not_whom_it_asks() -> None:
    game = table(["cute_furry_things"], ["red_tape"], ["force_field"])
    play(game, "cute_furry_things")
    game.step(2)
    assert asked(game) == (1, "window")
    for seat in range(3):
        assert seen(game, seat, "window").argmax() == 4
        assert seen(game, seat, "opener").argmax() == -seat % 3
        event = seen(game, seat, "under_way")[0]
        assert (event[ROW["event"]], event[ROW["which"]]) == (1, 1)
        assert event[ROW["card"]] == 1 + kind(game, "cute_furry_things")
        assert seen(game, seat, "source").argmax() == kind(game, "cute_furry_things")
    play(game, "red_tape")
    surprise, event = seen(game, 2, "deeds")[:2]
    assert (surprise[DEED["surprise"]], event[DEED["event"]]) == (1, 1)
    assert surprise[DEED["card"]] == 1 + kind(game, "red_tape")


def test_only_the_seat_itself_sees_that_it_has_passed() -> None:
    game = table(["cute_furry_things"], ["red_tape"], ["soggy_moon"], always_ask=True)
    play(game, "cute_furry_things")
    game.step(2)
    game.step(0)
    assert asked(game) == (2, "window")
    assert [int(seen(game, seat, "passed")[0]) for seat in range(3)] == [0, 1, 0]


def test_what_a_shuffled_discard_brings_into_the_deck_is_known() -> None:
    game = table(["soggy_moon"], ["data_bomb", "red_tape"])
    s = game.states[0]
    all_cards = pool(game, 0, 0)
    assert sum(all_cards.values()) == int(s.deck_size) + 2
    assert {"data_bomb", "red_tape"} <= set(all_cards)
    # The deck except two cards is discarded and shuffled: the hand of seat 1 is older now.
    s.discard[:] = np.bincount(s.deck[2 : s.deck_size], minlength=len(s.discard))
    s.discard_size, s.deck_size = int(s.deck_size) - 2, 2
    new_deck(s, game.t)
    assert pool(game, 0, 1) == {"data_bomb": 1, "red_tape": 1}
    assert sum(pool(game, 0, 0).values()) == int(s.deck_size)
    assert seen(game, 0, "unseen")[:2].tolist() == [[0, 1, 0], [0, 2, 0]]
    assert seen(game, 0, "hand")[0, CARD["age"]] == 1
    assert pool(game, 1, 1) == {"soggy_moon": 1}
    world = game.determinize(0, 1).states[0]
    assert sorted(world.hand[1, :2]) == sorted(s.hand[1, :2])


def test_known_cards_of_the_deck_are_seen_in_their_order() -> None:
    game = table(["soggy_moon"], ["data_bomb"])
    s = game.states[0]
    s.deck_known = 3
    for seat in range(2):
        known = seen(game, seat, "next_cards")
        assert known[:4].tolist() == [*(1 + int(s.deck[s.deck_size - 1 - i]) for i in range(3)), 0]
        assert seen(game, seat, "top").argmax() == s.deck[s.deck_size - 1]
    assert sum(pool(game, 0, 0).values()) == int(s.deck_size) - 3 + 1


def test_uploads_files_and_places_are_those_of_the_seats() -> None:
    game = table(["data_bomb"], ["red_tape"], ["soggy_moon"])
    s = game.states[0]
    s.store[0] = 3
    game.step(19 + slot(game, 0, "data_bomb"))
    point = [int(k) for k in s.filled[0]].index(kind(game, "data_bomb"))
    s.ship[2] = CELL_OF[1, 0]
    for seat in range(3):
        k = -seat % 3
        assert seen(game, seat, "uploaded")[k, point] == 1 + kind(game, "data_bomb")
        assert seen(game, seat, "file")[:3].tolist() == [1 + int(s.file[(seat + j) % 3]) for j in range(3)]
        assert seen(game, seat, "ship")[(2 - seat) % 3].tolist() == [10, 9]


def test_cells_tell_the_hex_with_its_data_walls_and_rotation() -> None:
    game = table(["ribbon_reef", "big_gus", "soggy_moon"], ["data_bomb"])
    play(game, "ribbon_reef")
    game.step(at(-1, 0))
    game.step(272 + 2)
    play(game, "big_gus")
    game.step(at(-2, 0))
    cells = seen(game, 1, "cells")
    reef, gus = cells[CELL_OF[-1, 0]], cells[CELL_OF[-2, 0]]
    assert [reef[CELL[f"wall_{d}"]] for d in range(6)] == [0, 0, 1, 0, 0, 1]
    assert (reef[CELL["turned"]], reef[CELL["space"]]) == (2, 1)
    assert reef[CELL["kind"]] == 1 + kind(game, "ribbon_reef")
    assert (gus[CELL["data"]], gus[CELL["printed"]], gus[CELL["planet"]]) == (6, 6, 1)
    assert gus[CELL["kind"]] == 1 + kind(game, "big_gus")
    assert cells[CELL_OF[0, 0], CELL["own_ship"]] == cells[CELL_OF[0, 0], CELL["other_ships"]] == 1
    assert set(np.flatnonzero(cells.any(1))) == {CELL_OF[q, r] for q, r in ((0, 0), (1, 0), (-1, 0), (-2, 0))}


def test_deeds_stand_the_latest_first() -> None:
    *_, game = random_walk(4, 81)
    s = game.states[0]
    assert (s.deeds[:, 1] != c.NOTHING).all()
    for row, (seat, what, card, number) in zip(seen(game, 1, "deeds"), s.deeds, strict=True):
        assert row[DEED["seat_0"] + (seat - 1) % 3] == 1
        assert row[DEED["map"] + what] == 1
        assert (row[DEED["card"]], row[DEED["number"]]) == (1 + card, min(20, number))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_planes_have_each_feature_of_a_cell_at_its_place(dtype: type) -> None:
    *_, game = random_walk(5, 301)
    s = game.states[0]
    flat = game.observe(1)
    if dtype is np.uint8:
        flat = game.whole_numbers(1)[0]
    board = planet_hexx_v0.planes(np.stack([flat, flat * 0]))
    names = planet_hexx_v0.PLANE_NAMES
    assert board.shape == (2, len(names), 17, 17)
    assert board.dtype == dtype
    assert (planet_hexx_v0.planes(flat) == board[0]).all()
    cells = flat[LAYOUT["cells"].slice].reshape(LAYOUT["cells"].shape)
    for cell, (q, r) in enumerate(COORDINATES):
        assert (board[0, : len(CELL_FEATURES), r + 8, q + 8] == cells[cell]).all()
        for k in range(4):
            j = (1 + k) % 4
            assert board[0, names.index(f"ship_{k}"), r + 8, q + 8] == (s.ship[j] == cell)
            assert board[0, names.index(f"last_landed_{k}"), r + 8, q + 8] == (s.landed[j] == cell)
    assert board[0, -1].sum() == len(COORDINATES)
    assert (s.landed[:4] != c.NOTHING).any()
    with pytest.raises(SetupError, match="observation: expected"):
        planet_hexx_v0.planes(flat[1:])
