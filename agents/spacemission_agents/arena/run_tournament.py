"""Runs a tournament: gives games to worker processes, counts the results, makes the report.

Workers get set-ups in order, in units of about a second of work. All results come from the journal, so a
resumed run counts the games of earlier runs in the same way. The report depends on the games alone, not on
the order in which they end; so does the set-up after which a tournament with `interval` ends.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from spacemission_agents.arena.asking import DIED, DIED_TEXT, TOO_SLOW
from spacemission_agents.arena.folder import JOURNAL_FILE, join_records, tournament_folder
from spacemission_agents.arena.games import worker_count
from spacemission_agents.arena.journal import (
    FORFEITED,
    Collector,
    JournalReader,
    JournalWriter,
    empty_record,
    forfeit_record,
    with_checksums,
)
from spacemission_agents.arena.report import header, tournament_report
from spacemission_agents.arena.schedule import milestone_after
from spacemission_agents.arena.sequential import Trial, conclusion
from spacemission_agents.arena.tally import Tally
from spacemission_agents.arena.tournament import Tournament
from spacemission_agents.arena.workers import Died, Done, Engine, LocalEngine, Unit
from spacemission_env.core.errors import AgentError, shown
from spacemission_env.core.reading import Json

LOCAL, RAY = "local", "ray"
UNIT_SECONDS = 1.0
GROWTH = 8  # maximum ratio of the size of a block to that of the block before
MOST_WAITING = 50_000  # maximum number of games after the first incomplete set-up; bounds memory
BLOCK_GAMES = 20_000
MOST_DEATHS = 3  # the tournament ends after so many process deaths in one game while no agent was to move
WAIT_SECONDS = 0.5

GAMES, INTERVAL, MINUTES, TEST = "games", "interval", "minutes", "test"  # values of `stopped_by`


@dataclass
class Progress:
    """The argument of `watch`."""

    games: int  # number of finished games
    new: int  # games finished since the last call
    forfeits: np.ndarray  # journal records of the forfeited games among the new ones


def run_tournament(
    tournament: Tournament,
    folder: str | Path | None = None,
    *,
    resume: bool = False,
    engine: str = LOCAL,
    workers: int | None = None,
    ray_address: str | None = None,
    minutes: float | None = None,
    watch: Callable[[Progress], object] = lambda progress: None,
) -> Json:
    """Play a tournament to its end and return its report (arena.json).

    Args:
        tournament: from `tournament.define`.
        folder: where the journal is stored; a later run can resume from it. None: nothing is stored.
        resume: resume the tournament in the folder, if there is one.
        engine: "local" or "ray".
        workers: maximum number of worker processes; None: 2, or 1 on one core (Ray: one for each core).
        ray_address: address of a running cluster; None: start one on this machine.
        minutes: after this time, start no more games; at least one set-up is played.
        watch: called when games have finished.

    Returns:
        The report of `tournament_report` with `stopped_by` ("games", "interval", "minutes", "test"),
        `records`, and `test` if the tournament has one. It depends on the tournament alone, except for
        `ms_per_decision` and, if time ends the tournament, the number of games.

    Raises:
        SpaceMissionError: an option, the folder or an agent cannot be used.
    """
    if not isinstance(tournament, Tournament):
        raise AgentError(f"tournament: expected what `define` returns, not {shown(tournament)}")
    if not isinstance(engine, str) or engine not in (LOCAL, RAY):
        raise AgentError(f"engine: expected {LOCAL} or {RAY}, not {shown(engine)}")
    if ray_address is not None and engine != RAY:
        raise AgentError("ray address: needs --engine ray")
    if minutes is not None and not (isinstance(minutes, int | float) and 0 < minutes <= 1e6):
        raise AgentError(f"minutes: expected more than 0, at most 1000000, not {shown(minutes)}")
    if folder is None and (resume or tournament.records):
        raise AgentError(f"{'resume' if resume else 'records'}: needs the folder of the tournament (--out)")
    if engine == LOCAL or ray_address is None:
        workers = worker_count(workers)
    with _passing_folder() if folder is None else tournament_folder(folder, tournament, resume) as where:
        journal = where / JOURNAL_FILE
        one_by_one = LocalEngine(tournament, where, journal, workers if engine == LOCAL and workers else 1)
        plays: Engine = one_by_one
        with ExitStack() as stack:
            if engine == RAY:
                from spacemission_agents.arena.ray_workers import RayEngine

                # Ray reports dead nodes on standard output, where `--json` prints.
                stack.enter_context(redirect_stdout(sys.stderr))
                plays = ray = RayEngine(tournament, where, journal, workers, ray_address)
                workers = ray.workers
            run = TournamentRun(tournament, journal, plays, one_by_one, workers or 1, minutes, watch)
            run.play()
        return {**run.report(), "records": join_records(where, tournament, run.tally.set_ups, journal)}


@contextmanager
def _passing_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="spacemission-") as folder:
        (Path(folder) / JOURNAL_FILE).touch()
        yield Path(folder)


class TournamentRun:
    """One run of a tournament."""

    def __init__(
        self,
        tournament: Tournament,
        journal: Path,
        engine: Engine,
        one_by_one: Engine,
        workers: int,
        minutes: float | None = None,
        watch: Callable[[Progress], object] = lambda progress: None,
    ) -> None:
        """Open the journal, which exists.

        `engine` plays `workers` units at a time and writes to the journal. `one_by_one` plays the units in
        which a process has ended; it may be the same engine.
        """
        self.tournament = tournament
        self.schedule = tournament.schedule
        lineups = self.schedule.lineups
        self.tally = Tally(lineups, len(tournament.agents), tournament.game_spec)
        self.trial: Trial | None = None
        if tournament.test is not None:
            self.trial = Trial(tournament.test, lineups, self.tally.whole)
        self.stopped_by: str | None = None  # None during the run
        self._engines = {False: engine, True: one_by_one}  # by `Unit.alone`
        self._workers = workers
        self._end = None if minutes is None else time.monotonic() + 60 * minutes
        self._watch = watch
        record = tournament.record
        self._reader, self._writer = JournalReader(journal, record), JournalWriter(journal)
        self._collected = Collector(self.schedule.per_set_up, tournament.set_ups, journal, record)
        self._queue: deque[Unit] = deque()
        self._next = 0  # next set-up for the workers
        self._block = 0
        self._pace = np.zeros(len(self.schedule.tables))  # seconds for a set-up at each table
        self._under_way = 0

    def play(self) -> None:
        """Play until the tournament ends.

        Raises:
            AgentError: an agent cannot be made in a worker process, or the processes end again and again.
            JournalError: the journal is damaged or cannot be written.
        """
        try:
            self._read_journal()  # games of earlier runs
            while self.stopped_by is None:
                self._hand_out()
                if not self._under_way:
                    assert self._out_of_time()  # the only reason to leave games unplayed
                    self.stopped_by = MINUTES
                    break
                self._listen()
                self._read_journal()
        finally:
            for engine in self._engines.values():
                engine.close()
            self._reader.close()
            self._writer.close()

    def report(self) -> Json:
        """The report after `play`, without `records`."""
        of = self.tournament
        head = header("arena", of.seed, of.players, of.rules, of.components, of.game)
        report = tournament_report(head, of, self.tally)
        report["stopped_by"] = self.stopped_by
        if self.trial is not None:
            test = self.trial.report(of.names)
            report = {"conclusion": conclusion(test), **report, "test": test}
        return report

    # -------------------------------------------------------- count results

    def _read_journal(self) -> None:
        """Read and count new records until the tournament ends."""
        while self.stopped_by is None and len(records := self._reader.read()):
            new = self._collected.add(records, self._reader.read_so_far - len(records))
            if new.any():
                forfeits = records[new & (records["ending"] == FORFEITED)]
                self._watch(Progress(self._collected.games, int(new.sum()), forfeits))
            self._count()

    def _count(self) -> None:
        tally, interval = self.tally, self.tournament.interval
        while self.stopped_by is None:
            most = milestone_after(tally.set_ups) - tally.set_ups if interval is not None else None
            whole = self._collected.take(most)
            if not len(whole):
                return
            if self.trial is not None:
                whole = whole[: self.trial.add(whole)]
            tally.fold(whole)
            at_milestone = len(whole) == most
            if self.trial is not None and self.trial.verdict is not None:
                self.stopped_by = TEST
            elif tally.set_ups == self.tournament.set_ups:
                self.stopped_by = GAMES
            elif interval is not None and at_milestone and tally.widest() <= interval / 100:
                self.stopped_by = INTERVAL

    # -------------------------------------------------------- hand out games

    def _out_of_time(self) -> bool:
        # A report needs at least one set-up.
        return self._end is not None and time.monotonic() > self._end and self.tally.set_ups > 0

    def _hand_out(self) -> None:
        if self._out_of_time():
            self._queue.clear()
        while self._queue or (not self._out_of_time() and self._make_block()):
            engine = self._engines[self._queue[0].alone]
            if not engine.room():
                return
            engine.submit(self._queue.popleft())
            self._under_way += 1

    def _make_block(self) -> bool:
        """Queue the next set-ups, without games that the journal has; False if there are none."""
        while not self._queue:
            first = self._next
            waiting = (first - self._collected.first) * self.schedule.per_set_up
            if first == self.tournament.set_ups or waiting > max(MOST_WAITING, 4 * self.schedule.per_set_up):
                return False
            self._next = first + self._block_size(first)
            for table in range(len(self.schedule.tables)):
                numbers = self.schedule.numbers(table, first, self._next)
                numbers = numbers[self._collected.missing(numbers)]
                if len(numbers):
                    self._queue.append(Unit(numbers, table))
        return True

    def _block_size(self, first: int) -> int:
        tables, per_set_up = len(self.schedule.tables), self.schedule.per_set_up
        slowest = float(self._pace.max())
        size = int(UNIT_SECONDS / slowest) if slowest else 1
        size = min(size, GROWTH * max(self._block, 1), BLOCK_GAMES // per_set_up)
        if self.tournament.interval is not None:
            size = min(size, milestone_after(first) - first)
        if self.tournament.set_ups is not None:
            left = self.tournament.set_ups - first
            # smaller blocks at the end, so that all workers finish at about the same time
            size = min(size, left, -(-left * tables // (2 * self._workers)))
        self._block = max(1, size)
        return self._block

    # -------------------------------------------------------- wait for workers

    def _listen(self) -> None:
        engines = list(dict.fromkeys(self._engines.values()))
        for engine in engines:
            for ended in engine.wait(WAIT_SECONDS / len(engines)):
                self._under_way -= 1
                if isinstance(ended, Done):
                    set_ups = -(-len(ended.unit.numbers) // self.schedule.seats)
                    self._pace[ended.unit.table] = ended.seconds / set_ups
                else:
                    self._died(ended)

    def _died(self, died: Died) -> None:
        """Play the rest of a unit one game at a time; if that was so already, the agent to move forfeits."""
        self._read_journal()
        unit = died.unit
        left = unit.numbers[self._collected.missing(unit.numbers)]
        deaths = unit.deaths
        if unit.alone and died.agent >= 0 and died.game in left:
            self._forfeit(died)
            left, deaths = left[left != died.game], 0
        elif unit.alone:
            deaths += 1
            if deaths >= MOST_DEATHS:
                raise AgentError(
                    f"arena: game {int(left[0])}: the process that plays it ended {deaths} times while no "
                    "agent was to move"
                )
        if len(left) and not self._out_of_time():
            self._queue.appendleft(replace(unit, numbers=left, alone=True, deaths=deaths))

    def _forfeit(self, died: Died) -> None:
        limit = self.tournament.seconds_per_decision
        reason, text = (TOO_SLOW, f"no answer within {limit:g} s") if died.hung else (DIED, DIED_TEXT)
        empty = empty_record(died.game, self.tournament.record)
        record = forfeit_record(empty, died.seat, self.schedule.seats, reason, text)
        self._writer.append(with_checksums(record))
