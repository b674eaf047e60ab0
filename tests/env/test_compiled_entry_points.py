"""Compiled code checks its indices: wrong ones are refused, right ones work in any form."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from spacemission_env import space_mission_v0
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import IllegalActionError, SetupError, SpaceMissionError
from spacemission_env.core.masks import choose_uniform
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, CARDS
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.legal import is_legal
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.view import decode
from tests.support.random_components import random_box

RULES = (
    "printed",
    "hand_size=3,empty_top_up=off",
    "space_tile_penalty=on,scan_face_up=on",
    "empty_top_up=off,chips_per_player=2",
)


def games(count: int = 4, players: int = 3) -> BatchedGames:
    table = BatchedGames(count, players)
    for i in range(count):
        table.deal(i, i)
    return table


@pytest.mark.parametrize("rules", RULES)
def test_one_move_is_judged_as_the_mask_says(rules: str) -> None:
    """`is_legal` agrees with the mask for all actions and for integers outside the action space."""
    positions, legal = 0, 0
    for seed, box in ((1, None), (2, random_box(5))):
        table = BatchedGames(1, 2 + seed, rules + ",max_rounds=40", box)
        table.deal(0, seed)
        actions = np.zeros(1, np.int64)
        while not table.over[0]:
            _, masks = table.view(table.everyone)
            judged = [is_legal(table.states[0], table.template.t, a) for a in range(-2, ACTION_COUNT + 2)]
            assert judged == [False, False, *masks[0].astype(bool).tolist(), False, False]
            positions, legal = positions + 1, legal + sum(judged)
            choose_uniform(masks, table.keys(table.everyone), actions)
            table.step(table.everyone, actions)
    assert positions > 200
    assert legal > 5 * positions


def test_no_move_outside_the_mask_is_made() -> None:
    table = games()
    before = table.states.tobytes()
    masks = table.view(table.everyone)[1]
    for i, action in np.argwhere(masks == 0):
        with pytest.raises(IllegalActionError, match=f"^game {i}: "):
            table.step(np.array([i]), np.array([action]))
    assert table.states.tobytes() == before


@pytest.mark.parametrize("dtype", ["i1", "u1", "<i4", ">i4", "u8", "q", "i8"])
def test_whole_numbers_of_all_kinds_are_as_good(dtype: str) -> None:
    """An index may have any integer dtype, any order and gaps, and may be read-only."""
    one, other = games(), games()
    index = np.array([2, 99, 0, 99, 3, 99]).astype(dtype)[::2]
    index.flags.writeable = False
    right = np.array([2, 0, 3])
    for _ in range(3):
        seen, masks = one.view(right)
        assert (other.view(index)[0] == seen).all()
        assert (other.keys(index) == one.keys(right)).all()
        actions = np.array([np.flatnonzero(mask)[-1] for mask in masks])
        assert one.step(right, actions) == other.step(index, actions.astype(dtype))
    one.deal_next(right)
    other.deal_next(index)
    assert one.states.tobytes() == other.states.tobytes()


def test_nothing_is_asked_of_games_that_have_not_been_dealt() -> None:
    table = BatchedGames(3, 2)
    table.deal(0, 1)
    before = table.states.tobytes()
    index = np.array([0, 2])
    for call in (table.view, table.keys, table.ask, table.deal_next, lambda i: table.step(i, i * 0)):
        with pytest.raises(SetupError, match="game 2: it has not been dealt yet"):
            call(index)
    assert table.states.tobytes() == before


def test_worlds_are_not_drawn_from_places_written_into_an_index_after_the_question() -> None:
    table = games()
    index = table.everyone.copy()
    asked = table.ask(index)
    index[:] = 10**9
    with pytest.raises(SetupError, match="index"):
        act_alone(make_agent("ismcts:1"), asked)


FRESH: dict[str, Callable[[], object]] = {
    "mask": lambda: Game().mask(),
    "legal_actions": lambda: Game().legal_actions(),
    "step": lambda: Game().step(0),
    "observe": lambda: Game().observe(0),
    "scores": lambda: Game().scores(),
    "winners": lambda: Game().winners(),
    "determinize": lambda: Game().determinize(0, 1),
    "setup_json": lambda: Game().setup_json(),
    "decision_key": lambda: Game().decision_key(),
    "ask": lambda: Game().ask(),
    "last_shuffle": lambda: Game().last_shuffle(),
    "planet_name": lambda: Game().planet_name(0),
    "board": lambda: Game().board(),
    "open_board": lambda: Game().open_board(),
    "aec observe": lambda: space_mission_v0.raw_env().observe("player_0"),
    "aec last": lambda: space_mission_v0.raw_env().last(),
    "aec step": lambda: space_mission_v0.raw_env().step(0),
    "aec render": lambda: space_mission_v0.raw_env(render_mode="ansi").render(),
    "gym step": lambda: LearnerEnv(illegal="lose").step(0),
    "gym masks": lambda: LearnerEnv().action_masks(),
    "gym render": lambda: LearnerEnv(render_mode="ansi").render(),
    "vector step": lambda: LearnerVectorEnv(2, illegal="lose").step(np.zeros(2, np.int64)),
    "vector masks": lambda: LearnerVectorEnv(2).action_masks(),
}


@pytest.mark.parametrize("name", FRESH)
def test_before_the_first_reset_there_is_one_line_and_no_number(name: str) -> None:
    with pytest.raises(SpaceMissionError, match="reset"):
        FRESH[name]()


def test_a_recorded_shuffle_holds_the_cards_of_the_discard_pile_and_no_others() -> None:
    game = Game(2)
    game.reset(3)
    while game.states[0].draw_size > 5:
        game.step(31 if game.mask()[31] else game.legal_actions()[-1])
    while not game.mask()[31]:
        game.step(game.legal_actions()[0])
    s = game.states[0]
    pile = s.discard.astype(int)
    np.add.at(pile, s.hand[s.player], 1)
    right = np.repeat(np.arange(CARDS), pile)
    before = game.states.tobytes()
    for wrong in (right[1:], right + 1, right * 0 - 1, np.append(right, right[0]), right + 200, right[:1]):
        with pytest.raises(SetupError, match="order: expected the"):
            game.step(31, wrong)
    assert game.states.tobytes() == before
    shuffles = int(s.shuffles)
    game.step(31, right)
    assert s.shuffles == shuffles + 1


def test_an_observation_of_random_numbers_is_refused_in_one_line() -> None:
    game = Game(3)
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        vector = rng.integers(0, 2, OBSERVATION_SIZE) * rng.integers(0, 2, OBSERVATION_SIZE)
        try:
            decode(vector, game.components, game.rules)
        except SpaceMissionError:
            refused += 1
    assert refused > 250


@pytest.mark.slow
def test_a_sample_of_games_reads_nothing_past_the_end_of_an_array() -> None:
    """`python -m studies.bounds_check GAMES` plays thousands of games, and also finds negative indices."""
    command = [sys.executable, "-m", "studies.bounds_check", "36", "3"]
    run = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "\n0 batches with an index out of bounds" in run.stdout
    for bot in ("greedy", "heuristic", "ismcts:", "policy:default"):
        assert bot in run.stdout
