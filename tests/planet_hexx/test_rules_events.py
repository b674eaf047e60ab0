"""Tests rules of Planet Hexx: Events, copies, rolls."""

import pytest

from tests.oracle.planet_hexx.moves import BRANCH, DIRECTION, PLAY, YES
from tests.support.planet_hexx_pair import Situation


def test_hx41_hx48_hr21_an_event_goes_to_the_discard_after_its_effect() -> None:
    game = Situation(hands=[["recycling_bin"]], discard=["detour", "pebble"]).play("recycling_bin")
    assert game.asked == (0, "RECOVER") and len(game.legal()) == 2  # not itself: it is on the table
    game.take("detour")
    assert game.hand(0) == ["detour"] and game.discarded("recycling_bin") == 1


def test_hx42_one_branch_is_chosen_even_if_only_one_can_do_anything() -> None:
    game = Situation(hands=[["spinning_anomaly"]]).play("spinning_anomaly")
    assert game.legal() == [BRANCH, BRANCH + 1]
    game.branch(0)  # no hex with walls: the effect ends, nothing is drawn
    assert game.hand(0) == []


def test_hx43_costs_in_data_actions_and_cards() -> None:
    hand = ["miss_galaxy", "paperwork", "mysterious_egg"]
    poor = Situation(hands=[hand], actions_per_turn=1)
    assert [poor.can(PLAY, name) for name in hand] == [False, False, True]  # the Egg takes Miss Galaxy
    rich = Situation(hands=[["miss_galaxy", "paperwork"]], stores=[1])
    assert [rich.can(PLAY, name) for name in ("miss_galaxy", "paperwork")] == [True, True]
    rich.play("paperwork").branch(0)
    assert rich.table.actions_left == 1 and rich.store(0) == 4


def test_hx43_gained_actions_pay_first() -> None:
    game = Situation(hands=[["time_borrowers", "paperwork"]], stores=[1]).play("time_borrowers")
    game.play("paperwork").branch(0)
    assert (game.table.actions_left, game.table.gained) == (1, {"refresh": 1})


def test_hx43_a_sacrifice_is_chosen() -> None:
    game = Situation(hands=[["space_revelers", "detour", "data_bomb", "big_red_button"]])
    game.play("space_revelers").branch(1)
    assert game.asked == (0, "DISCARD") and len(game.legal()) == 2
    game.discards("data_bomb")
    assert game.table.gained == {"event": 2} and len(game.hand(0)) == 2
    assert not Situation(hands=[["space_revelers", "detour"]]).can(PLAY, "space_revelers")


@pytest.mark.parametrize(
    ("cost", "can"),
    [
        ([["discard", 1, "alien"], ["discard", 1]], True),
        ([["discard", 1, "alien"], ["discard", 2]], False),
        ([["discard", 1, "alien"], ["discard", 1, "object"]], False),
        ([["discard", 1, "dilemma"]], False),  # not itself
        ([["expend", 2], ["expend", 1], ["use_action", 2]], True),
        ([["expend", 2], ["expend", 2]], False),
        ([["use_action", 2], ["use_action", 1]], False),  # one is spent for the Event
    ],
)
def test_hx43_several_costs_must_be_payable_together(cost: list[object], can: bool) -> None:
    changes = {"plot_twist": {"cost": cost, "play": [[["add", 1]]]}}
    game = Situation(hands=[["plot_twist", "duplicant", "pebble"]], stores=[3], changes=changes)
    assert game.can(PLAY, "plot_twist") == can
    if can:
        game.play("plot_twist")
        if game.asked == (0, "DISCARD"):
            game.discards("pebble")
        assert game.store(0) == (4 if cost[0][0] == "discard" else 1)


def test_hx43_hx50_hr48_copies_the_latest_event_with_its_own_branch_and_cost() -> None:
    game = Situation(hands=[["miss_galaxy", "duplicant"], ["detour"]], stores=[2, 5]).play("miss_galaxy")
    game.branch(0).play("duplicant")
    assert game.asked == (0, "BRANCH")
    game.branch(1)
    assert game.store(0) == 2 and game.store(1) == 3  # 2 - 1 - 1 + 2


def test_hx50_not_if_the_cost_cannot_be_paid() -> None:
    game = Situation(hands=[["miss_galaxy", "duplicant"]], stores=[1]).play("miss_galaxy").branch(0)
    game.play("duplicant")
    assert game.asked == (0, "MAIN") and game.discarded("duplicant") == 1


