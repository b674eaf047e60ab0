"""Makes the environment and the SB3 model of a run, and sets up torch."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from spacemission_train.game_training import find_game_training
from spacemission_train.ppo.networks import LeaguePolicy
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.self_play.league import Pool
from spacemission_train.self_play.table import GameTable, View
from spacemission_train.self_play.vec_env import SelfPlayVecEnv
from spacemission_train.settings.presets import Settings


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


def settled(settings: Settings) -> Settings:
    """The settings with what they leave to the machine settled: threads and precision."""
    return replace(
        settings,
        threads=settings.threads or idle_threads(),
        precision=fast_precision(settings.device) if settings.precision == "auto" else settings.precision,
    )


def fast_precision(device: str) -> str:
    """bfloat16 where the device multiplies in it faster than in float32, else float32."""
    if device != "cpu" and torch.cuda.is_available():
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    able = torch.cpu.get_capabilities()
    return "bfloat16" if able.get("avx512_bf16") or able.get("amx_bf16") else "float32"


def idle_threads() -> int:
    """2 where two cores are idle, else 1: with a core taken, two threads mostly wait for each other."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return 2 if cores - load > 1.5 else 1


def make_env(settings: Settings, opponents: Pool) -> SelfPlayVecEnv:
    """The environment that a run trains in."""
    of = settings
    table = GameTable(of.envs, of.players, of.rules, of.components, reward=of.reward, game=of.game)
    view = make_view(settings, table)
    shaping: Any = {"shaping": of.shaping, "final_lead": of.final_lead, "gamma": of.gamma}
    return SelfPlayVecEnv(table, opponents, of.seed, **shaping, view=view)


def make_view(settings: Settings, table: GameTable) -> View:
    """What a run's networks read of a table."""
    training = find_game_training(settings.game)
    made: View = training.load(training.view, View)(table, settings.form, settings.augment)
    return made


def make_model(settings: Settings, env: Any) -> LeaguePPO:
    """MaskablePPO with these settings: separate relu networks for policy and value."""
    return LeaguePPO(
        LeaguePolicy,
        env,
        learning_rate=settings.learning_rate,
        n_steps=settings.n_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy,
        kl=settings.kl,
        average=settings.average,
        precision=settings.precision,
        overlap_rollouts=settings.overlap_rollouts,
        policy_kwargs={"form": settings.form, "optimizer_kwargs": {"eps": 1e-5, "fused": True}},
        seed=settings.seed % 2**32,  # numpy takes no more
        device=settings.device,
    )
