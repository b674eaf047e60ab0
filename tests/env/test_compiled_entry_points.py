"""Compiled code checks its indices: wrong ones are refused, right ones work in any form."""

import os
import subprocess
import sys

import numpy as np
import pytest

from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import SetupError
from spacemission_env.games.space_mission.engine.constants import CARDS
from spacemission_env.games.space_mission.game import Game


def games(count: int = 4, players: int = 3) -> BatchedGames:
    table = BatchedGames(count, players)
    for i in range(count):
        table.deal(i, i)
    return table


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
