"""Makes the decorator for the compiled functions of this game's agents.

A change in this folder, in the rules, in the facts, in `afterstates/` or in `models/layers.py`
makes numba compile them anew.
"""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.afterstates import network
from spacemission_agents.models import layers
from spacemission_env.core.compiling import make_njit
from spacemission_env.games.space_mission import facts

_FOLDERS = sorted(file.parent for file in Path(__file__).parent.rglob("__init__.py"))
njit = make_njit(facts.njit, layers.njit, Path(network.__file__).parent, *_FOLDERS)
