"""A vector environment with several threads plays as with one, including errors."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.errors import AgentError, IllegalActionError, SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_env.frontends import vector_env
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from tests.support.every_front_end import FRONT_ENDS, play
from tests.support.front_ends import assert_same

THREADS = (1, 2, 3, 5)
GAMES = 40


@pytest.fixture(autouse=True)
def any_number_of_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each thread a part, however small."""
    monkeypatch.setattr(vector_env, "PART_GAMES", 1)


def steps(many: LearnerVectorEnv, count: int) -> None:
    for _ in range(count):
        many.step(many.action_masks().argmax(1))


def made(threads: int, opponents: object = "random") -> LearnerVectorEnv:
    many = LearnerVectorEnv(GAMES, 3, opponents, threads=threads)
    many.reset(seed=7)
    return many


@pytest.mark.parametrize(
    "opponents",
    [
        "random",
        "greedy",
        ["random", "greedy"],
        pytest.param(["heuristic", "ismcts:1"], marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("front", ["vector", "vector, next_step"])
def test_the_same_games_are_played_with_any_number(front: str, opponents: Any) -> None:
    options: Json = {"num_players": 3, "rules": {"max_rounds": 4}, "shaping": 2.0}
    one, *others = (play(FRONT_ENDS[front](opponents, threads=k, **options), 5, 60) for k in THREADS)
    assert sum(int(step[2].sum()) for step in one[1:]) > 6  # type: ignore[index]
    for other in others:
        assert_same(other, one)


@pytest.mark.parametrize("wrong", [(37,), (9, 31)])
def test_an_illegal_move_is_refused_and_nothing_moves(wrong: tuple[int, ...]) -> None:
    for threads in THREADS:
        many = made(threads)
        moves, before = many.action_masks().argmax(1), many.games.states.tobytes()
        moves[list(wrong)] = many.single_action_space.n - 1
        assert not many.action_masks()[list(wrong), moves[list(wrong)]].any()
        with pytest.raises(IllegalActionError, match=f"game {wrong[0]}: "):
            many.step(moves)
        assert many.games.states.tobytes() == before


class Failing(Agent):
    """Plays the first legal move until `fails` is set."""

    needs = frozenset()
    in_parts = True
    fails = False

    def act(self, decisions: Decisions) -> np.ndarray:
        if self.fails:
            raise ZeroDivisionError("here")
        return decisions.masks.argmax(1)


class Inherits(Failing):
    """Does not set `in_parts` itself."""


def test_an_error_in_a_thread_is_raised_and_the_games_are_refused_until_a_reset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = made(3, Failing())
    first = many.action_masks()
    monkeypatch.setattr(Failing, "fails", True)
    with pytest.raises(AgentError, match="'Failing': failed with ZeroDivisionError: here"):
        steps(many, 20)  # until learners have ended their turns
    with pytest.raises(SpaceMissionError, match="since a call failed halfway"):
        many.step(first.argmax(1))
    monkeypatch.setattr(Failing, "fails", False)
    many.reset(seed=7)
    assert np.array_equal(many.action_masks(), first)


def test_only_agents_that_say_so_are_asked_in_parts() -> None:
    assert [len(made(4, agent)._parts) for agent in (Failing(), Inherits())] == [4, 1]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_play_the_same(again: Callable[[LearnerVectorEnv], LearnerVectorEnv]) -> None:
    many = made(3)
    other = again(many)
    moves = many.action_masks().argmax(1)
    if again is not copy.copy:  # a shallow copy shares the games
        assert_same(other.step(moves), many.step(moves))
    assert other.threads == 3


def step_in_a_fork(many: LearnerVectorEnv, moves: np.ndarray, pipe: Connection) -> None:
    pipe.send(many.step(moves)[0].tobytes())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_starts_its_own_threads() -> None:
    many = made(2)
    many.step(many.action_masks().argmax(1))
    moves = many.action_masks().argmax(1)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=step_in_a_fork, args=(many, moves, theirs))
    process.start()
    assert ours.poll(300)
    assert ours.recv() == many.step(moves)[0].tobytes()
    process.join(300)
    assert process.exitcode == 0
