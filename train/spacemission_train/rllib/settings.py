"""Checks the settings of a run on RLlib without importing RLlib."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import EXPERIMENT_BYTES, read_bytes
from spacemission_train.settings.experiment import EXPERIMENT_FILE
from spacemission_train.settings.settings import PPO, Settings, SettingsError

INSTALL = "pip install 'spacemission-env[rllib]'"
ENGINE = "# engine: rllib"  # first line of the experiment.toml of a run on RLlib


def check_installed() -> None:
    """Raise SpaceMissionError, naming the missing package, if RLlib cannot be imported."""
    try:
        import ray.rllib.algorithms.ppo  # noqa: F401
    except ImportError as error:
        raise SpaceMissionError(f"rllib: the package {error.name!r} is needed: {INSTALL}") from None


def settings_here(settings: Settings) -> Settings:
    """Fix the settings that this engine does not support (`rllib` in their metadata in `Settings`).

    Raises:
        SettingsError: the run needs something that this engine cannot do.
    """
    if settings.method != PPO:
        raise SettingsError(f"settings: method: {settings.method!r}: not on rllib; train by --engine sb3")
    for name in ("exploit", "start", "imitate"):
        if getattr(settings, name) is not None:
            raise SettingsError(f"settings: {name}: not on rllib; train without it, or by --engine sb3")
    fixed = {of.name: of.metadata["rllib"] for of in fields(settings) if "rllib" in of.metadata}
    return replace(settings, **fixed)


def is_rllib_run(out: Path) -> bool:
    """Whether the experiment.toml of a folder says that its run is on RLlib."""
    try:
        text = read_bytes(out / EXPERIMENT_FILE, EXPERIMENT_BYTES, SpaceMissionError, EXPERIMENT_FILE)
    except SpaceMissionError:
        return False
    return text.startswith(ENGINE.encode())
