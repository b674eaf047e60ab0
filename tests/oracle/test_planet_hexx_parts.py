"""Parts of the plain-Python Planet Hexx, by themselves. (The rules are tested in tests/planet_hexx.)"""

from itertools import count

import pytest

from .planet_hexx.board import CELLS, DIRECTIONS, beside, opposite
from .planet_hexx.cards import numbered, words
from .planet_hexx.effects import STATEMENTS
from .planet_hexx.moves import (
    BRANCH,
    CELL,
    DIRECTION,
    DISCARD,
    FLY,
    NUMBER,
    PASS,
    PLAY,
    UPLOAD,
    YES,
    in_words,
)
from .planet_hexx.situations import Situation
from .planet_hexx.worlds import worlds
from .planet_hexx_oracle import HexxOracle


def test_cells_and_directions() -> None:
    assert len(CELLS) == 217 and CELLS[0] == (0, -8) and CELLS[108] == (0, 0) and CELLS[-1] == (0, 8)
    for d, (dq, dr) in enumerate(DIRECTIONS):
        back = DIRECTIONS[opposite(d)]
        assert (dq + back[0], dr + back[1]) == (0, 0) and beside((0, 0), d) == (dq, dr)


def test_moves_in_words() -> None:
    assert [in_words(m) for m in (0, 6, 9, 55 + 108, 274)] == [
        "pass",
        "move",
        "play slot 2",
        "cell (0, 0)",
        "direction 2",
    ]


def test_hx48_every_statement_of_the_page_is_there() -> None:
    words = """add expend take collect planet_add planet_sub planets_add planets_sub draw discard
    random_discard dump show_hand show_top recover gain_action use_action forbid move relocate
    place target_seat target_hex
    disintegrate rotate move_hex replace_hex roll roll_table modify_roll reroll upload_now upload_self
    delete_upload copy cancel counter if may once modify_collect cost"""
    assert set(STATEMENTS) == set(words.split())


def test_snapshot_is_of_plain_things() -> None:
    game = Situation(hands=[["starry_deep"], ["pebble"]], discard=["detour"], board={(0, 1): "ribbon_reef"})
    shot = game.snapshot()
    assert shot["hands"] == [[["starry_deep", 0, 0]], [["pebble", 0, 0]]]
    assert shot["discard"] == {"detour": 1} and shot["mask"] == game.legal()
    assert shot["board"][108] == ["space_base", 0, 0] and shot["ships"] == [108, 108]


def test_words_are_first_in_statements_and_each_once_has_a_number() -> None:
    program = [["if", ["on_board", "collect"], [["once", [["draw", 1]]]], [["once", [["move", "roll"]]]]]]
    assert words(program) == ["if", "on_board", "once", "draw", "once", "move"]
    then, otherwise = numbered(program, count(5))[0][2:]
    assert then == [["once", [["draw", 1]], 5]] and otherwise == [["once", [["move", "roll"]], 6]]


def test_an_illegal_move_is_refused() -> None:
    game = HexxOracle(2, 0, {})
    with pytest.raises(ValueError, match="not one of"):
        game.step(PASS)
    with pytest.raises(ValueError, match="5 players"):
        HexxOracle(5, 0, {})
    with pytest.raises(ValueError, match="hand"):
        HexxOracle(2, 0, {"hand": 5})


# ---------------------------------------------------------------- values worked out from the rulebook by hand

LINE = {(0, r): "starry_deep" for r in range(1, 9)}  # eight steps from the Space Base, direction 1
ALONG = 1


def rolled_with(card: str, face: int, branch: int) -> Situation:
    """Seat 0 plays a card that rolls; seat 1 adds 2 to the roll (branch 0) or subtracts 2 (branch 1)."""
    game = Situation(board=LINE, hands=[[card], ["loaded_die"]], stores=[3, 3], dice=[face])
    return game.play(card).play("loaded_die").branch(branch)


