"""Provides board games for reinforcement learning: PettingZoo, Gymnasium, vector environments, fast rules.

Importing the package registers the Gymnasium id of each game (`SpaceMission-v0`) and, where the installed
PettingZoo has a registry, `spacemission/space_mission-v0`.
"""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

import gymnasium

from spacemission_env.version import __version__

__all__ = [
    "Agent",
    "BatchedGames",
    "Belief",
    "Decisions",
    "Game",
    "GameInfo",
    "GameRecord",
    "RecordWriter",
    "Rules",
    "TextSeat",
    "__version__",
    "act_alone",
    "belief",
    "find_game",
    "game_names",
    "load_components",
    "make_agent",
    "make_game",
    "planet_hexx_v0",
    "replay_file",
    "space_mission_v0",
]

# Imported on first use, so that `import spacemission_env` stays fast.
_LAZY = {
    "Agent": "spacemission_env.core.agents",
    "BatchedGames": "spacemission_env.core.batched",
    "Belief": "spacemission_env.core.beliefs",
    "Decisions": "spacemission_env.core.agents",
    "GameInfo": "spacemission_env.core.agents",
    "GameRecord": "spacemission_env.records.writer",
    "RecordWriter": "spacemission_env.records.writer",
    "TextSeat": "spacemission_env.texts.seat",
    "act_alone": "spacemission_env.core.agents",
    "belief": "spacemission_env.core.beliefs",
    "find_game": "spacemission_env.core.game_spec",
    "game_names": "spacemission_env.core.game_spec",
    "make_agent": "spacemission_env.core.agents",
    "make_game": "spacemission_env.core.game",
    "replay_file": "spacemission_env.records.reader",
    "Game": "spacemission_env.games.space_mission.game",
    "Rules": "spacemission_env.games.space_mission.options",
    "load_components": "spacemission_env.games.space_mission.components",
}

try:
    from pettingzoo.env_registry import register as _register_aec
except ImportError:  # PettingZoo before 1.27 has no registry
    _register_aec = None


def _register(game: str) -> None:
    # This imports no game.
    gymnasium.register(
        "".join(word.capitalize() for word in game.split("_")) + "-v0",
        entry_point="spacemission_env.frontends.gym_env:LearnerEnv",
        vector_entry_point="spacemission_env.frontends.vector_env:LearnerVectorEnv",
        disable_env_checker=True,  # it would call step with an unmasked random action
        order_enforce=False,  # keep action_masks() reachable without a wrapper
        kwargs={"game": game},
    )
    if _register_aec is not None:
        entry_point = "spacemission_env.frontends.aec:env"
        _register_aec("aec", f"spacemission/{game}-v0", entry_point=entry_point, kwargs={"game": game})


for _game in {entry.name for entry in entry_points(group="spacemission.games")}:
    _register(_game)


def __dir__() -> list[str]:
    """List also the names that are loaded on first use."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Load public names on first use."""
    if name in ("space_mission_v0", "planet_hexx_v0"):
        return importlib.import_module(f"spacemission_env.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'spacemission_env' has no attribute {name!r}")
