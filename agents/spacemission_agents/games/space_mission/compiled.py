"""Makes the decorator for all compiled functions of this game's agents.

Its cache follows every file here, the rules, the layers of networks and the nodes of trees.
"""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.models import layers
from spacemission_agents.tree_search import nodes
from spacemission_env.core.compiling import make_njit
from spacemission_env.games.space_mission.engine import compiled

_FOLDERS = sorted(file.parent for file in Path(__file__).parent.rglob("__init__.py"))
njit = make_njit(compiled.njit, layers.njit, nodes.njit, *_FOLDERS)
