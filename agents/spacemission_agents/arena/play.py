"""Plays games between agents and returns their results; uses worker processes for long jobs.

A game's result depends only on its seed and its line-up (which agent has which seat), because agents take
their random numbers from the keys of decisions.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from spacemission_agents.arena.results import (
    CUT_OFF,
    FORFEITED,
    NOBODY,
    PLAYED_OUT,
    Games,
    row_type,
)
from spacemission_agents.arena.schedule import Tournament
from spacemission_agents.bots.bot import Bots, is_bot, result_of
from spacemission_agents.bots.protocol import FAILED, ILLEGAL, TOO_SLOW, WRONG_FORM, Forfeit
from spacemission_env.core.agents import (
    Agent,
    Decisions,
    GameInfo,
    agent_entries,
    agent_name,
    integers,
    label_and_spec,
    make_agent,
    prepare_agents,
)
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import TRUNCATED
from spacemission_env.core.errors import AgentError, SetupError, StopError, failure, shown
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, GameSpec, Rules, find_game
from spacemission_env.frontends.turns import Turns, answers
from spacemission_env.records.writer import GameRecord, Recording, RecordWriter

BATCH = 256  # maximum number of games in a batch
SMALLEST_BATCH = 32
WORTH_SECONDS = 4.0  # work that takes longer than this is worth worker processes
LONGEST_LABEL = 60  # maximum number of characters of a label

# The positional arguments of `_play_job`.
Job = tuple[tuple[str | Agent, ...], np.ndarray, np.ndarray, Rules, Components, str, int]
Forfeits = dict[int, Forfeit]  # keys: rows of a batch, or games


@dataclass(frozen=True)
class Results:
    """The results of games, one row each."""

    lineups: np.ndarray  # agent index by seat, int64 (games, seats)
    seeds: np.ndarray  # int64 (games,)
    scores: np.ndarray  # by the game's `score_names`, int64 (games, seats, categories)
    winners: np.ndarray  # bool (games, seats); a game may have several winners, or none
    decisions: np.ndarray  # number of decisions of each seat, int64 (games, seats)
    rounds: np.ndarray  # int16 (games,)
    truncated: np.ndarray  # whether the round limit ended the game, bool (games,)
    ranking: np.ndarray  # rank of each seat, larger is better: int64 (games, seats)

    @property
    def shares(self) -> np.ndarray:
        """Shares of the win, float64 (games, seats)."""
        return win_shares(self.winners)


def win_shares(winners: np.ndarray) -> np.ndarray:
    """Shares of the win, float64 (games, seats): 1 / winners for each winner, else 0."""
    shares: np.ndarray = winners / np.maximum(1, winners.sum(1, keepdims=True))
    return shares


class Records(Recording):
    """Keeps the records of some games of a batch, by the place of the game in the batch."""

    def __init__(self, records: dict[int, GameRecord]) -> None:
        """`records`: the records of games that have just been dealt, by place."""
        super().__init__()
        self.records = records

    def __bool__(self) -> bool:
        return bool(self.records)

    def before(self, action: int, place: int = 0) -> None:
        """Record a legal move before it is made."""
        if place in self.records:
            self.records[place].before(action)

    def finish(self, place: int = 0) -> None:
        """Complete the record of a game that has ended."""
        if place in self.records:
            self.records[place].finish()


class GameBatch:
    """Plays a batch of games to their ends."""

    def __init__(
        self,
        lineups: np.ndarray,
        seeds: Sequence[int],
        rules: Rules,
        components: Components,
        game: str,
        names: Sequence[str],
        recorded: Iterable[int],
        tells: bool,
    ) -> None:
        """Deal the games.

        Args:
            lineups: agent index by seat, int64 (games, seats).
            seeds: seed of each game.
            rules: rules of all games.
            components: components of all games.
            game: name of the game.
            names: names of the agents, for the records.
            recorded: indices of games to record.
            tells: whether an agent may ask for the moves so far (`Decisions.history`).
        """
        self._tells = tells
        self.lineups = lineups  # agent index by seat, int64 (games, seats)
        self.games = BatchedGames(len(lineups), lineups.shape[1], rules, components, game=game)
        for i, seed in enumerate(seeds):
            self.games.deal(i, seed)
        self.decisions = np.zeros(lineups.shape, np.int64)  # number of decisions of each seat so far
        self.records = {i: GameRecord(self.games.game(i), [names[a] for a in lineups[i]]) for i in recorded}
        self._seeds = list(seeds)
        self._moves: list[list[int]] = [[] for _ in lineups]
        self._replays: dict[tuple[int, int], tuple[Game, list[int], list[str]]] = {}  # by game and seat
        self._turns = Turns(self.games, (), lineups, Records(self.records))

    def play(
        self,
        answer: Callable[[np.ndarray, np.ndarray, Decisions], tuple[np.ndarray, Forfeits]],
        ended: Callable[[np.ndarray, Forfeits], None],
    ) -> None:
        """Play all games to their ends.

        Args:
            answer: called with indices of games (n,), the index of the agent to move in each game (n,), and
                the decisions; returns actions int64 (n,) and the forfeits by row.
            ended: called with the indices of games that have ended, and with the forfeits by game.
        """
        index = self.games.everyone
        while True:
            index, movers = self._turns.waiting(index)
            if not len(index):
                return
            decisions = self.games.ask(index)
            if self._tells:
                decisions = replace(decisions, history=partial(self._history, index))
            actions, forfeits = answer(index, movers, decisions)
            if self._tells:
                for i, action in zip(index.tolist(), actions.tolist(), strict=True):
                    self._moves[i].append(action)
            self.decisions[index, self.games.players[index]] += 1
            self._add_illegal(forfeits, index, decisions.masks, actions)
            lost = {int(index[row]): why for row, why in forfeits.items()}
            rows = np.delete(np.arange(len(index)), list(forfeits))
            index = index[rows]
            self._turns.play(index, actions[rows])
            ended(index[self.games.over[index]], lost)

    def _history(self, index: np.ndarray, row: int) -> list[str]:
        """The moves of a game so far, as the seat to move saw them, from a replay of the game."""
        i = int(index[row])
        seat = int(self.games.players[i])
        if (i, seat) not in self._replays:
            game = self.games.game(i).clone()
            game.reset(self._seeds[i])
            self._replays[i, seat] = game, [], []
        game, made, seen = self._replays[i, seat]
        for action in self._moves[i][len(made) :]:
            line = game.history_line(action, seat)
            if line is not None:
                seen.append(line)
            game.step(action)
            made.append(action)
        return list(seen)

    def _add_illegal(
        self, forfeits: Forfeits, index: np.ndarray, masks: np.ndarray, actions: np.ndarray
    ) -> None:
        known = (actions >= 0) & (actions < masks.shape[1])
        legal = known & (masks[np.arange(len(index)), np.where(known, actions, 0)] == 1)
        for row in np.flatnonzero(~legal).tolist():
            if row not in forfeits:
                why = self.games.game(int(index[row])).why_illegal(int(actions[row]))
                forfeits[row] = Forfeit(ILLEGAL, str(why))


def play_games(
    agents: Sequence[str | Agent],
    lineups: ArrayLike,
    seeds: ArrayLike,
    rules: object = None,
    components: object = None,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    record: RecordWriter | None = None,
    game: str | GameSpec = DEFAULT_GAME,
    ended: Callable[[Game], None] | None = None,
) -> Results:
    """Play games and return their results in the order of `lineups`.

    Args:
        agents: `spec` or `label=spec`, Agent objects, or functions. With objects, functions or classes of
            `__main__`, all games are played in this process.
        lineups: agent index by seat, shape (games, seats).
        seeds: seed of each game, shape (games,).
        rules: preset name, dict of options, a rules object or None, as for `Game`.
        components: path of a components file, or None, as for `Game`.
        workers: maximum number of worker processes; None: 2, or 1 on one core. It changes no result.
        progress: called with the number of games that have just ended.
        record: gets the record of each game, in order. The games are then played in this process.
        game: name or `GameSpec`.
        ended: called with each game at its end, in order. The games are then played in this process.

    Raises:
        AgentError: an agent cannot be made, does not fit the game, fails or plays an illegal move. The
            record then has only the complete games of earlier batches.
        SetupError: no such game is installed, or line-ups or seeds are wrong.
    """
    spec = find_game(game)
    rules, components = spec.make_rules(rules), spec.load_components(components)
    check_list(agents)
    if record is not None and not isinstance(record, RecordWriter):
        raise SetupError(f"record: expected a RecordWriter, such as RecordWriter(path), not {shown(record)}")
    seated, dealt = _checked(lineups, seeds, len(agents))
    players = spec.check_num_players(seated.shape[1])
    check_labels(agents)
    made = [make_agent(agent_spec(agent), spec) for agent in agents]
    prepare_agents(made, GameInfo.of(players, rules, components, spec))
    size = min(BATCH, max(SMALLEST_BATCH, len(dealt) // 8))
    jobs: list[Job] = [
        (tuple(agents), seated[i : i + size], dealt[i : i + size], rules, components, spec.name, i)
        for i in range(0, len(dealt), size)
    ]
    alone = record is not None or ended is not None or any(only_here(agent, spec) for agent in agents)
    parts: list[Results] = []

    def done(part: Results) -> None:
        parts.append(part)
        if progress:
            progress(len(part.seeds))

    workers = 1 if alone else worker_count(workers)
    began = time.perf_counter()
    for i, job in enumerate(jobs):
        left = (len(jobs) - i) * (time.perf_counter() - began) / max(i, 1)
        if i and workers > 1 and len(jobs) - i > 1 and left > WORTH_SECONDS:
            _play_in_pool(jobs[i:], workers, done)
            break
        done(_play_job(*job, record=record, game_ended=ended))
    joined = {f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Results)}
    return Results(**joined)


def _checked(lineups: object, seeds: object, agents: int) -> tuple[np.ndarray, np.ndarray]:
    """Line-ups int64 (games, seats) and seeds int64 (games,); SetupError if shape, type or range is wrong."""
    found = []
    for what, values, axes in (("lineups", lineups, 2), ("seeds", seeds, 1)):
        try:
            array = np.asarray(values)
        except Exception:  # such as for ragged lists and foreign objects
            array = np.empty(0)
        if array.ndim != axes or array.dtype.kind not in "iu" or not array.size or array.min() < 0:
            shape = ("(games,)", "(games, seats)")[axes - 1]
            raise SetupError(f"{what}: expected whole numbers from 0 of shape {shape}, not {shown(values)}")
        found.append(array.astype(np.int64))
    seated, dealt = found
    if seated.min() < 0 or seated.max() >= agents:
        raise SetupError(f"lineups: expected indices of {agents} agents, not {seated.max()}")
    if len(seated) != len(dealt) or dealt.min() < 0:
        raise SetupError(f"seeds: expected one from 0 to 2**63 - 1 for each of {len(seated)} games")
    return seated, dealt


def _play_job(
    of: Sequence[str | Agent],
    lineups: np.ndarray,
    seeds: np.ndarray,
    rules: Rules,
    components: Components,
    game: str,
    first: int,
    record: RecordWriter | None = None,
    game_ended: Callable[[Game], None] | None = None,
) -> Results:
    """Play a batch of games with new agents; `first`: number of the first game, for messages."""
    names = [agent_name(agent) for agent in of]
    agents = [make_agent(agent_spec(agent), game) for agent in of]
    recorded = range(len(seeds)) if record else ()
    tells = any("games" in agent.needs for agent in agents)
    batch = GameBatch(lineups, seeds.tolist(), rules, components, game, names, recorded, tells)
    games = batch.games
    prepare_agents(agents, games.info)

    def answer(index: np.ndarray, movers: np.ndarray, decisions: Decisions) -> tuple[np.ndarray, Forfeits]:
        return answers(agents, movers, decisions, names), {}

    def ended(index: np.ndarray, forfeits: Forfeits) -> None:
        for i, why in sorted(forfeits.items()):
            name = names[lineups[i, games.players[i]]]
            raise AgentError(f"agent {name!r}: game {first + i} (seed {seeds[i]}): {why.text}")

    batch.play(answer, ended)
    for i in range(games.count):
        if record:
            record.add(batch.records[i])
        if game_ended:
            game_ended(games.game(i))
    scores, ranks, winners = games.outcome(games.everyone)
    truncated, rounds = games.states["over"] == TRUNCATED, games.states["round_number"].copy()
    return Results(lineups, seeds, scores, winners, batch.decisions, rounds, truncated, ranks)


def _play_in_pool(jobs: list[Job], workers: int, done: Callable[[Results], None]) -> None:
    # "spawn" works on every system and is safe in a process with threads.
    context = multiprocessing.get_context("spawn")
    # With the default SIGINT handler a worker ends without a traceback.
    end_quietly = signal.signal, (signal.SIGINT, signal.SIG_DFL)
    with ProcessPoolExecutor(min(workers, len(jobs)), context, *end_quietly) as pool:
        with without_main():
            futures = [pool.submit(_play_job, *job) for job in jobs]
        try:
            for future in futures:
                done(future.result())
        except BrokenProcessPool:
            raise AgentError("arena: a worker process ended; try again with one worker") from None
        finally:
            for future in futures:
                future.cancel()


@contextmanager
def without_main() -> Iterator[None]:
    """Keep processes that are started in this block from importing this process's `__main__`.

    The processes do not need `__main__`. If it is a script, each process would run it again, up to this call.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def only_here(agent: object, game: GameSpec) -> bool:
    """Whether no other process can make this agent.

    This holds for an object, a function, and a class that cannot be imported, such as one of a notebook.
    """
    if not isinstance(agent, str):
        return True
    name = label_and_spec(agent)[1].strip().partition(":")[0]
    if name in agent_entries(game) or name not in sys.modules:
        return False
    found = getattr(sys.modules[name], "__spec__", None)
    return found is None or found.name != name


