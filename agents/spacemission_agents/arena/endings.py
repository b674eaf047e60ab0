"""By which endings moves are weighed (played_on.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PLAYER = "heuristic"
MOST = 10_000  # endings of a position


@dataclass(frozen=True)
class Endings:
    """How moves are weighed.

    Attributes:
        players: specs of who play on, each by itself; luck is the mean of what they tell.
        digests: sha256 of each one's weights; None where it has none.
        count: endings of a position for each of them.
    """

    players: tuple[str, ...]
    digests: tuple[str | None, ...]
    count: int

    def to_json(self) -> dict[str, Any]:
        """As a tournament's folder and report have it."""
        pairs = zip(self.players, self.digests, strict=True)
        return {"count": self.count, "players": [{"player": one, "sha256": digest} for one, digest in pairs]}
