"""Drives every front end in the same way: `FRONT_ENDS` makes each with an agent in the other seats."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from spacemission_env import Agent
from spacemission_env.frontends import aec
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_train.sb3_env import MaskedVecEnv
from tests.support.random_play import uniform

Calls = list[Callable[[], object]]


class FrontEnd:
    """An environment of any kind, here a vector environment.

    Attributes:
        env: the environment.
    """

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int) -> object:
        """Reset; what the environment returns."""
        return self.env.reset(seed=seed)

    def masks(self) -> np.ndarray:
        """The legal moves in each game: (games, actions)."""
        masks: np.ndarray = np.atleast_2d(self.env.action_masks())
        return masks

    def step(self, actions: np.ndarray) -> object:
        """Make a move in each game, or go on with the next game; what the environment returns."""
        return self.env.step(actions)

    def calls(self) -> Calls:
        """What else may be called."""
        env = self.env
        return [
            env.action_masks,
            env.render,
            lambda: env.step(np.zeros(env.num_envs, np.int64)),
            lambda: env.games.view(env.games.everyone),
        ]


class Single(FrontEnd):
    """The Gymnasium environment with one game."""

    def step(self, actions: np.ndarray) -> object:
        return self.env.reset() if self.env.game.over else self.env.step(int(actions[0]))

    def calls(self) -> Calls:
        env, game = self.env, self.env.game
        return [env.action_masks, env.render, lambda: env.step(0), game.legal_actions, lambda: game.step(0)]


class AllSeats(FrontEnd):
    """The PettingZoo environment; the other seats are moved as well."""

    def reset(self, seed: int) -> object:
        self.env.reset(seed=seed)
        return self.env.last()

    def masks(self) -> np.ndarray:
        mask: np.ndarray = self.env.last()[0]["action_mask"]
        return mask[None]

    def step(self, actions: np.ndarray) -> object:
        env = self.env
        if env.terminations[env.agent_selection]:
            env.reset()
        else:
            env.step(int(actions[0]))
        return env.last(), dict(env.infos), dict(env.rewards)

    def calls(self) -> Calls:
        env = self.env
        names = ("agent_selection", "rewards", "terminations", "truncations", "infos")
        calls: Calls = [env.last, env.state, env.render, lambda: env.step(0), lambda: env.observe("player_0")]
        return [
            *calls,
            lambda: next(iter(env.agent_iter())),
            *(partial(getattr, env, name) for name in names),
        ]


class StableBaselines(FrontEnd):
    """The environment for Stable-Baselines3."""

    def reset(self, seed: int) -> object:
        self.env.seed(seed)
        return self.env.reset()

    def calls(self) -> Calls:
        env = self.env
        actions = np.zeros(env.num_envs, np.int64)
        return [
            env.action_masks,
            lambda: env.step(actions),
            partial(env.env_method, "action_masks"),
        ]


def _vector(agent: Agent, **options: Any) -> FrontEnd:
    return FrontEnd(LearnerVectorEnv(6, opponents=agent, **{"render_mode": "ansi", **options}))


def _stable_baselines(agent: Agent, **options: Any) -> FrontEnd:
    return StableBaselines(MaskedVecEnv(LearnerVectorEnv(5, opponents=agent, shaping=1.0, **options)))


# With "threads" parts of two games have threads of their own if `vector_env.PART_GAMES` is 2.
FRONT_ENDS: dict[str, Callable[..., FrontEnd]] = {
    "single": lambda agent, **options: Single(
        LearnerEnv(opponents=agent, **{"render_mode": "ansi", **options})
    ),
    "vector": _vector,
    "vector, next_step": partial(_vector, autoreset_mode="next_step"),
    "vector, threads": partial(_vector, threads=2),
    "aec": lambda agent, **options: AllSeats(aec.env(**{"render_mode": "ansi", **options})),
    "sb3": _stable_baselines,
}


def go_on(front_end: FrontEnd, seed: int, steps: int = 25) -> list[object]:
    """Play so many steps at random; what each returns."""
    given = []
    for step in range(steps):
        masks = front_end.masks()
        moves = [uniform(row, (seed + step) << 20) if row.any() else 0 for row in masks]
        given.append(front_end.step(np.array(moves)))
    return given


def play(front_end: FrontEnd, seed: int, steps: int = 25) -> list[object]:
    """Reset, and play so many steps at random; what each call returns."""
    return [front_end.reset(seed), *go_on(front_end, seed, steps)]