def test_hx49_a_roll_without_a_table_is_not_clipped() -> None:
    game = rolled_with("detour", 6, 0)
    for _ in range(8):
        assert game.asked == (0, "STEP")
        game.go(ALONG)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 8)
    assert rolled_with("detour", 2, 1).asked == (0, "MAIN")  # a roll of 0
    assert rolled_with("detour", 1, 1).asked == (0, "MAIN")  # a roll of -1


@pytest.mark.parametrize(("face", "branch", "data"), [(6, 0, 8), (5, 1, 3), (2, 1, 0), (1, 1, 0)])
def test_hx49_an_amount_that_is_rolled_is_not_clipped(face: int, branch: int, data: int) -> None:
    game = Situation(hands=[["unmapped_world"], ["loaded_die"]], board={(0, 1): "starry_deep"}, dice=[face])
    game.play("unmapped_world").cell(0, 2).play("loaded_die").branch(branch)
    assert game.table.board[0, 2].data == data


def test_hx49_nobody_adds_less_than_nothing() -> None:
    changes = {"detour": {"play": [[["roll"], ["add", "roll"]]]}}
    game = Situation(hands=[["detour"], ["loaded_die"]], stores=[3], dice=[1], changes=changes)
    assert game.play("detour").play("loaded_die").branch(1).store(0) == 3


def test_hx49_a_roll_on_a_table_is_clipped() -> None:
    """1 to 3: each other seat expends 2 Data; 4 to 6: add 2 Data."""
    stores = [[rolled_with("unstable_reactor", *roll).store(j) for j in (0, 1)] for roll in ((6, 0), (1, 1))]
    assert stores == [[5, 3], [3, 1]]


def test_hr40_a_bonus_of_this_turn_survives_a_reroll() -> None:
    game = Situation(board=LINE, hands=[["turbo_thruster"], ["gravity_flicker"]], dice=[6, 1])
    game.play("turbo_thruster").fly().play("gravity_flicker").go(*[ALONG] * 4)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 4)  # 1, and 3 added


def test_hr36_equal_cards_are_one_move_of_the_lowest_slot() -> None:
    hand = ["lot_of_nothing", "lot_of_nothing", "starry_deep", "starry_deep", "starry_deep"]
    game = Situation(hands=[hand], stores=[3], doubles=["space"])
    used = {move for move in game.legal() if move < CELL}
    slots = (0, 2)
    assert used == {PASS, FLY, *(base + i for base in (PLAY, UPLOAD, DISCARD) for i in slots)}


def test_hr36_equal_cards_are_discarded_without_asking() -> None:
    game = Situation(
        hands=[["coffee_spill", "starry_deep", "starry_deep"]], dice=[1], deck=["pebble", "glimmer"]
    )
    game.play("coffee_spill")
    assert game.asked == (0, "MAIN") and game.discarded("starry_deep") == 1
    assert sorted(game.hand(0)) == ["glimmer", "pebble", "starry_deep"]


def test_hr40_a_reroll_drops_earlier_answers_to_the_roll() -> None:
    hands = [["turbo_thruster"], ["loaded_die"], ["gravity_flicker"]]
    game = Situation(seats=3, board=LINE, hands=hands, dice=[6, 1]).play("turbo_thruster").fly()
    game.play("loaded_die").branch(1).play("gravity_flicker").go(*[ALONG] * 4)
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 4)


def test_hr37_rotations_with_the_same_walls_are_one_move() -> None:
    reef = Situation(hands=[["ribbon_reef"]], board={(0, 1): "starry_deep"})  # walls on two opposite edges
    reef.play("ribbon_reef").cell(0, 2)
    assert reef.legal() == [DIRECTION + k for k in (0, 1, 2)]
    turned = Situation(hands=[["spinning_anomaly"]], board={(0, 1): ("ribbon_reef", 0, 4)})
    turned.play("spinning_anomaly").branch(0)
    assert turned.legal() == [DIRECTION + k for k in (0, 2)]  # it lies as with rotation 1


