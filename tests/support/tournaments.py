"""Plays tournaments in this process, and removes times from reports."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from spacemission_agents.arena.play import TournamentPlayer
from spacemission_agents.arena.results import RESULTS_FILE, Games
from spacemission_agents.arena.schedule import Limits, Sequential, Tournament
from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
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
    interval: float | None = None,
    test: Sequential | None = None,
    **options: object,
) -> Json:
    """The report of a tournament; `options`: of `define`."""
    of = define(agents, players, Limits(games, interval, test), **options)  # type: ignore[arg-type]
    return run_tournament(of, folder, RunOptions(resume=resume, workers=workers))


def played(tournament: Tournament, numbers: np.ndarray) -> Games:
    """These games, played in this process, sorted by number."""
    whole: list[Games] = []
    player = TournamentPlayer(tournament)
    try:
        player.play(np.asarray(numbers), whole.append)
    finally:
        player.close()
    rows = np.concatenate([games.rows for games in whole])
    why = {game: reason for games in whole for game, reason in games.why.items()}
    return Games(rows[np.argsort(rows["game"])], why)


def stored(folder: Path) -> list[tuple]:
    """The rows of a tournament's file without times, in order of their games."""
    with closing(sqlite3.connect(folder / RESULTS_FILE)) as base:
        asked = base.execute("SELECT * FROM games ORDER BY game")
        kept = [i for i, (name, *_) in enumerate(asked.description) if not name.startswith("seconds")]
        return [tuple(row[i] for i in kept) for row in asked]
