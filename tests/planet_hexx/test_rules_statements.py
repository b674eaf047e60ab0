"""Tests rule HX-48 of Planet Hexx: all other statements of effects."""

import pytest

from tests.oracle.planet_hexx.moves import DISCARD, FLY, NUMBER, PASS, POINT, UPLOAD
from tests.support.planet_hexx_pair import EVENT, Situation, doing

FULL = (
    ["lot_of_nothing"] * 3 + ["starry_deep"] * 3 + ["detour", "plot_twist", "data_bomb", "pebble", "big_gus"]
)


def stores(game: Situation) -> list[int]:
    return [seat.store for seat in game.table.seats]


def shown(game: Situation, seat: int) -> list[str]:
    """The known cards of a hand."""
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


def test_hx46_hx48_hr22_gain_action_is_kept_on_the_own_turn_at_most_six() -> None:
    six = doing(["gain_action", "move", 2], ["gain_action", "any"], ["gain_action", "map", 6])
    assert six.table.gained == {"move": 2, "map": 3} and six.table.actions_left == 3


def test_hx8_hx48_use_action_takes_gained_ones_first() -> None:
    gain = [["gain_action", "refresh"], ["gain_action", "move"]]
    one = doing(*gain, ["use_action", 1])
    assert one.table.gained == {"refresh": 1} and one.table.actions_left == 2
    three = doing(*gain, ["use_action", 3])
    assert three.table.gained == {} and three.table.actions_left == 1
    others = doing(*gain, ["use_action", 6, "others"])
    assert others.table.gained == {"refresh": 1, "move": 1} and others.table.actions_left == 2
    gone = doing(*gain, ["use_action", 6, "active"])
    assert gone.table.active == 1  # no Action left


@pytest.mark.parametrize("kind", ["map", "move", "upload", "refresh", "event"])
def test_hx48_forbid_a_kind_of_action_until_the_end_of_the_turn(kind: str) -> None:
    hands = [["starry_deep", "detour"], []]
    free, banned = (
        doing(*effect, hands=hands, stores=[9]).legal() for effect in ([["add", 1]], [["forbid", kind]])
    )
    firsts = {"map": {7, 8}, "event": {7, 8}, "move": {FLY}, "upload": {19, 20}, "refresh": {43, 44}}[kind]
    lost = set(free) - set(banned)
    assert lost and lost <= firsts and not set(banned) - set(free)
    assert len(lost) == {"map": 1, "event": 1, "move": 1, "upload": 2, "refresh": 2}[kind]


def test_hx48_forbid_others_says_nothing_of_oneself_and_ends_with_the_turn() -> None:
    game = doing(["forbid", "move", "others"])
    assert FLY in game.legal()
    game.no()
    assert game.asked == (1, "MAIN") and FLY in game.legal()  # that turn is over


def test_hx48_move_goes_as_many_steps_without_a_roll() -> None:
    game = doing(["move", 3], board={(0, 1): "starry_deep"}).go(1, 4, 0)
    assert game.legal() == [NUMBER, NUMBER + 1] and game.ship(0) == (1, 0)
    two = doing(["move", 2], board={(0, 1): "starry_deep"}).go(1, 4)
    assert two.asked == (0, "MAIN")


@pytest.mark.parametrize(("die", "store"), [(1, 4), (2, 4), (3, 5), (4, 5), (5, 7), (6, 7)])
def test_hx48_roll_table(die: int, store: int) -> None:
    table = ["roll_table", [1, 2, [["expend", 1]]], [3, 4, []], [5, 6, [["add", 2]]]]
    assert doing(table, stores=[5], dice=[die]).store(0) == store


def test_hx48_one_row_of_a_table_is_carried_out_whatever_is_rolled_in_it() -> None:
    table = ["roll_table", [1, 3, [["roll"], ["add", 1]]], [4, 6, [["add", 5]]]]
    assert doing(table, dice=[1, 6]).store(0) == 1


@pytest.mark.parametrize("die", [1, 4, 6])
def test_hx48_a_roll_is_an_amount(die: int) -> None:
    game = doing(["roll"], ["add", "roll"], ["draw", "roll"], dice=[die])
    assert game.store(0) == die == len(game.hand(0))
    table = doing(["roll_table", [1, 6, [["add", "roll"]]]], dice=[die])
    assert table.store(0) == die


def test_hx48_hr23_counters_are_an_amount_and_at_most_nine() -> None:
    count = [["target_seat", "others"], ["counter", 1, "target"], ["take", "counters", "target"]]
    game = doing(*count, stores=[0, 9], counters=[0, 2])
    assert game.store(0) == 3 and game.table.seats[1].counters == 3
    most = doing(["counter", 9, "all"], counters=[3])
    assert [seat.counters for seat in most.table.seats] == [9, 9]


def test_hx48_modify_roll_outside_of_a_roll_is_for_own_moves_of_this_turn() -> None:
    game = doing(["modify_roll", 2], ["modify_roll", 1], dice=[1], board={(0, 1): "starry_deep"})
    game.fly(1, 4, 1, 4)
    assert game.asked == (0, "MAIN")  # four steps


@pytest.mark.parametrize(("card", "steps"), [("headwind", 2), ("cosmic_hiccup", 3)])
def test_hx48_modify_roll_changes_the_roll_that_it_answers(card: str, steps: int) -> None:
    game = Situation(hands=[[], [card]], dice=[4], board={(0, 1): "starry_deep"}).fly().play(card)
    game.go(*(1, 4, 1, 4)[:steps])
    assert game.asked == (0, "MAIN")