# A sacrifice that cannot be made forbids the effect (HX-28, HX-43, HR-39).

DINER: list = [["may", [["cost", ["discard", 1, "dilemma"]], ["draw", 2]]]]


def at_the_diner(*hand: str) -> Situation:
    changes = {"space_diner": {"on_stop": DINER}}
    return Situation(board={(0, 1): "space_diner"}, hands=[hand], dice=[1], changes=changes).fly().go(ALONG)


def test_hr39_an_optional_effect_needs_its_price() -> None:
    assert at_the_diner("pebble").asked == (0, "MAIN")
    game = at_the_diner("pebble", "detour", "plot_twist")
    assert game.asked == (0, "MAY")
    game.yes()
    assert game.asked == (0, "DISCARD") and len(game.legal()) == 2  # the Dilemmas
    game.discards("detour")
    assert len(game.hand(0)) == 4 and game.discarded("detour") == 1
    assert at_the_diner("detour").no().hand(0) == ["detour"]


def test_hr39_a_once_whose_price_cannot_be_paid_is_not_used() -> None:
    start: list = [["once", [["may", [["cost", ["expend", 1]], ["draw", 1]]]]]]
    changes = {"launch_ramp": {"on_start": start}}
    game = Situation(
        board={(0, 1): "launch_ramp"}, ships=[(0, 1)], hands=[["cute_furry_things"]], changes=changes
    )
    game.play("cute_furry_things").branch(0)  # its Data come too late for the first Start
    assert game.asked == (0, "MAIN") and game.store(0) > 0
    assert game.fly().asked == (0, "MAY")


def test_hr39_who_is_asked_can_pay() -> None:
    """Two of six cards are in the hand; 9 of these 15 pairs have a Dilemma, the price of the Diner."""
    deck = ["plot_twist", "glimmer", "starry_deep", "data_bomb"]
    changes = {"space_diner": {"on_stop": DINER}}
    game = Situation(
        board={(0, 1): "space_diner"},
        hands=[["detour", "pebble"]],
        deck=deck,
        rest=False,
        dice=[1],
        changes=changes,
    )
    states, ruled_out = worlds(game.fly().go(ALONG), 1, 100)
    assert len(states) == 9 and ruled_out


def landing_on(planet: str, effect: list, hand: list[str], store: int = 0, data: int = 4) -> Situation:
    changes = {planet: {"on_collect": effect, "may_collect": True}}
    board = {(0, 1): (planet, data)}
    game = Situation(board=board, hands=[hand], stores=[store], dice=[1], changes=changes)
    return game.fly().go(ALONG)


def test_hr39_a_blue_effect_needs_its_price() -> None:
    lode: list = [["cost", ["discard", 1]], ["collect", 3]]
    assert landing_on("mother_lode", lode, []).legal() == [NUMBER, NUMBER + 1]
    game = landing_on("mother_lode", lode, ["pebble"])
    assert game.legal() == [YES, NUMBER, NUMBER + 1]
    game.yes()
    assert game.store(0) == 3 and game.hand(0) == [] and game.discarded("pebble") == 1
    ruins: list = [["cost", ["expend", 2]], ["upload_now", "object"]]
    assert landing_on("malair_ruins", ruins, ["detour"], store=1).legal() == [NUMBER, NUMBER + 1]
    assert landing_on("malair_ruins", ruins, ["detour"], store=2).legal() == [YES, NUMBER, NUMBER + 1]


def test_hr39_a_blue_effect_with_a_condition_needs_it() -> None:
    alone: list = [["if", ["planet_ge", 3], [["collect", 2]], []]]
    assert landing_on("glimmer", alone, [], data=2).legal() == [NUMBER, NUMBER + 1]
    assert landing_on("glimmer", alone, [], data=3).legal() == [YES, NUMBER, NUMBER + 1]
    either: list = [["if", ["planet_ge", 3], [["collect", 2]], [["draw", 1]]]]
    assert landing_on("glimmer", either, [], data=2).legal() == [YES, NUMBER, NUMBER + 1]
    both: list = [["if", ["planet_ge", 3], [["cost", ["expend", 1]], ["collect", 2]], []]]
    assert YES not in landing_on("glimmer", both, [], data=3).legal()
    assert landing_on("glimmer", both, [], store=1, data=3).yes().store(0) == 2


