"""Results with several threads equal those with one, including errors."""

import copy
import multiprocessing
import pickle
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

from spacemission_env.core.agents import Agent, Decisions, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.compiling.busy_wait import until
from spacemission_env.core.errors import AgentError, SetupError, SpaceMissionError
from spacemission_env.core.masks import choose_uniform
from spacemission_env.core.reading import Json
from spacemission_env.core.thread_pool import ThreadPool, parts_of
from spacemission_env.frontends.turns import answers
from tests.support.every_front_end import FRONT_ENDS, play
from tests.support.front_ends import assert_same

THREADS = (1, 2, 3, 5)
GAMES = 60


@pytest.fixture
def every_row_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split even the smallest batches among the threads."""
    run = ThreadPool.run
    monkeypatch.setattr(ThreadPool, "run", lambda pool, part, rows, least: run(pool, part, rows, 1))


def tables(count: int, players: int, **options: object) -> list[BatchedGames]:
    made = [BatchedGames(count, players, threads=k, **options) for k in THREADS]
    for table in made:
        for i in range(count):
            table.deal(i, 1000 * players + i)
    return made


@pytest.mark.parametrize(
    ("players", "dtype"), [(2, "float32"), (3, "float32"), (4, "float32"), (5, "float32"), (3, "uint8")]
)
def test_whole_games_are_the_same_with_any_number(players: int, dtype: str, every_row_counts: None) -> None:
    """Compare observations, masks, keys and states at each decision, in any order of the games."""
    one, *others = tables(GAMES, players, dtype=dtype)
    rng = np.random.default_rng(players)
    index, actions = one.everyone, np.zeros(GAMES, np.int64)
    decisions = 0
    while len(index):
        seen, masks = one.view(index)
        keys = one.keys(index)
        moves = actions[: len(index)]
        choose_uniform(masks, keys, moves)
        over = one.step(index, moves)
        for table in others:
            its_seen, its_masks = table.view(index)
            assert np.array_equal(its_seen, seen)
            assert np.array_equal(its_masks, masks)
            assert np.array_equal(table.keys(index), keys)
            assert table.step(index, moves) == over
            assert table.states.tobytes() == one.states.tobytes()
        decisions += len(index)
        index = rng.permutation(index[~one.over[index]])
    assert decisions > 100 * GAMES
    for table in (one, *others):
        table.deal_next(rng.permutation(GAMES) if table is one else table.everyone[::-1].copy())
        assert table.states.tobytes() == one.states.tobytes()


# Method, rows with another index, rows with an illegal move, part of the message.
WRONG: list[tuple[str, dict[int, int], tuple[int, ...], str]] = [
    ("step", {}, (37,), "game 37: "),
    ("step", {}, (9, 31), "game 9: "),
    ("step", {39: 1}, (), "row 39: game 1 is listed twice"),
    ("step", {2: 1}, (), "row 2: game 1 is listed twice"),
    ("step", {2: 1}, (37,), "game 37: "),
    ("step", {22: 40}, (), "row 22: expected 0 to 39, not 40"),
    ("deal_next", {35: 4}, (), "row 35: game 4 is listed twice"),
    *((call, {13: -1, 33: 77}, (), "index: row 13: expected 0 to 39, not -1")
      for call in ("view", "keys", "ask", "deal_next")),
]  # fmt: skip


@pytest.mark.parametrize(("call", "games", "illegal", "said"), WRONG)
def test_the_row_that_one_thread_refuses_is_refused_and_nothing_moves(
    call: str, games: dict[int, int], illegal: tuple[int, ...], said: str, every_row_counts: None
) -> None:
    for table in tables(40, 3):
        before = table.states.tobytes()
        index, moves = np.arange(40), table.view(table.everyone)[1].argmax(axis=1)
        index[list(games)] = list(games.values())
        moves[list(illegal)] = 100
        with pytest.raises(SpaceMissionError, match=said):
            getattr(table, call)(*((index, moves) if call == "step" else (index,)))
        assert table.states.tobytes() == before


def test_worlds_and_searches_are_the_same(every_row_counts: None) -> None:
    for recall in ("perfect_recall", "table"):
        one, *others = tables(24, 3, observation=recall)
        searcher = make_agent("ismcts:1")
        rows = np.arange(24)
        worlds = one.ask(one.everyone).part(searcher, rows).worlds
        assert worlds is not None
        for table in others:
            theirs = table.ask(table.everyone).part(searcher, rows).worlds
            assert theirs is not None
            assert theirs.tobytes() == worlds.tobytes()


@pytest.mark.parametrize(
    "opponents",
    ["random", "greedy", ["random", "greedy"], pytest.param(["ismcts:2", "random"], marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("front", ["vector", "vector, next_step"])
def test_the_vector_environment_plays_the_same_games(
    front: str, opponents: Any, every_row_counts: None
) -> None:
    options: Json = {"num_players": 3, "rules": {"max_rounds": 4}}
    one, *others = (play(FRONT_ENDS[front](opponents, threads=k, **options), 5, 60) for k in THREADS)
    assert sum(int(step[2].sum()) for step in one[1:]) > 6  # type: ignore[index]
    for other in others:
        assert_same(other, one)


def workers() -> int:
    return sum(thread.name.startswith("spacemission-") for thread in threading.enumerate())


def test_threads_start_when_they_are_needed_and_end_with_the_games() -> None:
    before = workers()
    table = BatchedGames(600, 2, threads=3)
    for i in range(600):
        table.deal(i, i)
    table.view(np.arange(100))
    assert workers() == before  # too few rows for threads
    table.view(table.everyone)
    assert workers() == before + 2
    del table
    end = time.monotonic() + 60
    while workers() > before:
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_have_threads_of_their_own(again: Callable[[object], object]) -> None:
    table = tables(600, 2)[2]
    seen = table.view(table.everyone)[0].copy()
    other = again(table)
    assert other.threads == table.threads
    assert np.array_equal(other.view(other.everyone)[0], seen)
    assert other._pool is table._pool or other._pool._helpers is not table._pool._helpers


def seen_in_a_fork(table: BatchedGames, pipe: Connection) -> None:
    pipe.send(table.view(table.everyone)[0].tobytes())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_starts_its_own() -> None:
    table = tables(300, 2)[1]
    seen = table.view(table.everyone)[0].tobytes()
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=seen_in_a_fork, args=(table, theirs))
    process.start()
    assert ours.poll(300)
    assert ours.recv() == seen
    process.join(300)
    assert process.exitcode == 0
    assert table.view(table.everyone)[0].tobytes() == seen


class Failing(Agent):
    """Raises in the part with the last row."""

    in_parts = True

    def act(self, decisions: Decisions) -> np.ndarray:
        if 7 in decisions.keys:
            raise ZeroDivisionError("row 7")
        return np.zeros(len(decisions), np.int64)


class Inherits(Failing):
    """Does not set `in_parts` itself."""


def test_what_an_agent_raises_in_a_thread_is_raised_by_the_caller(every_row_counts: None) -> None:
    games = BatchedGames(8, 2, threads=4)
    keys = np.arange(8)
    decisions = Decisions(np.zeros((8, 1554), np.float32), np.ones((8, 101), np.int8), keys)
    with pytest.raises(AgentError, match="'Failing': failed with ZeroDivisionError: row 7"):
        answers([Failing()], np.zeros(8, np.int64), decisions, games)
    with pytest.raises(AgentError, match="'mine': failed with ZeroDivisionError: row 7"):
        answers([Failing()], np.zeros(8, np.int64), decisions, games, ["mine"])
    for i in range(8):
        games.deal(i, i)
    assert games.answers(games.everyone, Failing()).tolist() == [0] * 8
    with pytest.raises(SetupError, match="row 5"):
        games.answers(np.array([0, 1, 2, 3, 4, 9]), Failing())
    keys[7] = 0
    assert answers([Failing()], np.zeros(8, np.int64), decisions, games).tolist() == [0] * 8


def test_a_subclass_is_asked_in_one_piece(every_row_counts: None) -> None:
    sizes = []

    class Counts(Failing):
        def act(self, decisions: Decisions) -> np.ndarray:
            sizes.append(len(decisions))
            return super().act(decisions)

    for agent in (Counts(), Inherits()):
        decisions = Decisions(
            np.zeros((8, 1554), np.float32), np.ones((8, 101), np.int8), np.zeros(8, np.int64)
        )
        answers([agent], np.zeros(8, np.int64), decisions, BatchedGames(8, 2, threads=4))
    assert sizes == [8]


def test_parts_follow_each_other_and_leave_nothing_out() -> None:
    for rows in range(60):
        for parts in range(1, 9):
            cuts = parts_of(rows, parts)
            assert [row for first, stop in cuts for row in range(first, stop)] == list(range(rows))
            sizes = [stop - first for first, stop in cuts]
            assert max(sizes) - min(sizes) <= 1


def test_what_follows_a_view_sees_what_the_view_wrote() -> None:
    for table in tables(600, 3):
        seen: dict[int, tuple[np.ndarray, ...]] = {}

        def then(rows: slice, *written: np.ndarray, seen: dict[int, tuple[np.ndarray, ...]] = seen) -> None:
            for i, row in enumerate(range(rows.start, rows.stop)):
                assert row not in seen
                seen[row] = tuple(one[i].copy() for one in written)

        observations, masks = table.view(table.everyone, then)
        keys = table.keys(table.everyone)
        for row in range(600):
            for one, all_of_them in zip(seen[row], (observations, masks, keys), strict=True):
                assert np.array_equal(one, all_of_them[row])


def test_a_thread_that_sleeps_is_woken_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks arrive at once, after the busy wait, or without a busy wait."""
    for awake in (None, lambda word: False, until(2e-4)):
        monkeypatch.setattr("spacemission_env.core.thread_pool.until", lambda seconds, awake=awake: awake)
        pool = ThreadPool(3)
        for pause in (0, 0, 1e-4, 5e-4, 1e-3, 0) * 20:
            time.sleep(pause)
            asked = pool.run(lambda first, stop: time.sleep(0.0003 * (first > 0)) or (first, stop), 9, 1)
            assert asked == [(0, 3), (3, 6), (6, 9)]
