"""Adapts Space Mission's networks to the interface of `models`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.afterstates.moves import Evaluator
from spacemission_agents.afterstates.network import RATED_INPUTS
from spacemission_agents.games.space_mission.heuristic.weights import shipped_digest
from spacemission_agents.games.space_mission.policy.inputs import INPUTS, RATED, WITH_PLANETS
from spacemission_agents.games.space_mission.policy.network import (
    first_width,
    new_network,
    planet_width,
    run_rows,
)
from spacemission_agents.models.network_input import NetworkInput, layer_shapes
from spacemission_env.core.agents import Decisions
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.options import DEFAULT_END

SHIPPED = {name: Path(__file__).parents[1] / "data" / name for name in ("default", "scratch", "ppo")}


class SpaceMissionNetworkInput(NetworkInput):
    """Inputs, tensors and execution of Space Mission's networks."""

    own_inputs = INPUTS
    own_with_planets = WITH_PLANETS
    rated_inputs = (INPUTS[RATED], *RATED_INPUTS)
    may_see_all = True
    shipped = SHIPPED

    def __init__(self) -> None:
        super().__init__(find_game("space_mission"))

    def ratings_digest(self) -> str:
        """The digest of the weights of `heuristic`."""
        return shipped_digest()

    def shapes(self, network: Json) -> dict[str, tuple[int, ...]]:
        """The name and shape of each tensor."""
        if self.reads_afterstates(network):
            return super().shapes(network)
        shapes = _network_shapes("policy", network, network["hidden"], ACTION_COUNT)
        if network.get("input") == INPUTS[RATED]:
            shapes["policy.residual"] = (1,)
        if "value" in network:
            shapes |= _network_shapes("value", network, network["value"]["hidden"], 1)
        return shapes

    def same_option(self, name: str, trained: object, played: object, observation: str) -> bool:
        """Whether two values of an option mean the same to a model."""
        if name == "space_tiles_to_end" and (trained is None or played is None):
            return (played if trained is None else trained) in (None, *DEFAULT_END.values())
        if name == "reserved_tiles_visible" and observation == "perfect_recall":
            return True  # a model with perfect recall knows this anyway
        return bool(trained == played)

    def new_network(self, arrays: dict[str, np.ndarray], network: Json) -> Any:
        """The policy for compiled code."""
        return (
            super().new_network(arrays, network)
            if self.reads_afterstates(network)
            else new_network(arrays, network)
        )

    def run_rows(self, decisions: Decisions, network: Any, sample: bool) -> tuple[np.ndarray, np.ndarray]:
        """The actions and logits of decisions."""
        if isinstance(network, Evaluator):
            return super().run_rows(decisions, network, sample)
        return run_rows(decisions, network, sample)


def _network_shapes(name: str, network: Json, hidden: list[int], outputs: int) -> dict[str, tuple[int, ...]]:
    width = network.get("planets", 0)
    shapes = layer_shapes(name, [first_width(network, name), *hidden, outputs])
    planet = {f"{name}.planet.weight": (width, planet_width(network, name)), f"{name}.planet.bias": (width,)}
    return (planet if width else {}) | shapes
