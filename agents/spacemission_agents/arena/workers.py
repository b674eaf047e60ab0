"""Plays a tournament in worker processes on this machine.

If a worker ends, its finished games are in the journal, a note in shared memory says which agent it was
calling, and another worker replaces it.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Protocol

import numpy as np

from spacemission_agents.arena.asking import MOST_ROWS, tell_compiling
from spacemission_agents.arena.bot_server import end_with_parent
from spacemission_agents.arena.folder import write_part
from spacemission_agents.arena.games import without_main
from spacemission_agents.arena.journal import JournalWriter, unwritable, with_checksums
from spacemission_agents.arena.player import FIRST_CALL_EXTRA, TournamentPlayer
from spacemission_agents.arena.tournament import Tournament
from spacemission_env.core.compiling import announce_compiling
from spacemission_env.core.errors import AgentError, SpaceMissionError

READY, DONE, FAILED = "ready", "done", "failed"  # messages of a worker
CLOSE_SECONDS = 5.0  # time for a worker to end its bots
ALONE_SECONDS = 1.0  # time without compilation in any worker until another is started
ONE_DECISION_GRACE = 5.0  # a worker that does not answer is killed this long after its time limit


@dataclass(frozen=True)
class Unit:
    """Games for one worker, about a second of work."""

    numbers: np.ndarray  # numbers of the games, int64 (n,)
    table: int  # the table of all these games
    alone: bool = False  # play one game at a time, to find the game in which a process ends
    deaths: int = 0  # how many processes have ended in this unit's first game while no agent was to move


@dataclass(frozen=True)
class Done:
    """A finished unit; all its games are in the journal."""

    unit: Unit
    seconds: float


@dataclass(frozen=True)
class Died:
    """A unit whose process ended; some of its games may be in the journal."""

    unit: Unit
    agent: int = -1  # agent to move; -1: none, or unknown
    game: int = -1  # game and seat in which that agent is to move
    seat: int = -1
    hung: bool = False  # whether the process was killed because it did not answer in time


class Engine(Protocol):
    """Plays units in other processes: `LocalEngine` here, `RayEngine` on a cluster."""

    def room(self) -> bool:
        """Whether a unit would start at once."""

    def submit(self, unit: Unit) -> None:
        """Start a unit; call it only if there is room."""

    def wait(self, seconds: float) -> list[Done | Died]:
        """Wait up to `seconds` for units to end; AgentError if an agent cannot be made."""

    def close(self) -> None:
        """End all processes."""


class LocalEngine:
    """Worker processes on this machine, started when they are needed."""

    def __init__(self, tournament: Tournament, folder: Path, journal: Path, workers: int) -> None:
        """`folder`: where game records go; `workers`: maximum number of processes."""
        self._arguments = (tournament, str(folder), str(journal), os.getpid())
        self._most = workers
        self._workers: list[_Worker] = []
        self._decision_seconds = tournament.seconds_per_decision

    def room(self) -> bool:
        """Whether a worker is idle, or another may start."""
        return any(worker.unit is None for worker in self._workers) or self._may_start()

    def _may_start(self) -> bool:
        # Workers start one after another, so that later ones find compiled code in the cache.
        settled = time.monotonic() - ALONE_SECONDS
        return len(self._workers) < self._most and all(
            w.ready and not w.note.compiling and w.note.compiled_until < settled for w in self._workers
        )

    def submit(self, unit: Unit) -> None:
        idle = next((worker for worker in self._workers if worker.unit is None), None)
        if idle is None:
            idle = _start(self._arguments)
            self._workers.append(idle)
        idle.unit = unit
        # `wait` notices a worker that has ended
        with contextlib.suppress(OSError):
            idle.pipe.send(unit)

    def wait(self, seconds: float) -> list[Done | Died]:
        busy = [worker for worker in self._workers if worker.unit is not None]
        heard = wait([worker.pipe for worker in busy], seconds) if busy else []
        if any(worker.note.compiling for worker in busy):
            announce_compiling()
        ended: list[Done | Died] = []
        for worker in busy:
            hung = worker.pipe not in heard and self._hangs(worker)
            if hung:
                worker.process.kill()
            if hung or worker.pipe in heard:
                ended += self._hear(worker, hung)
        return ended

    def _hear(self, worker: _Worker, hung: bool) -> list[Done | Died]:
        unit = worker.unit
        assert unit is not None
        try:
            if hung:
                raise EOFError
            kind, value = worker.pipe.recv()
        except (EOFError, OSError):
            return [self._bury(worker, unit, hung)]
        if kind == FAILED:
            raise value
        if kind == READY:
            worker.ready = True
            return []
        worker.unit = None
        return [Done(unit, value)]

    def _bury(self, worker: _Worker, unit: Unit, hung: bool) -> Died:
        worker.process.kill()  # it may have closed the pipe without ending
        worker.process.join()
        self._workers.remove(worker)
        worker.pipe.close()
        note = worker.note
        if not worker.ready and note.agent < 0:
            raise AgentError("arena: a worker process ended at its start")
        return Died(unit, note.agent, note.game, note.seat, hung)

    def _hangs(self, worker: _Worker) -> bool:
        note = worker.note
        if note.agent < 0 or not note.rows or note.compiling:
            return False
        allowed = self._decision_seconds * min(note.rows, MOST_ROWS) + note.first * FIRST_CALL_EXTRA
        return time.monotonic() - note.since > allowed + ONE_DECISION_GRACE

    def close(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(CLOSE_SECONDS)
            worker.process.kill()
            worker.process.join()
            worker.pipe.close()
        self._workers = []


class _Note(ctypes.Structure):
    """What a worker is doing, in shared memory; times are those of the monotonic clock."""

    _fields_ = [
        ("agent", ctypes.c_int64),  # agent that is being called; -1: none
        ("game", ctypes.c_int64),
        ("seat", ctypes.c_int64),
        ("rows", ctypes.c_int64),
        ("since", ctypes.c_double),
        ("first", ctypes.c_bool),  # whether this is the agent's first call in the worker
        ("compiling", ctypes.c_bool),
        ("compiled_until", ctypes.c_double),
    ]


@dataclass
class _Worker:
    """The parent's data about a worker process."""

    process: SpawnProcess
    pipe: Connection
    note: _Note  # what the worker is doing, in shared memory
    unit: Unit | None = None
    ready: bool = False


