"""Tests rules of Planet Hexx: restrictions, uploaded effects, printed Data, windows, options."""

import pytest

from spacemission_env.core.reading import Json
from tests.oracle.planet_hexx.moves import DIRECTION, FLY, PLAY
from tests.support.planet_hexx_pair import Situation, doing

EAST, SOUTH_EAST, SOUTH_WEST, WEST, NORTH_WEST, NORTH_EAST = range(6)
ADD = {"play": [[["add", 1]]]}


@pytest.mark.parametrize(("card", "branch"), [("tailgaters", None), ("loaded_die", 0)])
def test_hx50_hr31_no_copy_on_anothers_turn_of_what_is_bound_to_a_window(
    card: str, branch: int | None
) -> None:
    game = Situation(hands=[[card], ["robotic_union"]]).play(card)
    if branch is not None:
        game.branch(branch)
    game.play("robotic_union")
    assert game.asked == (0, "MAIN") and game.table.active == 0
    own = Situation(hands=[[card, "robotic_union"]]).play(card)
    if branch is not None:
        own.branch(branch)
    own.play("robotic_union")
    assert own.asked == (0, "MAIN" if branch is None else "BRANCH")  # on the own turn it is copied
    assert own.table.gained.get("move", 0) == (2 if branch is None else 0)


def test_hx50_hr31_a_copy_of_what_its_window_allows() -> None:
    changes = {"critical_circuit": {"surprise": {"on": ["event"], "own_turn": True}, **ADD}}
    game = Situation(hands=[["critical_circuit"], ["robotic_union"]], changes=changes)
    game.play("critical_circuit").play("robotic_union")
    assert game.store(1) == 1


@pytest.mark.parametrize("only_if", [["own_turn"], ["first_action"], ["data_ge", 2]])
def test_hx50_hr31_no_copy_of_what_the_copier_could_not_play(only_if: list[object]) -> None:
    changes = {"cute_furry_things": {"only_if": only_if, **ADD}}
    hands = [["cute_furry_things", "detour"], ["robotic_union"]]
    game = Situation(hands=hands, stores=[2, 1], changes=changes).play("cute_furry_things")
    game.play("robotic_union")
    assert game.store(0) == 3 and game.store(1) == 1


def test_hx50_hr31_first_and_last_action() -> None:
    changes = {
        "cute_furry_things": {"only_if": ["first_action"], **ADD},
        "strict_diet": {"only_if": ["last_action"], **ADD},
        "lost_tourists": {"play": [[["if", ["first_action"], [["add", 10]], [["add", 20]]]]]},
    }
    hands = [["cute_furry_things"] * 1 + ["strict_diet", "lost_tourists", "detour", "duplicant"]]
    game = Situation(hands=hands, changes=changes)
    assert [game.can(PLAY, card) for card in ("cute_furry_things", "strict_diet")] == [True, False]
    game.play("cute_furry_things").play("duplicant")  # not its own first Action any more
    assert game.store(0) == 1 and game.can(PLAY, "strict_diet")
    game.play("strict_diet")
    assert game.store(0) == 2
    other = Situation(hands=hands, changes=changes).play("lost_tourists")
    assert other.store(0) == 10 and not other.can(PLAY, "cute_furry_things")


def test_hx50_hr30_a_cancelled_event_can_be_copied_or_not() -> None:
    for option, copied in ((True, 1), (False, 2)):
        game = Situation(
            hands=[["cute_furry_things", "strict_diet", "duplicant"], ["red_tape"]],
            changes={"cute_furry_things": {"play": [[["add", 2]]]}, "strict_diet": ADD},
            copy_cancelled=option,
        )
        game.play("cute_furry_things").no().play("strict_diet").play("red_tape").play("duplicant")
        assert game.store(0) == 2 + copied


def test_hx38_hr27_immediate_uploads_are_free_or_cost() -> None:
    for cost, store in ((0, 0), (2, 1), (2, 2)):
        game = doing(["upload_now"], hands=[["pebble", "detour"]], stores=[store], immediate_upload_cost=cost)
        assert game.asked == (0, "MAIN" if store < cost else "UPLOAD_NOW")
        if store >= cost:
            game.upload("pebble")
            assert game.store(0) == store - cost
        own = doing(["upload_self"], stores=[store], immediate_upload_cost=cost)
        assert ("eager_interns" in own.file(0)) == (store >= cost) and own.store(0) == store % max(cost, 1)


