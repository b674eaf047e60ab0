"""Planet Hexx, HX-48: each statement of the language of effects, about Data and cards."""

from __future__ import annotations

import pytest

from tests.oracle.planet_hexx.moves import DISCARD
from tests.support.planet_hexx_pair import EVENT, Situation, doing

FULL = (
    ["lot_of_nothing"] * 3 + ["starry_deep"] * 3 + ["detour", "plot_twist", "data_bomb", "pebble", "big_gus"]
)


def stores(game: Situation) -> list[int]:
    return [seat.store for seat in game.table.seats]


def shown(game: Situation, seat: int) -> list[str]:
    """The cards of a hand that all know."""
    return [card.kind.id for card in game.table.seats[seat].hand if card.known]


@pytest.mark.parametrize(
    ("who", "added"),
    [("you", [0, 0, 1, 0]), ("active", [1, 0, 0, 0]), ("all", [1, 1, 1, 1]), ("others", [1, 1, 0, 1])],
)
def test_hx48_hr18_who_is_meant_as_seen_from_the_owner(who: str, added: list[int]) -> None:
    changes = {"red_tape": {"play": [[["add", 1, who]]]}}
    game = Situation(seats=4, hands=[[EVENT], [], ["red_tape"]], changes=changes).play(EVENT).play("red_tape")
    assert stores(game) == added


def test_hx48_who_comes_in_turn_clockwise_from_the_owner() -> None:
    drawn = ["detour", "plot_twist", "data_bomb", "pebble"]
    for who, hands in (("all", [[2], [3], [0], [1]]), ("others", [[1], [2], [], [0]])):
        changes = {"red_tape": {"play": [[["draw", 1, who]]]}}
        game = Situation(seats=4, hands=[[EVENT], [], ["red_tape"]], deck=drawn, changes=changes).play(EVENT)
        game.play("red_tape")
        assert [game.hand(j) for j in range(4)] == [[drawn[i] for i in hand] for hand in hands]


def test_hx48_the_target_is_the_seat_that_was_chosen() -> None:
    game = doing(["target_seat", "all"], ["add", 2, "target"], seats=3).seat(0)
    assert stores(game) == [2, 0, 0]
    other = doing(["target_seat", "others"], ["add", 2, "target"], seats=3).seat(2)
    assert stores(other) == [0, 0, 2]


def test_hr14_a_choice_with_one_answer_is_not_asked() -> None:
    game = doing(["target_seat", "others"], ["add", 2, "target"], ["recover", "alien"], discard=["duplicant"])
    assert game.asked == (0, "MAIN") and game.store(1) == 2 and game.hand(0) == ["duplicant"]


def test_hx28_hx48_add_expend_and_take() -> None:
    assert stores(doing(["add", 2, "all"], seats=3, stores=[1, 1, 98])) == [3, 3, 99]
    assert stores(doing(["expend", 4, "others"], seats=3, stores=[9, 1, 95])) == [9, 0, 91]
    assert stores(doing(["take", 2, "others"], seats=3, stores=[0, 1, 95])) == [3, 0, 93]


def test_hr7_what_is_taken_beyond_99_is_lost() -> None:
    assert stores(doing(["take", 9, "others"], stores=[95, 12])) == [99, 3]


def test_hx24_hx48_collect_takes_what_the_planet_under_the_ship_has() -> None:
    game = doing(["collect", 3], board={(0, 1): "soggy_moon"}, ships=[(1, 0)])
    assert game.store(0) == 3 and game.table.board[1, 0].data == 2
    rest = doing(["collect", 9], ships=[(1, 0)])
    assert rest.store(0) == 5 and rest.table.board[1, 0].data == 0
    on_space = doing(["collect", 2])
    assert on_space.store(0) == 0


@pytest.mark.parametrize(
    ("statement", "here", "there"),
    [
        (["planet_add", 2], 7, 4),
        (["planet_sub", 2], 3, 4),
        (["planet_sub", 9], 0, 4),
        (["planet_add", 99], 99, 4),
        (["planets_add", 2], 7, 6),
        (["planets_sub", 2], 3, 2),
        (["planets_sub", 9], 0, 0),
    ],
)
def test_hx29_hx48_data_of_planets(statement: list[object], here: int, there: int) -> None:
    game = doing(statement, board={(0, 1): ("soggy_moon", 4)}, ships=[(1, 0)])
    assert [game.table.board[cell].data for cell in ((1, 0), (0, 1), (0, 0))] == [here, there, 0]


def test_hx48_the_target_hex_comes_before_the_one_under_the_ship() -> None:
    target = ["target_hex", "planet", "elsewhere", 0, 99]
    game = doing(target, ["planet_add", 2], ["collect", 1], board={(0, 1): "soggy_moon"}, ships=[(1, 0)])
    assert [game.table.board[cell].data for cell in ((1, 0), (0, 1))] == [4, 6]  # the ship's own is Collected
    space = doing(["target_hex", "space", "anywhere", 0, 99], ["planet_add", 2], ships=[(1, 0)])
    assert [game.table.board[cell].data for cell in ((1, 0),)] == [4] and space.table.board[0, 0].data == 0


