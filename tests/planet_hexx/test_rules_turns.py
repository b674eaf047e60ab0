"""Tests rules of Planet Hexx: turns, declarations, known cards."""

import pytest

from tests.oracle.planet_hexx.board import Cell
from tests.oracle.planet_hexx.moves import FLY, PASS
from tests.support.planet_hexx_pair import Situation

FENCE = ["construction_fence"]
SIX_SPACES = ["lot_of_nothing"] * 3 + ["starry_deep"] * 3


def test_hx8_pass_ends_the_actions() -> None:
    game = Situation(hands=[SIX_SPACES, []]).discards("lot_of_nothing").no()
    assert game.asked == (1, "MAIN") and game.table.actions_left == 3


def test_hx8_what_was_gained_for_one_purpose_goes_first() -> None:
    game = Situation(hands=[["time_borrowers"]], stores=[1], dice=[1]).play("time_borrowers")
    assert (game.table.actions_left, game.table.gained) == (2, {"move": 1, "refresh": 1})
    game.fly().no()
    assert (game.table.actions_left, game.table.gained) == (2, {"refresh": 1})


def test_hx8_only_the_gained_kind_when_nothing_else_is_left() -> None:
    game = Situation(hands=[["gyro_stabiliser", "detour"]], actions_per_turn=1).play("gyro_stabiliser")
    assert game.legal() == [PASS, FLY]


def test_hx9_draw_up_to_six_on_the_own_turn_only() -> None:
    game = Situation(hands=[["detour"], ["detour"]], deck=SIX_SPACES).no()
    assert len(game.hand(0)) == 6 and game.hand(1) == ["detour"]


def test_hx8_hx9_discard_down_to_six_one_by_one() -> None:
    game = Situation(hands=[[*SIX_SPACES, "detour", "data_bomb"], ["detour"] * 7]).no()
    assert game.asked == (0, "DISCARD") and len(game.legal()) == 4  # four kinds
    game.discards("detour")
    assert game.asked == (0, "DISCARD") and len(game.legal()) == 3
    game.discards("data_bomb")
    assert game.hand(0) == SIX_SPACES and game.discarded("detour") == 1
    assert game.asked == (1, "MAIN") and len(game.hand(1)) == 7


@pytest.mark.parametrize("actions", [1, 3, 5])
def test_hx8_as_many_actions_as_the_option_says(actions: int) -> None:
    game = Situation(hands=[SIX_SPACES], actions_per_turn=actions)
    for _ in range(actions):
        assert game.asked == (0, "MAIN")
        game.step(game.legal()[-1])  # a Refresh
    assert game.asked == (1, "MAIN") and game.table.actions_left == actions


def test_hx9_one_card_too_many_goes_and_the_next_seat_clockwise_is_on() -> None:
    game = Situation(seats=3, hands=[[*SIX_SPACES, "detour"], [], []]).no()
    assert game.asked == (0, "DISCARD")
    game.discards("detour")
    for seat in (1, 2, 0):
        assert game.asked == (seat, "MAIN") and game.table.active == seat
        game.no()


def test_hx9_bans_bonuses_and_the_latest_event_end_with_the_turn() -> None:
    game = Situation(hands=[["strict_diet", "turbo_thruster"], ["duplicant"]], dice=[1]).play("strict_diet")
    game.play("turbo_thruster")
    assert FLY not in game.legal() and game.table.seats[0].bonus == 3
    game.no()
    seat = game.table.seats[0]
    assert seat.bonus == 0 and not seat.bans and game.table.latest_event is None
    game.play("duplicant")  # no latest Event in this turn
    assert game.asked == (1, "MAIN") and game.table.actions_left == 2
    game.no().fly(0)  # one step, and no more
    assert game.asked == (0, "COLLECT")
    game.collect(0)
    assert game.asked == (0, "MAIN")


def test_hr4_failed_map_goes_back_to_the_hand_and_is_known() -> None:
    game = Situation(hands=[["starry_deep"], ["construction_fence"]]).play("starry_deep").cell(0, 1)
    assert game.asked == (1, "WINDOW") and game.table.played[0].kind.id == "starry_deep"
    game.play("construction_fence")
    assert (0, 1) not in game.table.board and game.table.actions_left == 2
    assert [(c.kind.id, c.known) for c in game.table.seats[0].hand] == [("starry_deep", True)]


def test_hr4_hr15_failed_card_comes_behind_its_copies_with_its_epoch() -> None:
    game = Situation(hands=[["starry_deep", "starry_deep"], ["construction_fence"]], shuffles=4)
    game.play("starry_deep").cell(0, 1).play("construction_fence")
    assert [(c.known, c.epoch) for c in game.table.seats[0].hand] == [(False, 0), (True, 0)]


def test_hr4_failed_event_goes_to_the_discard_and_is_not_paid() -> None:
    game = Situation(hands=[["miss_galaxy"], ["red_tape"]], stores=[1]).play("miss_galaxy").branch(0)
    game.play("red_tape")
    assert game.store(0) == 1 and not game.hand(0)
    assert game.discarded("miss_galaxy") == game.discarded("red_tape") == 1


