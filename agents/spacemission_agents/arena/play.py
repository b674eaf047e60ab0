"""Playing games of a tournament in this process, many side by side; what ends goes to a `Sink` at once.

A game depends on its number and the agents alone, never on the games beside it, and no agent can stop
the others' games: it forfeits (forfeits.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from spacemission_agents.arena.definition import Tournament
from spacemission_agents.arena.jobs import outcome
from spacemission_agents.arena.luck import Corrections
from spacemission_agents.arena.storage.journal import (
    CUT_OFF,
    FORFEITED,
    NOBODY,
    PLAYED_OUT,
    JournalError,
    bounded,
)
from spacemission_agents.arena.workers.bots import AskingBot, Bots, plays_in_process
from spacemission_agents.arena.workers.forfeits import Asking, Forfeit
from spacemission_env.core.agents_api import GameInfo, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import TRUNCATED
from spacemission_env.records.writer import GameRecord

BATCH = 256  # games side by side, at most
FIRST_CALL_EXTRA = 20.0  # seconds: what an agent loads at its first call is not its thinking


class Sink(Protocol):
    """Where finished games go."""

    def finished(self, records: np.ndarray, texts: list[tuple[int, str]]) -> None:
        """Take records (n,), not sealed yet, and the game records of those that are recorded, by number."""


class Note(Protocol):
    """Told which agent is about to be asked, so that it is known should it end the process."""

    def __call__(self, agent: int, game: int, seat: int, rows: int) -> None:
        """Agent -1: none, the answer is there."""


@dataclass(frozen=True)
class Setting:
    """What a playing process needs to know."""

    tournament: Tournament
    first_extra: float = FIRST_CALL_EXTRA


class Players:
    """The agents of a tournament in this process, and the games they are asked to play."""

    def __init__(self, setting: Setting, note: Note, going_on: Callable[[], Any] = lambda: None) -> None:
        """Make the agents; `going_on` is called at each step and may raise to end it all."""
        self.tournament = setting.tournament
        self._note = note
        self._going_on = going_on
        seconds, extra = self.tournament.seconds_per_decision, setting.first_extra
        of = self.tournament
        info = GameInfo.of(of.players, of.rules, of.components, of.game)
        self._specs = of.specs
        own = {
            a: make_agent(spec, of.game)
            for a, spec in enumerate(self._specs)
            if plays_in_process(spec, of.game)
        }
        prepare_agents(own.values(), info)
        self._own = own
        self._limits = seconds, extra
        self._asking: dict[tuple[int, ...], Asking] = {
            (a,): Asking(agent, seconds, extra) for a, agent in own.items()
        }
        self._bots = Bots(info)

    def asking(self, agent: int, line_up: int, seat: int) -> tuple[tuple[int, ...], Asking]:
        """Who is asked for this agent there, and by what it is told apart: bots by line-up and seat."""
        key: tuple[int, ...] = (agent,)
        if key not in self._asking:
            key = (agent, line_up, seat)
            if key not in self._asking:
                place, spec = (line_up, seat), self._specs[agent]
                self._asking[key] = AskingBot(self._bots, spec, place, *self._limits)
        return key, self._asking[key]

    def odds(self, agent: int, asked: Any, rows: np.ndarray) -> np.ndarray | None:
        """What an agent of this process draws its moves by, as `Agent.odds` has it."""
        made = self._own.get(agent)
        return None if made is None else made.odds(asked.part(made, rows))

    def close(self) -> None:
        """End the bots' processes."""
        self._bots.close()

    def play(self, numbers: np.ndarray, sink: Sink, alone: bool = False) -> None:
        """Play the games of these numbers to their ends; `alone`: one after the other."""
        for asking in self._asking.values():
            asking.new_unit()
        size = 1 if alone else BATCH
        for start in range(0, len(numbers), size):
            batch = _Batch(self.tournament, numbers[start : start + size])
            batch.play(self, sink, self._note, self._going_on)


