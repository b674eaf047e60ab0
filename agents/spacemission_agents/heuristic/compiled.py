"""The decorator for compiled functions of this folder; it follows the sources of what they are built on."""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.greedy import reading
from spacemission_env import engine
from spacemission_env.engine.jit import make_njit

COMPILED_FROM = tuple(Path(file).parent for file in (engine.__file__, reading.__file__, __file__))
njit = make_njit(*COMPILED_FROM)
