"""The decorator for compiled functions of this folder; it follows the sources of what they are built on."""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.games.space_mission.greedy import reading
from spacemission_env.core.jit import make_njit
from spacemission_env.games.space_mission.engine import compiled

COMPILED_FROM = (*compiled.COMPILED_FROM, Path(reading.__file__).parent, Path(__file__).parent)
njit = make_njit(*COMPILED_FROM)
