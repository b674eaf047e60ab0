"""Measures the training speed of self-play against the same learner on a free environment.

The free environment takes no time, so its speed is the ceiling that Stable-Baselines3 allows. The two
learners take turns with the same networks, batches and threads. Each speed is that of the fastest turn,
because other work on the machine can only slow a turn down.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from spacemission_env.core.agents import parse_mixture, prepare_agents
from spacemission_env.core.reading import Json
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.run.torch_settings import settled, torch_settings
from spacemission_train.self_play.league import Pool
from spacemission_train.self_play.vec_env import make_env
from spacemission_train.settings.presets import PRESETS, Settings

MEASURED = PRESETS["quick"]
LARGE_BATCHES = replace(MEASURED, envs=256, n_steps=32, batch_size=2048)  # fewer, larger updates
SNAPSHOTS = 8  # past selves among the opponents, as in the middle of a run


class FreeVecEnv(VecEnvWrapper):
    """An environment that repeats its first observations and masks at every step."""

    def reset(self) -> np.ndarray:
        """The observations, float32 (count, size)."""
        self.observations = np.asarray(self.venv.reset())
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._nothing = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, bool), infos
        return self.observations

    def step_wait(self) -> VecEnvStepReturn:
        """The same observations, no reward, no end."""
        return self.observations, *self._nothing


class _Learner:
    """One of the two learners: a model, and the seconds of each of its turns."""

    def __init__(self, settings: Settings, env: VecEnv) -> None:
        self.env, self.model = env, LeaguePPO(settings, env)
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
        """Seconds that rollouts took in the second thread since the last call; 0 without such a thread."""
        thread = self.model.rollout_thread
        if thread is None:
            return 0.0
        seconds, thread.seconds = thread.seconds, 0.0
        return seconds

    def turn(self) -> None:
        start = perf_counter()
        self.model.learn(self.size, reset_num_timesteps=not self.turns)
        if self.model.rollout_thread is not None:  # the rollout belongs to this turn
            self.model.rollout_thread.wait()
        self.turns.append(perf_counter() - start)


def measure(
    seed: int = 0,
    settings: Settings | None = None,
    turns: int = 5,
    threads: int | None = None,
) -> Json:
    """Measure the steps per second of ceiling and self-play, in `turns` turns after a warm-up turn.

    Returns:
        `ceiling_steps_per_second`, `self_play_steps_per_second`, `ratio`; `shares` of self-play's
        wall-clock time by rules, opponents, rollout (policy and SB3's buffers) and update; and the settings
        `players`, `envs`, `hidden`, `epochs`, `batch_size`, `threads`, `precision`. With `overlap_rollouts`
        the shares cover two threads and sum to more than 1.
    """
    settings = settings or MEASURED
    settings = settled(replace(settings, seed=seed, threads=threads or settings.threads))
    with torch_settings(settings.threads or 1):
        pool = Pool(parse_mixture(settings.opponents), settings.form)
        prepare_agents(pool.fixed, settings.info)
        env = make_env(settings, pool)
        own = _Learner(settings, env)
        free = _Learner(settings, FreeVecEnv(make_env(settings, pool)))
        arrays = policy_arrays(own.model.policy)
        pool.set_latest(arrays)
        for i in range(SNAPSHOTS):
            pool.add_snapshot(i, arrays)
        for turn in range(turns + 1):
            if turn == 1:
                env.seconds.update(rules=0.0, opponents=0.0)
                own.overlapped_seconds()
            free.turn()
            own.turn()
    return {**_figures(free, own, env.seconds), "players": list(settings.players), "envs": settings.envs,
            "hidden": list(settings.hidden), "epochs": settings.epochs, "batch_size": settings.batch_size,
            "threads": settings.threads, "precision": settings.precision}  # fmt: skip


def _figures(free: _Learner, own: _Learner, seconds: dict[str, float]) -> Json:
    ceiling, self_play = (learner.size / min(learner.turns[1:]) for learner in (free, own))
    whole, update = sum(own.turns[1:]), sum(own.updates[1:])
    playing = own.overlapped_seconds() or whole - update
    rules, opponents = seconds["rules"], seconds["opponents"]
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
