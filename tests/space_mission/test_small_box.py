"""Boxes with fewer planets, cards and tiles play by the same rules (SM-02)."""

import random

import pytest

from spacemission_env.core.errors import ComponentsError, IllegalActionError, SetupError
from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules, make_rules
from tests.support.oracle_games import compare_game
from tests.support.random_components import small_box
from tests.support.random_play import VARIANTS, choose

SHORT = Rules(hand_size=3, space_tiles_to_end=2, max_rounds=40)
TINY = make_rules("tiny")


def test_sm_02_the_tiny_game_agrees_with_the_independent_rules() -> None:
    reasons = {compare_game(seed, 2, TINY, "tiny")[1] for seed in range(60)}
    assert reasons == {"finished", "truncated"}


@pytest.mark.parametrize("seed", range(24))
def test_sm_02_small_boxes_agree_with_the_independent_rules(seed: int) -> None:
    rules = (SHORT, *(rules for _, rules in VARIANTS[-5:] if rules.hand_size <= 3))
    compare_game(seed, 2 + seed % 4, rules[seed % len(rules)], small_box(seed))


def test_sm_06_more_cards_are_needed_than_the_hands_hold() -> None:
    with pytest.raises(ComponentsError, match="5 cards are too few: 3 players are dealt 2 each"):
        Game(3, TINY, "tiny")


def test_sm_25_in_a_ring_of_two_there_is_one_way_to_fly() -> None:
    box = next(box for box in map(small_box, range(99)) if box.ring == 2)
    game = Game(2, SHORT, box)
    game.reset(1)
    rng = random.Random(1)
    while "fly" not in {kind_of(action) for action in game.legal_actions()}:
        game.step(choose(game, game.legal_actions(), rng))
    assert c.FLY_NEXT in game.legal_actions() and c.FLY_PREVIOUS not in game.legal_actions()
    with pytest.raises(IllegalActionError, match="the other one is the next one"):
        game.step(c.FLY_PREVIOUS)
    with pytest.raises(IllegalActionError, match="the ring has only 2 planets"):
        game.step(c.JUMP + 5)


def test_sm_23_a_recorded_shuffle_may_hold_identical_cards() -> None:
    # A top-up may discard two identical cards and shuffle them.
    game = Game(2, make_rules("tiny,hand_size=3"), small_box(7))
    for seed in range(60):
        game.reset(seed)
        rng = random.Random(seed)
        while not game.over:
            before, action = game.clone(), choose(game, game.legal_actions(), rng)
            game.step(action)
            if game.shuffles > before.shuffles:
                before.step(action, before.order_of(game.last_shuffle()))
                assert before.states["draw"].tolist() == game.states["draw"].tolist()
    game.reset(0)
    order = game.order_of([game.components.cards[0].id])
    with pytest.raises(SetupError, match="order: expected"):
        game.step(c.TOP_UP + 3, order)