def worker_count(workers: int | None) -> int:
    """The number of worker processes; AgentError unless `workers` is None or a positive integer."""
    if workers is None:
        return min(2, os.cpu_count() or 1)
    if type(workers) is not int or workers < 1:
        raise AgentError(f"workers: expected a whole number from 1, not {workers!r}")
    return workers


def agent_spec(agent: str | Agent) -> str | Agent:
    """The agent without its label."""
    return label_and_spec(agent)[1] if isinstance(agent, str) else agent


def check_list(agents: object) -> None:
    """Raise AgentError unless `agents` is a list; a string would count as a list of its letters."""
    if not isinstance(agents, Sequence) or isinstance(agents, str | bytes):
        raise AgentError(f"agents: expected a list of agents, not {shown(agents)}")


def check_labels(agents: Iterable[str | Agent]) -> None:
    """Raise AgentError if a label is malformed, or if two different agents have the same name."""
    called: dict[str, str] = {}
    for agent in agents:
        if not isinstance(agent, str):
            continue
        label, spec = label_and_spec(agent)
        if label is not None and (not label or len(label) > LONGEST_LABEL or not label.isprintable()):
            raise AgentError(
                f"agents: {shown(agent)}: expected 1 to {LONGEST_LABEL} printable characters before the ="
            )
        name = agent_name(agent)
        if called.setdefault(name, spec) != spec:
            raise AgentError(f"agents: {name!r} is the name of two agents, {called[name]!r} and {spec!r}")


