"""The decorator for compiled functions of this folder; it follows the sources of what they are built on."""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.games.space_mission.greedy import reading
from spacemission_env.core.jit import make_njit
from spacemission_env.games.space_mission import engine

COMPILED_FROM = tuple(Path(file).parent for file in (engine.__file__, reading.__file__, __file__))
njit = make_njit(*COMPILED_FROM)
