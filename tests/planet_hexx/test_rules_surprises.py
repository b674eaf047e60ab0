"""Tests rules of Planet Hexx: Surprises and windows."""

from tests.oracle.planet_hexx.moves import FLY, PASS, PLAY
from tests.support.planet_hexx_pair import Situation, doing


def test_hx44_one_surprise_in_anothers_turn() -> None:
    game = Situation(hands=[["detour", "plot_twist"], ["surprise_inspection", "engine_trouble"]])
    game.discards("detour")
    assert game.asked == (1, "WINDOW") and len(game.legal()) == 2
    game.play("surprise_inspection")
    assert game.table.actions_left == 1 and game.asked == (0, "MAIN")
    game.fly()
    assert game.asked != (1, "WINDOW")


def test_hx44_no_action_needed_and_it_comes_first() -> None:
    game = Situation(hands=[["detour"], ["welcoming_committee"]], dice=[1], stores=[2]).fly(0)
    assert game.asked == (1, "WINDOW")  # before the Collect
    game.play("welcoming_committee")
    assert (game.store(0), game.store(1)) == (1, 1) and game.asked == (0, "COLLECT")


def test_hx44_hx45_a_surprise_is_no_event_action() -> None:
    game = Situation(hands=[["headwind", "loaded_die", "tailgaters"]])
    assert [game.can(PLAY, n) for n in ("headwind", "loaded_die", "tailgaters")] == [False, True, True]


def test_hx46_hr46_gained_actions_are_used_before_anything_else() -> None:
    hands = [["eager_interns"], ["robotic_union", "detour", "pebble"]]
    game = Situation(hands=hands).play("eager_interns").play("robotic_union")
    assert game.asked == (1, "GAINED")
    assert "robotic_union" in [card.kind.id for card in game.table.played]
    game.discards("detour")
    assert game.asked == (1, "GAINED") and game.table.actions_left == 2
    game.no()
    assert game.asked == (0, "MAIN") and game.table.actions_left == 4


def test_hx46_hr46_only_that_kind_and_pass_declines() -> None:
    game = Situation(hands=[["risky_fuel_burn"], ["robotic_union", "detour", "pebble"]], dice=[6, 6])
    game.play("risky_fuel_burn").play("robotic_union")
    assert game.asked == (1, "GAINED")
    assert len(game.legal()) == 2 and PASS in game.legal() and FLY not in game.legal()
    game.no()
    assert game.asked == (0, "MAIN") and game.table.gained == {"event": 1}


def test_hx46_nothing_pays_a_use_action_cost_on_anothers_turn() -> None:
    game = Situation(hands=[["eager_interns"], ["robotic_union", "paperwork", "detour"]])
    game.play("eager_interns").play("robotic_union")
    assert game.can(PLAY, "detour") and not game.can(PLAY, "paperwork")


def test_hx47_a_remaining_action_answers_a_surprise() -> None:
    game = Situation(hands=[["detour", "cloud_people"], ["critical_circuit"]], stores=[3]).upload("detour")
    game.play("critical_circuit")
    assert game.asked == (0, "WINDOW")
    game.play("cloud_people")
    assert game.file(0)[1] == "detour" and game.table.actions_left == 1


def test_hx47_not_without_an_action() -> None:
    game = Situation(hands=[["detour", "cloud_people"], ["critical_circuit"]], stores=[3], actions_per_turn=1)
    game.upload("detour").play("critical_circuit")
    assert game.file(0)[1] is None


def test_hx47_hr47_an_action_gained_for_events_will_do_one_for_moves_will_not() -> None:
    for card, asked in (("risky_fuel_burn", True), ("gyro_stabiliser", False)):
        game = Situation(
            hands=[[card, "force_field", "starry_deep"], ["construction_fence"]], dice=[6], actions_per_turn=2
        )
        game.play(card).play("starry_deep").cell(0, 1).play("construction_fence")
        assert ((0, 1) in game.table.board) is False
        assert (game.asked == (0, "WINDOW")) == asked


def test_hr12_windows_go_clockwise_and_a_pass_stands() -> None:
    game = Situation(
        seats=3, hands=[["detour"], ["surprise_inspection"], ["surprise_inspection", "force_field"]]
    )
    game.discards("detour")
    assert game.asked == (1, "WINDOW")
    game.no()
    assert game.asked == (2, "WINDOW")
    game.play("surprise_inspection")  # a window of its own: seat 1 has nothing for that
    assert game.asked == (0, "MAIN")  # and is not asked again


def test_hr12_a_window_asks_again_after_a_surprise() -> None:
    game = Situation(seats=3, hands=[[], ["headwind"], ["gravity_flicker"]], dice=[5, 6]).fly().no()
    game.play("gravity_flicker")
    assert game.asked == (0, "STEP")  # seat 1 had passed
    other = Situation(seats=3, hands=[[], ["headwind"], ["gravity_flicker"]], dice=[1, 2]).fly()
    other.play("headwind")
    assert other.asked == (2, "WINDOW")
    other.play("gravity_flicker")  # the new die is as it falls
    other.go(0)
    assert other.asked == (0, "COLLECT")


def test_hx44_hr12_a_third_seat_answers_a_surprise() -> None:
    game = Situation(seats=3, hands=[["starry_deep"], ["construction_fence"], ["force_field"]])
    game.play("starry_deep").cell(0, 1).play("construction_fence")
    assert game.asked == (2, "WINDOW")
    game.play("force_field")
    assert (0, 1) in game.table.board
    assert game.discarded("construction_fence") == game.discarded("force_field") == 1


