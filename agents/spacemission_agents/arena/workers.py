"""Plays a tournament's games in processes of this machine or of a Ray cluster.

A worker plays one `Unit` of games at a time. It hands finished games to the process of the command, which
writes them. If a worker ends early, the missing games of its unit are played again. Ray needs the optional
package `ray`. Its actors get the working folder and `sys.path` of the process of the command, so that they
find `module:Class` agents on a shared file system.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

from spacemission_agents.arena.play import TournamentPlayer, without_main
from spacemission_agents.arena.results import Games, ResultsError
from spacemission_agents.arena.schedule import Tournament, Unit
from spacemission_agents.bots.keeper import PR_SET_PDEATHSIG, control
from spacemission_env.core.compiling import announce_compiling
from spacemission_env.core.errors import AgentError, SpaceMissionError
from spacemission_env.core.reading import Json

GAMES, DONE, FAILED, READY, COMPILING = "games", "done", "failed", "ready", "compiling"  # worker's messages
SEND_SECONDS = 0.3  # time after which a worker that plays hands over its finished games
CLOSE_SECONDS = 5.0  # time for a worker to end its bots
TOKEN_FILE = ".ray/auth_token"  # in the home folder
STORE_BYTES = 100 << 20  # size of a local cluster's object store; units and their results are small


@dataclass(frozen=True)
class Done:
    """A finished unit; all its games have been handed over."""

    unit: Unit
    seconds: float


@dataclass(frozen=True)
class Died:
    """A unit whose process ended; some of its games may have been handed over."""

    unit: Unit


class _Basket:
    """Collects finished games, and hands them over from time to time."""

    def __init__(self, hand_over: Callable[[Games], object], seconds: float) -> None:
        self._hand_over, self._seconds = hand_over, seconds
        self._games: list[Games] = []
        self._since = time.monotonic()

    def add(self, games: Games) -> None:
        self._games.append(games)
        if time.monotonic() - self._since > self._seconds:
            self.empty()

    def empty(self) -> None:
        if self._games:
            whole = Games(np.concatenate([games.rows for games in self._games]))
            for games in self._games:
                whole.why |= games.why
                whole.records |= games.records
            self._games = []
            self._hand_over(whole)
        self._since = time.monotonic()


# ---------------------------------------------------------------- this machine


class LocalEngine:
    """Worker processes on this machine, started when they are needed."""

    def __init__(self, tournament: Tournament, workers: int) -> None:
        """`workers`: maximum number of processes."""
        self._tournament = tournament
        self.workers = workers
        self._workers: list[_Worker] = []

    def room(self) -> bool:
        """Whether a unit would start at once, because a worker is idle or another worker may start."""
        return any(worker.unit is None for worker in self._workers) or self._may_start()

    def _may_start(self) -> bool:
        # Workers start one after another, so that later ones find compiled code in the cache.
        return len(self._workers) < self.workers and all(worker.ready for worker in self._workers)

    def submit(self, unit: Unit) -> None:
        """Start a unit; there must be `room`."""
        idle = next((worker for worker in self._workers if worker.unit is None), None)
        if idle is None:
            idle = _start(self._tournament)
            self._workers.append(idle)
        idle.unit = unit
        # A worker may have ended; `wait` notices that.
        with contextlib.suppress(OSError):
            idle.pipe.send(unit)

    def wait(self, seconds: float) -> list[Games | Done | Died]:
        """Wait up to `seconds` for reports of workers; return them. AgentError: an agent cannot be made."""
        busy = {worker.pipe: worker for worker in self._workers if worker.unit is not None}
        news: list[Games | Done | Died] = []
        for pipe in wait(list(busy), seconds) if busy else ():
            news += self._hear(busy[pipe])  # type: ignore[index]
        return news

    def _hear(self, worker: _Worker) -> list[Games | Done | Died]:
        unit = worker.unit
        assert unit is not None
        try:
            kind, value = worker.pipe.recv()
        except (EOFError, OSError):
            self._workers.remove(worker)
            worker.end(0.0)
            if not worker.ready:
                raise AgentError("arena: a worker process ended at its start") from None
            return [Died(unit)]
        if kind == FAILED:
            raise value
        if kind == COMPILING:
            announce_compiling()
            return []
        if kind == GAMES:
            return [value]
        worker.ready = True
        if kind == READY:
            return []
        worker.unit = None
        return [Done(unit, value)]

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.end(CLOSE_SECONDS)
        self._workers = []


@dataclass
class _Worker:
    """The parent's data about a worker process."""

    process: SpawnProcess
    pipe: Connection
    unit: Unit | None = None
    ready: bool = False  # whether its agents are made

    def end(self, seconds: float) -> None:
        """Wait up to `seconds` for the process to end, then end it by force."""
        self.process.join(seconds)
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _start(tournament: Tournament) -> _Worker:
    # "spawn" works on every system and is safe in a process with threads.
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, tournament), daemon=True)
    with without_main():
        process.start()
    there.close()
    return _Worker(process, here)