def test_hr28_bases_stay_or_can_be_moved() -> None:
    carried: list[object] = [["target_hex", "hex", "anywhere", 0, 99], ["move_hex"]]
    board = {(0, 1): "starry_deep", (1, -1): "starry_deep"}
    for movable in (False, True):
        game = doing(*carried, board=board, movable_bases=movable)
        assert ((1, 0) in game.cells()) == movable
    game.cell(1, 0).cell(0, 2)
    assert game.table.board[0, 2].kind.id == "delta_colony"
    gone = doing(carried[0], ["disintegrate"], board=board, movable_bases=True)
    assert not {(0, 0), (1, 0)} & gone.cells()


def test_hr29_the_board_hangs_together_or_may_fall_apart() -> None:
    target = ["target_hex", "space", "anywhere", 0, 99]
    board = {(0, 1): "starry_deep", (0, 2): "starry_deep", (0, 3): "wormhole"}
    for split in (False, True):
        game = doing(
            ["target_hex", "hex", "anywhere", 0, 99],
            ["disintegrate"],
            board=board,
            split_board=split,
            ships=[(0, 3)],
        )
        assert ((0, 2) in game.cells()) == split
    game.cell(0, 2)
    assert (0, 2) not in game.table.board and (0, 3) in game.table.board
    board = {(0, 1): "starry_deep", (0, 3): "wormhole"}
    alone = doing(target, ["disintegrate"], board=board, ships=[(0, 3)], split_board=True)
    assert alone.asked == (0, "MAIN") and (0, 3) in alone.table.board  # its ship could go nowhere


def test_hx37_hr35_text_that_works_when_uploaded() -> None:
    changes = {
        "pebble": {"on_upload": [["add", 5]]},
        "surprise_inspection": {"surprise": {"on": ["uploaded"]}, "play": [[["take", 4, "active"]]]},
    }
    hands = [["pebble"], ["surprise_inspection"]]
    game = Situation(hands=hands, stores=[3], changes=changes).upload("pebble")
    assert game.asked == (1, "WINDOW") and game.store(0) == 5  # the card's own text comes first
    game.play("surprise_inspection")
    assert game.store(0) == 1 and game.store(1) == 4
    won = Situation(
        hands=[["pebble"]],
        stores=[3],
        uploaded=[["duplicant", "detour", "plot_twist", "tow_cable", "starry_deep"]],
        changes=changes,
    )
    won.upload("pebble")
    assert won.over == "finished" and won.store(0) == 0


def test_hx37_hr35_text_that_works_at_the_beginning_of_each_own_turn() -> None:
    changes = {
        "pebble": {"on_turn": [["may", [["add", 1]]]]},
        "duplicant": {"on_turn": [["delete_upload", "you"]]},
    }
    game = Situation(hands=[["detour"], []], uploaded=[[], ["pebble"]], changes=changes).no()
    assert game.asked == (1, "MAY")
    game.yes()
    assert game.asked == (1, "MAIN") and game.store(1) == 1
    game.no()
    assert game.asked == (0, "MAIN") and game.store(1) == 1  # not in others' turns
    both = Situation(uploaded=[[], ["duplicant", "pebble"]], changes=changes).no()
    assert both.asked == (1, "DELETE_UPLOAD")  # the lower point comes first
    both.point(0, both.file(1).index("pebble"))
    assert both.asked == (1, "MAIN")  # what lies there no more says nothing


@pytest.mark.parametrize(
    ("enter_if", "store", "enters"),
    [
        (["never"], 9, False),
        (["data_ge", 2], 1, False),
        (["data_ge", 2], 2, True),
        (["on", "planet"], 9, False),
        (["printed_ge", 1], 9, False),
    ],
)
def test_hx20_a_hex_says_who_may_enter_it(enter_if: list[object], store: int, enters: bool) -> None:
    changes = {"starry_deep": {"enter_if": enter_if}}
    game = Situation(dice=[3], stores=[store], board={(0, 1): "starry_deep"}, changes=changes)
    game.step(FLY)
    assert (DIRECTION + SOUTH_EAST in game.legal()) == enters
    assert doing(["relocate", "space", "elsewhere"], board={(0, 1): "starry_deep"}, changes=changes).ship(
        0
    ) == (0, 1)


def test_hx17_a_hex_that_ends_the_move() -> None:
    changes = {"starry_deep": {"must_stop": True, "on_stop": [["add", 1]]}}
    game = Situation(dice=[6], board={(0, 1): "starry_deep", (0, 2): "wormhole"}, changes=changes)
    game.fly(SOUTH_EAST)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 1) and game.store(0) == 1


