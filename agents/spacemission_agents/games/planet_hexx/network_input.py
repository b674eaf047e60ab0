"""Declares the shipped models of Planet Hexx, and what their inputs depend on."""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.afterstates.network import RATED_INPUTS
from spacemission_agents.games.planet_hexx.heuristic.agent import shipped_digest
from spacemission_agents.models.network_input import NetworkInput, Pin
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json

DATA = Path(__file__).parent / "data"


class PlanetHexxNetworkInput(NetworkInput):
    """The inputs of every game, with ratings by `heuristic`."""

    shipped = {name: DATA / name for name in ("default", "scratch")}

    def __init__(self) -> None:
        super().__init__(find_game("planet_hexx"))

    def pinned(self, network: Json) -> dict[str, Pin]:
        """Digest of the weights of `heuristic`, if the network reads its ratings."""
        if network.get("input") not in RATED_INPUTS:
            return {}
        return {"ratings_sha256": Pin(shipped_digest(), "weights of 'heuristic', which rates its moves")}
