"""By which endings moves are weighed (played_on.py)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

PLAYER = "heuristic"
MOST = 10_000  # endings of a position


@dataclass(frozen=True)
class Endings:
    """How moves are weighed.

    Attributes:
        player: spec of who plays on.
        count: endings of a position.
        digest: sha256 of the player's weights, or None where it has none.
    """

    player: str
    count: int
    digest: str | None

    def to_json(self) -> dict[str, Any]:
        """As a tournament's folder and report have it."""
        return asdict(self)