# ---------------------------------------------------------------- games of a tournament


class OwnAgent:
    """An agent of this package, called in this process; its first call may compile and is not timed."""

    def __init__(self, agent: Agent, seconds: float) -> None:
        """`seconds`: time limit of a decision."""
        self.agent, self._first = agent, True
        self._seconds = max(seconds, agent.seconds_per_decision or 0.0)

    def answers(self, decisions: Decisions, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, Forfeits]:
        """The agent's actions in these rows, int64 (n,), the seconds that each took, and forfeits by row.

        If the agent fails in a batch, it decides each row alone and forfeits the games in which it fails.
        """
        first, self._first = self._first, False
        began = time.perf_counter()
        try:
            given = self.agent.act(decisions.part(self.agent, rows))
            actions = integers(given, len(rows))
        except StopError:
            raise  # this is not the agent's fault, so it forfeits no game
        except Exception as error:
            if len(rows) > 1:
                return self._one_by_one(decisions, rows)
            form = isinstance(error, AgentError)
            why = (
                Forfeit(WRONG_FORM, str(error)) if form else Forfeit(FAILED, f"failed with {failure(error)}")
            )
            return np.zeros(1, np.int64), np.zeros(1), {int(rows[0]): why}
        took = 0.0 if first else (time.perf_counter() - began) / len(rows)
        forfeits: Forfeits = {}
        if took > self._seconds:
            forfeits = dict.fromkeys(
                rows.tolist(), Forfeit(TOO_SLOW, f"no answer within {self._seconds:g} s")
            )
        return actions, np.full(len(rows), took), forfeits

    def _one_by_one(self, decisions: Decisions, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, Forfeits]:
        answers = [self.answers(decisions, rows[n : n + 1]) for n in range(len(rows))]
        forfeits = {row: why for *_, lost in answers for row, why in lost.items()}
        actions, seconds = (np.concatenate([answer[part] for answer in answers]) for part in (0, 1))
        return actions, seconds, forfeits


