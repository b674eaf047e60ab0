"""Plays a tournament in actors of a Ray cluster; the driver writes the journal.

Needs the optional package `ray`. Actors get the driver's working folder and `sys.path`, so that they find
`module:Class` agents on a shared file system. If an actor or its node dies, a local process plays its
unit again, one game at a time, because a local process can tell which agent was to move.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.arena.folder import write_part
from spacemission_agents.arena.journal import JournalError, JournalWriter, unwritable, with_checksums
from spacemission_agents.arena.player import TournamentPlayer
from spacemission_agents.arena.tournament import Tournament
from spacemission_agents.arena.workers import Died, Done, Unit
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json

TOKEN_FILE = ".ray/auth_token"  # in the home folder
STORE_BYTES = 100 << 20  # object store of a local cluster: units and their results are small


class RayEngine:
    """Actors on a cluster; each plays one unit at a time."""

    def __init__(
        self, of: Tournament, folder: Path, journal: Path, workers: int | None, address: str | None = None
    ) -> None:
        """Connect to the cluster at `address`, or start a local one with `workers` cores.

        `workers`: maximum number of actors; None: one for each core.

        Raises:
            JournalError: no cluster answers at that address.
            ImportError: the package `ray` is not installed.
        """
        self._ray = connect(address, workers)
        self._folder = folder
        self._journal_path = journal
        self._journal = JournalWriter(journal)
        self.workers = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        # Ray must not repeat a unit: a game may have ended its process
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

    def wait(self, seconds: float) -> list[Done | Died]:
        if not self._busy:
            return []
        ready, _ = self._ray.wait(list(self._busy), num_returns=len(self._busy), timeout=seconds)
        self._hear_starts()
        ended: list[Done | Died] = []
        for promise in ready:
            actor, unit = self._busy.pop(promise)
            try:
                result = self._ray.get(promise)
            except self._ray.exceptions.RayError:  # of the actor, its node, or what it returned
                self._ray.kill(actor)
                ended.append(Died(unit))
                continue
            self._idle.append(actor)
            ended.append(Done(unit, self._keep(*result)))
        self._move_waiting_units()
        return ended

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
                    raise JournalError(f"ray: a worker cannot start: {_reason(error)}") from None

    def _move_waiting_units(self) -> None:
        # When a node has died, an actor that should replace one of its actors may wait for a core for ever.
        starting = {id(actor) for actor in self._starting.values()}
        for promise, (actor, unit) in list(self._busy.items()):
            if self._idle and id(actor) in starting:
                del self._busy[promise]
                self._starting = {
                    start: other for start, other in self._starting.items() if other is not actor
                }
                self._ray.kill(actor)
                self.submit(unit)

    def _keep(self, refusal: str | None, data: bytes, texts: list[tuple[int, str]], seconds: float) -> float:
        if refusal is not None:
            raise SpaceMissionError(refusal)
        try:
            for number, text in texts:
                write_part(self._folder, number, text)
        except OSError as error:
            raise unwritable(str(self._journal_path), error) from None
        if data:
            self._journal.append(data)
        return seconds

    def close(self) -> None:
        """End the actors and disconnect; a local cluster ends."""
        for actor in [*self._idle, *(actor for actor, _ in self._busy.values())]:
            self._ray.kill(actor)
        self._idle, self._busy = [], {}
        self._journal.close()
        self._ray.shutdown()


def connect(address: str | None, workers: int | None) -> Any:
    """The module `ray`, connected to a cluster; JournalError if no cluster answers."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address is not None and _token_here():
        # `ray start` uses a token where there is one, `ray.init` at an address only if it is told to.
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
        raise JournalError(line) from None
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
        """Answer when the actor has a process."""

    def play(self, unit: Unit) -> tuple[str | None, bytes, list[tuple[int, str]], float]:
        """Play a unit; return an error message or None, journal bytes, game records and seconds."""
        data: list[bytes] = []
        games: list[tuple[int, str]] = []

        def finished(records: np.ndarray, texts: list[tuple[int, str]]) -> None:
            data.append(with_checksums(records))
            games.extend(texts)

        try:
            self._player = self._player or TournamentPlayer(self._tournament)
            began = time.perf_counter()
            self._player.play(unit.numbers, finished, unit.alone)
        except SpaceMissionError as error:
            return str(error), b"", [], 0.0
        return None, b"".join(data), games, time.perf_counter() - began