def with_prices(*hand: str, store: int = 0, cost: list | None = None) -> Situation:
    """The Eager Interns, to play: discard an Object, draw 3; or expend 2 Data, add 5."""
    play = [[["cost", ["discard", 1, "object"]], ["draw", 3]], [["cost", ["expend", 2]], ["add", 5]]]
    changes = {"eager_interns": {"play": play, "cost": cost or []}}
    return Situation(hands=[["eager_interns", *hand]], stores=[store], changes=changes)


def test_hr39_each_branch_needs_its_price() -> None:
    assert not with_prices("detour", store=1).can(PLAY, "eager_interns")
    object_only = with_prices("data_bomb", store=1).play("eager_interns")  # one branch: not asked
    assert object_only.asked == (0, "MAIN") and len(object_only.hand(0)) == 3
    data_only = with_prices("detour", store=2).play("eager_interns")
    assert data_only.asked == (0, "MAIN") and data_only.store(0) == 5
    either = with_prices("data_bomb", store=4).play("eager_interns")
    assert either.legal() == [BRANCH, BRANCH + 1]
    assert either.branch(1).store(0) == 7 and either.hand(0) == ["data_bomb"]


def test_hr39_the_prices_of_card_and_branch_are_paid_together() -> None:
    data: list = [["expend", 1]]
    assert not with_prices("detour", store=2, cost=data).can(PLAY, "eager_interns")
    assert with_prices("detour", store=3, cost=data).play("eager_interns").store(0) == 5
    any_card: list = [["discard", 1]]
    assert not with_prices("data_bomb", cost=any_card).can(PLAY, "eager_interns")
    game = with_prices("data_bomb", "pebble", cost=any_card).play("eager_interns")
    assert game.asked == (0, "MAIN") and game.discarded("data_bomb") == game.discarded("pebble") == 1


def test_hr39_a_price_in_any_cards_does_not_use_what_another_needs() -> None:
    cost = [["discard", 1], ["discard", 1, "object"]]
    changes = {"eager_interns": {"cost": cost, "play": [[["add", 1]]]}}
    game = Situation(hands=[["eager_interns", "data_bomb", "pebble"]], changes=changes).play("eager_interns")
    assert game.asked == (0, "MAIN") and game.hand(0) == [] and game.store(0) == 1


@pytest.mark.parametrize("branches", [1, 2])
def test_hr39_a_start_effect_may_take_the_price(branches: int) -> None:
    """The Event is spent and has no effect; with several branches, none is chosen, so it was not declared."""
    changes = {
        "launch_ramp": {"on_start": [["expend", 1]]},
        "eager_interns": {"play": [[["cost", ["expend", 1]], ["add", 5]]] * branches},
    }
    board = {(0, 1): "launch_ramp"}
    game = Situation(board=board, ships=[(0, 1)], hands=[["eager_interns"]], stores=[1], changes=changes)
    game.play("eager_interns")
    assert game.asked == (0, "MAIN") and game.store(0) == 0 and game.hand(0) == []
    assert game.table.actions_left == 2 and game.discarded("eager_interns") == 1
    assert (game.table.latest_event is None) == (branches == 2)


def test_hx50_hr39_a_copy_chooses_among_the_branches_that_it_can_pay() -> None:
    game = with_prices("duplicant", "data_bomb", store=4).play("eager_interns").branch(1)
    assert game.play("duplicant").legal() == [BRANCH, BRANCH + 1]
    poor = with_prices("duplicant", "data_bomb").play("eager_interns")  # discards the only Object
    cards = len(poor.hand(0))
    poor.play("duplicant")
    assert poor.asked == (0, "MAIN") and len(poor.hand(0)) == cards - 1


