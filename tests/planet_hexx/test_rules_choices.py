"""Tests rules of Planet Hexx: one move for equal cards and rotations, prices of options, rolls."""

import pytest

from spacemission_env.core.reading import Json
from tests.oracle.planet_hexx.moves import BRANCH, DIRECTION, DISCARD, NUMBER, PLAY, UPLOAD, YES
from tests.oracle.planet_hexx.moves import UPLOAD_OTHERWISE as OTHERWISE
from tests.support.planet_hexx_pair import EVENT, Situation, doing

SOUTH_EAST = 1
WALLED = ["target_hex", "walled", "anywhere", 0, 99]
DINER = {(0, 1): "space_diner"}
LODE = {(0, 1): "mother_lode"}


def slots(game: Situation, base: int) -> list[int]:
    """The hand slots whose cards may be played, uploaded, …"""
    return [move - base for move in game.legal() if base <= move < base + 12]


def test_hr36_copies_in_the_hand_are_one_move_in_each_action() -> None:
    cheap = {"alt_upload": {"cost": [], "anywhere": True}}
    hand = ["starry_deep", "starry_deep", "cute_furry_things", "cute_furry_things", "pebble"]
    fewer = {"lot_of_nothing": {"copies": 2}}
    changes = {"starry_deep": cheap, "cute_furry_things": {**cheap, "copies": 2}, **fewer}
    game = Situation(hands=[hand], stores=[9], changes=changes)
    of_kind = sorted(game.slot(name) for name in set(hand))
    assert slots(game, PLAY) == slots(game, UPLOAD) == slots(game, DISCARD) == of_kind
    assert slots(game, OTHERWISE) == [i for i in of_kind if i != game.slot("pebble")]


def test_hr36_copies_are_one_answer_and_one_choice_of_an_effect() -> None:
    two = {"red_tape": {"copies": 2}, "lot_of_nothing": {"copies": 2}}
    game = Situation(hands=[[EVENT], ["red_tape", "red_tape"]], changes=two).play(EVENT)
    assert game.asked == (1, "WINDOW") and slots(game, PLAY) == [0]
    hands = [["starry_deep", "starry_deep", "wormhole"]]
    target = ["target_hex", "hex", "elsewhere", 0, 99]
    for effect in ([["place", "legal"]], [target, ["replace_hex"]]):
        laid = doing(*effect, hands=hands, board={(0, 1): "lot_of_nothing"})
        assert slots(laid, PLAY) == sorted({laid.slot("starry_deep"), laid.slot("wormhole")})
    assert slots(doing(["upload_now"], hands=hands), UPLOAD) == [0, laid.slot("starry_deep")]


def test_hr36_hr14_a_hand_of_copies_leaves_nothing_to_choose() -> None:
    game = doing(["discard", 1, "all"], hands=[["starry_deep"] * 3, ["starry_deep", "wormhole"]])
    assert game.hand(0) == ["starry_deep"] * 2
    assert game.asked == (1, "DISCARD") and slots(game, DISCARD) == [0, 1]


def test_hr36_the_copy_that_came_first_is_played() -> None:
    game = doing(
        ["draw", 1],
        ["show_hand", "you"],
        ["draw", 1],
        hands=[["wormhole"]],
        deck=["wormhole", "wormhole", "detour"],
    )
    game.discards("wormhole")
    assert [card.known for card in game.table.seats[0].hand if card.kind.id == "wormhole"] == [True, False]


@pytest.mark.parametrize(
    ("walls", "rotations"),
    [([0, 3], 3), ([1, 2, 4, 5], 3), ([0, 2, 4], 2), ([0, 1, 2], 6), ([5], 6), ([0, 1, 2, 3, 4], 6)],
)
def test_hr37_rotations_that_lay_the_walls_alike_are_one_move(walls: list[int], rotations: int) -> None:
    changes = {"ribbon_reef": {"walls": walls}}
    every = [DIRECTION + k for k in range(rotations)]
    game = Situation(hands=[["ribbon_reef"]], changes=changes).play("ribbon_reef").cell(0, 1)
    assert game.asked == (0, "ROTATION") and game.legal() == every
    placed = doing(["place", "legal"], hands=[["ribbon_reef"]], changes=changes).play("ribbon_reef")
    assert placed.cell(0, 1).legal() == every
    turned = doing(WALLED, ["rotate"], board={(0, 1): ("ribbon_reef", 0, 4)}, changes=changes)
    if rotations == 2:
        assert turned.table.board[0, 1].rotation == 1  # the other one: nothing is asked
    else:
        assert turned.legal() == [k for k in every if k - DIRECTION != 4 % rotations]