def test_hx10_a_hex_that_lies_in_one_way() -> None:
    changes = {"narrow_gap": {"fixed": True}}
    game = Situation(hands=[["narrow_gap", "spinning_anomaly"]], changes=changes).play("narrow_gap")
    game.cell(0, 1)
    assert game.asked == (0, "MAIN") and game.table.board[0, 1].rotation == 0
    turned = doing(
        ["target_hex", "walled", "anywhere", 0, 99], ["rotate"], board={(0, 1): "narrow_gap"}, changes=changes
    )
    assert turned.asked == (0, "MAIN")


def test_hx13_conditions_targets_and_amounts_of_printed_data() -> None:
    board = {(0, 1): ("big_gus", 1), (0, -1): ("unmapped_world", 5)}
    target = ["target_hex", "planet", "anywhere", 1, 99, "printed"]
    game = doing(target, ["planet_add", "printed"], board=board)
    assert game.cells() == {(0, 1), (1, 0)}  # X counts 0, whatever lies there
    game.cell(0, 1)
    assert game.table.board[0, 1].data == 1 + 6
    for ship, added in (((0, 1), 6), ((0, -1), 0), ((0, 0), 0)):
        here = doing(
            ["if", ["printed_ge", 6], [["add", 10]], []], ["add", "printed"], board=board, ships=[ship]
        )
        assert here.store(0) == added + 10 * (added == 6)


WINDOW_CARD = "surprise_inspection"


def answering(*windows: str, **given: object) -> Situation:
    """Seat 1 holds a Surprise for these windows; it takes an Action from the active seat."""
    changes = given.pop("changes", {}) | {
        WINDOW_CARD: {"surprise": {"on": list(windows)}, "play": [[["use_action", 1, "active"]]]}
    }
    return Situation(hands=given.pop("hands", [["detour"], [WINDOW_CARD]]), changes=changes, **given)


def test_hx44_hr32_when_a_turn_begins_and_ends() -> None:
    game = answering("turn_begins", hands=[[], [], [WINDOW_CARD]], seats=3)
    assert game.asked == (2, "WINDOW") and game.table.active == 0
    game.no(2)
    assert game.asked == (2, "WINDOW") and game.table.active == 1
    game.play(WINDOW_CARD)
    assert game.asked == (1, "MAIN") and game.table.actions_left == 2
    ends = answering("turn_ends").no()
    assert ends.asked == (1, "WINDOW") and ends.table.active == 0 and len(ends.hand(0)) == 1
    ends.no()
    assert ends.asked == (1, "MAIN") and len(ends.hand(0)) == 6


def test_hx44_hr32_when_a_move_has_ended_before_the_stop_effect() -> None:
    board = {(0, 1): "garden_of_vox", (0, -1): "starry_deep"}
    changes: Json = {"garden_of_vox": {"on_stop": [["add", 1]]}}
    game = answering("stopped", board=board, changes=changes, dice=[1, 1, 1]).fly().no()
    assert game.asked == (0, "MAIN")  # no step, no Stop
    game.fly(SOUTH_EAST).collect(1)
    assert game.asked == (1, "WINDOW") and game.store(0) == 1
    game.no()
    assert game.store(0) == 2
    away = [["target_seat", "others"], ["relocate", "space", "adjacent", "target"]]
    changes[WINDOW_CARD] = {"surprise": {"on": ["stopped"]}, "play": [away]}
    hands = [[], [WINDOW_CARD]]
    put = Situation(dice=[1], hands=hands, board={(0, 1): "garden_of_vox"}, changes=changes).fly(SOUTH_EAST)
    put.collect(1).play(WINDOW_CARD)
    assert put.ship(0) == (0, 0) and put.store(0) == 1  # not there any more


def test_hr32_a_window_that_no_card_lists_opens_for_nobody() -> None:
    for windows in (["map"], ["map", "stopped"]):
        changes = {WINDOW_CARD: {"surprise": {"on": windows}}}
        game = Situation(
            hands=[[], []], board={(0, 1): "starry_deep"}, changes=changes, dice=[1], always_ask=True
        )
        game.step(FLY)
        game.no(2)  # the windows of the Move and its roll
        game.step(DIRECTION + SOUTH_EAST)
        assert game.asked == ((1, "WINDOW") if "stopped" in windows else (0, "MAIN"))


def test_hx44_cancel_says_nothing_at_other_moments() -> None:
    cancels = {"construction_fence": {"surprise": {"on": ["uploaded"]}}}
    game = Situation(hands=[["pebble"], ["construction_fence"]], stores=[3], changes=cancels).upload("pebble")
    game.play("construction_fence")
    assert "pebble" in game.file(0) and game.asked == (0, "MAIN")
