"""Parts of the plain-Python Planet Hexx, by themselves. (The rules are tested in tests/planet_hexx.)"""

from __future__ import annotations

from typing import Any

import pytest

from .planet_hexx.board import CELLS, DIRECTIONS, Hex, beside, opposite
from .planet_hexx.cards import shipped
from .planet_hexx.effects import STATEMENTS, Effect
from .planet_hexx.moves import DIRECTION, NUMBER, PASS, PLAY, YES, in_words
from .planet_hexx.situations import Situation


def test_cells_and_directions() -> None:
    assert len(CELLS) == 217 and CELLS[0] == (0, -8) and CELLS[108] == (0, 0) and CELLS[-1] == (0, 8)
    for d, (dq, dr) in enumerate(DIRECTIONS):
        back = DIRECTIONS[opposite(d)]
        assert (dq + back[0], dr + back[1]) == (0, 0) and beside((0, 0), d) == (dq, dr)


def test_walls_turn_with_the_hex() -> None:
    reef = Hex(shipped().by_id["asteroid_belt"], rotation=2)  # edges 0, 1, 2
    assert [reef.wall(d) for d in range(6)] == [False, False, True, True, True, False]


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
    delete_upload copy cancel counter if may once modify_collect"""
    assert set(STATEMENTS) == set(words.split())


def test_who() -> None:
    game = Situation(seats=4)
    game.table.active = 3
    effect = Effect(game.table, game.table.seats[2])
    who = {word: [seat.number for seat in effect.who(word)] for word in ("you", "active", "all", "others")}
    assert who == {"you": [2], "active": [3], "all": [2, 3, 0, 1], "others": [3, 0, 1]}
    assert effect.who("target") == [] and effect.amount("counters") == effect.amount("roll") == 0


def test_snapshot_is_of_plain_things() -> None:
    game = Situation(hands=[["starry_deep"], ["pebble"]], discard=["detour"], board={(0, 1): "ribbon_reef"})
    shot = game.snapshot()
    assert shot["hands"] == [[["starry_deep", 0, 0]], [["pebble", 0, 0]]]
    assert shot["discard"] == {"detour": 1} and shot["mask"] == game.legal()
    assert shot["board"][108] == ["space_base", 0, 0] and shot["ships"] == [108, 108]


# ---------------------------------------------------------------------- Start, copying, Data 0

SOUTH_EAST = 1
GREEN: dict[str, Any] = {"solar_panels": {"on_start": [["add", 1]]}}


def test_hx33_a_start_effect_comes_with_every_action() -> None:
    own = Situation(board={(0, 1): "solar_panels"}, ships=[(0, 1)], hands=[["pebble"] * 3], changes=GREEN)
    for store in (1, 2, 3):
        own.discards("pebble")
        assert own.store(0) == store
    ships = [(0, 0), (0, 1)]
    hands = [["cloud_people"], ["tailgaters", "robotic_union"]]
    gained = Situation(board={(0, 1): "solar_panels"}, ships=ships, hands=hands, dice=[1, 1], changes=GREEN)
    gained.fly()
    gained.play("tailgaters")
    gained.no()  # seat 0 does not answer
    assert gained.store(1) == 0  # a Surprise begins no Action
    gained.fly()
    assert gained.store(1) == 1


def test_hr8_an_action_spent_on_a_surprise_begins_too() -> None:
    hands = [["cloud_people"], ["engine_trouble"]]
    game = Situation(board={(0, 1): "solar_panels"}, ships=[(0, 1)], hands=hands, changes=GREEN, dice=[1])
    game.fly()
    game.play("engine_trouble")
    assert game.asked == (0, "WINDOW") and game.store(0) == 1
    game.play("cloud_people")
    assert game.store(0) == 2 and game.asked == (0, "STEP")


def copying(*hand: str, **changes: Any) -> Situation:
    """Seat 0 has played The Tailgaters, and seat 1 copies them on seat 0's turn, or seat 0 does."""
    other = [] if hand else ["robotic_union"]
    game = Situation(hands=[["tailgaters", *hand], other], changes={"tailgaters": changes})
    game.play("tailgaters")
    game.play(hand[0] if hand else "robotic_union")
    return game