@pytest.mark.parametrize(("by", "steps"), [(0, 8), (1, 0)])
def test_hx49_hr38_a_roll_without_a_table_has_no_limits(by: int, steps: int) -> None:
    spaces = ["starry_deep"] * 3 + ["lot_of_nothing"] * 3 + ["launch_ramp", "becalmed_zone"]
    board = dict(zip(((0, r) for r in range(1, 9)), spaces, strict=True))
    game = Situation(hands=[["detour"], ["loaded_die"]], dice=[1 if by else 6], board=board)
    game.play("detour").play("loaded_die").branch(by)
    for _ in range(steps):
        assert game.asked == (0, "STEP")
        game.go(SOUTH_EAST)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, steps)


@pytest.mark.parametrize(("die", "by", "store"), [(6, 0, 10), (1, 1, 2), (3, 1, 3)])
def test_hx49_hr38_an_amount_of_a_roll_without_a_table(die: int, by: int, store: int) -> None:
    changes = {EVENT: {"play": [[["roll"], ["add", "roll"]]]}}
    game = Situation(hands=[[EVENT], ["loaded_die"]], stores=[2], dice=[die], changes=changes)
    assert game.play(EVENT).play("loaded_die").branch(by).store(0) == store


@pytest.mark.parametrize(("die", "by", "store"), [(6, 0, 6), (1, 1, 1), (4, 1, 2)])
def test_hx49_a_roll_on_a_table_is_1_to_6_and_an_amount_too(die: int, by: int, store: int) -> None:
    table = ["roll_table", [1, 1, [["add", "roll"]]], [2, 6, []]]
    changes = {EVENT: {"play": [[table, ["if", ["data_ge", 1], [], [["add", "roll"]]]]]}}
    game = Situation(hands=[[EVENT], ["loaded_die"]], dice=[die], changes=changes)
    assert game.play(EVENT).play("loaded_die").branch(by).store(0) == store


def test_hx16_hr40_a_move_that_is_rolled_again_keeps_its_bonuses() -> None:
    hands = [["turbo_thruster", "detour"], ["gravity_flicker"]]
    board = {(0, r): "starry_deep" for r in range(1, 4)} | {(0, 4): "lot_of_nothing"}
    game = Situation(hands=hands, dice=[6, 1], board=board).play("turbo_thruster").fly()
    game.play("gravity_flicker").go(*[SOUTH_EAST] * 4)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 4)  # 1, and 3 of The Turbo Thruster
    event = Situation(hands=hands, dice=[6, 1], board=board).play("turbo_thruster").play("detour")
    event.play("gravity_flicker").go(SOUTH_EAST)
    assert event.asked == (0, "MAIN")  # they are for Move rolls


def test_hr40_what_others_changed_of_the_roll_before_is_gone() -> None:
    hands = [[], ["headwind"], ["gravity_flicker"]]
    game = Situation(
        seats=3, hands=hands, dice=[6, 2], board={(0, 1): "starry_deep", (0, 2): "lot_of_nothing"}
    )
    game.fly().play("headwind").play("gravity_flicker").go(SOUTH_EAST, SOUTH_EAST)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 2)


@pytest.mark.parametrize(("hand", "asked"), [(["detour"], True), (["tow_cable"], False), ([], False)])
def test_hx34_hr39_a_stop_effect_whose_price_cannot_be_paid_is_not_asked(
    hand: list[str], asked: bool
) -> None:
    game = Situation(hands=[hand], dice=[1], board=DINER).fly(SOUTH_EAST)
    assert game.asked == (0, "MAY" if asked else "MAIN")
    if asked:
        game.yes()
        assert game.discarded("detour") == 1 and len(game.hand(0)) == 2


@pytest.mark.parametrize("held", [0, 1, 2])
def test_hx30_hr39_a_blue_effect_whose_price_cannot_be_paid_cannot_be_chosen(held: int) -> None:
    game = Situation(hands=[["detour", "tow_cable"][:held]], dice=[1], board=LODE).fly(SOUTH_EAST)
    assert game.legal() == ([YES] if held else []) + [NUMBER, NUMBER + 1]
    if held:
        game.yes()
        if held == 2:
            assert game.store(0) == 0  # the price comes first
            game.discards("tow_cable")
        assert game.store(0) == 3 and len(game.hand(0)) == held - 1


