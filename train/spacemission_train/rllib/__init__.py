"""Trains by self-play on Ray RLlib, an optional extra, also on many machines.

Only this module may be imported without RLlib.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacemission_agents.models.network_input import PLAIN_INPUT
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import EXPERIMENT_BYTES, read_bytes
from spacemission_train.run.progress import quiet
from spacemission_train.settings.experiment import EXPERIMENT_FILE
from spacemission_train.settings.settings import PPO, Settings, SettingsError

if TYPE_CHECKING:
    from spacemission_train.rllib.train import RllibRun

INSTALL = "pip install 'spacemission-env[rllib]'"
ENGINE = "# engine: rllib"  # how the experiment.toml of such a run begins


def check_installed() -> None:
    """Refuse with one line where RLlib, or a package that it needs, cannot be imported.

    Raises:
        SpaceMissionError: naming the package, and what to install.
    """
    try:
        import ray.rllib.algorithms.ppo  # noqa: F401
    except ImportError as error:
        raise SpaceMissionError(f"rllib: the package {error.name!r} is needed: {INSTALL}") from None


def settings_here(settings: Settings) -> Settings:
    """The settings as this engine has them: networks of the plain observation, and no league.

    Raises:
        SettingsError: they ask for what is not done here.
    """
    if settings.method != PPO:
        raise SettingsError(f"settings: method: {settings.method!r}: not on rllib; train by --engine sb3")
    for name in ("exploit", "start", "imitate"):
        if getattr(settings, name) is not None:
            raise SettingsError(f"settings: {name}: not on rllib; train without it, or by --engine sb3")
    networks: dict[str, Any] = {"input": PLAIN_INPUT, "planets": 0, "cards": 0, "critic": "observation"}
    learner: dict[str, Any] = {"kl": 0.0, "average": 0.0, "device": "cpu", "precision": "float32"}
    return replace(settings, **networks, **learner, augment=False, pfsp=0.0)


def is_rllib_run(out: Path) -> bool:
    """Whether a folder holds a run on RLlib, by its experiment.toml."""
    try:
        text = read_bytes(out / EXPERIMENT_FILE, EXPERIMENT_BYTES, SpaceMissionError, EXPERIMENT_FILE)
    except SpaceMissionError:
        return False
    return text.startswith(ENGINE.encode())


def train_rllib(
    settings: Settings,
    out: str | Path,
    *,
    num_env_runners: int = 2,
    address: str | None = None,
    iterations: int | None = None,
    command: str = "",
    report: Callable[[dict[str, Any]], None] = quiet,
    advance: Callable[[RllibRun], None] = quiet,
    change: Callable[[Any], Any] | None = None,
) -> RllibRun:
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
