"""Checks what a run on RLlib asks for; it may be imported without RLlib."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from spacemission_agents.models.network_input import PLAIN_INPUT
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import EXPERIMENT_BYTES, read_bytes
from spacemission_train.settings.experiment import EXPERIMENT_FILE
from spacemission_train.settings.settings import PPO, Settings, SettingsError

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
    return replace(
        settings,
        input=PLAIN_INPUT,
        planets=0,
        cards=0,
        critic="observation",
        augment=False,
        kl=0.0,
        average=0.0,
        pfsp=0.0,
        device="cpu",
        precision="float32",
    )


def is_rllib_run(out: Path) -> bool:
    """Whether a folder holds a run on RLlib, by its experiment.toml."""
    try:
        text = read_bytes(out / EXPERIMENT_FILE, EXPERIMENT_BYTES, SpaceMissionError, EXPERIMENT_FILE)
    except SpaceMissionError:
        return False
    return text.startswith(ENGINE.encode())
