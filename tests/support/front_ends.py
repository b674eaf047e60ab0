"""Plays an AEC environment, makes vector environments by id, and compares what they return."""

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from pettingzoo import AECEnv


def played_aec(
    env: AECEnv, seed: int | None, choose: Callable[[np.ndarray], int], most: int = 2**63
) -> Iterator[tuple[str, tuple]]:
    """Play a game, or some steps of it; yield each agent with the result of `last`, before it moves.

    `choose`: (mask) to a move.
    """
    env.reset(seed=seed)
    for agent in env.agent_iter(most):
        last = env.last()
        yield agent, last
        env.step(None if last[2] or last[3] else choose(last[0]["action_mask"]))


def make_vector(num_envs: int, id: str = "SpaceMission-v0", **options: object) -> VectorEnv:
    """The vector environment of a game from Gymnasium's registry."""
    return gymnasium.make_vec(id, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


def sync_vector(num_envs: int, mode: str, id: str = "SpaceMission-v0", **options: object) -> VectorEnv:
    """Gymnasium's own vector environment over single ones; `mode`: same_step or next_step."""
    how = {"autoreset_mode": AutoresetMode[mode.upper()]}
    return gymnasium.make_vec(id, num_envs=num_envs, vectorization_mode="sync", vector_kwargs=how, **options)


def assert_same(given: Any, expected: Any, where: str = "") -> None:
    """Compare tuples, lists, dicts and arrays: types, shapes, dtypes and values."""
    assert type(given) is type(expected), where
    if isinstance(expected, dict):
        assert given.keys() == expected.keys(), where
        for key in expected:
            assert_same(given[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, np.ndarray):
        assert (given.dtype, given.shape) == (expected.dtype, expected.shape), where
        if expected.dtype == object:
            assert_same(given.tolist(), expected.tolist(), where)
        else:
            assert np.array_equal(given, expected), where
    elif isinstance(expected, tuple | list):
        assert len(given) == len(expected), where
        for n, (one, other) in enumerate(zip(given, expected, strict=True)):
            assert_same(one, other, f"{where}[{n}]")
    elif hasattr(expected, "numpy"):  # of torch
        assert_same(given.numpy(), expected.numpy(), where)
    else:
        assert given == expected, where
