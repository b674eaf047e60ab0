"""Runs training on RLlib: updates, evaluations, snapshots for the opponents."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.utils.metrics import (
    ENV_RUNNER_RESULTS,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_EPISODES_LIFETIME,
)

from spacemission_agents.arena.ray_workers import connect
from spacemission_env.core.agents import prepare_agents
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.rllib.algorithm import LEARNER, policy_arrays, ppo_config
from spacemission_train.rllib.settings import ENGINE, settings_here
from spacemission_train.run.folder import (
    MODEL_FOLDER,
    checkpoint_folder,
    columns,
    held,
    prepare,
    write_atomically,
    write_progress,
)
from spacemission_train.run.progress import Progress, Row
from spacemission_train.run.report import draw_curve
from spacemission_train.run.torch_settings import idle_threads, torch_settings
from spacemission_train.self_play.league import NetworkPlayer, Pool
from spacemission_train.settings.experiment import EXPERIMENT_FILE
from spacemission_train.settings.settings import Settings

Arrays = dict[str, np.ndarray]
LOGS = "see Ray's logs (/tmp/ray/session_latest/logs)"  # RLlib does not tell the reason


class RllibRun(Progress):
    """A run on RLlib."""

    steps = games = updates = 0

    def __init__(
        self, settings: Settings, out: Path, command: str, algorithm: Any, iterations: int | None
    ) -> None:
        """`algorithm`: RLlib's, already built."""
        super().__init__(settings, out, command)
        self.algorithm, self.iterations = algorithm, iterations

    @property
    def fraction(self) -> float:
        """The part of the run that is done, 0 to 1, judged by the nearest limit."""
        by_updates = self.updates / self.iterations if self.iterations else 0.0
        return min(1.0, max(by_updates, super().fraction))

    def go_on(self, report: Callable[[Row], None], advance: Callable[[RllibRun], None]) -> None:
        """Train up to the limit, with checkpoints."""
        advance(self)
        while self.fraction < 1.0:
            self._update()
            last = self.fraction >= 1.0
            if last or self.steps >= self.last_checkpoint + self.settings.checkpoint_steps:
                self._checkpoint(self.settings.final_games if last else self.settings.evaluation_games)
                report(self.rows[-1])
            advance(self)
        self._save(self.out / MODEL_FOLDER)

    def arrays(self) -> Arrays:
        """The present weights under the names of a model folder."""
        return policy_arrays(self.algorithm.learner_group.get_weights([LEARNER])[LEARNER])

    def _update(self) -> None:
        began = perf_counter()
        results = self.algorithm.train()
        spent = perf_counter() - began
        played = results.get(ENV_RUNNER_RESULTS, {})
        before, self.steps = self.steps, int(played.get(NUM_ENV_STEPS_SAMPLED_LIFETIME, 0))
        if self.steps <= before:
            raise SpaceMissionError(f"rllib: no env runner has played; {LOGS}")
        self.games = int(played.get(NUM_EPISODES_LIFETIME, 0))
        self.updates += 1
        self.training += spent
        self.seconds += spent

    def _checkpoint(self, games: int) -> None:
        began = perf_counter()
        arrays = self.arrays()
        player = NetworkPlayer(self.settings.form, arrays, sample=False)  # as policy:PATH plays
        self.results = self.win_shares(player, games)
        keep = partial(_add_snapshot, steps=self.steps, arrays=ray.put(arrays))
        self.algorithm.env_runner_group.foreach_env_runner(keep)
        self.seconds += perf_counter() - began
        self.rows.append({**self.timing(), **columns(self.results, self.yardsticks)})
        self._save(checkpoint_folder(self.out, self.steps))
        write_progress(self.out, self.rows)
        draw_curve(self.out, self.rows, self.settings.player_counts)

    def _save(self, folder: Path) -> None:
        workers = self.algorithm.config.num_env_runners
        self.save_model(folder, self.fraction >= 1.0, engine=f"rllib {ray.__version__}", workers=workers)


def _add_snapshot(runner: Any, steps: int, arrays: ray.ObjectRef) -> None:
    # Runs in the process of an env runner. If Ray replaces the process, it has only later snapshots.
    if runner.env is not None:
        pools = {id(env.unwrapped.pool): env.unwrapped.pool for env in runner.env.envs}
        for pool in pools.values():
            pool.add_snapshot(steps, ray.get(arrays))


def train(
    settings: Settings,
    out: Path,
    num_env_runners: int,
    address: str | None,
    iterations: int | None,
    command: str,
    report: Callable[[Row], None],
    advance: Callable[[RllibRun], None],
    change: Callable[[PPOConfig], PPOConfig] | None,
) -> RllibRun:
    """See `train_rllib`."""
    for name, value, least in (("workers", num_env_runners, 1), ("iterations", iterations, 1)):
        if value is not None and (type(value) is not int or value < least):
            raise SpaceMissionError(f"rllib: {name}: expected a whole number from {least}, not {value!r}")
    settings = settings_here(settings)
    settings = settings if settings.threads else replace(settings, threads=idle_threads())
    fixed = Pool(settings.mixture, settings.form).fixed  # refuses unknown names before Ray starts
    prepare_agents(fixed, settings.info)
    config = ppo_config(settings, num_env_runners)
    config = config if change is None else change(config)
    # A restart helps only if a machine of a cluster was lost.
    config.fault_tolerance(restart_failed_env_runners=address is not None)
    with torch_settings(settings.threads or 1), cluster(address, cores_of(config)):
        prepare(out, settings, command)
        _note_engine(out / EXPERIMENT_FILE)
        algorithm = config.build_algo()
        run = RllibRun(settings, out, command, algorithm, iterations)
        try:
            with held(out):
                run.go_on(report, advance)
        except KeyboardInterrupt as stop:
            stop.__notes__ = [f"a run on rllib cannot be resumed; {out}/checkpoints has the models so far"]
            raise
        except ray.exceptions.RayError as error:
            raise SpaceMissionError(f"rllib: a process of the run failed; {LOGS}") from error
        finally:
            algorithm.stop()
            shutil.rmtree(algorithm.logdir, ignore_errors=True)  # an empty folder in ~/ray_results
    return run


def _note_engine(experiment: Path) -> None:
    # Keeps users from resuming or repeating the run on the other engine by mistake.
    text = f"{ENGINE} {ray.__version__}\n".encode()
    write_atomically(experiment, text + experiment.read_bytes())


def cores_of(config: PPOConfig) -> int:
    """Number of cores that an algorithm takes."""
    learners = config.num_learners if not config.num_gpus_per_learner else 0
    return int(config.num_env_runners * config.num_cpus_per_env_runner + learners)


@contextmanager
def cluster(address: str | None, needed: int) -> Iterator[None]:
    """Connect to a Ray cluster with at least `needed` cores, and disconnect at the end.

    Raises:
        SpaceMissionError: no cluster answers, or it has too few cores.
    """
    mine = not ray.is_initialized()
    if mine:
        connect(address, needed)
    try:
        cores = int(ray.cluster_resources().get("CPU", 0))
        if cores < needed:
            raise SpaceMissionError(f"rllib: {needed} cores are needed, the cluster has {cores}")
        yield
    finally:
        if mine:
            ray.shutdown()
