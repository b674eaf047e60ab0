"""Plain-Python Planet Hexx: each statement of the language of effects, on a card that has it."""

from __future__ import annotations

from typing import Any

import pytest

from .planet_hexx.cards import Card, Program, shipped
from .planet_hexx.effects import STATEMENTS, Effect, carry_out
from .planet_hexx.moves import NUMBER, PASS, POINT, UPLOAD, YES
from .planet_hexx.situations import Situation
from .planet_hexx.table import Decision, GameEnds


def do(game: Situation, program: Program, answers: tuple[int, ...] = (), **context: Any) -> list[Decision]:
    """Carry out an effect of seat 0 outside of any Action; returns what was asked."""
    asked, going = [], carry_out(game.table, program, game.table.seats[0], **context)
    try:
        asked.append(next(going))
        for answer in answers:
            asked.append(going.send(answer))
    except StopIteration:
        return asked
    raise AssertionError(f"still asking {asked[-1]}")


def test_hx48_every_statement_of_the_page_is_there() -> None:
    words = """add expend take collect planet_add planet_sub planets_add planets_sub draw discard
    random_discard dump show_hand show_top recover gain_action use_action forbid move relocate
    place target_seat target_hex
    disintegrate rotate move_hex replace_hex roll roll_table modify_roll reroll upload_now upload_self
    delete_upload copy cancel counter if may"""
    assert set(STATEMENTS) == set(words.split())


def test_who() -> None:
    game = Situation(seats=4)
    game.table.active = 3
    effect = Effect(game.table, game.table.seats[2])
    who = {word: [seat.number for seat in effect.who(word)] for word in ("you", "active", "all", "others")}
    assert who == {"you": [2], "active": [3], "all": [2, 3, 0, 1], "others": [3, 0, 1]}
    assert effect.who("target") == [] and effect.amount("counters") == effect.amount("roll") == 0


def test_add_expend_take() -> None:
    game = Situation(seats=3, stores=[1, 1, 98])
    do(game, [["add", 2, "all"]])
    assert [game.store(j) for j in range(3)] == [3, 3, 99]
    do(game, [["expend", 4, "others"]])
    assert [game.store(j) for j in range(3)] == [3, 0, 95]
    do(game, [["take", 2, "others"]])
    assert [game.store(j) for j in range(3)] == [5, 0, 93]


def test_collect_and_planet_data() -> None:
    game = Situation(board={(0, 1): "soggy_moon"}, ships=[(1, 0)])
    do(game, [["collect", 9], ["planet_add", 3], ["planets_add", 1], ["planet_sub", 2], ["planets_sub", 1]])
    assert game.store(0) == 5 and game.table.board[1, 0].data == 1 and game.table.board[0, 1].data == 4
    on_space = Situation()
    do(on_space, [["collect", 2], ["planet_add", 2]])
    assert on_space.store(0) == 0 and on_space.table.board[0, 0].data == 0


def test_draw_stops_at_twelve_cards() -> None:
    game = Situation(hands=[["detour"] * 11])
    deck = len(game.table.deck)
    do(game, [["draw", 3]])
    assert len(game.hand(0)) == 12 and len(game.table.deck) == deck - 1


def test_hx51_draw_and_dump_go_on_with_the_shuffled_discard() -> None:
    game = Situation(rest=False, deck=["detour"], discard=["pebble", "data_bomb"])
    do(game, [["draw", 2], ["dump", 2], ["draw", 1]])
    # a shuffle of two for the second card drawn, one of the dumped card for the second dump, one for the last
    assert len(game.hand(0)) == 3 and game.table.shuffles == 3
    assert sorted(game.hand(0)) == ["data_bomb", "detour", "pebble"]
    do(game, [["draw", 1], ["dump", 1]])  # both are empty
    assert len(game.hand(0)) == 3 and game.table.shuffles == 3


def test_discard_one_by_one_as_far_as_there_are_any() -> None:
    game = Situation(seats=3, hands=[[], ["detour", "pebble", "plot_twist"], ["big_gus"]])
    asked = do(game, [["discard", 2, "others", "dilemma"]], (43 + game.hand(1).index("detour"),))
    assert [(d.seat, d.name) for d in asked] == [(1, "DISCARD")]
    assert game.hand(1) == ["pebble"] and game.hand(2) == ["big_gus"]


def test_random_discard_uses_the_games_dice_in_slot_order() -> None:
    game = Situation(hands=[[], ["pebble", "detour", "data_bomb"]])
    twin = Situation(hands=[[], ["pebble", "detour", "data_bomb"]])
    left = game.hand(1)
    for n in (3, 2):
        left.pop(twin.table.chance.below(n))
    do(game, [["random_discard", 2, "others"]])
    assert game.hand(1) == left


def test_show_hand_and_show_top() -> None:
    game = Situation(hands=[["pebble"], ["detour"]], rest=False, deck=["big_gus", "data_bomb"])
    do(game, [["show_hand", "others"], ["show_top", 5]])
    assert [[card.known for card in seat.hand] for seat in game.table.seats] == [[False], [True]]
    assert game.table.deck_known == 2
    do(game, [["show_top", 1], ["dump", 1]])
    assert game.table.deck_known == 1


def test_hx52_recover_by_type_and_not_into_a_full_hand() -> None:
    game = Situation(discard=["pebble", "detour"])
    do(game, [["recover", "dilemma"]])  # one to choose: not asked
    assert [(c.kind.id, c.known) for c in game.table.seats[0].hand] == [("detour", True)]
    full = Situation(hands=[["detour"] * 12], discard=["pebble"])
    do(full, [["recover"]])
    assert full.discarded("pebble") == 1