def _start(arguments: tuple[Tournament, str, str, int]) -> _Worker:
    # "spawn" works on every system and is safe in a process with threads.
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    note = context.RawValue(_Note, -1)
    process = context.Process(target=_work, args=(there, note, *arguments), daemon=True)
    with without_main():
        process.start()
    there.close()
    return _Worker(process, here, note)


# ---------------------------------------------------------------- in the worker process


def _work(
    pipe: Connection, note: _Note, tournament: Tournament, folder: str, journal: str, parent: int
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C also reaches the parent, which ends this process
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    end_with_parent()
    _check_parent(parent)
    os.dup2(2, 1)  # output of agents must not mix with --json
    with contextlib.ExitStack() as stack, contextlib.suppress(EOFError, OSError):
        called: set[int] = set()

        def about_to_ask(agent: int, game: int, seat: int, rows: int) -> None:
            note.game, note.seat, note.rows = game, seat, rows
            note.since, note.first = time.monotonic(), agent not in called
            note.agent = agent  # set this field last: the parent reads it first
            called.add(agent)

        def compiling(now: bool) -> None:
            note.since = note.compiled_until = time.monotonic()
            note.compiling = now

        def finished(records: np.ndarray, texts: list[tuple[int, str]]) -> None:
            for number, text in texts:  # before the journal, so that no record is missing
                write_part(Path(folder), number, text)
            writer.append(with_checksums(records))

        tell_compiling(compiling)
        try:
            writer = stack.enter_context(contextlib.closing(JournalWriter(journal)))
            player = TournamentPlayer(tournament, about_to_ask, lambda: _check_parent(parent))
            stack.callback(player.close)
            note.compiled_until = time.monotonic()
            pipe.send((READY, None))
            while True:
                unit = pipe.recv()
                began = time.perf_counter()
                player.play(unit.numbers, finished, unit.alone)
                pipe.send((DONE, time.perf_counter() - began))
        except (EOFError, BrokenPipeError):
            raise  # the parent has closed the pipe or ended
        except OSError as error:
            pipe.send((FAILED, unwritable(journal, error)))
        except SpaceMissionError as error:
            pipe.send((FAILED, error))


def _check_parent(parent: int) -> None:
    if os.getppid() != parent:
        raise EOFError
