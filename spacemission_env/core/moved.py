"""Modules under the names that they had before each game got a folder of its own; for one version.

Importing an old name gives the module of the new name, with a DeprecationWarning that says it. What users
need is importable from `spacemission_env` itself, and does not move.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import warnings
from types import ModuleType
from typing import Any

_GAME = "games.space_mission"
MOVED = {
    "spacemission_env": {
        "actions": f"{_GAME}.actions",
        "agents_api": "core.agents_api",
        "batched": "core.batched",
        "box": f"{_GAME}.box",
        "components": f"{_GAME}.components",
        "engine": f"{_GAME}.engine",
        "engine.jit": "core.jit",
        "errors": "core.errors",
        "game": f"{_GAME}.game",
        "games.space_mission.reading": f"{_GAME}.view_pieces",
        "gym_env": "frontends.gym_env",
        "opponents": "frontends.seats",
        "options": f"{_GAME}.options",
        "replay": "records.reader",
        "setup": f"{_GAME}.setup",
        "speed": "commands.speed",
        "text": f"{_GAME}.text",
        "vector_env": "frontends.vector_env",
        "view": f"{_GAME}.view",
    },
    "spacemission_agents": {
        "arena.batch": "arena.jobs",
        "batch": "arena.jobs",
        "games.space_mission.greedy.reading": f"{_GAME}.aids",
        "games.space_mission.heuristic.compiled": f"{_GAME}.compiled",
        "games.space_mission.heuristic.reading": f"{_GAME}.heuristic.table",
        "games.space_mission.heuristic.search": f"{_GAME}.heuristic.moves",
        "greedy": f"{_GAME}.greedy",
        "heuristic": f"{_GAME}.heuristic",
        "ladder": "arena.figures.shares",
        "lineups": "arena.lineups",
        "model_card": "models.card",
        "model_folder": "models.folder",
        "network": f"{_GAME}.network",
        "network_input": f"{_GAME}.inputs",
        "policy": "models.policy",
        "probes": f"{_GAME}.probes",
        "search": f"{_GAME}.search",
        "tournament.definition": "arena.definition",
        "tournament.hold": "arena.hold",
        "tournament.ratings": "arena.figures.ratings",
        "upgrade_model": "models.upgrade",
    },
    "spacemission_train": {
        "ablation": "studies.ablation",
        "compare": "studies.compare",
        "evaluation": "learning.evaluation",
        "exploit": "run.exploiter",
        "fit_critic": f"{_GAME}.fit_critic",
        "fit_leaf": f"{_GAME}.fit_leaf",
        "networks": "learning.networks",
        "opponents": "self_play.league",
        "plain_sb3": "studies.plain_sb3",
        "ppo": "learning.ppo",
        "presets": "settings.presets",
        "self_play_env": "self_play.vec_env",
        "table": "self_play.table",
        "throughput": "studies.throughput",
        "trainer": "run.trainer",
    },
}
# What an old name runs as: `python -m OLD` is as good as `python -m NEW`.
_CODE = """
import importlib, runpy, sys
if __name__ == "__main__":
    runpy.run_module({new!r}, run_name="__main__", alter_sys=True)
else:
    sys.modules[__name__] = importlib.import_module({new!r})
"""


def new_name(name: str) -> str | None:
    """What a module is called now, or None where its name is no old one."""
    package, _, rest = name.partition(".")
    moved = MOVED.get(package, {})
    at, below = rest, ""
    while at:
        if at in moved:
            return f"{package}.{moved[at]}{below}"
        at, dot, last = at.rpartition(".")
        below = f"{dot}{last}{below}"
    return None


class _OldName(importlib.abc.InspectLoader):
    """Loads the module that an old name stands for."""

    def __init__(self, new: str) -> None:
        self.new = new

    def get_source(self, fullname: str) -> str:
        return _CODE.format(new=self.new)

    def is_package(self, fullname: str) -> bool:
        return False  # the module that takes the place of this one knows what it is


class _GoneFolder(importlib.abc.InspectLoader):
    """An empty package in the place of a folder that is gone with all its modules."""

    def get_source(self, fullname: str) -> str:
        return ""

    def is_package(self, fullname: str) -> bool:
        return True


def _was_folder(name: str) -> bool:
    package, _, rest = name.partition(".")
    return any(old.startswith(f"{rest}.") for old in MOVED.get(package, {}))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds old names where no module has them."""

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> Any:
        new = new_name(fullname)
        if new is None:
            if _was_folder(fullname) and importlib.machinery.PathFinder.find_spec(fullname, path) is None:
                return importlib.machinery.ModuleSpec(fullname, _GoneFolder(), is_package=True)
            return None
        warnings.warn(f"{fullname} is now {new}", DeprecationWarning, stacklevel=2)
        return importlib.machinery.ModuleSpec(fullname, _OldName(new))


def accept_old_names() -> None:
    """Let old names be imported; asked for once a process, more does no harm."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        # Before the usual finder, which would load a second copy of a module of a folder that has moved.
        sys.meta_path.insert(0, _Finder())
