"""Declares the shipped models of Space Mission, and what their inputs depend on."""

from __future__ import annotations

from pathlib import Path

from spacemission_agents.games.space_mission.heuristic.weights import shipped_digest
from spacemission_agents.models.network_input import NetworkInput
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.space_mission.options import DEFAULT_END


class SpaceMissionNetworkInput(NetworkInput):
    """Adds ratings by `heuristic` to the inputs of every game; tells which options are equal for a model."""

    shipped = {name: Path(__file__).with_name("data") / name for name in ("default", "scratch")}

    def __init__(self) -> None:
        super().__init__(find_game("space_mission"))

    def ratings_digest(self) -> str:
        """The digest of the weights of `heuristic`."""
        return shipped_digest()

    def same_option(self, name: str, trained: object, played: object, observation: str) -> bool:
        """Whether two values of an option mean the same to a model."""
        if name == "space_tiles_to_end" and (trained is None or played is None):
            return (played if trained is None else trained) in (None, *DEFAULT_END.values())
        if name == "reserved_tiles_visible" and observation == "perfect_recall":
            return True  # a model with perfect recall remembers these tiles anyway
        return bool(trained == played)
