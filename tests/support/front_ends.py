"""Games through the front ends: an AEC environment played to its end, and a vector environment by its id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np


def played_aec(
    env: Any, seed: int | None, choose: Callable[[np.ndarray], int], most: int = 2**63
) -> Iterator[tuple[str, Any]]:
    """Play a game, or so many steps of it; each agent with what `last` tells it, before it moves.

    `choose` makes a move of a mask.
    """
    env.reset(seed=seed)
    for agent in env.agent_iter(most):
        last = env.last()
        yield agent, last
        env.step(None if last[2] or last[3] else choose(last[0]["action_mask"]))


def make_vector(num_envs: int, id: str = "SpaceMission-v0", **options: Any) -> Any:
    """The vector environment of a game, as Gymnasium makes it."""
    return gymnasium.make_vec(id, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)