def test_hx50_restrictions_of_turn_and_action() -> None:
    assert copying().asked == (0, "MAIN")  # seat 1 has gained nothing
    listed = {"surprise": {"on": ["event"], "own_turn": True}}
    assert copying(**listed).asked == (1, "GAINED")
    assert copying("duplicant").table.gained == {"move": 2}
    assert copying("duplicant", only_if=["first_action"]).table.gained == {"move": 1}
    assert copying(surprise=None, only_if=["own_turn"]).asked == (0, "MAIN")


def test_hx45_a_gained_action_plays_no_surprise_of_the_own_turn() -> None:
    hands = [["risky_fuel_burn"], ["robotic_union", "tailgaters", "detour"]]
    game = Situation(hands=hands, dice=[3, 3])
    game.play("risky_fuel_burn")
    game.play("robotic_union")
    assert game.asked == (1, "GAINED")
    assert game.can(PLAY, "detour") and not game.can(PLAY, "tailgaters")


@pytest.mark.parametrize(
    ("effect", "may", "asked", "store"),
    [
        ([["collect", 2]], False, False, 0),
        ([["collect", 2]], True, False, 0),
        ([["if", ["data_ge", 9], [["once", [["collect", 1]]]], [["add", 2]]]], False, False, 0),
        ([["add", 2]], False, False, 2),
        ([["add", 2]], True, True, 0),
    ],
)
@pytest.mark.parametrize("icon", ["on_collect", "on_stop"])
def test_hx25_hr26_data_0_bars_what_relies_on_collecting(
    icon: str, effect: list[Any], may: bool, asked: bool, store: int
) -> None:
    if icon == "on_stop":
        effect = [["may", effect]] if may else effect
    changes = {"library_moon": {"on_collect": None, icon: effect, "may_collect": may}}
    game = Situation(dice=[1], board={(0, 1): ("library_moon", 0)}, changes=changes)
    game.fly(SOUTH_EAST)
    assert game.store(0) == store
    assert (game.legal() == ([YES, NUMBER] if icon == "on_collect" else [PASS, YES])) == asked


# ---------------------------------------------------------------------- how much is Collected


def landing(n: int, seat: int, data: int = 5, **more: Any) -> Situation:
    """Seat 0 lands where n more is Collected, because of a Surprise, or for the turn."""
    changes = {"eager_interns": {"play": [[["modify_collect", n]]]}, **more.pop("changes", {})}
    if seat:
        changes["eager_interns"]["surprise"] = {"on": ["landed"]}
    hands = [["eager_interns"], []][:: -1 if seat else 1]
    game = Situation(
        hands=hands, dice=[1, 1], board={(0, 1): ("dustbowl_four", data)}, changes=changes, **more
    )
    if not seat:
        game.play("eager_interns")
    game.fly(SOUTH_EAST)
    if seat:
        game.play("eager_interns")
    return game


@pytest.mark.parametrize("seat", [0, 1])
def test_hx24_the_amount_collected_changes(seat: int) -> None:
    more = landing(2, seat)
    more.collect(1)
    assert more.store(0) == 3
    capped = landing(9, seat)
    capped.collect(1)
    assert capped.store(0) == 5
    assert landing(-1, seat).asked == (0, "MAIN")  # nothing to choose


def test_hx24_a_landing_ends_its_change_and_a_turn_its_bonus() -> None:
    one, turn = landing(2, 1), landing(2, 0)
    for game, seat, amount in ((one, 0, 0), (turn, 0, 2)):
        game.collect(1)
        assert game.table.seats[seat].collect_bonus == amount
    turn.no()
    turn.no()
    assert turn.asked == (0, "MAIN") and turn.table.seats[0].collect_bonus == 0


def test_hx24_the_change_counts_for_the_blue_effect() -> None:
    blue = {"dustbowl_four": {"on_collect": [["collect", 2]], "may_collect": False}}
    assert landing(1, 1, changes=blue).store(0) == landing(1, 0, changes=blue).store(0) == 3


# ---------------------------------------------------------------------- hexes and Mission Files


