"""Trains by self-play on Ray RLlib, an optional extra, also on many machines.

Only this module and `settings.py` may be imported without RLlib.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacemission_env.core.reading import Json
from spacemission_train.rllib.settings import ENGINE, check_installed, is_rllib_run, settings_here
from spacemission_train.run.progress import Progress, quiet
from spacemission_train.settings.settings import Settings

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
    change: Callable[[Any], Any] | None = None,
) -> Progress:
    """Train by self-play with RLlib's PPO into a new or empty folder; returns the finished run.

    Writes OUT/model, OUT/checkpoints/step_N (model folders), progress.csv, curve.png and experiment.toml,
    in the form that `trainer.start` gives them. A run that was stopped cannot be gone on with.

    Args:
        settings: as for `trainer.start`; networks read the plain observation, whatever `input` says, and
            there is no exploiter, imitation, augmentation, league or KL here (`settings_here`).
            Without `steps` neither learning rate nor entropy bonus falls.
        out: the folder.
        num_env_runners: processes that play; each takes one core of the cluster, and its share of `envs`.
        address: of a running cluster, as `ray.init` takes it ("auto": the one that this machine is part
            of); None: Ray as it is connected already, else started on this machine for the run.
        iterations: end after that many updates, if `steps` or `minutes` have not ended the run by then.
        command: for the model's card.
        report: gets the row of each evaluation (a line of progress.csv).
        advance: gets the run after every update (`fraction`, `steps`, …).
        change: from the `PPOConfig` as made here to the one to use, for what is no setting of ours
            (`lambda config: config.learners(num_learners=1, num_gpus_per_learner=1)`).

    Raises:
        SpaceMissionError: one line on what is missing, was refused, or does not answer.
    """
    check_installed()
    from spacemission_train.rllib.train import train

    return train(settings, Path(out), num_env_runners, address, iterations, command, report, advance, change)
