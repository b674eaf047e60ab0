"""Defines and runs tournaments: gives games to workers, stores and counts results, and reports them.

Workers get set-ups in order, in units of about a second of work. A resumed run reads the games of earlier
runs from the file and counts them in the same way. The order in which games end changes neither the report
nor, if `Limits.interval` ends the tournament, the set-up after which it ends.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from spacemission_agents.arena.play import check_labels, check_list, only_here, worker_count
from spacemission_agents.arena.report import header, tournament_report
from spacemission_agents.arena.results import Collector, Games, ResultsFile
from spacemission_agents.arena.schedule import (
    MOST_GAMES,
    Limits,
    Tournament,
    Unit,
    check_range,
    milestone_after,
)
from spacemission_agents.arena.sequential import Trial, conclusion
from spacemission_agents.arena.shares import Tally
from spacemission_agents.arena.workers import Done, LocalEngine, RayEngine
from spacemission_agents.bots.bot import is_bot, try_bot
from spacemission_agents.models.card import weights_digest
from spacemission_agents.report.page import prepare_folder
from spacemission_env.core.agents import GameInfo, agent_name, label_and_spec, make_agent, prepare_agents
from spacemission_env.core.arguments import check_seed
from spacemission_env.core.errors import AgentError, shown
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import Json

LOCAL, RAY = "local", "ray"
UNIT_SECONDS = 1.0
GROWTH = 8  # a block has at most this many times as many set-ups as the block before it
MOST_WAITING = 50_000  # maximum number of games after the first incomplete set-up
BLOCK_GAMES = 20_000
MOST_DEATHS = 3  # after this number of process deaths in one unit the tournament ends
WAIT_SECONDS = 0.5

GAMES, INTERVAL, MINUTES, TEST = "games", "interval", "minutes", "test"  # values of `stopped_by`


@dataclass(frozen=True)
class RunOptions:
    """How a run plays; no option changes a result, except the number of games if time ends the run."""

    resume: bool = False  # resume the tournament in the folder, if there is one
    engine: str = LOCAL  # or RAY
    ray_address: str | None = None  # address of a running cluster; None: start one on this machine
    workers: int | None = None  # maximum of processes; None: 2, or 1 on one core (Ray: one for each core)
    minutes: float | None = None  # after this time, start no more games; at least one set-up is played

    def check(self) -> None:
        """Raise AgentError if an option is not possible."""
        if not isinstance(self.engine, str) or self.engine not in (LOCAL, RAY):
            raise AgentError(f"engine: expected {LOCAL} or {RAY}, not {shown(self.engine)}")
        if self.ray_address is not None and self.engine != RAY:
            raise AgentError("ray address: needs --engine ray")
        if self.minutes is not None and not (
            isinstance(self.minutes, int | float) and 0 < self.minutes <= 1e6
        ):
            raise AgentError(f"minutes: expected more than 0, at most 1000000, not {shown(self.minutes)}")


@dataclass
class Progress:
    """The argument of `watch`."""

    games: int  # number of finished games
    new: int  # games finished since the last call
    forfeits: list[tuple[int, int, str]]  # game, seat and reason of each new forfeit


def define(
    agents: Sequence[str],
    players: int | None = None,
    limits: Limits | None = None,
    *,
    seed: int = 0,
    rules: object = None,
    components: object = None,
    records: int = 0,
    game: str | GameSpec = DEFAULT_GAME,
) -> Tournament:
    """Define a tournament; for the arguments see `Tournament`, and `Game` for rules and components.

    `players` is by default the game's minimum.

    Raises:
        AgentError: there are fewer than two agents, two have the same name, one cannot be made or does not
            fit the game; or a number is out of its range.
        SetupError: no such game is installed.
    """
    of = find_game(game)
    players = of.learner_players(players)
    limits = Limits() if limits is None else limits
    if not isinstance(limits, Limits):
        raise AgentError(f"limits: expected Limits or None, not {shown(limits)}")
    _check_names(agents, of)
    limits.check(len(agents))
    check_range("records", records, 0, MOST_GAMES, whole=True)
    check_seed(seed)
    rules, components = of.make_rules(rules), of.load_components(components)
    info = GameInfo.of(players, rules, components, of)
    specs = list(dict.fromkeys(label_and_spec(agent)[1] for agent in agents))
    own = {spec: make_agent(spec, of) for spec in specs if not is_bot(spec, of.name)}
    prepare_agents(own.values(), info)
    seconds = limits.seconds_per_decision
    found = {
        spec: weights_digest(own[spec]) if spec in own else try_bot(spec, info, seconds) for spec in specs
    }
    versions = {spec: version for spec, version in found.items() if version}
    at_once = max((agent.games_at_once for agent in own.values()), default=1)
    return Tournament(
        tuple(agents), players, seed, rules, components, limits, records, versions, of.name, at_once
    )  # fmt: skip


def _check_names(agents: Sequence[str], game: GameSpec) -> None:
    check_list(agents)
    if len(agents) < 2:
        raise AgentError(f"arena: expected at least 2 agents, got {len(agents)}")
    for agent in agents:
        if not isinstance(agent, str) or not agent.isprintable():
            raise AgentError(f"agents: expected printable text such as module:Class, not {shown(agent)}")
        if only_here(agent, game):
            raise AgentError(
                f"agent {agent!r}: a tournament plays in other processes, which cannot import it; put it in "
                "a file: module:Class"
            )
    check_labels(agents)
    names = [agent_name(agent) for agent in agents]
    for agent, name in zip(agents, names, strict=True):
        if names.count(name) > 1:
            raise AgentError(
                f"agents: {name!r} is listed twice; give one a name: other={label_and_spec(agent)[1]}"
            )


def run_tournament(
    tournament: Tournament,
    folder: str | Path | None = None,
    options: RunOptions | None = None,
    watch: Callable[[Progress], object] = lambda progress: None,
) -> Json:
    """Play a tournament to its end and return its report (arena.json).

    Args:
        tournament: from `define`.
        folder: where the games are stored; a later run can resume from it. None: nothing is stored.
        options: how the run plays; None: the defaults.
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
    options = RunOptions() if options is None else options
    if not isinstance(options, RunOptions):
        raise AgentError(f"options: expected RunOptions or None, not {shown(options)}")
    options.check()
    if folder is None and (options.resume or tournament.records):
        raise AgentError(
            f"{'resume' if options.resume else 'records'}: needs the folder of the tournament (--out)"
        )
    workers = options.workers
    if options.engine == LOCAL or options.ray_address is None:
        workers = worker_count(workers)
    if folder is not None:
        prepare_folder(folder)
    with ExitStack() as stack:
        results = stack.enter_context(ResultsFile(tournament, folder, options.resume))
        if options.engine == RAY:
            # Ray reports dead nodes on standard output, where `--json` prints.
            stack.enter_context(redirect_stdout(sys.stderr))
            engine: LocalEngine | RayEngine = RayEngine(tournament, workers, options.ray_address)
        else:
            engine = LocalEngine(tournament, workers or 1)
        run = TournamentRun(tournament, results, engine, options.minutes, watch)
        run.play()
        return {**run.report(), "records": results.write_records(run.set_ups)}