@pytest.mark.parametrize("store", [1, 2])
def test_hx28_hr39_the_price_of_an_upload_by_a_hex(store: int) -> None:
    board = {(0, 1): "malair_ruins"}
    game = Situation(hands=[["tow_cable"]], stores=[store], dice=[1], board=board).fly(SOUTH_EAST)
    assert (YES in game.legal()) == (store == 2)
    if store == 2:
        game.yes().upload("tow_cable")
        assert game.store(0) == 0 and "tow_cable" in game.file(0)


BLUE = [
    ("glimmer", 2, False),
    ("glimmer", 3, True),
    ("hotel_andromeda", 0, False),
    ("hotel_andromeda", 1, True),
    ("dexatrani_minor", 2, False),
]


@pytest.mark.parametrize(("card", "data", "can"), BLUE)
def test_hx30_a_blue_text_with_a_condition(card: str, data: int, can: bool) -> None:
    game = Situation(dice=[1], board={(0, 1): (card, data)}).fly(SOUTH_EAST)
    assert (YES in game.legal()) == can


def test_hx30_hr39_a_blue_text_with_a_condition_and_a_price() -> None:
    blue = [["if", ["planet_ge", 2], [["cost", ["expend", 2]], ["draw", 2]], []]]
    changes = {"mother_lode": {"on_collect": blue}}
    for store, data, can in ((1, 5, False), (2, 1, False), (2, 2, True)):
        game = Situation(stores=[store], dice=[1], board={(0, 1): ("mother_lode", data)}, changes=changes)
        assert (YES in game.fly(SOUTH_EAST).legal()) == can
    assert len(game.yes().hand(0)) == 2 and game.store(0) == 0


OR: Json = {
    "cost": [["expend", 1]],
    "play": [[["cost", ["expend", 2]], ["draw", 2]], [["cost", ["discard", 1, "object"]], ["add", 5]]],
}


@pytest.mark.parametrize(
    ("store", "hand", "branches"),
    [(2, [], []), (3, [], [0]), (1, ["tow_cable"], [1]), (0, ["tow_cable"], []), (3, ["tow_cable"], [0, 1])],
)
def test_hx42_hx43_hr39_a_price_of_each_branch(store: int, hand: list[str], branches: list[int]) -> None:
    game = Situation(hands=[[*hand, EVENT]], stores=[store], changes={EVENT: OR})
    assert game.can(PLAY, EVENT) == bool(branches)
    if not branches:
        return
    game.play(EVENT)
    if len(branches) == 2:
        assert game.legal() == [BRANCH, BRANCH + 1]
        game.branch(1)
    assert game.store(0) == (0 if branches == [0] else store - 1 + 5)
    assert len(game.hand(0)) == (2 if branches == [0] else 0)


def test_hx43_hr39_a_branch_that_cannot_be_paid_any_more_fails() -> None:
    take = {"red_tape": {"play": [[["take", 9, "active"]]]}, EVENT: OR}
    game = Situation(hands=[[EVENT], ["red_tape"]], stores=[3], changes=take).play(EVENT).play("red_tape")
    assert game.asked == (0, "MAIN") and game.hand(0) == [] and game.discarded(EVENT) == 1


def test_hx33_hr39_hr4_no_branch_left_after_a_start_effect() -> None:
    changes = {EVENT: OR, "starry_deep": {"on_start": [["expend", 3]]}}
    here = {"board": {(0, 1): "starry_deep"}, "ships": [(0, 1)]}
    game = Situation(hands=[[EVENT], ["red_tape"]], stores=[3], changes=changes, **here).play(EVENT)
    assert game.asked == (0, "MAIN") and game.discarded(EVENT) == 1  # no window: nothing was chosen
    assert game.table.actions_left == 2


@pytest.mark.parametrize("branches", [1, 2])
def test_hx33_hr39_an_event_with_one_branch_is_declared_before_the_start(branches: int) -> None:
    play = [[["cost", ["expend", 1]], ["add", 5]]] * branches
    changes = {EVENT: {"play": play}, "starry_deep": {"on_start": [["expend", 1]]}}
    here = {"board": {(0, 1): "starry_deep"}, "ships": [(0, 1)]}
    game = Situation(hands=[[EVENT]], stores=[1], changes=changes, **here).play(EVENT)
    assert game.asked == (0, "MAIN") and game.store(0) == 0 and game.discarded(EVENT) == 1
    assert (game.table.latest_event is None) == (branches == 2)


