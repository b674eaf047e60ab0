"""Plays tournaments in this process, and removes times from reports."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from spacemission_agents.arena.player import TournamentPlayer
from spacemission_agents.arena.run_tournament import run_tournament
from spacemission_agents.arena.tournament import Tournament, define
from spacemission_env.core.reading import Json


def untimed(report: Json) -> Json:
    """The report without times, its numbers rounded to six decimals, because sums depend on their order."""
    rows = [{k: v for k, v in row.items() if k != "ms_per_decision"} for row in report["ladder"]]
    return json.loads(
        json.dumps({**report, "ladder": rows}), parse_float=lambda text: round(float(text), 6) + 0.0
    )


def held(
    agents: list[str],
    players: int = 2,
    games: int | None = 40,
    *,
    folder: Path | None = None,
    resume: bool = False,
    workers: int = 1,
    **options: object,
) -> Json:
    """The report of a tournament; `options`: of `define`."""
    return run_tournament(define(agents, players, games, **options), folder, resume=resume, workers=workers)


def played(tournament: Tournament, numbers: np.ndarray, alone: bool = False) -> np.ndarray:
    """Records of these games, played in this process, sorted by number."""
    kept: list[np.ndarray] = []
    player = TournamentPlayer(tournament, first_extra=0.0)
    try:
        player.play(np.asarray(numbers), lambda records, texts: kept.append(records), alone)
    finally:
        player.close()
    records = np.concatenate(kept)
    return records[np.argsort(records["game"])]