class TournamentRun:
    """One run of a tournament."""

    def __init__(
        self,
        tournament: Tournament,
        results: ResultsFile,
        engine: LocalEngine | RayEngine,
        minutes: float | None,
        watch: Callable[[Progress], object],
    ) -> None:
        self.tournament, self.results = tournament, results
        self.schedule = tournament.schedule
        self.set_ups = 0  # complete set-ups that count
        self.trial: Trial | None = None
        if tournament.limits.test is not None:
            self.trial = Trial(tournament.limits.test, self.schedule.lineups)
        self.stopped_by: str | None = None  # None during the run
        self._engine = engine
        self._end = None if minutes is None else time.monotonic() + 60 * minutes
        self._watch = watch
        self._collected = Collector(tournament)
        self._queue: deque[Unit] = deque()
        self._next = 0  # next set-up for the workers
        self._block = 0
        self._pace = np.zeros(len(self.schedule.tables))  # seconds for a set-up at each table
        self._under_way = 0

    def play(self) -> None:
        """Play until the tournament ends.

        Raises:
            AgentError: an agent cannot be made in a worker process, or too many processes ended in one unit.
            ResultsError: the file is damaged or cannot be written.
        """
        try:
            for rows in self.results.read():  # games of earlier runs
                self._add(Games(rows))
                if self.stopped_by is not None:
                    return
            while self.stopped_by is None:
                self._hand_out()
                if not self._under_way:
                    assert self._out_of_time()  # no other reason leaves games unplayed
                    self.stopped_by = MINUTES
                    return
                self._listen()
        finally:
            self._engine.close()

    def tally(self) -> Tally:
        """The set-ups that count so far."""
        rows = self._collected.rows[: self.set_ups]
        return Tally(rows, self.schedule.lineups, self.tournament.game_spec)

    def report(self) -> Json:
        """The report after `play`, without `records`."""
        of = self.tournament
        head = header("arena", of.seed, of.players, of.rules, of.components, of.game)
        report = tournament_report(head, of, self.tally(), self.results)
        report["stopped_by"] = self.stopped_by
        if self.trial is not None:
            test = self.trial.report(of.names)
            report = {"conclusion": conclusion(test), **report, "test": test}
        return report

    # -------------------------------------------------------- count results

    def _add(self, games: Games) -> None:
        """Count stored games, until the tournament ends."""
        new = self._collected.add(games.rows)
        if len(new):
            seats = dict(zip(new["game"].tolist(), new["seat"].tolist(), strict=True))
            forfeits = [(game, seats[game], text) for game, (_, text) in sorted(games.why.items())]
            self._watch(Progress(self._collected.games, len(new), forfeits))
        self._count()

    def _count(self) -> None:
        interval = self.tournament.limits.interval
        while self.stopped_by is None:
            most = milestone_after(self.set_ups) - self.set_ups if interval is not None else None
            whole = self._collected.take(most)
            if not len(whole):
                return
            self.set_ups += len(whole) if self.trial is None else self.trial.add(whole)
            at_milestone = len(whole) == most
            if self.trial is not None and self.trial.verdict is not None:
                self.stopped_by = TEST
            elif self.set_ups == self.tournament.set_ups:
                self.stopped_by = GAMES
            elif interval is not None and at_milestone and self.tally().widest() <= interval / 100:
                self.stopped_by = INTERVAL

    # -------------------------------------------------------- hand out games

    def _out_of_time(self) -> bool:
        # A report needs at least one set-up.
        return self._end is not None and time.monotonic() > self._end and self.set_ups > 0

    def _hand_out(self) -> None:
        if self._out_of_time():
            self._queue.clear()
        while self._queue or (not self._out_of_time() and self._make_block()):
            if not self._engine.room():
                return
            self._engine.submit(self._queue.popleft())
            self._under_way += 1

    def _make_block(self) -> bool:
        """Queue the next set-ups, except stored games; return False if no set-up may be queued now."""
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
        together = -(-self.tournament.at_once // self.schedule.seats)
        size = max(size, together)
        if self.tournament.limits.interval is not None:
            size = min(size, milestone_after(first) - first)
        if self.tournament.set_ups is not None:
            left = self.tournament.set_ups - first
            # smaller blocks at the end, so that all workers finish at about the same time
            size = min(size, left, max(together, -(-left * tables // (2 * self._engine.workers))))
        self._block = max(1, size)
        return self._block

    # -------------------------------------------------------- wait for workers

    def _listen(self) -> None:
        for news in self._engine.wait(WAIT_SECONDS):
            if isinstance(news, Games):
                self._write(news)
            elif isinstance(news, Done):
                self._under_way -= 1
                set_ups = -(-len(news.unit.numbers) // self.schedule.seats)
                self._pace[news.unit.table] = news.seconds / set_ups
            else:
                self._under_way -= 1
                self._play_again(news.unit)
            if self.stopped_by is not None:
                return

    def _write(self, games: Games) -> None:
        self.results.write(games)
        self._add(games)

    def _play_again(self, unit: Unit) -> None:
        """Queue the rest of a unit whose process ended."""
        left = unit.numbers[self._collected.missing(unit.numbers)]
        if not len(left) or self._out_of_time():
            return
        if unit.deaths + 1 == MOST_DEATHS:
            raise AgentError(f"arena: game {left[0]}: the process that plays it ended {MOST_DEATHS} times")
        self._queue.appendleft(replace(unit, numbers=left, deaths=unit.deaths + 1))