def test_gain_action_kept_on_the_own_turn_at_most_six() -> None:
    game = Situation()
    do(game, [["gain_action", "move", 2], ["gain_action", "any"], ["gain_action", "map", 9]])
    assert game.table.gained == {"move": 2, "map": 3} and game.table.actions_left == 4


def test_use_action_takes_gained_ones_first() -> None:
    game = Situation()
    do(game, [["gain_action", "refresh"], ["gain_action", "move"], ["use_action", 1]])
    assert game.table.gained == {"refresh": 1} and game.table.actions_left == 3
    do(game, [["use_action", 3], ["use_action", 9, "others"]])
    assert game.table.gained == {} and game.table.actions_left == 1
    do(game, [["use_action", 9, "active"]])
    assert game.table.actions_left == 0


def test_forbid_until_the_end_of_the_turn() -> None:
    game = Situation()
    do(game, [["forbid", "move", "active"]])
    assert game.table.banned(game.table.seats[0], "move") and not game.table.seats[1].bans


def test_move_without_a_roll() -> None:
    game = Situation(hands=[["pocket_rocket"]], board={(0, 1): "starry_deep"})
    game.play("pocket_rocket")
    game.go(1, 4, 0)
    assert game.legal() == [NUMBER, NUMBER + 1] and game.ship(0) == (1, 0)


@pytest.mark.parametrize(("die", "store"), [(1, 4), (2, 4), (3, 5), (5, 7)])
def test_roll_table(die: int, store: int) -> None:
    game = Situation(stores=[5], dice=[die])
    do(game, [["roll_table", [1, 2, [["expend", 1]]], [3, 4, []], [5, 6, [["add", 2]]]]])
    assert game.store(0) == store


def test_roll_is_an_amount() -> None:
    game = Situation(dice=[4])
    do(game, [["roll"], ["add", "roll"]])
    assert game.store(0) == 4


def test_counters_are_an_amount() -> None:
    game = Situation(hands=[["big_boss_snooger"]], stores=[0, 9])
    game.table.seats[1].counters = 2
    game.play("big_boss_snooger")
    assert game.store(0) == 3 and game.table.seats[1].counters == 3
    do(game, [["counter", 20, "all"]])
    assert [seat.counters for seat in game.table.seats] == [9, 9]


def test_reroll_and_cancel_outside_of_their_windows_do_nothing() -> None:
    game = Situation()
    before = game.snapshot()
    do(game, [["reroll"], ["cancel"], ["upload_self"]])
    assert game.snapshot() == before


def test_upload_now_only_what_fits_and_pass() -> None:
    game = Situation(hands=[["pebble", "detour", "data_bomb"]], uploaded=[["big_gus"]])
    [asked] = do(game, [["upload_now"]], (PASS,))
    assert asked.moves == [PASS, UPLOAD + 1, UPLOAD + 2]
    do(game, [["upload_now", "object"]], (UPLOAD + 2,))
    assert game.file(0)[3] == "data_bomb"


def test_upload_self_where_a_point_is_open() -> None:
    game = Situation(hands=[["mysterious_egg", "eager_interns"]])
    game.play("mysterious_egg")
    assert game.file(0)[3] == "mysterious_egg" and game.discarded("mysterious_egg") == 0
    full = Situation(hands=[["mysterious_egg", "eager_interns"]], uploaded=[["data_bomb"]])
    full.play("mysterious_egg")
    assert full.discarded("mysterious_egg") == 1


def test_delete_upload_counts_seats_from_the_chooser() -> None:
    files = [["detour"], [], ["pebble", "detour"]]
    game = Situation(seats=3, hands=[[], ["corrupted_files"]], stores=[0, 2], uploaded=files)
    game.no()
    game.play("corrupted_files")
    game.seat(1)
    assert game.legal() == [POINT + 6 + 1, POINT + 6 + 4]
    game.point(1, 4)
    assert game.discarded("pebble") == 1 and game.file(2)[4] is None


def test_if_and_may() -> None:
    game = Situation(stores=[2], ships=[(1, 0)])
    for condition, holds in (
        (["data_ge", 2], True),
        (["data_ge", 3], False),
        (["target_data_ge", 0], False),  # there is no target
        (["planet_ge", 5], True),
        (["planet_ge", 6], False),
        (["on", "planet"], True),
        (["on", "space"], False),
        (["on_board", "space_base"], True),
        (["on_board", "wormhole"], False),
        (["top_is", "object"], False),  # nobody knows it
    ):
        before = game.table.seats[0].counters = 0
        do(game, [["if", condition, [["counter", 1]], []]])
        assert game.table.seats[0].counters - before == holds, condition
    do(game, [["may", [["add", 1]]]], (PASS,))
    do(game, [["may", [["add", 1]]]], (YES,))
    assert game.store(0) == 3


def test_top_is_the_known_top_card() -> None:
    game = Situation(deck=["detour"])
    do(game, [["show_top", 1], ["if", ["top_is", "dilemma"], [["add", 1]], []]])
    assert game.store(0) == 1


def test_an_effect_ends_with_the_game() -> None:
    game = Situation(hands=[["data_bomb"]], uploaded=[["detour", "plot_twist", "eager_interns", "pebble"]])
    game.table.seats[0].filled[5] = Card(shipped().by_id["starry_deep"])
    with pytest.raises(GameEnds):
        do(game, [["upload_now"], ["add", 1]], (UPLOAD,))
    assert game.table.winners == [0] and game.store(0) == 0