def test_hx50_hr39_a_copy_pays_the_price_of_its_branch_or_does_nothing() -> None:
    for store, asked in ((2, "MAIN"), (3, "MAIN")):
        hands = [[EVENT, "tow_cable"], ["robotic_union"]]
        game = Situation(hands=hands, stores=[9, store], changes={EVENT: OR}).play(EVENT).branch(1)
        game.play("robotic_union")
        assert game.asked == (0, asked)
        assert (len(game.hand(1)), game.store(1)) == ((2, 0) if store == 3 else (0, 2))


def test_hx43_hr39_what_anything_can_pay_is_paid_last() -> None:
    price = [["discard", 1], ["discard", 1, "object"]]
    for changes in (
        {EVENT: {"cost": price, "play": [[["add", 1]]]}},
        {EVENT: {"play": [[["cost", *price], ["add", 1]]]}},
    ):
        game = Situation(hands=[[EVENT, "tow_cable", "detour", "pebble"]], changes=changes).play(EVENT)
        assert game.discarded("tow_cable") == 1  # the only Object is not offered for the other part
        assert game.asked == (0, "DISCARD") and slots(game, DISCARD) == [0, 1]


ANY_ONE, MOVE, EVENTS = ["use_action", 1], ["use_action", 1, "move"], ["use_action", 1, "event"]


@pytest.mark.parametrize(
    ("gained", "cost", "left"),
    [
        ([], [EVENTS], (1, {})),
        (["event"], [EVENTS], (2, {})),  # the gained one plays the card
        (["event", "event"], [EVENTS], (3, {})),
        (["move"], [EVENTS], (1, {"move": 1})),
        (["move"], [ANY_ONE, MOVE], (1, {})),
        (["move", "event", "refresh"], [ANY_ONE, MOVE], (3, {})),  # not the Move for the other part
        (["move"], [["use_action", 3, "event"]], None),
        (["move"], [MOVE, ["use_action", 2]], (0, {})),
        (["move"], [MOVE, ["use_action", 3]], None),
    ],
)
def test_hx43_hr39_a_cost_in_actions_of_a_kind(gained: list[str], cost: list[object], left: object) -> None:
    changes = {"strict_diet": {"cost": cost, "play": [[["add", 1]]]}}
    gain = [["gain_action", kind] for kind in gained]
    given = {"hands": [["strict_diet"]], "changes": changes, "actions_per_turn": 4}
    game = doing(["add", 1], *gain, **given)
    assert game.can(PLAY, "strict_diet") == (left is not None)
    if left is not None:
        game.play("strict_diet")
        assert game.store(0) == 2
        assert left == ((game.table.actions_left, game.table.gained) if game.table.active == 0 else (0, {}))


def test_hr34_hr39_a_once_whose_price_cannot_be_paid_is_not_used() -> None:
    once = {"starry_deep": {"on_start": [["once", [["may", [["cost", ["expend", 1]], ["draw", 1]]]]]]}}
    here = {"board": {(0, 1): "starry_deep"}, "ships": [(0, 1)]}
    game = Situation(hands=[["cute_furry_things", "detour"]], changes=once, **here)
    game.play("cute_furry_things").branch(0)  # its Action began without Data
    assert game.store(0) > 0
    game.discards("detour")
    assert game.asked == (0, "MAY")


def test_hx48_a_move_on_a_hex_once_a_turn() -> None:
    changes = {"starry_deep": {"on_stop": [["once", [["may", [["move", 1]]]]]]}}
    board = {(0, 1): "starry_deep", (0, 2): "starry_deep", (0, 3): "wormhole"}
    game = Situation(dice=[1], board=board, changes=changes).fly(SOUTH_EAST).yes().go(SOUTH_EAST)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 2)  # copies of a hex count together


def test_hx48_hx11_move_and_replace_a_hex_anywhere() -> None:
    board = {(0, 1): "big_gus", (-1, 1): "starry_deep"}
    target = ["target_hex", "planet", "anywhere", 6, 99]
    beside = (1, 1)  # next to Delta Colony and Big Gus
    for mode in ("legal", "any"):
        game = doing(target, ["move_hex", mode], board=board)
        assert game.asked == (0, "CELL") and (beside in game.cells()) == (mode == "any")
    game.cell(*beside)
    assert game.table.board[beside].kind.id == "big_gus"
    space = ["target_hex", "space", "elsewhere", 0, 99]
    for mode in ("legal", "any"):
        game = doing(
            space, ["replace_hex", mode], hands=[["pebble", "dustbowl_four", "wormhole"]], board=board
        )
        assert game.can(PLAY, "dustbowl_four") == (mode == "any")
    game.play("dustbowl_four")
    assert game.table.board[-1, 1].kind.id == "dustbowl_four"