@pytest.mark.parametrize("statement", ["reroll", "cancel"])
def test_hx48_reroll_and_cancel_do_nothing_in_other_windows(statement: str) -> None:
    changes = {"welcoming_committee": {"play": [[[statement]]]}}
    game = Situation(hands=[[], ["welcoming_committee"]], dice=[1], changes=changes).fly(0)
    game.play("welcoming_committee")
    assert game.asked == (0, "COLLECT") and game.ship(0) == (1, 0)


def test_hx48_cancel_takes_back_what_was_declared() -> None:
    for card, declared in (("red_tape", "cute_furry_things"), ("construction_fence", "starry_deep")):
        game = Situation(hands=[[declared], [card]]).play(declared)
        game.branch(0) if card == "red_tape" else game.cell(0, 1)
        game.play(card)
        assert game.store(0) == 0 and (0, 1) not in game.table.board


def test_hx38_hx48_upload_now_only_what_fits_and_pass() -> None:
    hands = [["pebble", "detour", "data_bomb"]]
    game = doing(["upload_now"], hands=hands, uploaded=[["big_gus"]])
    # pebble, detour, data_bomb: the Planet is there already
    assert game.legal() == [PASS, UPLOAD + 1, UPLOAD + 2]
    game.no()
    assert game.file(0) == [None, None, None, None, "big_gus", None]
    of_a_type = doing(["upload_now", "object"], hands=hands)
    assert of_a_type.legal() == [PASS, UPLOAD + 2]
    of_a_type.upload("data_bomb")
    assert of_a_type.file(0)[3] == "data_bomb" and of_a_type.store(0) == 0


def test_hx38_hx48_upload_self_where_a_point_is_open() -> None:
    game = doing(["upload_self"], ["upload_self"])
    assert game.file(0)[0] == EVENT and game.discarded(EVENT) == 0
    full = doing(["upload_self"], uploaded=[["duplicant"]])
    assert full.file(0)[0] == "duplicant" and full.discarded(EVENT) == 1


def test_hx48_delete_upload_counts_seats_from_the_chooser() -> None:
    files = [["detour"], [], ["pebble", "detour"]]
    game = Situation(seats=3, hands=[[], ["corrupted_files"]], stores=[0, 2], uploaded=files).no()
    game.play("corrupted_files").seat(1)
    assert game.legal() == [POINT + 6 + 1, POINT + 6 + 4]
    game.point(1, 4)
    assert game.discarded("pebble") == 1 and game.file(2)[4] is None


def test_hx48_delete_upload_of_all_and_of_nobody() -> None:
    game = doing(["delete_upload", "all"], seats=3, uploaded=[["detour"], [], ["pebble"]])
    assert game.legal() == [POINT + 1, POINT + 12 + 4]
    own = doing(["delete_upload", "others"], seats=3, uploaded=[["detour"]])
    assert own.asked == (0, "MAIN") and own.file(0)[1] == "detour"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (["data_ge", 2], True),
        (["data_ge", 3], False),
        (["planet_ge", 5], True),
        (["planet_ge", 6], False),
        (["on", "planet"], True),
        (["on", "space"], False),
        (["on_board", "space_base"], True),
        (["on_board", "wormhole"], False),
        (["top_is", "object"], False),  # nobody knows it
    ],
)
def test_hx48_if(condition: list[object], holds: bool) -> None:
    choice = ["if", condition, [["counter", 1, "you"]], [["counter", 5, "you"]]]
    game = doing(choice, stores=[2], ships=[(1, 0)], deck=["data_bomb"])
    assert game.table.seats[0].counters == (1 if holds else 5)


@pytest.mark.parametrize(("least", "holds"), [(3, True), (4, False)])
def test_hx48_if_the_target_has_data(least: int, holds: bool) -> None:
    choice = ["if", ["target_data_ge", least], [["add", 1]], []]
    game = doing(["target_seat", "others"], choice, stores=[9, 3])
    assert game.store(0) == 9 + holds


def test_hx48_on_a_space_no_planet_has_data() -> None:
    changes = {EVENT: {"play": [[["if", ["planet_ge", 1], [["add", 1]], []]]]}}
    game = Situation(hands=[[EVENT]], changes=changes).play(EVENT)
    assert game.store(0) == 0


@pytest.mark.parametrize(("top", "store"), [("dilemma", 1), ("object", 0)])
def test_hx48_the_known_top_card(top: str, store: int) -> None:
    game = doing(["show_top", 1], ["if", ["top_is", top], [["add", 1]], []], deck=["detour"])
    assert game.store(0) == store


@pytest.mark.parametrize("wanted", [True, False])
def test_hx48_may_is_asked(wanted: bool) -> None:
    game = doing(["may", [["add", 1]]], ["add", 2])
    assert game.asked == (0, "MAY")
    game.yes() if wanted else game.no()
    assert game.store(0) == 2 + wanted


def test_hr16_an_effect_ends_with_the_game() -> None:
    uploaded = ["detour", "plot_twist", "duplicant", "pebble", "starry_deep"]
    game = doing(["upload_now"], ["add", 1], hands=[["data_bomb"]], uploaded=[uploaded]).upload("data_bomb")
    assert game.over == "finished" and game.table.winners == [0] and game.store(0) == 0
