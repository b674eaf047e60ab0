"""The decorator for compiled functions that all agents of Planet Hexx share, and what they are built on."""

from __future__ import annotations

from pathlib import Path

from spacemission_env.core import rng
from spacemission_env.core.jit import make_njit
from spacemission_env.games.planet_hexx.engine import compiled

COMPILED_FROM = (Path(rng.__file__), Path(compiled.__file__).parent, Path(__file__).parent)
njit = make_njit(*COMPILED_FROM)
