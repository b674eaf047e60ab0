"""Self-play training: MaskablePPO of sb3-contrib over `SelfPlayVecEnv`, checkpoints, evaluation, resuming."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure

from spacemission_agents.arena import check_agents
from spacemission_agents.model_folder import load_model
from spacemission_env.components import load_components
from spacemission_env.options import make_rules
from spacemission_train.evaluation import WinShare, win_share
from spacemission_train.networks import NetworkPlayer, policy_arrays
from spacemission_train.opponents import Pool, parse_mixture
from spacemission_train.presets import Settings, settings_from_json
from spacemission_train.resume_state import ResumeError, read_state, restore_state, save_state
from spacemission_train.run_folder import (
    STATE_FILE,
    checkpoint_folder,
    draw_curve,
    prepare,
    save_network,
    write_progress,
)
from spacemission_train.self_play_env import SelfPlayVecEnv
from spacemission_train.table import SpaceMissionTable

YARDSTICKS = ("random", "greedy")  # what each evaluation plays against
Row = dict[str, Any]


@contextmanager
def torch_settings(threads: int) -> Iterator[None]:
    """Torch as training wants it, and the random numbers that SB3 seeds for all; put back afterwards.

    Checking the arguments of every distribution costs a tenth of the time and finds nothing: the logits
    are a network's and the masks the rules'.
    """
    before = torch.get_num_threads(), torch.distributions.Distribution._validate_args
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.distributions.Distribution.set_default_validate_args(before[1])
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])


def idle_threads() -> int:
    """2 where two cores are idle, else 1: with a core taken, two threads wait for each other most of the time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return 2 if cores - load > 1.5 else 1


def make_env(settings: Settings, opponents: Any) -> SelfPlayVecEnv:
    """The environment that a run trains in."""
    table = SpaceMissionTable(
        settings.envs, settings.players, settings.rules, settings.components, reward=settings.reward
    )
    return SelfPlayVecEnv(table, opponents, settings.seed, settings.shaping)


def make_model(settings: Settings, env: Any) -> MaskablePPO:
    """MaskablePPO with these settings: separate relu networks for policy and value."""
    hidden = list(settings.hidden)
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=settings.learning_rate,
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy,
        policy_kwargs={"net_arch": {"pi": hidden, "vf": hidden}, "activation_fn": torch.nn.ReLU},
        seed=settings.seed % 2**32,  # numpy takes no more
        device="cpu",
    )


class Run:
    """A training run in a folder.

    Attributes:
        settings: what it runs with.
        out: its folder.
        command: what it was started with; for the model's card.
        rows: one an evaluation so far (`run_folder.COLUMNS`).
        seconds: wall-clock seconds so far, evaluations included; of these, `training` without them.
    """

    def __init__(self, settings: Settings, out: Path, command: str = "") -> None:
        """Make model, environment and opponents; `start` or `resume` makes them a run.

        Raises:
            SpaceMissionError: components or opponents that cannot be used.
        """
        self.settings, self.out, self.command = settings, Path(out), command
        self.rows: list[Row] = []
        self.results: list[WinShare] = []
        self.seconds = self.training = 0.0
        self._clock = perf_counter()
        self.components = load_components(settings.components)
        self.model = make_model(settings, None) if False else None
        mixture = parse_mixture(settings.opponents)
        raise NotImplementedError