def test_hr4_an_action_banned_in_its_window_fails() -> None:
    game = Situation(hands=[["detour"], ["engine_trouble", "static"]], stores=[3]).fly()
    game.play("engine_trouble")
    assert game.asked == (0, "MAIN") and FLY not in game.legal()
    assert game.table.actions_left == 2


def test_hr4_failed_card_goes_to_the_discard_if_the_hand_is_full() -> None:
    hands = [["starry_deep"] * 3 + ["lot_of_nothing"] * 3 + ["wormhole"] * 4 + ["detour", "pebble"], FENCE]
    game = Situation(
        hands=hands,
        board={(0, 1): "solar_panels"},
        ships=[(0, 1)],
        deck=["data_bomb"],
        changes={"solar_panels": {"on_start": [["draw", 1]]}},
    )
    game.play("starry_deep")  # a card comes while that lies on the table
    game.cell(0, 2).play("construction_fence")
    assert len(game.hand(0)) == 12 and game.discarded("starry_deep") == 1


def test_hx33_hr4_a_map_card_that_has_lost_its_cells_fails_without_a_window() -> None:
    panels = {
        "on_start": [
            ["relocate", "planet", "adjacent"],
            ["target_hex", "space", "adjacent", 0, 99],
            ["disintegrate"],
        ]
    }
    planets = ["soggy_moon", "old_ironside", "new_wisconsin", "dustbowl_four", "library_moon"]
    around_the_base = [(0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    game = Situation(
        hands=[["big_gus"], FENCE],
        board={**dict(zip(around_the_base, planets, strict=True)), (2, 0): "solar_panels"},
        ships=[(2, 0)],
        changes={"solar_panels": panels},
    )
    game.play("big_gus")  # the only Space goes beside which a Planet could lie, before the cell is chosen
    assert game.asked == (0, "MAIN") and (2, 0) not in game.table.board
    assert game.hand(0) == ["big_gus"] and game.table.actions_left == 2


def test_hr4_a_failed_refresh_gives_the_card_back() -> None:
    changes = {"surprise_inspection": {"play": [[["cancel"]]]}}
    game = Situation(hands=[["detour"], ["surprise_inspection"]], changes=changes).discards("detour")
    game.play("surprise_inspection")
    assert game.hand(0) == ["detour"] and game.table.actions_left == 2 and game.discarded("detour") == 0


def test_hr4_a_cancelled_move_is_spent_and_nothing_is_rolled() -> None:
    game = Situation(hands=[[], ["engine_trouble"]], changes={"engine_trouble": {"play": [[["cancel"]]]}})
    game.fly().play("engine_trouble")
    assert game.asked == (0, "MAIN") and game.table.actions_left == 2 and FLY in game.legal()


@pytest.mark.parametrize(
    ("answer", "store", "ship"),
    [
        ([["cancel"]], 3, (0, 0)),
        ([["expend", 1, "active"]], 2, (0, 0)),  # the cost cannot be paid any more
        # the ship is not on a Space any more
        ([["target_seat", "others"], ["relocate", "planet", "anywhere", "target"]], 3, (1, 0)),
    ],
)
def test_hr4_a_failed_upload_is_not_paid(answer: list[object], store: int, ship: Cell) -> None:
    changes = {"static": {"play": [answer]}}
    game = Situation(hands=[["detour"], ["static"]], stores=[3], changes=changes).upload("detour")
    game.play("static")
    assert game.hand(0) == ["detour"] and game.file(0) == [None] * 6
    assert (game.store(0), game.ship(0)) == (store, ship)


def test_hr4_an_event_fails_if_its_cost_has_gone_meanwhile() -> None:
    changes = {"red_tape": {"play": [[["expend", 1, "active"]]]}}
    game = Situation(hands=[["miss_galaxy"], ["red_tape"]], stores=[1], changes=changes).play("miss_galaxy")
    game.branch(0).play("red_tape")
    assert game.hand(0) == [] and game.store(0) == 0 and game.discarded("miss_galaxy") == 1


def test_hr4_a_map_card_fails_if_its_cell_is_taken_meanwhile() -> None:
    changes = {"construction_fence": {"play": [[["place", "any"]]]}}
    game = Situation(hands=[["starry_deep"], ["construction_fence", "big_gus"]], changes=changes)
    game.play("starry_deep").cell(0, 1).play("construction_fence").play("big_gus").cell(0, 1)
    assert game.hand(0) == ["starry_deep"] and game.table.board[0, 1].kind.id == "big_gus"


def test_hx48_shown_top_cards_stay_known_in_the_hand() -> None:
    game = Situation(hands=[["fortune_tellers"]], deck=["eager_interns", "detour"])
    game.play("fortune_tellers")  # an Alien on top: three cards
    assert [(c.kind.id, c.known) for c in game.table.seats[0].hand][:3].count(("eager_interns", True)) == 1
    assert sum(c.known for c in game.table.seats[0].hand) == 1 and game.table.deck_known == 0


def test_hx40_hr10_cards_drawn_after_a_shuffle_carry_its_number() -> None:
    game = Situation(hands=[["detour", "pebble"]], rest=False, discard=["data_bomb"]).discards("detour")
    assert game.table.shuffles == 1 and game.table.deck_known == 0
    drawn = [c for c in game.table.seats[0].hand if c.kind.id != "pebble"]
    assert [c.epoch for c in drawn] == [1]
