"""Presents the vector environment of any game to Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from spacemission_env.core.errors import SetupError
from spacemission_env.frontends.vector_env import LearnerVectorEnv

Indices = int | Iterable[int] | None


class MaskedVecEnv(VecEnv):
    """A `LearnerVectorEnv` as a `VecEnv` with `action_masks()`, for MaskablePPO and the wrappers of SB3.

    The infos of finished games hold "terminal_observation", "TimeLimit.truncated" and the entries of the
    environment's `final_info`.
    """

    def __init__(self, env: LearnerVectorEnv) -> None:
        """SetupError: the environment does not deal the next game in the same step."""
        if not env.same_step:
            raise SetupError("autoreset_mode: SB3 needs 'same_step'")
        self.env = env
        self.actions = np.zeros(env.num_envs, np.int64)
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> np.ndarray:
        """Deal all games from the seeds set by `seed`, or the next games."""
        seeds = None if None in self._seeds else np.array(self._seeds, np.int64)
        self._reset_seeds()
        return self.env.reset(seed=seeds)[0]

    def step_async(self, actions: np.ndarray) -> None:
        """Store the learner's actions, integers (num_envs,)."""
        self.actions = np.asarray(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play up to the learner's next decisions; return observations, rewards, dones and infos."""
        observations, rewards, terminated, truncated, infos = self.env.step(self.actions)
        dones, told = terminated | truncated, [dict[str, Any]() for _ in range(self.num_envs)]
        for i in np.flatnonzero(dones).tolist():
            final = {name: of[i] for name, of in infos["final_info"].items() if not name.startswith("_")}
            last = {"terminal_observation": infos["final_obs"][i], "TimeLimit.truncated": bool(truncated[i])}
            told[i] = {**final, **last}
        return observations, rewards.astype(np.float32), dones, told

    def action_masks(self) -> np.ndarray:
        """Legal moves of the learner in each game: bool (num_envs, actions)."""
        return self.env.action_masks()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """The rows of a method's result that belong to `indices`; the method answers for all games."""
        found = getattr(self, method_name)(*args, **kwargs)
        return [found[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """The attribute, which all games share, repeated for each index."""
        owner = self if attr_name in ("action_masks", *self.__dict__) else self.env
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of the environment for all games; `indices` is ignored."""
        setattr(self.env, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """False for each index."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> list[np.ndarray | None]:
        """The pictures of all games."""
        return list(self.env.render() or [None] * self.num_envs)  # type: ignore[arg-type]
