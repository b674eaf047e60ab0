"""Space Mission for reinforcement learning: PettingZoo, Gymnasium and vector environments over fast rules.

Importing the package registers the Gymnasium id `SpaceMission-v0` and, where the installed PettingZoo has
a registry, `spacemission/space_mission-v0`.
"""

from __future__ import annotations

import importlib
from typing import Any

import gymnasium

from spacemission_env.core.moved import accept_old_names
from spacemission_env.version import __version__

accept_old_names()

__all__ = [
    "Agent",
    "BatchedGames",
    "Decisions",
    "Game",
    "GameInfo",
    "Rules",
    "__version__",
    "act_alone",
    "load_components",
    "make_agent",
    "space_mission_v0",
]

# Loaded when asked for, so that `import spacemission_env` stays quick.
_LAZY = {
    "Agent": "spacemission_env.core.agents_api",
    "BatchedGames": "spacemission_env.core.batched",
    "Decisions": "spacemission_env.core.agents_api",
    "GameInfo": "spacemission_env.core.agents_api",
    "act_alone": "spacemission_env.core.agents_api",
    "make_agent": "spacemission_env.core.agents_api",
    "Game": "spacemission_env.games.space_mission.game",
    "Rules": "spacemission_env.games.space_mission.options",
    "load_components": "spacemission_env.games.space_mission.components",
}

gymnasium.register(
    "SpaceMission-v0",
    entry_point="spacemission_env.frontends.gym_env:SpaceMissionEnv",
    vector_entry_point="spacemission_env.frontends.vector_env:SpaceMissionVectorEnv",
    disable_env_checker=True,  # it would call step with an unmasked random action
    order_enforce=False,  # keep action_masks() reachable without a wrapper
)

try:
    from pettingzoo.env_registry import register as _register_aec
except ImportError:  # PettingZoo before 1.27 has no registry
    pass
else:
    _register_aec("aec", "spacemission/space_mission-v0", entry_point="spacemission_env.space_mission_v0:env")


def __getattr__(name: str) -> Any:
    """Load public names on first use."""
    if name == "space_mission_v0":
        return importlib.import_module("spacemission_env.space_mission_v0")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'spacemission_env' has no attribute {name!r}")
