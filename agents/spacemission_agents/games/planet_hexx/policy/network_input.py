"""Defines the two network inputs of Planet Hexx: `observation` and `rated`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.games.planet_hexx.heuristic.agent import shipped_digest
from spacemission_agents.games.planet_hexx.policy import network as rated
from spacemission_agents.games.planet_hexx.policy.inputs import INPUTS, RATED
from spacemission_agents.models.network_input import NetworkInput, Pin, layer_shapes
from spacemission_env.core.agents import Decisions
from spacemission_env.core.game_spec import find_game

SHIPPED = Path(__file__).parents[1] / "data" / "default"


def is_rated(network: dict[str, Any]) -> bool:
    """Whether a card's `network` reads the heuristic's best moves (inputs.py)."""
    return bool(network.get("input") == INPUTS[RATED])


class PlanetHexxNetworkInput(NetworkInput):
    """The inputs `observation`, as for any game, and `rated`, which is read from a world."""

    inputs = INPUTS
    shipped = {"default": SHIPPED}

    def __init__(self) -> None:
        """For Planet Hexx."""
        super().__init__(find_game("planet_hexx"))

    def wants_worlds(self, network: dict[str, Any]) -> bool:
        """With `rated`."""
        return is_rated(network)

    def pinned(self, network: dict[str, Any]) -> dict[str, Pin]:
        """The weights by which `heuristic` rates the moves, where the network reads the ratings."""
        if not is_rated(network):
            return {}
        return {"ratings_sha256": Pin(shipped_digest(), "weights of 'heuristic', which rates its moves")}

    def shapes(self, network: dict[str, Any]) -> dict[str, tuple[int, ...]]:
        """Name and shape of each tensor."""
        if not is_rated(network):
            return super().shapes(network)
        shapes = rated.policy_shapes(network["hidden"])
        if "value" in network:
            shapes |= layer_shapes("value", [rated.VALUE_SIZE, *network["value"]["hidden"], 1])
        return shapes

    def new_network(self, arrays: dict[str, np.ndarray], network: dict[str, Any]) -> Any:
        """The policy as compiled code runs it."""
        if not is_rated(network):
            return super().new_network(arrays, network)
        return rated.new_network(arrays, network)

    def run_rows(self, decisions: Decisions, network: Any, sample: bool) -> tuple[np.ndarray, np.ndarray]:
        """Actions and logits."""
        if not isinstance(network, rated.Network):
            return super().run_rows(decisions, network, sample)
        return rated.run_rows(decisions, network, sample)