class _Notice(event.Listener):
    """Tells the parent process, once, that this process compiles code."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell: Callable[[], object] | None = tell

    def on_start(self, what: event.Event) -> None:
        if self._tell:
            tell, self._tell = self._tell, None
            tell()

    def on_end(self, what: event.Event) -> None:
        pass


def _work(pipe: Connection, tournament: Tournament) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C also reaches the parent, which ends this process
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    control(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.dup2(2, 1)  # output of agents must not mix with --json
    with contextlib.ExitStack() as stack, contextlib.suppress(EOFError, OSError):
        event.register("numba:compile", _Notice(lambda: pipe.send((COMPILING, None))))
        basket = _Basket(lambda games: pipe.send((GAMES, games)), SEND_SECONDS)
        try:
            player = TournamentPlayer(tournament)
            stack.callback(player.close)
            pipe.send((READY, None))
            while True:
                unit = pipe.recv()
                began = time.perf_counter()
                player.play(unit.numbers, basket.add)
                basket.empty()
                pipe.send((DONE, time.perf_counter() - began))
        except SpaceMissionError as error:
            pipe.send((FAILED, error))


# ---------------------------------------------------------------- a Ray cluster


class RayEngine:
    """Actors on a cluster, with the methods of `LocalEngine`; each plays one unit at a time."""

    def __init__(self, of: Tournament, workers: int | None, address: str | None = None) -> None:
        """Connect to the cluster at `address`, or start a local one with `workers` cores.

        `workers`: maximum number of actors; None: one for each core.

        Raises:
            ResultsError: no cluster answers at that address.
            ImportError: the package `ray` is not installed.
        """
        self._ray = connect(address, workers)
        self.workers = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        # Ray must not repeat a unit, because the process of the command repeats it.
        actor = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor)
        self._new = lambda: actor.remote(of, os.getcwd(), list(sys.path))
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, Unit]] = {}  # actor and unit by the future of its result
        self._starting: dict[Any, Any] = {}  # actors that have not started yet, by the future of their start
        self._some_started = False

    def room(self) -> bool:
        return len(self._busy) < self.workers

    def submit(self, unit: Unit) -> None:
        if self._idle:
            actor = self._idle.pop()
        else:
            actor = self._new()
            self._starting[actor.started.remote()] = actor
        self._busy[actor.play.remote(unit)] = actor, unit

    def wait(self, seconds: float) -> list[Games | Done | Died]:
        if not self._busy:
            return []
        ready, _ = self._ray.wait(list(self._busy), num_returns=len(self._busy), timeout=seconds)
        self._hear_starts()
        news: list[Games | Done | Died] = []
        for promise in ready:
            actor, unit = self._busy.pop(promise)
            try:
                refusal, games, took = self._ray.get(promise)
            except self._ray.exceptions.RayError:  # the actor, its node or the transfer of its result failed
                self._ray.kill(actor)
                news.append(Died(unit))
                continue
            if refusal is not None:
                raise SpaceMissionError(refusal)
            self._idle.append(actor)
            news += [*games, Done(unit, took)]
        self._move_waiting_units()
        return news

    def _hear_starts(self) -> None:
        if not self._starting:
            return
        heard, _ = self._ray.wait(list(self._starting), num_returns=len(self._starting), timeout=0)
        for promise in heard:
            del self._starting[promise]
            try:
                self._ray.get(promise)
                self._some_started = True
            except self._ray.exceptions.RayError as error:
                if not self._some_started:
                    raise ResultsError(f"ray: a worker cannot start: {_reason(error)}") from None

    def _move_waiting_units(self) -> None:
        # After a node has died, an actor that should replace one of its actors may wait forever for a
        # core. So take the unit of an actor that has not started, and give it to an idle one.
        starting = {id(actor) for actor in self._starting.values()}
        for promise, (actor, unit) in list(self._busy.items()):
            if self._idle and id(actor) in starting:
                del self._busy[promise]
                self._starting = {
                    start: other for start, other in self._starting.items() if other is not actor
                }
                self._ray.kill(actor)
                self.submit(unit)

    def close(self) -> None:
        """End the actors and disconnect; this also ends a local cluster."""
        for actor in [*self._idle, *(actor for actor, _ in self._busy.values())]:
            self._ray.kill(actor)
        self._idle, self._busy = [], {}
        self._ray.shutdown()


def connect(address: str | None, workers: int | None) -> Any:
    """The module `ray`, connected to a cluster; ResultsError if no cluster answers."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address is not None and _token_here():
        # `ray start` uses a token if there is one; `ray.init` with an address uses it only in this mode.
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    import ray

    options: Json = {"address": address, "logging_level": "error", "log_to_driver": False}
    if address is None:
        options |= {"address": "local", "include_dashboard": False, "num_cpus": workers}
        options["object_store_memory"] = STORE_BYTES
    try:
        ray.init(**options)
    except (ray.exceptions.RayError, ConnectionError, RuntimeError, ValueError, OSError) as error:
        hint = "" if address is None or _token_here() else f"; the cluster's token belongs in ~/{TOKEN_FILE}"
        line = f"ray: cannot be reached at {address or 'this machine'!r}: {_reason(error)}{hint}"
        raise ResultsError(line) from None
    return ray


def _token_here() -> bool:
    """Whether Ray finds a token on this machine."""
    given = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    return given or (Path.home() / TOKEN_FILE).is_file()


def _reason(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


class _Actor:
    """Plays units in a process of the cluster."""

    def __init__(self, of: Tournament, folder: str, path: list[str]) -> None:
        if os.path.isdir(folder):
            os.chdir(folder)
        sys.path += [entry for entry in path if entry not in sys.path]
        self._tournament = of
        self._player: TournamentPlayer | None = None

    def started(self) -> None:
        """Do nothing: an answer shows that the actor has a process."""

    def play(self, unit: Unit) -> tuple[str | None, list[Games], float]:
        """Play a unit; return an error message or None, the games, and the seconds that play took."""
        games: list[Games] = []
        basket = _Basket(games.append, float("inf"))
        try:
            self._player = self._player or TournamentPlayer(self._tournament)
            began = time.perf_counter()
            self._player.play(unit.numbers, basket.add)
        except SpaceMissionError as error:
            return str(error), [], 0.0
        basket.empty()
        return None, games, time.perf_counter() - began
