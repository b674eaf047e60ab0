"""The tournament engine: games in batches, shared out to worker processes where that is worth it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spacemission_agents.arena.jobs import Job, Results, play_job
from spacemission_agents.arena.labels import agent_spec, check_labels
from spacemission_env.core.agents_api import Agent, GameInfo, make_agent, prepare_agents
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.records.writer import RecordWriter

BATCH = 256  # games side by side, at most
SMALLEST_BATCH = 32
WORTH_SECONDS = 4.0  # work that would take longer than this is shared out to worker processes


def play_games(
    agents: Sequence[str | Agent],
    lineups: ArrayLike,
    seeds: ArrayLike,
    rules: Any = None,
    components: Any = None,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    record: RecordWriter | None = None,
    game: str | GameSpec = DEFAULT_GAME,
    ended: Callable[[Game], None] | None = None,
) -> Results:
    """Play games and return their results in the order given.

    Args:
        agents: specs, each as it is or as `label=spec` (or Agent objects, which are not sent to worker
            processes). Records and messages call an agent by its label.
        lineups: agent index by seat, shape (games, seats).
        seeds: of the games, shape (games,).
        rules: preset name, dict of options, a rules object or None, as for `Game`.
        components: path of a components file, or None, as for `Game`.
        workers: processes at most; None: 2, or fewer cores. The results do not depend on it.
        progress: called with the number of games just finished.
        record: gets the record of every game, in order; the games are then played in this process.
        game: which one, by name.
        ended: called with every game, in order, as it stands at its end; they are played in this process.

    Raises:
        AgentError: an agent that cannot be made, does not fit the game, fails or plays an illegal
            move; one line that names it.
        SetupError: no such game is installed.
    """
    spec = find_game(game)
    rules, components = spec.make_rules(rules), spec.load_components(components)
    seated, dealt = np.asarray(lineups, np.int64), np.asarray(seeds, np.int64)
    players = spec.check_num_players(seated.shape[1])
    check_labels(agents)
    made = [make_agent(agent_spec(agent), spec) for agent in agents]
    prepare_agents(made, GameInfo.of(players, rules, components, spec))
    size = min(BATCH, max(SMALLEST_BATCH, len(dealt) // 8))
    jobs = [
        Job(tuple(agents), seated[i : i + size], dealt[i : i + size], rules, components, i, spec.name)
        for i in range(0, len(dealt), size)
    ]
    alone = record is not None or ended is not None or any(isinstance(agent, Agent) for agent in agents)
    parts = _play_jobs(jobs, 1 if alone else worker_count(workers), progress, record, ended)
    joined = {f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Results)}
    return Results(**joined)


def worker_count(workers: int | None) -> int:
    """How many worker processes to use: as asked for, else 2 or as many as there are cores.

    Raises:
        AgentError: not a whole number from 1.
    """
    if workers is None:
        return min(2, os.cpu_count() or 1)
    if type(workers) is not int or workers < 1:
        raise AgentError(f"workers: expected a whole number from 1, not {workers!r}")
    return workers


def _play_jobs(
    jobs: list[Job],
    workers: int,
    progress: Callable[[int], None] | None,
    record: RecordWriter | None,
    ended: Callable[[Game], None] | None,
) -> list[Results]:
    parts: list[Results] = []
    began = time.perf_counter()

    def done(part: Results) -> None:
        parts.append(part)
        if progress:
            progress(len(part.seeds))

    for i, job in enumerate(jobs):
        left = (len(jobs) - i) * (time.perf_counter() - began) / max(i, 1)
        if i and workers > 1 and len(jobs) - i > 1 and left > WORTH_SECONDS:
            _play_in_pool(jobs[i:], workers, done)
            break
        done(play_job(job, record, ended))
    return parts


def _play_in_pool(jobs: list[Job], workers: int, done: Callable[[Results], None]) -> None:
    # "spawn" is the same on every system, and safe where this process has threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(jobs)), context, _end_when_interrupted) as pool:
        futures = [pool.submit(play_job, job) for job in jobs]
        try:
            for future in futures:
                done(future.result())
        except BrokenProcessPool:
            raise AgentError(
                'arena: a worker process ended (a script of your own needs `if __name__ == "__main__":`); '
                "try again with one worker"
            ) from None
        finally:
            for future in futures:
                future.cancel()


def _end_when_interrupted() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # without a traceback of its own
