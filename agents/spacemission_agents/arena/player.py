"""Plays batches of tournament games in this process; an agent that fails forfeits its game.

A game depends on its number and the agents alone, not on the other games of its batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from spacemission_agents.arena.asking import Asker, Forfeit
from spacemission_agents.arena.bots import BotAsker, Bots, plays_in_process
from spacemission_agents.arena.games import BATCH, Forfeits, GameBatch
from spacemission_agents.arena.journal import CUT_OFF, PLAYED_OUT, JournalError, empty_record, forfeit_record
from spacemission_agents.arena.tournament import Tournament
from spacemission_env.core.agents import Decisions, GameInfo, make_agent, prepare_agents
from spacemission_env.core.constants import TRUNCATED

FIRST_CALL_EXTRA = 20.0  # additional seconds for an agent's first call, which may load files

# Called with finished games: journal records (n,) without CRCs, and (number, game record) of recorded games.
Sink = Callable[[np.ndarray, list[tuple[int, str]]], None]
# Called with agent, game, seat and number of rows before an agent is called, and with agent -1 after it.
Note = Callable[[int, int, int, int], object]


class TournamentPlayer:
    """Plays games of a tournament with agents made in this process."""

    def __init__(
        self,
        tournament: Tournament,
        note: Note = lambda *about: None,
        check: Callable[[], object] = lambda: None,
        first_extra: float = FIRST_CALL_EXTRA,
    ) -> None:
        """Make the agents of this package; bots start when they are needed.

        Args:
            tournament: defines the games and the agents.
            note: called before and after each call of an agent, to identify one that ends or blocks the
                process.
            check: called before each step; an exception that it raises stops the games.
            first_extra: additional seconds for an agent's first call.
        """
        of = tournament
        self.tournament, self.note, self.check = of, note, check
        info = GameInfo.of(of.players, of.rules, of.components, of.game)
        self._own = {
            a: make_agent(spec, of.game) for a, spec in enumerate(of.specs) if plays_in_process(spec, of.game)
        }
        prepare_agents(self._own.values(), info)
        self._limits = of.seconds_per_decision, first_extra
        self._own_askers = {a: Asker(agent, *self._limits) for a, agent in self._own.items()}
        self._bots = Bots(info)
        self._bot_askers: dict[tuple[int, int, int], BotAsker] = {}

    def close(self) -> None:
        self._bots.close()

    def play(self, numbers: np.ndarray, sink: Sink, alone: bool = False) -> None:
        """Play the games with these numbers to their ends; `alone`: one at a time."""
        for asker in (*self._own_askers.values(), *self._bot_askers.values()):
            asker.one_by_one = False
        size = 1 if alone else BATCH
        for start in range(0, len(numbers), size):
            _Batch(self, numbers[start : start + size], sink).play()

    def askers(
        self, to_act: np.ndarray, line_ups: np.ndarray, seats: np.ndarray
    ) -> Iterator[tuple[int, np.ndarray, Asker]]:
        """Split the decisions into batches: agent, rows and `Asker`. A bot gets one per line-up and seat."""
        for a in np.unique(to_act).tolist():
            rows = np.flatnonzero(to_act == a)
            if a in self._own:
                yield a, rows, self._own_askers[a]
                continue
            places = np.stack((line_ups[rows], seats[rows]), axis=1)
            for line_up, seat in np.unique(places, axis=0).tolist():
                key = a, line_up, seat
                if key not in self._bot_askers:
                    spec = self.tournament.specs[a]
                    self._bot_askers[key] = BotAsker(self._bots, spec, (line_up, seat), *self._limits)
                yield a, rows[(places == (line_up, seat)).all(1)], self._bot_askers[key]


class _Batch:
    """Plays a batch of tournament games."""

    def __init__(self, player: TournamentPlayer, numbers: np.ndarray, sink: Sink) -> None:
        of, schedule = player.tournament, player.tournament.schedule
        self.player, self.numbers, self.sink = player, numbers, sink
        self.line_ups = numbers % schedule.per_set_up
        seeds = [schedule.seed_of(number) for number in numbers.tolist()]
        recorded = np.flatnonzero(numbers < of.records * schedule.per_set_up).tolist()
        self.batch = GameBatch(
            schedule.lineups_of(numbers), seeds, of.rules, of.components, of.game, of.names, recorded
        )
        self.games = self.batch.games
        self.seconds = np.zeros(self.batch.lineups.shape)

    def play(self) -> None:
        self.batch.play(self._answer, self._ended)

    def _answer(
        self, index: np.ndarray, to_act: np.ndarray, decisions: Decisions
    ) -> tuple[np.ndarray, Forfeits]:
        self.player.check()
        actions = np.zeros(len(index), np.int64)
        forfeits: Forfeits = {}
        seats = self.games.players[index]
        for a, rows, asker in self.player.askers(to_act, self.line_ups[index], seats):

            def note(row: int, count: int, a: int = a) -> None:
                if row < 0:
                    self.player.note(-1, 0, 0, 0)
                else:
                    self.player.note(a, int(self.numbers[index[row]]), int(seats[row]), count)

            actions[rows], seconds, failed = asker.answers(decisions, rows, note)
            self.seconds[index[rows], seats[rows]] += seconds
            forfeits |= failed
        return actions, forfeits

    def _ended(self, index: np.ndarray, forfeits: Forfeits) -> None:
        ended = [self._forfeited(i, why) for i, why in forfeits.items()] + self._finished(index)
        if ended:
            records = self.batch.records
            texts = [(int(self.numbers[i]), records[i].text()) for i in index.tolist() if i in records]
            self.sink(np.concatenate(ended), texts)

    def _finished(self, index: np.ndarray) -> list[np.ndarray]:
        records, seats = [], self.games.num_players
        scores, _, winners = self.games.outcome(index)
        if (scores != scores.astype(np.int16)).any():
            raise JournalError(f"journal: {self.games.spec.title}: a score does not fit 16 bits")
        for n, i in enumerate(index.tolist()):
            record = self._record(i)
            record["scores"][0, :seats] = scores[n]
            record["winners"][0, :seats] = winners[n]
            record["ending"] = CUT_OFF if self.games.states["over"][i] == TRUNCATED else PLAYED_OUT
            records.append(record)
        return records

    def _forfeited(self, i: int, why: Forfeit) -> np.ndarray:
        self.batch.records.pop(i, None)  # the record format has no forfeits
        seat, seats = int(self.games.players[i]), self.games.num_players
        return forfeit_record(self._record(i), seat, seats, why.reason, why.text)

    def _record(self, i: int) -> np.ndarray:
        seats = self.games.num_players
        record = empty_record(int(self.numbers[i]), self.player.tournament.record)
        record["decisions"][0, :seats] = self.batch.decisions[i]
        record["seconds"][0, :seats] = self.seconds[i]
        record["rounds"] = self.games.states["round_number"][i]
        return record