def test_hr17_not_by_the_seat_whose_landing_it_is() -> None:
    game = Situation(hands=[[], ["tailgaters", "welcoming_committee"]], dice=[1, 1]).fly().play("tailgaters")
    game.fly(0)
    assert game.asked == (1, "COLLECT")  # no window for itself, nor for the active seat


def test_hr12_hr13_always_ask_asks_without_cards() -> None:
    game = Situation(seats=3, hands=[["detour"], [], []], always_ask=True).discards("detour")
    for seat in (1, 2):
        assert game.asked == (seat, "WINDOW") and game.legal() == [PASS]
        game.no()
    assert game.asked == (0, "MAIN")


def test_hr13_always_ask_leaves_out_who_has_played_a_surprise() -> None:
    game = Situation(hands=[["detour", "pebble"], ["surprise_inspection"]], always_ask=True)
    game.discards("detour").play("surprise_inspection")
    assert game.asked == (0, "WINDOW") and game.legal() == [PASS]  # for the Surprise: it has an Action
    game.no()
    assert game.asked == (0, "MAIN")


def test_hx44_hr45_bans_do_not_concern_surprises() -> None:
    game = doing(["forbid", "event", "others"], hands=[[], ["loaded_die"]], dice=[3]).fly()
    assert game.asked == (1, "WINDOW") and len(game.legal()) == 2


def test_hr19_a_move_that_is_under_way_goes_on() -> None:
    changes = {"headwind": {"play": [[["forbid", "move", "active"]]]}}
    hands = [["detour"], ["headwind"]]
    game = Situation(hands=hands, dice=[4], board={(0, 1): "starry_deep"}, changes=changes).fly()
    game.play("headwind").go(1, 4, 1, 4)
    assert game.asked == (0, "MAIN") and FLY not in game.legal()


def test_hr18_active_is_whose_turn_it_is_in_anothers_window_too() -> None:
    hands = [["detour"], ["tailgaters"], ["welcoming_committee"]]
    game = Situation(seats=3, hands=hands, dice=[1, 1], stores=[1, 1, 0]).fly().play("tailgaters").fly(0)
    assert game.asked == (2, "WINDOW")  # seat 1 has landed
    game.play("welcoming_committee")
    assert [game.store(j) for j in range(3)] == [0, 1, 1]


def test_hx44_a_surprise_whose_cost_cannot_be_paid_is_not_offered() -> None:
    changes = {"red_tape": {"cost": [["expend", 1]]}}
    for store, asked in ((0, (0, "MAIN")), (1, (1, "WINDOW"))):
        game = doing(["add", 1], hands=[[], ["red_tape"]], stores=[0, store], changes=changes)
        assert game.asked == asked
    game.play("red_tape")
    assert game.store(1) == 0 and game.store(0) == 0  # paid, and cancelled


def test_hr4_a_surprise_that_cannot_be_paid_any_more_is_discarded() -> None:
    changes = {"red_tape": {"cost": [["expend", 1]]}, "force_field": {"play": [[["expend", 1, "others"]]]}}
    game = doing(
        ["add", 1], seats=3, hands=[[], ["red_tape"], ["force_field"]], stores=[0, 1], changes=changes
    )
    game.play("red_tape").play("force_field")
    assert game.store(0) == 1 and game.discarded("red_tape") == 1 and game.store(1) == 0


def test_hx45_hx46_a_gained_event_action_plays_no_surprise_on_anothers_turn() -> None:
    hands = [["risky_fuel_burn"], ["robotic_union", "loaded_die", "headwind", "detour"]]
    game = Situation(hands=hands, dice=[6, 6]).play("risky_fuel_burn").play("robotic_union")
    while game.asked != (1, "GAINED"):
        game.no()  # windows of its own rolls
    assert [game.can(PLAY, card) for card in ("loaded_die", "headwind", "detour")] == [False, False, True]


def test_hr12_the_seat_itself_is_not_asked_and_a_new_window_is_another() -> None:
    hands = [[], ["headwind", "engine_trouble"], []]
    game = Situation(seats=3, hands=hands, dice=[4]).fly()
    assert game.asked == (1, "WINDOW") and game.can(PLAY, "engine_trouble")
    assert not game.can(PLAY, "headwind")  # this window is of the Move, not of the roll
    game.no()
    assert game.asked == (1, "WINDOW") and game.can(PLAY, "headwind")
    game.no()
    assert game.asked == (0, "STEP")


def test_hx44_in_each_turn_again() -> None:
    hands = [["detour", "plot_twist"], ["surprise_inspection", "engine_trouble"], ["pebble"]]
    game = Situation(seats=3, hands=hands).discards("detour").play("surprise_inspection").no()
    game.fly()  # of seat 1
    game.no(2)
    assert game.asked == (2, "MAIN")
    game.fly()
    assert game.asked == (1, "WINDOW") and game.can(PLAY, "engine_trouble")


def test_hr12_nobody_answers_what_it_does_itself() -> None:
    hands = [["starry_deep", "force_field", "cloud_people"], ["construction_fence"]]
    game = Situation(hands=hands).play("starry_deep").cell(0, 1).play("construction_fence")
    assert game.asked == (0, "WINDOW")
    game.play("force_field")  # there is an Action left, but no answer to one's own Surprise
    assert game.asked == (0, "WINDOW") and game.discarded("force_field") == 1  # that of the fence again
    game.no()
    assert game.asked == (0, "MAIN") and (0, 1) in game.table.board
