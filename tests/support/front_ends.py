"""Plays an AEC environment, and makes vector environments by id."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
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
