"""Rules one by one, each in a position made for it. (Whole games are compared with the independent rules.)"""

from __future__ import annotations

import pytest

from spacemission_env.games.planet_hexx.engine.grid import CELL_OF
from tests.planet_hexx.positions import asked, at, hand, kind, new_game, play, slot, table

SPACES = ["lot_of_nothing", "starry_deep"]
PLANETS = ["soggy_moon", "big_gus"]


def test_hx4_hx5_hx6_the_board_at_the_start() -> None:
    s = new_game(3).states[0]
    assert int(s.hexes) == 2
    assert int(s.hex_data[CELL_OF[1, 0]]) == 5
    assert {int(s.ship[j]) for j in range(3)} == {CELL_OF[0, 0]}
    assert not s.store.any()


def test_hx10_hx11_where_planets_and_spaces_may_lie() -> None:
    game = table([*SPACES, *PLANETS, "pebble"], ["data_bomb"])
    base_side, delta_side, both = (-1, 0), (2, 0), (0, 1)
    for card, cells in (
        ("starry_deep", {base_side, delta_side, both}),
        ("soggy_moon", {base_side}),  # beside Delta Colony no Planet
        ("pebble", {base_side, both}),  # but this one; it must touch a Space
    ):
        again = game.clone()
        play(again, card)
        assert asked(again) == (0, "map_cell")
        legal = set(again.legal_actions())
        assert {cell for cell in (base_side, delta_side, both) if at(*cell) in legal} == cells


def test_hx13_hx14_a_hex_comes_with_its_data_and_its_effect_has_it_as_its_target() -> None:
    game = table(["unmapped_world", "soggy_moon"], ["data_bomb"])
    play(game, "unmapped_world")
    game.step(at(-1, 0))
    s = game.states[0]
    assert 1 <= int(s.hex_data[CELL_OF[-1, 0]]) <= 6
    assert int(s.hex_data[CELL_OF[1, 0]]) == 5


def test_hx18_hx23_landing_collects_if_one_wants() -> None:
    game = table(["soggy_moon"], ["data_bomb"])
    game.step(6)
    assert asked(game) == (0, "step")
    game.step(272)
    assert asked(game) == (0, "collect")
    assert game.legal_actions() == [282, 283]
    game.step(283)
    s = game.states[0]
    assert (int(s.store[0]), int(s.hex_data[CELL_OF[1, 0]])) == (1, 4)
    assert int(s.landed[0]) == CELL_OF[1, 0]


def test_hx19_nobody_lands_twice_running_on_a_hex() -> None:
    game = table(["soggy_moon"], ["data_bomb"])
    s = game.states[0]
    s.landed[0] = CELL_OF[1, 0]
    left = int(s.actions_left)
    game.step(6)  # a Move that has no legal step ends by itself
    assert asked(game) == (0, "main")
    assert int(s.actions_left) == left - 1


def test_hx36_hx35_an_upload_costs_three_and_fills_the_lowest_point_of_its_type() -> None:
    game = table(["soggy_moon", "data_bomb"], ["red_tape"])
    s = game.states[0]
    here = slot(game, 0, "data_bomb")
    assert 19 + here not in game.legal_actions()
    s.store[0] = 3
    assert 19 + here in game.legal_actions()
    game.step(19 + here)
    point = [int(p) for p in s.points[0]].index(2)
    assert int(s.filled[0, point]) == kind(game, "data_bomb")
    assert int(s.store[0]) == 0


def test_hx40_refresh_discards_and_draws() -> None:
    game = table(["soggy_moon"], ["data_bomb"])
    top = game.components.cards[game.states[0].deck[game.states[0].deck_size - 1]].id
    game.step(43)
    assert hand(game, 0) == [top]
    assert game.states[0].discard[kind(game, "soggy_moon")] == 1


def test_hx42_exactly_one_branch_is_chosen() -> None:
    game = table(["cute_furry_things"], ["data_bomb"])
    play(game, "cute_furry_things")
    assert asked(game) == (0, "branch")
    game.step(2)
    assert int(game.states[0].store[0]) == 2


@pytest.mark.parametrize("answered", [True, False])
def test_hx44_a_surprise_cancels_an_event(answered: bool) -> None:
    game = table(["cute_furry_things"], ["red_tape"])
    play(game, "cute_furry_things")
    game.step(2)
    assert asked(game) == (1, "window")
    if answered:
        play(game, "red_tape")
    else:
        game.step(0)
    s = game.states[0]
    assert int(s.store[0]) == (0 if answered else 2)
    assert bool(s.surprised[1]) == answered
    assert s.discard[kind(game, "cute_furry_things")] == 1


def test_hx47_the_active_seat_answers_a_surprise_with_an_action() -> None:
    game = table(["cute_furry_things", "cloud_people"], ["red_tape"])
    play(game, "cute_furry_things")
    game.step(2)
    play(game, "red_tape")
    assert asked(game) == (0, "window")
    left = int(game.states[0].actions_left)
    play(game, "cloud_people")
    s = game.states[0]
    assert int(s.store[0]) == 2
    assert int(s.actions_left) == left - 1
    assert hand(game, 1) == []


def test_hx46_an_action_gained_on_anothers_turn_is_used_at_once() -> None:
    game = table(["soggy_moon"], ["tailgaters"])
    game.step(6)
    play(game, "tailgaters")
    assert asked(game) == (1, "gained")
    game.step(6)
    assert asked(game) == (1, "step")
    game.step(272)
    game.step(283)
    assert asked(game) == (0, "step")  # the Move that was answered goes on
    assert int(game.states[0].store[1]) == 1


def test_hx50_a_copy_is_carried_out_for_the_one_who_copies() -> None:
    game = table(["cute_furry_things"], ["robotic_union"])
    play(game, "cute_furry_things")
    game.step(2)
    play(game, "robotic_union")
    assert asked(game) == (1, "branch")
    game.step(2)
    assert [int(data) for data in game.states[0].store[:2]] == [2, 2]


def test_a_cancelled_map_card_goes_back_to_the_hand_and_is_known() -> None:
    game = table(["soggy_moon", "big_gus"], ["construction_fence"])
    play(game, "soggy_moon")
    game.step(at(-1, 0))
    play(game, "construction_fence")
    s = game.states[0]
    here = slot(game, 0, "soggy_moon")
    assert int(s.known[0, here]) == 1
    assert int(s.hexes) == 2


def test_hx53_the_sixth_point_wins_at_once_and_hx54_waits_for_the_round() -> None:
    for equal_turns in (False, True):
        game = table(["data_bomb", "soggy_moon"], ["red_tape", "big_gus"], equal_turns=equal_turns)
        s = game.states[0]
        s.store[0] = 3
        point = [int(p) for p in s.points[0]].index(2)
        for p in range(6):
            if p != point:
                s.filled[0, p] = kind(game, "wormhole")
        game.step(19 + slot(game, 0, "data_bomb"))
        assert game.over != equal_turns
        while not game.over:
            game.step(game.legal_actions()[0])
        assert game.winners() == [0]
        assert game.rewards().tolist() == [1.0, -1.0]