def test_hx43_use_an_event_action_is_paid_with_gained_ones_first() -> None:
    gain = [[["gain_action", "event", 2], ["gain_action", "move", 1]]]
    changes = {
        "eager_interns": {"cost": [["use_action", 1, "event"]], "play": [[["add", 1]]]},
        "miss_galaxy": {"cost": [], "play": gain},
    }
    game = Situation(hands=[["miss_galaxy", "eager_interns"]], changes=changes).play("miss_galaxy")
    assert game.table.actions_left == 2 and game.table.gained == {"event": 2, "move": 1}
    game.play("eager_interns")
    assert game.table.gained == {"move": 1} and game.table.actions_left == 2
    plain = Situation(hands=[["eager_interns"]], changes=changes).play("eager_interns")
    assert plain.table.actions_left == 1
    alone = Situation(hands=[["eager_interns"]], changes=changes, actions_per_turn=1)
    assert not alone.can(PLAY, "eager_interns")


def test_hx43_a_gained_move_action_is_no_event_action() -> None:
    changes = {
        "eager_interns": {"cost": [["use_action", 1, "event"]], "play": [[["add", 1]]]},
        "miss_galaxy": {"cost": [], "play": [[["gain_action", "move", 2]]]},
    }
    hands = [["miss_galaxy", "eager_interns"]]
    game = Situation(hands=hands, changes=changes, actions_per_turn=2).play("miss_galaxy")
    assert game.table.actions_left == 1 and not game.can(PLAY, "eager_interns")


def test_hx48_any_place_for_a_moved_or_replaced_hex() -> None:
    """With "any", a Planet may come to lie beside a Planet alone."""
    target: list = ["target_hex", "planet", "elsewhere", 1, 3]
    changes = {"eager_interns": {"play": [[target, ["move_hex", "any"]], [target, ["move_hex"]]]}}
    free, bound = (
        Situation(board={(0, 1): ("soggy_moon", 3)}, hands=[["eager_interns"]], changes=changes)
        .play("eager_interns")
        .branch(b)
        .cells()
        for b in (0, 1)
    )
    assert (2, 0) in free and (2, 0) not in bound and bound < free  # Delta Colony lies on (1, 0)
    board = {
        (-1, 0): "soggy_moon",
        (2, 0): ("glimmer", 3),
    }  # no cell by the Base is free of Planets
    only_any, nowhere = (
        Situation(board=board, hands=[["eager_interns"]], changes=changes).play("eager_interns").branch(b)
        for b in (0, 1)
    )
    assert only_any.asked == (0, "CELL") and nowhere.asked == (0, "MAIN")
    changes = {"eager_interns": {"play": [[target, ["replace_hex", "any"]], [target, ["replace_hex"]]]}}
    board = {(0, 1): "starry_deep", (0, 2): ("soggy_moon", 3), (0, 3): ("big_gus", 9)}
    free_to, bound_to = (
        Situation(board=board, hands=[["eager_interns", "glimmer"]], changes=changes)
        .play("eager_interns")
        .branch(b)
        for b in (0, 1)
    )
    assert free_to.legal() == [PASS, PLAY] and bound_to.asked == (0, "MAIN")


def test_hx30_a_hex_moves_the_ship_once_a_turn() -> None:
    changes = {"launch_ramp": {"on_start": None, "on_stop": [["once", [["move", 2]]]]}}
    board = {(0, 1): "launch_ramp", (0, 2): "soggy_moon"}
    game = Situation(board=board, dice=[1, 1], changes=changes).fly().go(ALONG)
    assert game.asked == (0, "STEP")  # by the hex
    game.go(ALONG).collect(1)
    assert game.asked == (0, "MAIN") and game.store(0) == 1 and game.ship(0) == (0, 2)
    game.fly().go(4)  # back to the hex
    assert game.asked == (0, "MAIN") and game.ship(0) == (0, 1)
