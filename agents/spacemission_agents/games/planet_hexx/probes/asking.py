"""The probes of Planet Hexx; how files are read and agents asked is the same for all games (`probes`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_agents.games.planet_hexx.probes.positions import build_position
from spacemission_agents.probing.asking import ask_all, of_theme, summary
from spacemission_agents.probing.files import ProbeFiles

__all__ = ["ask_all", "load_probes", "of_theme", "summary"]

CARD, CELL = {"card"}, {"cell"}
MOVE_FIELDS: dict[str, set[str]] = {
    "pass": set(),
    "move": set(),
    "map": CARD,
    "event": CARD,
    "upload": CARD,
    "alt_upload": CARD,
    "refresh": CARD,
    "surprise": CARD,
    "discard": CARD,
    "step": {"direction"},
    "stop": set(),
    "map_cell": CELL,
    "may": {"answer"},
    "branch": {"number"},
}


def merged(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Own fields over the common ones."""
    return {**common, **own}


FILES = ProbeFiles("spacemission_agents.games.planet_hexx", build_position, MOVE_FIELDS, merged)
load_probes = FILES.load
