"""Declares the shipped models of Planet Hexx, and what their inputs depend on."""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.games.planet_hexx.heuristic.agent import shipped_digest
from spacemission_agents.models.network_input import NetworkInput
from spacemission_env.core.game_spec import find_game

DATA = Path(__file__).parent / "data"


class PlanetHexxNetworkInput(NetworkInput):
    """The inputs of every game, with ratings by `heuristic`."""

    shipped = {name: DATA / name for name in ("default", "scratch")}

    def __init__(self) -> None:
        super().__init__(find_game("planet_hexx"))

    def ratings_digest(self) -> str:
        """The digest of the weights of `heuristic`."""
        return shipped_digest()
