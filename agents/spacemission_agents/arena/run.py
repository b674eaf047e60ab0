"""Who plays what when, and when a tournament ends.

Set-ups are handed out in order, in blocks that keep every process busy for about a second. What comes
back is read from the journal, whoever wrote it and when: a resumed run reads the games of the runs
before it in the same way. What the games come to, and after which set-up the tournament ends for
its intervals, depends on the games alone: never on the time they took or on who played them.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.arena.definition import Tournament
from spacemission_agents.arena.figures.luck import LuckSums
from spacemission_agents.arena.figures.report import widest
from spacemission_agents.arena.figures.tally import Tally
from spacemission_agents.arena.play import empty_record, forfeit_record
from spacemission_agents.arena.schedule import milestone_after
from spacemission_agents.arena.sequential import Trial
from spacemission_agents.arena.storage.collect import Collector
from spacemission_agents.arena.storage.journal import (
    FORFEITED,
    JournalError,
    JournalReader,
    JournalWriter,
    with_checksums,
)
from spacemission_agents.arena.workers.forfeits import DIED, DIED_TEXT, TOO_SLOW, Forfeit
from spacemission_agents.arena.workers.protocol import Died, Done, Engine, Unit
from spacemission_env.core.errors import AgentError

UNIT_SECONDS = 1.0
GROWTH = 8  # of a block over the one before it, at most
MOST_WAITING = 50_000  # games that wait for others of their set-up: bounds memory
BLOCK_GAMES = 20_000
MOST_DEATHS = 3  # of processes in one game while no agent is to move
WAIT_SECONDS = 0.5

GAMES, INTERVAL, MINUTES, TEST = "games", "interval", "minutes", "test"  # what ended it


@dataclass
class Progress:
    """What a caller is told after each step.

    Attributes:
        games: that are finished, also those not counted yet.
        new: of these, those since the last call.
        forfeits: records of those among the new ones that were forfeited.
    """

    games: int
    new: int
    forfeits: np.ndarray


class TournamentRun:
    """One run of a tournament, from its journal on.

    Attributes:
        tally: the set-ups counted so far.
        luck: sums of what luck was worth, where it is taken out.
        trial: the test under way, where one is made.
        stopped_by: "games", "interval", "minutes" or "test" when it has ended.
    """

    def __init__(
        self,
        tournament: Tournament,
        journal: Path,
        engine: Engine,
        one_by_one: Engine,
        workers: int,
        minutes: float | None = None,
        watch: Callable[[Progress], Any] = lambda progress: None,
    ) -> None:
        """Prepare it; `play` plays.

        Args:
            tournament: what to play.
            journal: its journal, which exists, and which the engines' processes write to.
            engine: plays units.
            one_by_one: plays the units in which a process ended; it may be `engine` itself.
            workers: how many units the engine plays at a time.
            minutes: after so long no game is begun.
            watch: called when games have finished.
        """
        self.tournament = tournament
        self.schedule = tournament.schedule
        self.tally = Tally(self.schedule.lineups, len(tournament.agents), tournament.game_spec)
        self.luck: LuckSums | None = None
        if tournament.luck is not None:
            self.luck = LuckSums(self.schedule.lineups, len(tournament.agents), self.tally.whole)
        self.trial: Trial | None = None
        if tournament.test is not None:
            self.trial = Trial(tournament.test, self.schedule.lineups, self.tally.whole)
        self._record = tournament.record
        self.stopped_by: str | None = None
        self._engine, self._one_by_one = engine, one_by_one
        self._workers = workers
        self._end = None if minutes is None else time.monotonic() + 60 * minutes
        self._watch = watch
        self._reader, self._writer = JournalReader(journal, self._record), JournalWriter(journal)
        self._collected = Collector(self.schedule.per_set_up, tournament.set_ups, journal, self._record)
        self._queue: deque[Unit] = deque()
        self._next = 0  # set-up to be handed out
        self._block = 0
        self._pace = np.zeros(len(self.schedule.tables))  # seconds a set-up at each table
        self._under_way = 0

    def play(self) -> None:
        """Play until the tournament ends.

        Raises:
            AgentError: an agent cannot be made in a playing process, or these keep ending.
            JournalError: the journal is damaged or cannot be written.
        """
        try:
            while self._take_in():  # games of earlier runs
                pass
            while self.stopped_by is None:
                self._hand_out()
                if not self._under_way:
                    assert self._out_of_time()  # nothing else leaves games unplayed
                    self.stopped_by = MINUTES
                    break
                self._listen()
                while self._take_in():
                    pass
        finally:
            self._engine.close()
            self._one_by_one.close()
            self._reader.close()
            self._writer.close()

    # -------------------------------------------------------- what comes back

    def _take_in(self) -> bool:
        """Read and count; whether there may be more."""
        records = self._reader.read()
        if not len(records) or self.stopped_by is not None:
            return False
        new = self._collected.add(records, self._reader.read_so_far - len(records))
        if new.any():
            forfeits = records[new & (records["ending"] == FORFEITED)]
            self._watch(Progress(self._collected.games, int(new.sum()), forfeits))
        self._count()
        return self.stopped_by is None

    def _count(self) -> None:
        tally, asked = self.tally, self.tournament.interval
        while self.stopped_by is None:
            most = milestone_after(tally.set_ups) - tally.set_ups if asked is not None else None
            whole = self._collected.take(most)
            if not len(whole):
                return
            if self.trial is not None:
                whole = whole[: self.trial.add(whole)]
            tally.fold(whole)
            if self.luck is not None:
                self.luck.fold(whole)
            at_milestone = len(whole) == most
            if self.trial is not None and self.trial.verdict is not None:
                self.stopped_by = TEST
            elif tally.set_ups == self.tournament.set_ups:
                self.stopped_by = GAMES
            elif asked is not None and at_milestone and widest(tally) <= asked / 100:
                self.stopped_by = INTERVAL

    # -------------------------------------------------------- what is handed out

    def _out_of_time(self) -> bool:
        # One whole set-up is the least that can be reported.
        return self._end is not None and time.monotonic() > self._end and self.tally.set_ups > 0

    def _hand_out(self) -> None:
        if self._out_of_time():
            self._queue.clear()
            return
        while True:
            if not self._queue:
                self._make_block()
            if not self._queue:
                return
            engine = self._one_by_one if self._queue[0].alone else self._engine
            if not engine.room():
                return
            engine.submit(self._queue.popleft())
            self._under_way += 1

    def _make_block(self) -> None:
        """The next set-ups of every table, without games that the journal has."""
        while not self._queue:
            first = self._next
            last = self.tournament.set_ups
            waiting = (first - self._collected.first) * self.schedule.per_set_up
            if first == last or waiting > max(MOST_WAITING, 4 * self.schedule.per_set_up):
                return
            end = first + self._block_size(first)
            for table in range(len(self.schedule.tables)):
                numbers = self.schedule.numbers(table, first, end)
                numbers = numbers[self._collected.missing(numbers)]
                if len(numbers):
                    set_ups = -(-len(numbers) // self.schedule.seats)
                    self._queue.append(Unit(numbers, table, set_ups))
            self._next = end

    def _block_size(self, first: int) -> int:
        tables, per_set_up = len(self.schedule.tables), self.schedule.per_set_up
        slowest = float(self._pace.max())
        size = int(UNIT_SECONDS / slowest) if slowest else 1
        size = min(size, GROWTH * max(self._block, 1), BLOCK_GAMES // per_set_up)
        if self.tournament.interval is not None:
            size = min(size, milestone_after(first) - first)
        if self.tournament.set_ups is not None:
            left = self.tournament.set_ups - first
            # the last blocks are smaller, so that all processes end at about the same time
            size = min(size, left, -(-left * tables // (2 * self._workers)))
        self._block = max(1, size)
        return self._block

    # -------------------------------------------------------- what happens meanwhile

    def _listen(self) -> None:
        engines = [self._engine]
        if self._one_by_one is not self._engine:
            engines.append(self._one_by_one)
        for engine in engines:
            for ended in engine.wait(WAIT_SECONDS / len(engines)):
                self._under_way -= 1
                if isinstance(ended, Done):
                    self._pace[ended.unit.table] = ended.seconds / ended.unit.set_ups
                else:
                    self._died(ended)

    def _died(self, died: Died) -> None:
        """A process ended: play the rest of its unit game by game; the second time, somebody forfeits."""
        while self._take_in():
            pass
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
            set_ups = -(-len(left) // self.schedule.seats)
            self._queue.appendleft(replace(unit, numbers=left, set_ups=set_ups, alone=True, deaths=deaths))

    def _forfeit(self, died: Died) -> None:
        limit = self.tournament.seconds_per_decision
        why = Forfeit(TOO_SLOW, f"no answer within {limit:g} s") if died.hung else Forfeit(DIED, DIED_TEXT)
        record = forfeit_record(empty_record(died.game, self._record), died.seat, self.schedule.seats, why)
        try:
            self._writer.append(with_checksums(record))
        except OSError as error:
            raise JournalError(f"journal: cannot be written: {error.strerror or error}") from None