@pytest.mark.parametrize(
    ("condition", "open_"),
    [
        (["never"], False),
        (["data_ge", 1], True),
        (["data_ge", 2], False),
        (["on", "space"], True),
        (["printed_ge", 1], False),
        (["own_turn"], True),
        (["first_action"], True),
        (["last_action"], False),
    ],
)
def test_enter_if_is_asked_of_who_moves(condition: list[Any], open_: bool) -> None:
    board = {(0, 1): "starry_deep"}
    game = Situation(dice=[1], stores=[1], board=board, changes={"starry_deep": {"enter_if": condition}})
    game.fly()
    assert (DIRECTION + SOUTH_EAST in game.legal()) == open_


def test_must_stop_ends_the_move() -> None:
    board = {(0, 1): "starry_deep", (0, 2): "starry_deep"}
    changes = {"starry_deep": {"must_stop": True, "on_stop": [["add", 1]], "on_start": [["add", 1]]}}
    game = Situation(dice=[6, 6], board=board, changes=changes)
    game.fly(SOUTH_EAST)
    assert game.ship(0) == (0, 1) and game.store(0) == 1 and game.asked == (0, "MAIN")
    game.fly(SOUTH_EAST)
    assert game.ship(0) == (0, 2) and game.store(0) == 3  # Start, and Stop


def test_fixed_hexes_are_not_turned() -> None:
    changes = {"ribbon_reef": {"fixed": True}}
    game = Situation(hands=[["ribbon_reef", "spinning_anomaly"]], deck=["pebble"], changes=changes)
    game.play("ribbon_reef")
    game.cell(0, 1)
    assert game.asked == (0, "MAIN")
    game.play("spinning_anomaly")
    game.branch(0)
    assert game.table.board[0, 1].rotation == 0 and game.hand(0) == ["pebble"]


def test_hx37_text_that_works_after_upload() -> None:
    changes = {
        "pebble": {"on_upload": [["add", 1]], "on_turn": [["add", 2]]},
        "eager_interns": {"surprise": {"on": ["uploaded"]}, "play": [[["take", 1, "active"]]]},
    }
    game = Situation(hands=[["pebble"], ["eager_interns"]], stores=[3], changes=changes, max_turns=2)
    game.upload("pebble")
    assert game.asked == (1, "WINDOW") and game.store(0) == 1
    game.play("eager_interns")
    assert (game.store(0), game.store(1)) == (0, 1)
    game.no(2)
    assert game.store(0) == 2 and game.asked == (0, "MAIN")


@pytest.mark.parametrize(("store", "uploads"), [(2, False), (3, True)])
def test_hr27_what_an_immediate_upload_costs(store: int, uploads: bool) -> None:
    chosen = Situation(hands=[["pansy_people", "eager_interns"]], stores=[store], immediate_upload_cost=2)
    chosen.play("pansy_people")  # costs 1 itself
    if uploads:
        chosen.upload("eager_interns")
    hand = ["mysterious_egg", "eager_interns", "detour"]
    itself = Situation(hands=[hand], stores=[store - 1], immediate_upload_cost=2)
    itself.play("mysterious_egg")
    for game, name in ((chosen, "eager_interns"), (itself, "mysterious_egg")):
        assert game.asked == (0, "MAIN")
        assert (name in game.file(0)) == uploads and game.store(0) == (0 if uploads else 1)


# ---------------------------------------------------------------------- windows


@pytest.mark.parametrize("window", ["turn_begins", "turn_ends", "stopped", "uploaded"])
def test_hr32_windows_that_a_card_lists(window: str) -> None:
    changes = {"eager_interns": {"surprise": {"on": [window]}, "play": [[["add", 1]]]}}
    game = Situation(
        hands=[["pebble"], ["eager_interns"]],
        stores=[3],
        board={(0, 1): "starry_deep"},
        dice=[1],
        changes=changes,
    )
    if window != "turn_begins":
        assert game.asked == (0, "MAIN")
        {
            "turn_ends": game.no,
            "stopped": lambda: game.fly(SOUTH_EAST),
            "uploaded": lambda: game.upload("pebble"),
        }[window]()
    assert game.asked == (1, "WINDOW")
    game.play("eager_interns")
    assert game.store(1) == 1


