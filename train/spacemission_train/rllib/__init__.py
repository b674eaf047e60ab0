"""Trains by self-play on Ray RLlib, an optional extra, on one or many machines.

This module and `settings.py` can be imported without RLlib.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from spacemission_env.core.reading import Json
from spacemission_train.rllib.settings import ENGINE, check_installed, is_rllib_run, settings_here
from spacemission_train.run.progress import Progress, quiet
from spacemission_train.settings.settings import Settings

if TYPE_CHECKING:
    from ray.rllib.algorithms.ppo import PPOConfig

__all__ = ["ENGINE", "check_installed", "is_rllib_run", "settings_here", "train_rllib"]


def train_rllib(
    settings: Settings,
    out: str | Path,
    *,
    num_env_runners: int = 2,
    address: str | None = None,
    iterations: int | None = None,
    command: str = "",
    report: Callable[[Json], None] = quiet,
    advance: Callable[[Progress], None] = quiet,
    change: Callable[[PPOConfig], PPOConfig] | None = None,
) -> Progress:
    """Train by self-play with RLlib's PPO into a new or empty folder; return the finished run.

    Writes OUT/model, OUT/checkpoints/step_N (model folders), progress.csv, curve.png and experiment.toml, as
    `trainer.start` does. A stopped run cannot be resumed.

    Args:
        settings: as for `trainer.start`; unsupported settings are fixed or refused (`settings_here`). Without
            `steps` the learning rate and the entropy bonus stay constant.
        out: the folder.
        num_env_runners: processes that play; each takes one core and an equal part of `envs`.
        address: address of a running cluster for `ray.init` ("auto": the cluster of this machine). None: the
            present connection if there is one, else a new Ray on this machine.
        iterations: limit of updates, besides `steps` and `minutes`.
        command: the command line, for the model card.
        report: called with the row of each evaluation.
        advance: called with the run after each update.
        change: maps the `PPOConfig` made here to the one to use, for RLlib's own settings
            (`lambda config: config.learners(num_learners=1, num_gpus_per_learner=1)`).

    Raises:
        SpaceMissionError: a package is missing, a setting is refused, or the cluster does not answer.
    """
    check_installed()
    from spacemission_train.rllib.train import train

    return train(settings, Path(out), num_env_runners, address, iterations, command, report, advance, change)
