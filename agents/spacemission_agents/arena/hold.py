"""Holding a tournament: in a folder of its own or in passing, on this machine or on a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacemission_agents.arena.definition import Tournament
from spacemission_agents.arena.figures.report import tournament_report
from spacemission_agents.arena.games import worker_count
from spacemission_agents.arena.play import Setting
from spacemission_agents.arena.run import Progress, TournamentRun
from spacemission_agents.arena.sequential import conclusion
from spacemission_agents.arena.storage.folder import JOURNAL_FILE, tournament_folder
from spacemission_agents.arena.storage.parts import join_records
from spacemission_agents.arena.workers.local import LocalEngine
from spacemission_agents.arena.workers.protocol import Engine
from spacemission_agents.report.objects import header
from spacemission_env.core.errors import AgentError

LOCAL, RAY = "local", "ray"


def hold_tournament(
    tournament: Tournament,
    folder: str | Path | None = None,
    *,
    resume: bool = False,
    engine: str = LOCAL,
    workers: int | None = None,
    ray_address: str | None = None,
    minutes: float | None = None,
    watch: Callable[[Progress], Any] = lambda progress: None,
) -> dict[str, Any]:
    """Play a tournament to its end and return its report (arena.json).

    Args:
        tournament: from `definition.define`.
        folder: keeps the journal, from which a later run can go on; None: none is kept.
        resume: go on with what the folder has of this tournament, if anything.
        engine: "local" or "ray".
        workers: processes at most; None: 2 or as many as there are cores (Ray: of the cluster).
        ray_address: of a running cluster; None: one is started on this machine.
        minutes: begin no game after so long (one whole set-up is always played).
        watch: told when games have finished.

    Returns:
        What `tournament_report` makes of it, with `stopped_by` ("games", "interval", "minutes", "test"),
        `records`, `aivat` where luck is taken out, and `test` where one was made. But for what was timed
        (`ms_per_decision`) it depends on the tournament alone, unless the time decides where it ends.

    Raises:
        SpaceMissionError: one line, where an option, the folder or an agent cannot be used.
    """
    if engine not in (LOCAL, RAY):
        raise AgentError(f"engine: expected {LOCAL} or {RAY}, not {engine!r}")
    if ray_address is not None and engine != RAY:
        raise AgentError("ray address: needs --engine ray")
    if minutes is not None and not 0 < minutes <= 1e6:
        raise AgentError(f"minutes: expected more than 0, at most 1000000, not {minutes!r}")
    if folder is None and (resume or tournament.records):
        raise AgentError(f"{'resume' if resume else 'records'}: needs the folder of the tournament (--out)")
    if engine == LOCAL or ray_address is None:
        workers = worker_count(workers)

    def run(where: Path) -> dict[str, Any]:
        return _run(tournament, where, engine, workers, ray_address, minutes, watch)

    if folder is None:
        with tempfile.TemporaryDirectory(prefix="spacemission-") as passing:
            (Path(passing) / JOURNAL_FILE).touch()
            return run(Path(passing))
    with tournament_folder(folder, tournament, resume) as where:
        return run(where)


def _run(
    tournament: Tournament,
    folder: Path,
    engine: str,
    workers: int | None,
    ray_address: str | None,
    minutes: float | None,
    watch: Callable[[Progress], Any],
) -> dict[str, Any]:
    journal, setting = folder / JOURNAL_FILE, Setting(tournament)
    one_by_one: Engine
    plays: Engine
    if engine == RAY:
        from spacemission_agents.arena.workers.on_ray import RayEngine

        plays = RayEngine(setting, folder, journal, workers, ray_address)
        workers = plays.workers
        one_by_one = LocalEngine(setting, folder, journal, 1)
    else:
        workers = workers or 1
        plays = one_by_one = LocalEngine(setting, folder, journal, workers)
    run = TournamentRun(tournament, journal, plays, one_by_one, workers, minutes, watch)
    run.play()
    of = tournament
    head = header("arena", of.seed, of.players, of.rules, of.components, of.game)
    report = tournament_report(head, tournament, run.tally)
    report["stopped_by"] = run.stopped_by
    if run.luck is not None:
        report["aivat"] = run.luck.report(tournament.names, str(tournament.luck), tournament.endings)
    if run.trial is not None:
        told = run.trial.report(tournament.names)
        report = {"conclusion": conclusion(told), **report, "test": told}
    report["records"] = join_records(folder, tournament, run.tally.set_ups, journal)
    return report
