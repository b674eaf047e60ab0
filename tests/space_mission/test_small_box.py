"""Boxes with fewer planets, cards and tiles play by the same rules (SM-02)."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from spacemission_env.core.errors import ComponentsError, IllegalActionError, SetupError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.components import components_from_data, load_components
from spacemission_env.games.space_mission.consistency import state_problem
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules, make_rules
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import GameRecord, RecordWriter
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


@pytest.mark.parametrize("seed", range(12))
def test_views_and_worlds_of_small_boxes(seed: int) -> None:
    rng = random.Random(seed)
    box, n = ("tiny", 2) if seed == 0 else (small_box(seed), 2 + seed % 4)
    game = Game(n, TINY if seed == 0 else SHORT, box)
    game.reset(seed)
    while not game.over:
        assert state_problem(game.states[0], game.t, n) is None
        seat = rng.randrange(n)
        world = game.determinize(seat, rng.randrange(10**9))
        assert state_problem(world.states[0], world.t, n) is None
        assert world.information_state_key(seat) == game.information_state_key(seat)
        assert (world.observe(seat) == game.observe(seat)).all()
        assert len(game.seat_json(seat)["planets"]) == game.components.ring
        view = game.seat_view(seat)
        assert sum(view.tiles_left) + sum(map(sum, view.taken)) == sum(game.components.tiles)
        assert "<svg" in game.picture(seat) and game.board(seat) and game.open_board()
        game.step(choose(game, game.legal_actions(), rng))


def test_records_of_small_boxes_replay(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    with RecordWriter(file) as writer:
        for seed in range(8):
            game = Game(2, SHORT, small_box(seed)) if seed else Game(2, TINY, "tiny")
            game.reset(seed)
            record, rng = GameRecord(game, ["a", "b"]), random.Random(seed)
            while not game.over:
                action = choose(game, game.legal_actions(), rng)
                record.before(action)
                game.step(action)
            record.finish()
            writer.add(record)
    games = 0
    for one in replay_file(file):
        decisions = sum(1 for _ in one)
        assert decisions == one.game.states[0].decisions and one.result is not None
        games += 1
    assert games == 8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda box: box.update(ring=1), "ring: expected a number of planets from 2 to 8, not 1"),
        (lambda box: box.update(ring=True), "ring: expected a number of planets from 2 to 8, not True"),
        (lambda box: box.update(ring=3), "planets: expected 3 to 12 entries, got 2"),
        (lambda box: box.update(cards=[]), "cards: expected 1 to 60 entries, got 0"),
        (lambda box: box["tiles"].update(medal=1), "tiles: expected 1 to 8 tiles for each of 2 planets"),
        (lambda box: box["tiles"].update(space=17), "at most 16 space tiles, got 18 and 17"),
        (lambda box: box.pop("ring"), "planets: expected exactly 12 entries, got 2"),
    ],
)
def test_a_wrong_small_box_is_refused_in_one_line(change: Callable[[Json], object], said: str) -> None:
    data = load_components("tiny").to_json()
    del data["sha256"]
    data["tiles"] = dict(zip(c.KIND_NAMES, load_components("tiny").tiles, strict=True))
    change(data)
    with pytest.raises(ComponentsError) as refusal:
        components_from_data(data, "box")
    assert said in str(refusal.value) and "\n" not in str(refusal.value)


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