class TournamentPlayer:
    """Plays games of a tournament in this process; an agent that fails forfeits its game.

    A game depends on its number and the agents alone, not on the other games of its batch.
    """

    def __init__(self, tournament: Tournament) -> None:
        """Make the agents of this package; bots start when they are needed."""
        self.tournament = of = tournament
        info = GameInfo.of(of.players, of.rules, of.components, of.game)
        made = {a: make_agent(spec, of.game) for a, spec in enumerate(of.specs) if not is_bot(spec, of.game)}
        prepare_agents(made.values(), info)
        seconds = of.limits.seconds_per_decision
        self.own = {a: OwnAgent(agent, seconds) for a, agent in made.items()}
        self.bots = Bots(info, seconds)

    def close(self) -> None:
        """End the bots."""
        self.bots.close()

    def play(self, numbers: np.ndarray, sink: Callable[[Games], object]) -> None:
        """Play the games with these numbers to their ends; `sink` gets games that have ended."""
        for start in range(0, len(numbers), BATCH):
            _TournamentBatch(self, numbers[start : start + BATCH], sink).play()


class _TournamentBatch:
    """Plays a batch of tournament games."""

    def __init__(
        self, player: TournamentPlayer, numbers: np.ndarray, sink: Callable[[Games], object]
    ) -> None:
        of, schedule = player.tournament, player.tournament.schedule
        self.player, self.numbers, self.sink, self.schedule = player, numbers, sink, schedule
        self.line_ups = numbers % schedule.per_set_up
        seeds = [schedule.seed_of(number) for number in numbers.tolist()]
        recorded = np.flatnonzero(numbers < of.records * schedule.per_set_up).tolist()
        self.has_bots = len(player.own) < len(of.agents)
        tells = self.has_bots or any("games" in own.agent.needs for own in player.own.values())
        self.batch = GameBatch(
            schedule.lineups_of(numbers), seeds, of.rules, of.components, of.game, of.names, recorded, tells
        )
        self.games = self.batch.games
        self.seconds = np.zeros(self.batch.lineups.shape)

    def play(self) -> None:
        self.batch.play(self._answer, self._ended)

    def _answer(
        self, index: np.ndarray, movers: np.ndarray, decisions: Decisions
    ) -> tuple[np.ndarray, Forfeits]:
        actions = np.zeros(len(index), np.int64)
        forfeits: Forfeits = {}
        seats = self.games.players[index]
        for a in np.unique(movers).tolist():
            rows = np.flatnonzero(movers == a)
            if a in self.player.own:
                actions[rows], seconds, lost = self.player.own[a].answers(decisions, rows)
            else:
                actions[rows], seconds, lost = self._ask_bots(a, index, decisions, rows)
            self.seconds[index[rows], seats[rows]] += seconds
            forfeits |= lost
        return actions, forfeits

    def _ask_bots(
        self, agent: int, index: np.ndarray, decisions: Decisions, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Forfeits]:
        """Ask the bot of each line-up and seat."""
        actions, seconds = np.zeros(len(decisions), np.int64), np.zeros(len(decisions))
        forfeits: Forfeits = {}
        places = np.stack((self.line_ups[index[rows]], self.games.players[index[rows]]), axis=1)
        spec = self.player.tournament.specs[agent]
        for line_up, seat in np.unique(places, axis=0).tolist():
            some = rows[(places == (line_up, seat)).all(1)]
            actions[some], seconds[some], lost = self.player.bots.answers(
                spec, line_up, seat, decisions, lambda row: int(self.numbers[index[row]]), some
            )
            forfeits |= lost
        return actions[rows], seconds[rows], forfeits

    def _tell_ends(self, ended: np.ndarray, forfeits: Forfeits) -> None:
        """Tell the bots how their games ended."""
        specs = self.player.tournament.specs
        for i in ended.tolist():
            game, number = self.games.game(i), int(self.numbers[i])
            result = result_of(game)
            if i in forfeits:
                loser = f"player_{game.player}"
                result = {"reason": "forfeited", "loser": loser, "why": forfeits[i].text}
            for seat, agent in enumerate(self.batch.lineups[i].tolist()):
                if agent not in self.player.own:
                    self.player.bots.end(specs[agent], int(self.line_ups[i]), seat, number, result)

    def _ended(self, index: np.ndarray, forfeits: Forfeits) -> None:
        lost = np.array(list(forfeits), np.int64)
        ended = np.concatenate([lost, index])
        if not len(ended):
            return
        numbers, games = self.numbers[ended], self.games
        rows = np.zeros(len(ended), row_type(self.player.tournament))
        rows["game"], rows["rounds"] = numbers, games.states["round_number"][ended]
        rows["decisions"], rows["seconds"] = self.batch.decisions[ended], self.seconds[ended]
        rows["seat"] = NOBODY
        rows["ending"] = np.where(games.states["over"][ended] == TRUNCATED, CUT_OFF, PLAYED_OUT)
        played, losing = rows[len(lost) :], rows[: len(lost)]
        played["scores"], _, played["winners"] = games.outcome(index)
        losing["ending"], losing["seat"] = FORFEITED, games.players[lost]
        losing["winners"] = losing["seat"][:, None] != np.arange(games.num_players)
        why = {int(self.numbers[i]): (one.kind, one.text) for i, one in forfeits.items()}
        records = self.batch.records  # only those of finished games: the record format has no forfeits
        texts = {int(self.numbers[i]): records[i].text() for i in index.tolist() if i in records}
        if self.has_bots:
            self._tell_ends(ended, forfeits)
        self.sink(Games(rows, why, texts))