def test_hr9_draws_beyond_twelve_cards_do_not_take_place() -> None:
    game = doing(["draw", 3], hands=[FULL], deck=["ribbon_reef", "glimmer"])
    assert len(game.hand(0)) == 12 and "ribbon_reef" in game.hand(0)
    assert game.table.deck[-1].kind.id == "glimmer"


def test_hx51_the_discard_is_shuffled_when_a_card_is_wanted_of_an_empty_deck() -> None:
    cards = ["pebble", "data_bomb"]
    game = doing(["draw", 2], ["dump", 2], ["draw", 1], rest=False, deck=["detour"], discard=cards)
    # a shuffle of two for the second card drawn, one of the dumped card for the second dump, one for the last
    assert len(game.hand(0)) == 3 and game.table.shuffles == 3
    assert sorted(game.hand(0)) == ["data_bomb", "detour", "pebble"]


def test_hx51_nothing_is_drawn_where_there_is_nothing() -> None:
    game = doing(["draw", 1], ["dump", 1], ["show_top", 2], rest=False)
    assert game.hand(0) == [] and game.table.shuffles == 0


def test_hx51_the_discard_is_listed_in_order_of_kinds_and_shuffled() -> None:
    cards = ["pebble", "data_bomb", "detour", "starry_deep", "starry_deep", "red_tape"]
    game = doing(["draw", 1], rest=False, discard=cards)
    assert len(game.table.deck) == 5 and game.table.shuffles == 1  # the engine has them in the same order
    assert [card.epoch for card in game.table.seats[0].hand] == [1]


def test_hx48_discard_one_by_one_as_far_as_there_are_any() -> None:
    hands = [[], ["detour", "pebble", "plot_twist"], ["big_gus"]]
    game = doing(["discard", 2, "others", "dilemma"], seats=3, hands=hands)
    assert game.asked == (1, "DISCARD") and len(game.legal()) == 2
    game.discards("detour")
    assert game.hand(1) == ["pebble"] and game.hand(2) == ["big_gus"]
    any_type = doing(["discard", 1, "all"], seats=3, hands=hands)
    assert any_type.legal() == [DISCARD, DISCARD + 1, DISCARD + 2]
    any_type.discards("pebble")
    assert any_type.hand(2) == [] and any_type.discarded("big_gus") == 1


def test_hx48_random_discard_draws_in_slot_order_one_after_the_other() -> None:
    game = doing(
        ["random_discard", 2, "others"], hands=[["big_gus"], ["pebble", "detour", "data_bomb", "glimmer"]]
    )
    assert len(game.hand(1)) == 2 and game.hand(0) == ["big_gus"]
    all_there_is = doing(
        ["random_discard", 3, "others"], seats=3, hands=[[], ["pebble"], ["detour", "data_bomb"]]
    )
    assert all_there_is.hand(1) == all_there_is.hand(2) == []


def test_hx48_dump_goes_to_the_discard() -> None:
    game = doing(["dump", 2], deck=["pebble", "detour", "big_gus"])
    assert game.discarded("pebble") == game.discarded("detour") == 1
    assert game.table.deck[-1].kind.id == "big_gus" and game.hand(0) == []


def test_hx48_show_hand_and_show_top() -> None:
    deck = ["big_gus", "data_bomb"]
    game = doing(
        ["show_hand", "others"], ["show_top", 5], hands=[["glimmer"], ["detour"]], rest=False, deck=deck
    )
    assert shown(game, 0) == [] and shown(game, 1) == ["detour"]
    assert game.table.deck_known == 2  # as many as it has, and no shuffle
    fewer = doing(["show_top", 3], ["show_top", 1], ["dump", 1])
    assert fewer.table.deck_known == 2


def test_hx48_a_card_that_was_shown_stays_known_where_it_goes() -> None:
    game = doing(["show_top", 1], ["draw", 2], deck=["detour", "pebble"])
    assert shown(game, 0) == ["detour"] and len(game.hand(0)) == 2 and game.table.deck_known == 0


def test_hx48_hx52_recover_of_a_type_and_known_to_all() -> None:
    game = doing(["recover", "dilemma"], discard=["pebble", "detour", "plot_twist"], shuffles=3)
    assert game.asked == (0, "RECOVER") and len(game.legal()) == 2
    game.take("detour")
    assert shown(game, 0) == ["detour"] and game.discarded("detour") == 0
    assert [card.epoch for card in game.table.seats[0].hand] == [3]


def test_hx52_recover_takes_any_card_but_the_one_that_is_played() -> None:
    game = doing(["recover"], discard=["pebble", "detour"])
    assert len(game.legal()) == 2
    game.take("pebble")
    assert game.hand(0) == ["pebble"] and game.discarded(EVENT) == 1


def test_hr9_nothing_is_recovered_to_a_full_hand() -> None:
    full = doing(["draw", 1], ["recover"], hands=[FULL], discard=["glimmer"])
    assert full.asked == (0, "MAIN") and full.discarded("glimmer") == 1
