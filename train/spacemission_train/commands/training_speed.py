"""Measures how fast self-play trains, beside the same learner on an environment that costs nothing.

The free environment is the ceiling: what it takes is Stable-Baselines3's own. Both are measured turn by turn,
with the same networks, batches and threads. Each figure is that of the best turn: other work on the machine
only ever makes a turn slower.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnvWrapper

from spacemission_env.core.agents import parse_mixture, prepare_agents
from spacemission_train.ppo.model import make_env, make_model, settled, torch_settings
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.presets import PRESETS, Settings

MEASURED = replace(PRESETS["quick"], input="observation", planets=0)  # the plain multilayer perceptron
LARGE_BATCHES = replace(MEASURED, envs=256, n_steps=32, batch_size=2048)  # fewer, larger updates
SNAPSHOTS = 8  # past selves among the opponents, as some way into a run


class FreeVecEnv(VecEnvWrapper):
    """An environment that costs nothing: an environment's first observations and masks at every step."""

    def reset(self) -> Any:
        """The observations, float32 (count, size)."""
        self.observations = self.venv.reset()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._nothing = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, bool), infos
        return self.observations

    def step_wait(self) -> Any:
        """The observations, no reward, no end."""
        return self.observations, *self._nothing


class _Learner:
    """One of the two that are compared: a model, and the seconds of each of its turns."""

    def __init__(self, settings: Settings, env: Any) -> None:
        self.env, self.model = env, make_model(settings, env)
        self.model.set_logger(Logger(None, []))
        self.size = settings.envs * settings.n_steps
        self.turns: list[float] = []
        self.updates: list[float] = []
        self._train = self.model.train
        self.model.train = self._timed_train  # type: ignore[method-assign]

    def _timed_train(self) -> None:
        start = perf_counter()
        self._train()
        self.updates.append(perf_counter() - start)

    def overlapped_seconds(self) -> float:
        """Seconds that rollouts beside updates took since this was last asked."""
        thread = self.model.rollout_thread
        if thread is None:
            return 0.0
        seconds, thread.seconds = thread.seconds, 0.0
        return seconds

    def turn(self) -> None:
        start = perf_counter()
        self.model.learn(self.size, reset_num_timesteps=not self.turns)
        if self.model.rollout_thread is not None:  # begun in this turn: no other is to pay for it
            self.model.rollout_thread.wait()
        self.turns.append(perf_counter() - start)


def measure(
    seed: int = 0,
    settings: Settings | None = None,
    turns: int = 5,
    threads: int | None = None,
) -> dict[str, Any]:
    """Steps a second of the ceiling and of self-play, their ratio, and where self-play's time goes.

    Of each, `turns` rollouts with their updates are measured, after one to warm up.

    Returns:
        `ceiling_steps_per_second`, `self_play_steps_per_second`, `ratio`; `shares` of self-play's
        wall-clock: rules, opponents, rollout (policy, SB3's buffers), update, which with the setting
        `overlap_rollouts` are those of two threads and come to more than 1; and what was measured:
        `players`, `envs`, `hidden`, `epochs`, `batch_size`, `threads`, `precision`.
    """
    settings = settings or MEASURED
    settings = settled(replace(settings, seed=seed, threads=threads or settings.threads))
    with torch_settings(settings.threads or 1):
        pool = Pool(parse_mixture(settings.opponents), settings.form)
        prepare_agents(pool.fixed, settings.info)
        own = _Learner(settings, make_env(settings, pool))
        free = _Learner(settings, FreeVecEnv(make_env(settings, pool)))
        arrays = policy_arrays(own.model.policy)
        pool.set_latest(arrays)
        for i in range(SNAPSHOTS):
            pool.add_snapshot(i, arrays)
        for turn in range(turns + 1):
            if turn == 1:
                own.env.seconds.update(rules=0.0, opponents=0.0)
                own.overlapped_seconds()
            free.turn()
            own.turn()
    return {**_figures(free, own), "players": list(settings.players), "envs": settings.envs,
            "hidden": list(settings.hidden), "epochs": settings.epochs, "batch_size": settings.batch_size,
            "threads": settings.threads, "precision": settings.precision}  # fmt: skip


def _figures(free: _Learner, own: _Learner) -> dict[str, Any]:
    ceiling, self_play = (learner.size / min(learner.turns[1:]) for learner in (free, own))
    whole, update = sum(own.turns[1:]), sum(own.updates[1:])
    playing = own.overlapped_seconds() or whole - update
    rules, opponents = own.env.seconds["rules"], own.env.seconds["opponents"]
    parts = {
        "rules": rules,
        "opponents": opponents,
        "rollout": playing - rules - opponents,
        "update": update,
    }
    return {
        "ceiling_steps_per_second": round(ceiling, 1),
        "self_play_steps_per_second": round(self_play, 1),
        "ratio": round(self_play / ceiling, 3),
        "shares": {name: round(seconds / whole, 3) for name, seconds in parts.items()},
    }