class _Batch:
    """Games side by side."""

    def __init__(self, tournament: Tournament, numbers: np.ndarray) -> None:
        self.numbers = numbers
        schedule, seats = tournament.schedule, tournament.players
        self.lineups = schedule.lineups_of(numbers)
        self.per_set_up = schedule.per_set_up
        self.record = tournament.record
        self.games = BatchedGames(
            len(numbers), seats, tournament.rules, tournament.components, game=tournament.game
        )
        for i, number in enumerate(numbers.tolist()):
            self.games.deal(i, schedule.seed_of(number))
        self.luck = None if tournament.luck is None else Corrections(self.games, tournament.endings)
        self.decisions = np.zeros((len(numbers), seats), np.int64)
        self.seconds = np.zeros((len(numbers), seats))
        recorded = np.flatnonzero(numbers < tournament.records * schedule.per_set_up).tolist()
        names = tournament.names
        self.texts = {
            i: GameRecord(self.games.game(i), [names[a] for a in self.lineups[i]]) for i in recorded
        }

    def play(self, players: Players, sink: Sink, note: Note, going_on: Callable[[], Any]) -> None:
        index = self.games.everyone
        while len(index):
            going_on()
            asked = self.games.ask(index)
            actions, forfeits = self._answers(players, index, asked, note)
            stay = np.ones(len(index), bool)
            stay[list(forfeits)] = False
            ended = [self._forfeited(int(index[row]), why) for row, why in forfeits.items()]
            masks, index, actions = asked.masks[stay], index[stay], actions[stay]
            for i, action in zip(index, actions, strict=True) if self.texts else ():
                if i in self.texts:
                    self.texts[int(i)].before(int(action))
            if self.luck is not None:
                odds = self._odds(players, index, asked, np.flatnonzero(stay))
                self.luck.before(index, actions, odds)
            self.games.step(index, actions, masks)
            over = self.games.states["over"][index] != 0
            ended += self._finished(index[over])
            if ended:
                texts = [
                    (int(self.numbers[i]), self.texts[i].text())
                    for i in index[over].tolist()
                    if i in self.texts
                ]
                sink.finished(np.concatenate(ended), texts)
            index = index[~over]

    def _answers(
        self, who: Players, index: np.ndarray, asked: Any, note: Note
    ) -> tuple[np.ndarray, dict[int, Forfeit]]:
        actions = np.zeros(len(index), np.int64)
        forfeits: dict[int, Forfeit] = {}
        players = self.games.players[index]
        to_act = self.lineups[index, players]

        def why_illegal(row: int, action: int) -> str | None:
            return self.games.game(int(index[row])).why_illegal(action)

        for rows, a, asking in self._by_bot(who, index, to_act, players):

            def about_to_ask(row: int, count: int, a: int = a) -> None:
                if row < 0:
                    note(-1, 0, 0, 0)
                else:
                    note(a, int(self.numbers[index[row]]), int(players[row]), count)

            actions[rows], seconds, failed = asking.answers(asked, rows, why_illegal, about_to_ask)
            self.seconds[index[rows], players[rows]] += seconds
            forfeits.update({int(rows[place]): why for place, why in failed.items()})
        self.decisions[index, players] += 1
        return actions, forfeits

    def _odds(self, who: Players, index: np.ndarray, asked: Any, rows: np.ndarray) -> np.ndarray:
        """What agents draw their moves by, float64 (n, actions) for `rows` of `asked`; else 0."""
        odds = np.zeros((len(rows), asked.masks.shape[1]))
        to_act = self.lineups[index, self.games.players[index]]
        for a in np.unique(to_act).tolist():
            mine = np.flatnonzero(to_act == a)
            told = who.odds(a, asked, rows[mine])
            if told is not None:
                odds[mine] = told
        return odds

    def _by_bot(
        self, who: Players, index: np.ndarray, to_act: np.ndarray, seats: np.ndarray
    ) -> list[tuple[np.ndarray, int, Asking]]:
        """The rows that go to one agent, or one bot's process, together."""
        line_ups = self.numbers[index] % self.per_set_up
        found: list[tuple[np.ndarray, int, Asking]] = []
        for a in np.unique(to_act).tolist():
            rows = np.flatnonzero(to_act == a)
            key, asking = who.asking(a, int(line_ups[rows[0]]), int(seats[rows[0]]))
            if len(key) == 1:
                found.append((rows, a, asking))
                continue
            places = np.stack((line_ups[rows], seats[rows]), axis=1)
            for line_up, seat in np.unique(places, axis=0).tolist():
                part = rows[(places == (line_up, seat)).all(1)]
                found.append((part, a, who.asking(a, line_up, seat)[1]))
        return found

    def _finished(self, index: np.ndarray) -> list[np.ndarray]:
        records, seats = [], self.games.num_players
        scores, ranks = outcome(self.games, index)
        winners = self.games.spec.winners(ranks, self.games.states["over"][index])
        if (scores != scores.astype(np.int16)).any():
            raise JournalError(f"journal: {self.games.spec.title}: a score does not fit 16 bits")
        for n, i in enumerate(index.tolist()):
            record = self._record(i)
            record["scores"][0, :seats] = scores[n]
            record["winners"][0, :seats] = winners[n]
            record["ending"] = CUT_OFF if self.games.states["over"][i] == TRUNCATED else PLAYED_OUT
            if i in self.texts:
                self.texts[i].finish()
            records.append(record)
        return records

    def _forfeited(self, i: int, why: Forfeit) -> np.ndarray:
        self.texts.pop(i, None)  # the format has no word for such an end
        return forfeit_record(self._record(i), int(self.games.players[i]), self.games.num_players, why)

    def _record(self, i: int) -> np.ndarray:
        seats = self.games.num_players
        record = empty_record(int(self.numbers[i]), self.record)
        record["decisions"][0, :seats] = self.decisions[i]
        record["seconds"][0, :seats] = self.seconds[i]
        if self.luck is not None:
            record["luck"][0, :seats] = self.luck.parts(i)
        record["rounds"] = self.games.states["round_number"][i]
        return record


def empty_record(number: int, dtype: np.dtype[Any]) -> np.ndarray:
    """The record (1,) of a game of which nothing is known yet; `dtype`: of the game's records."""
    record = np.zeros(1, dtype)
    record["game"] = number
    record["seat"] = NOBODY
    return record


def forfeit_record(record: np.ndarray, seat: int, seats: int, why: Forfeit) -> np.ndarray:
    """Mark the game of `record` as forfeited by a seat: it is placed last, the others share the win."""
    record["winners"][0, :seats] = 1
    record["winners"][0, seat] = 0
    record["ending"], record["seat"], record["reason"] = FORFEITED, seat, why.reason
    record["text"] = bounded(why.text, record.dtype["text"].itemsize)
    return record
