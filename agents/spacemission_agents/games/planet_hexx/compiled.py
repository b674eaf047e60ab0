"""Defines the decorator for compiled agent functions; its cache depends on all their sources."""

from pathlib import Path

from spacemission_agents.afterstates import network
from spacemission_agents.models import layers
from spacemission_env.core.compiling import make_njit
from spacemission_env.games.planet_hexx.engine import compiled

_FOLDERS = sorted(file.parent for file in Path(__file__).parent.rglob("__init__.py"))
njit = make_njit(compiled.njit, layers.njit, Path(network.__file__).parent, *_FOLDERS)