def test_hr32_a_window_that_no_card_lists_does_not_open() -> None:
    names = ("headwind", "gravity_flicker", "cosmic_hiccup", "loaded_die")
    changes = {name: {"surprise": {"on": ["move"]}} for name in names}
    game = Situation(always_ask=True, dice=[1], changes=changes)
    game.fly()
    game.no()
    assert game.asked == (0, "STEP")


# ---------------------------------------------------------------------- once, conditions, amounts, options


def test_once_counts_by_seat_turn_and_statement() -> None:
    program = [["once", [["may", [["add", 1]]]]], ["once", [["add", 10]]]]
    changes = {"solar_panels": {"on_start": program}}
    board = {(0, 1): "solar_panels"}
    game = Situation(board=board, ships=[(0, 1)], hands=[["pebble"] * 6], changes=changes)
    game.discards("pebble")
    game.no()
    assert game.store(0) == 10
    game.discards("pebble")  # what was declined is not used
    game.yes()
    game.discards("pebble")
    assert game.store(0) == 11 and game.asked == (1, "MAIN")
    game.no()
    game.discards("pebble")
    assert game.asked == (0, "MAY")


@pytest.mark.parametrize(
    ("condition", "playable"),
    [("first_action", [True, False, False]), ("last_action", [False, False, True]), ("own_turn", [True] * 3)],
)
def test_only_if_is_looked_at_when_a_card_is_declared(condition: str, playable: list[bool]) -> None:
    changes = {"eager_interns": {"only_if": [condition]}}
    game = Situation(hands=[["eager_interns", *["pebble"] * 2]], changes=changes)
    for there in playable:
        assert game.can(PLAY, "eager_interns") == there
        game.discards("pebble") if "pebble" in game.hand(0) else game.no()


def test_printed_data_as_an_amount_and_a_bound() -> None:
    play = [["target_hex", "planet", "anywhere", 2, 99, "printed"], ["add", "printed"]]
    changes = {"eager_interns": {"play": [play]}}
    board = {(0, 1): ("library_moon", 0), (-1, 0): ("library_moon", 9)}
    game = Situation(hands=[["eager_interns"]], board=board, changes={**changes, "library_moon": {"data": 1}})
    game.play("eager_interns")  # Delta Colony alone has enough
    assert game.store(0) == 5


FAR, BRIDGE, BASES = {(0, 2), (-1, 2)}, {(0, 1)}, {(0, 0), (1, 0)}


@pytest.mark.parametrize(
    ("rules", "word", "offered"),
    [
        ({}, "disintegrate", FAR),
        ({"split_board": True, "movable_bases": True}, "disintegrate", FAR | BRIDGE),
        ({}, "move_hex", FAR),
        ({"movable_bases": True}, "move_hex", FAR | BASES),
        ({"split_board": True}, "move_hex", FAR | BRIDGE),
    ],
)
def test_hr28_hr29_bases_and_bridges(rules: dict[str, Any], word: str, offered: set[Any]) -> None:
    changes = {"eager_interns": {"play": [[["target_hex", "hex", "anywhere", 0, 99], [word]]]}}
    board = {(0, 1): "starry_deep", (0, 2): "dustbowl_four", (-1, 2): "starry_deep"}
    game = Situation(hands=[["eager_interns"]], board=board, changes=changes, **rules)
    game.play("eager_interns")
    assert game.cells() == offered


@pytest.mark.parametrize("copied", [True, False])
def test_hr30_a_cancelled_event_may_be_the_latest_one(copied: bool) -> None:
    changes = {"critical_circuit": {"surprise": {"on": ["event"]}}}
    hands = [["eager_interns", "time_borrowers", "duplicant"], ["critical_circuit"]]
    game = Situation(hands=hands, stores=[3], changes=changes, copy_cancelled=copied)
    game.play("eager_interns")
    game.no()
    game.play("time_borrowers")
    game.play("critical_circuit")
    game.play("duplicant")
    assert game.table.gained == ({"move": 1, "refresh": 1} if copied else {})
    assert game.table.actions_left == (2 if copied else 4)
