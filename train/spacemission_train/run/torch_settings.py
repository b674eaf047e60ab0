"""Sets up torch for a run: threads, precision, global random states."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import torch

from spacemission_env.core.thread_pool import cores
from spacemission_train.settings.settings import Settings


@contextmanager
def torch_settings(threads: int) -> Iterator[None]:
    """Set torch's threads, switch off its argument checks, and restore all global random states at the end.

    SB3 seeds the global generators. The argument checks of torch's distributions take a tenth of a run.
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
    """Resolve the settings that depend on the machine: `threads` and `precision`."""
    return replace(
        settings,
        threads=settings.threads or idle_threads(),
        precision=fast_precision(settings.device) if settings.precision == "auto" else settings.precision,
    )


def fast_precision(device: str) -> str:
    """bfloat16 if the device multiplies faster in it than in float32, else float32."""
    if device != "cpu" and torch.cuda.is_available():
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    able = torch.cpu.get_capabilities()
    return "bfloat16" if able.get("avx512_bf16") or able.get("amx_bf16") else "float32"


def idle_threads() -> int:
    """2 if two cores are idle, else 1, because two threads on one core mostly wait for each other."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return 2 if cores() - load > 1.5 else 1
