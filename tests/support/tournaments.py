"""What tests of tournaments share: games played in this process, and reports without times."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from spacemission_agents.arena.player import TournamentPlayer
from spacemission_agents.arena.tournament import Tournament


def untimed(report: dict[str, Any]) -> Any:
    """The report without what a clock decides; its numbers to six decimals, as sums have an order."""
    rows = [{k: v for k, v in row.items() if k != "ms_per_decision"} for row in report["ladder"]]
    return json.loads(
        json.dumps({**report, "ladder": rows}), parse_float=lambda text: round(float(text), 6) + 0.0
    )


def played(tournament: Tournament, numbers: Any, alone: bool = False) -> np.ndarray:
    """Records of these games, played in this process, by number."""
    kept: list[np.ndarray] = []
    player = TournamentPlayer(tournament, first_extra=0.0)
    try:
        player.play(np.asarray(numbers), lambda records, texts: kept.append(records), alone)
    finally:
        player.close()
    records = np.concatenate(kept)
    return records[np.argsort(records["game"])]
