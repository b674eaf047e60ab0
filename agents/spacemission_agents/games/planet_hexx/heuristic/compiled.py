"""The decorator for compiled functions of this folder; it follows the sources of what they are built on."""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.games.planet_hexx import compiled
from spacemission_env.core.jit import make_njit

COMPILED_FROM = (*compiled.COMPILED_FROM, Path(__file__).parent)
njit = make_njit(*COMPILED_FROM)
