"""The probes of Space Mission; how files are read and agents asked is the same for all games (`probes`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_agents.games.space_mission.probes.positions import build_position
from spacemission_agents.probing.asking import (
    REPEAT,
    Answers,
    Probe,
    ask,
    ask_all,
    keys_of,
    of_theme,
    summary,
    themes_of,
)
from spacemission_agents.probing.files import ProbeFiles

__all__ = [
    "REPEAT",
    "Answers",
    "Probe",
    "ask",
    "ask_all",
    "keys_of",
    "load_probes",
    "of_theme",
    "summary",
    "themes_of",
]
MOVE_FIELDS = {
    "top_up": {"discard"},
    "jump": {"card", "planet"},
    "fly": {"planet"},
    "scan": {"card"},
    "develop": {"cards"},
    "discover": set[str](),
    "take": {"tile"},
}


def merged(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Own fields over the common ones; planets one by one."""
    planets = {**common.get("planets", {}), **own.get("planets", {})}
    return {**common, **own, **({"planets": planets} if planets else {})}


FILES = ProbeFiles("spacemission_agents.games.space_mission", build_position, MOVE_FIELDS, merged)
load_probes = FILES.load