def test_hx50_nothing_to_copy() -> None:
    game = Situation(hands=[["duplicant", "robotic_union", "eager_interns"]]).play("duplicant")
    game.play("robotic_union")  # the latest is one that copies
    assert game.asked == (0, "MAIN") and game.table.actions_left == 1


def test_hx50_hr48_what_copies_is_not_copied() -> None:
    changes = {"duplicant": {"play": [[["add", 1], ["copy"]]]}}
    game = Situation(hands=[["duplicant", "robotic_union"]], changes=changes).play("duplicant")
    game.play("robotic_union")
    assert game.store(0) == 1


def test_hx50_hr20_a_hex_effect_is_not_the_latest_event() -> None:
    game = Situation(hands=[["cute_furry_things", "great_comet", "duplicant"]]).play("cute_furry_things")
    game.branch(0).play("great_comet").cell(0, 1).play("duplicant")
    assert game.asked == (0, "BRANCH")  # of The Cute Furry Things


def test_hx50_upload_self_means_the_card_that_copies() -> None:
    game = Situation(hands=[["mysterious_egg", "duplicant", "eager_interns", "card_sharks"]])
    game.play("mysterious_egg").discards("eager_interns").play("duplicant")
    assert game.file(0)[0] == "duplicant" and game.file(0)[3] == "mysterious_egg"
    assert game.discarded("card_sharks") == 1 and game.hand(0) == []


def test_hx50_a_surprise_in_a_window_is_not_the_latest_event() -> None:
    game = Situation(hands=[["cute_furry_things", "duplicant"], ["tailgaters"]], dice=[1])
    game.play("cute_furry_things").branch(0).fly().play("tailgaters")
    game.no(2)  # seat 1 declines its Move, seat 0 stops
    game.play("duplicant")
    assert game.asked == (0, "BRANCH")  # of The Cute Furry Things; The Tailgaters have none


def test_hx50_copied_on_anothers_turn() -> None:
    game = Situation(hands=[["cute_furry_things"], ["robotic_union"]]).play("cute_furry_things").branch(1)
    game.play("robotic_union")
    assert game.asked == (1, "BRANCH")
    game.branch(0)
    assert game.store(1) == 0  # two added, then two expended: the Surprise came first
    assert game.asked == (0, "MAIN")


def test_hx46_hx50_what_a_copied_effect_gained_comes_when_that_has_ended() -> None:
    union = {"robotic_union": {"play": [[["copy"], ["add", 1]]]}}
    game = Situation(hands=[["eager_interns"], ["robotic_union"]], changes=union).play("eager_interns")
    game.play("robotic_union")
    for _ in range(2):  # two Actions, before the effect that copies goes on
        assert game.asked == (1, "GAINED") and game.store(1) == 0
        game.no()
    assert game.asked == (0, "MAIN") and game.store(1) == 1


@pytest.mark.parametrize(("die", "change", "stores"), [(1, 1, 0), (6, 0, 2), (3, 0, 0)])
def test_hx49_table_rolls_stay_on_the_table(die: int, change: int, stores: int) -> None:
    game = Situation(hands=[["unstable_reactor"], ["loaded_die"]], dice=[die], stores=[0, 2])
    game.play("unstable_reactor")
    assert game.asked == (1, "WINDOW")
    game.play("loaded_die").branch(change)
    # 1 - 2 counts as 1, 6 + 2 as 6; 3 + 2 is 5
    expected = {(1, 1): (0, 0), (6, 0): (2, 2), (3, 0): (2, 2)}[die, change]
    assert (game.store(0), game.store(1)) == expected


def test_hx16_hx17_a_move_roll_can_be_changed_after_it() -> None:
    game = Situation(hands=[[], ["cosmic_hiccup"]], dice=[2], board={(0, 1): "starry_deep"}).fly()
    game.play("cosmic_hiccup").go(1)
    assert game.asked == (0, "MAIN") and len(game.hand(1)) == 1


def test_hx45_a_surprise_as_event_action_gives_a_bonus_on_moves_alone() -> None:
    game = Situation(hands=[["loaded_die", "detour"]], dice=[1]).play("loaded_die").branch(0)
    game.play("detour")  # its roll has no bonus
    assert game.asked == (0, "STEP")
    game.go(0)
    assert game.asked == (0, "COLLECT") and DIRECTION not in game.legal() and YES not in game.legal()
