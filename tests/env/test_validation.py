"""Agents refuse wrong decisions in one line, and several threads can share an agent."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from spacemission_env.core.agents import Agent, Decisions, act_alone, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.masks import choose_uniform
from spacemission_env.games.space_mission.engine.constants import OVER
from spacemission_env.games.space_mission.spec import SPEC

QUICK = ("random", "greedy", "heuristic", "policy:scratch")
SEARCHES = ("ismcts:8", "ismcts:4x2", "ismcts:8?rollouts")
SHIPPED = (*QUICK, pytest.param(SEARCHES[0], marks=pytest.mark.slow))
ALL = (*QUICK, "policy:scratch?sample", *(pytest.param(spec, marks=pytest.mark.slow) for spec in SEARCHES))
N = 6


@lru_cache
def agent_of(spec: str) -> Agent:
    return make_agent(spec)


def positions(moves: int, seed: int = 0, games: int = N) -> Decisions:
    """Decisions of two-player games after some random moves, with worlds."""
    batch = BatchedGames(games, 2)
    for i in range(games):
        batch.deal(i, seed + i)
    for _ in range(moves):
        index = np.flatnonzero(batch.states["phase"] != OVER)
        asked = batch.ask(index)
        actions = np.zeros(len(index), np.int64)
        choose_uniform(asked.masks, asked.keys, actions)
        batch.step(index, actions)
    return batch.ask(batch.everyone).part(agent_of("ismcts:8"), batch.everyone)


ASKED = positions(20)


def at(place: object, value: float) -> Callable[[np.ndarray], np.ndarray]:
    """Replace a number of an array."""

    def changed(array: np.ndarray) -> np.ndarray:
        array = array.copy()
        array[place] = value
        return array

    return changed


FLOATS = "observations: expected numbers of type"
# Kind: field of the decisions, its change, words of the refusal.
BAD: dict[str, tuple[str, Callable[[Any], object], str]] = {
    "above 1": ("observations", at((2, 5), 1.5), "row 2: expected numbers from 0 to 1, not 1.5"),
    "below 0": ("observations", at((2, 5), -1e-6), "row 2: expected numbers from 0 to 1"),
    "nan": ("observations", at((2, 5), np.nan), "row 2: expected numbers from 0 to 1, not nan"),
    "infinite": ("observations", at((2, 5), -np.inf), "row 2: expected numbers from 0 to 1"),
    "too large for float32": ("observations", lambda o: o.astype("f8") + 1e300, "not inf"),
    "whole numbers": ("observations", lambda o: o.astype(int), FLOATS),
    "complex": ("observations", lambda o: o.astype(complex), FLOATS),
    "objects": ("observations", lambda o: o.astype(object), FLOATS),
    "texts": ("observations", lambda o: "much", FLOATS),
    "nothing": ("observations", lambda o: None, FLOATS),
    "ragged": ("observations", lambda o: [[0.0], [0.0, 1.0]], "expected an array, not list"),
    "flat": ("observations", lambda o: o.ravel(), "expected shape (6, 1554), not (9324,)"),
    "one number short": ("observations", lambda o: o[:, 1:], "expected shape"),
    "one row short": ("observations", lambda o: o[1:], "expected shape"),
    "mask of 2": ("masks", at((2, 5), 2), "row 2: expected 0 or 1, not 2 (action 5)"),
    "mask of -1": ("masks", at((2, 5), -1), "row 2: expected 0 or 1, not -1"),
    "mask of 256": ("masks", lambda m: m.astype(int) * 256, "expected numbers of type int8"),
    "mask of floats": ("masks", lambda m: m.astype(float), "expected numbers of type int8"),
    "no move": ("masks", at(3, 0), "row 3: no action is legal"),
    "mask one short": ("masks", lambda m: m[:, 1:], "expected shape (6, 101)"),
    "keys of floats": ("keys", lambda k: k.astype(float), "expected numbers of type int64"),
    "keys of truths": ("keys", lambda k: k > 0, "expected numbers of type int64"),
    "keys too large": ("keys", lambda k: k.astype("u8") + np.uint64(2**63), "expected numbers of type"),
    "a negative key": ("keys", at(2, -1), "row 2: expected 0 or more, not -1"),
    "keys in two axes": ("keys", lambda k: k[None], "expected shape (n,), not (1, 6)"),
    "a single key": ("keys", lambda k: k[0], "expected shape (n,), not ()"),
    "no parameters": ("parameters", lambda t: np.zeros(3), "expected an array of 1 records"),
    "two parameters": ("parameters", lambda t: t.repeat(2), "expected an array of 1 records"),
}


def bad(kind: str) -> Decisions:
    name, change, _ = BAD[kind]
    return replace(ASKED, **{name: change(getattr(ASKED, name))})


o, m, k, w = ASKED.observations, ASKED.masks, ASKED.keys, ASKED.worlds
assert w is not None
NUMBERS_READ = ("above 1", "below 0", "nan", "infinite", "too large for float32")


@pytest.mark.parametrize("spec", SHIPPED)
@pytest.mark.parametrize("kind", BAD)
def test_decisions_that_do_not_hold_are_refused_in_one_line(kind: str, spec: str) -> None:
    asked, (name, _, words) = bad(kind), BAD[kind]
    if spec in ("random", *SEARCHES) and kind in NUMBERS_READ:
        agent_of(spec).act(asked)  # these do not read observations
        return
    with pytest.raises(AgentError) as refused:
        agent_of(spec).act(asked)
    assert str(refused.value).startswith(f"agent '{spec.partition(':')[0]}': {name}: ")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "worlds", [None, SPEC.new_states(N + 1), np.zeros(N), np.zeros((N, 5), np.int8), w[::-1], list(w)]
)
def test_a_search_refuses_what_are_no_worlds(worlds: np.ndarray) -> None:
    with pytest.raises(AgentError, match=r"^agent 'ismcts': .*worlds"):
        agent_of("ismcts:8").act(replace(ASKED, worlds=worlds))


def test_other_ways_into_an_agent_look_too() -> None:
    asked = bad("nan")
    for ask in (agent_of("heuristic").rate, agent_of("policy:scratch").logits):  # type: ignore[attr-defined]
        with pytest.raises(AgentError, match="row 2: expected numbers from 0 to 1, not nan"):
            ask(asked)


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.setflags(write=False)
    return array


SAME: dict[str, Decisions] = {
    "wider numbers": replace(ASKED, observations=o.astype("f8"), masks=m.astype(int), keys=k.astype("u8")),
    "of the other byte order": replace(ASKED, observations=o.astype(">f4"), keys=k.astype(">i8")),
    "masks of truths": replace(ASKED, masks=m.astype(bool)),
    "with gaps": replace(
        ASKED, observations=o.repeat(2, 1)[:, ::2], masks=m.repeat(2, 0)[::2], keys=k.repeat(3)[::3]
    ),
    "column by column": replace(ASKED, observations=np.asfortranarray(o), masks=np.asfortranarray(m)),
    "read-only": replace(ASKED, observations=read_only(o), masks=read_only(m), keys=read_only(k)),
    "lists": replace(ASKED, observations=o.tolist(), masks=m.tolist(), keys=k.tolist()),
}


@pytest.mark.parametrize("spec", SHIPPED)
@pytest.mark.parametrize("kind", SAME)
def test_the_same_decisions_in_another_form_have_the_same_answers(kind: str, spec: str) -> None:
    agent = agent_of(spec)
    assert (agent.act(SAME[kind]) == agent.act(ASKED)).all()


@pytest.mark.parametrize("spec", SHIPPED)
def test_no_decisions_have_no_answers(spec: str) -> None:
    none = ASKED.part(agent_of(spec), np.zeros(0, np.int64))
    assert agent_of(spec).act(none).shape == (0,)


# ---------------------------------------------------------------- threads


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("spec", ALL)
def test_threads_that_share_an_agent_get_the_answers_of_one(spec: str, threads: int) -> None:
    agent = agent_of(spec)
    searching = "worlds" in agent.needs
    batches = [positions(3 * n, 50 * n, 2 if searching else 40) for n in range(4 if searching else 10)]
    batches = batches * (5 if searching else 20)
    alone = [act_alone(agent, batch) for batch in batches]
    with ThreadPoolExecutor(threads) as pool:
        together = list(pool.map(lambda batch: act_alone(agent, batch), batches))
    wrong = sum(not (one == other).all() for one, other in zip(alone, together, strict=True))
    assert wrong == 0, f"{wrong} of {len(batches)} batches"
