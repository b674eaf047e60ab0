"""What a picture says in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PHASES = {
    "action": "to act",
    "reserve": "reserves a tile",
    "develop": "takes a tile",
    "discover": "takes a tile",
}


def told(view: Mapping[str, Any]) -> str:
    """The picture in words, for who does not see it."""
    whose = "all see it" if view["seat"] is None else f"player_{view['seat']} sees it"
    return f"Space Mission with {view['num_players']} players as {whose}, round {view['round']}"


def state_of_play(view: Mapping[str, Any]) -> str:
    """Whose turn it is, or who has won."""
    if view["over"]:
        winners = [f"player_{j}" for j in view["result"]["winners"]]
        return f"{' and '.join(winners)} won" + (" (broken off)" if view["over"] == "truncated" else "")
    left = view["actions_left"]
    more = f", {left} action{'s' * (left != 1)} left" if view["phase"] == "action" else ""
    return f"player_{view['player_to_act']} {_PHASES[view['phase']]}{more}"
