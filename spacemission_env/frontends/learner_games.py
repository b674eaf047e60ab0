"""Plays many games, each with a learner in one seat.

The games are split into parts, one per thread. A part plays a whole step of its games, so threads
synchronise once per step.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spacemission_env.core.agents import acts_in_parts, reads_observations
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import REASON_NAMES, TRUNCATED
from spacemission_env.core.shaping import Shaping
from spacemission_env.core.thread_pool import parts_of
from spacemission_env.frontends.opponents import (
    Opponents,
    answer,
    check_learner_name,
    check_seat,
    learner_seat,
)
from spacemission_env.records.writer import Recording

njit = make_njit(Path(__file__))


@njit
def others_to_move(players, over, seats, num_players, index, waiting, offsets):
    """Find the running games of `index` in which another seat than `seats[i]` is to act; return their number.

    `players` and `over` are fields of the states. Written: `waiting`, the found games, int64 (n,), which may
    be the memory of `index`; `offsets`, int64 (n,), 0 if the seat after the learner's acts, 1 for the next …
    """
    count = 0
    for n in range(len(index)):
        i = index[n]
        if over[i] == 0 and players[i] != seats[i]:
            waiting[count] = i
            offsets[count] = (players[i] - seats[i]) % num_players - 1
            count += 1
    return count


class LearnerGames:
    """Games with a learner in one seat and named agents in the others.

    Attributes:
        games: all of them.
        opponents: the agents that may play the other seats.
        seats: the learner's in each game, int64 (games,).
        who: indices of the opponents in each game, clockwise from the learner, int64 (games, others).
        margins: the learner's score margin at its last decision, float32 (games,), if rewards are shaped.
        recording: the record of the games, if any.
    """

    def __init__(
        self, games: BatchedGames, opponents: object, seat: int | None, learner_name: str, record: object
    ) -> None:
        """Arguments besides `games` are as for `LearnerEnv`."""
        self.games = games
        self.opponents = Opponents(opponents, games.template)
        self._agents = self.opponents.agents
        self._look = any(reads_observations(agent) for agent in self._agents)
        self._learner_name = check_learner_name(learner_name)
        self._fixed_seat = check_seat(seat, games.num_players)
        self.seats = np.zeros(games.count, np.int64)
        self.who = np.zeros((games.count, games.num_players - 1), np.int64)
        self.margins = np.zeros(games.count, np.float32)
        self._waiting, self._offsets = np.zeros((2, games.count), np.int64)  # outputs of `others_to_move`
        self.recording = Recording(record)

    @property
    def can_be_parted(self) -> bool:
        """Whether threads may play parts of these games."""
        return not self.recording and all(acts_in_parts(agent) for agent in self._agents)

    def parted(self, count: int) -> list[tuple[int, LearnerGames]]:
        """Split these games into parts that share memory with the whole: (first game, part)."""
        if count == 1:
            return [(0, self)]
        parts = []
        for first, stop in parts_of(self.games.count, count):
            part = copy(self)
            part.games, part.seats = self.games.rows(first, stop), self.seats[first:stop]
            part.who, part.margins = self.who[first:stop], self.margins[first:stop]
            part._waiting, part._offsets = np.zeros((2, stop - first), np.int64)
            parts.append((first, part))
        return parts

    def start(self, index: np.ndarray) -> None:
        """Choose the learner's seat and the opponents in games just dealt; start their records."""
        n = self.games.num_players
        for i in index:
            seed = int(self.games.states[i].seed)
            self.seats[i] = learner_seat(self._fixed_seat, seed, n)
            if len(self._agents) > 1:
                self.who[i] = self.opponents.draw(seed)
            if self.recording:
                names = self.opponents.recorded(self._learner_name, int(self.seats[i]), self.who[i])
                self.recording.start(self.games.game(i), names, int(i))

    def move(self, index: np.ndarray, actions: np.ndarray) -> None:
        """Make a move in each of these games, or in none (IllegalActionError names game and move)."""
        if self.recording:
            self.games.check_moves(index, actions)
            for i, action in zip(index, actions, strict=True):
                self.recording.before(int(action), int(i))
        self.games.step(index, actions)
        if self.recording:
            for i in index[self.games.over[index]]:
                self.recording.finish(int(i))

    def others_play(self, waiting: np.ndarray) -> None:
        """Let the opponents play in these games until the learner's turn or the end."""
        games, n = self.games, self.games.num_players
        players, over = games.players, games.states["over"]
        while True:
            count = others_to_move(players, over, self.seats, n, waiting, self._waiting, self._offsets)
            if not count:
                return
            waiting = self._waiting[:count]
            if len(self._agents) == 1 and acts_in_parts(self._agents[0]):
                self.move(waiting, games.answers(waiting, self._agents[0]))
            else:
                decisions = games.ask(waiting, self._look)
                who = self.who[waiting, self._offsets[:count]]
                self.move(waiting, answer(self._agents, who, decisions, games))

    def rewards(self, index: np.ndarray, mode: int) -> np.ndarray:
        """The learner's final rewards in finished games: float64 (n,)."""
        games = self.games
        paid = np.zeros((len(index), games.num_players))
        games.spec.batch.rewards_batch(games.states, games.template.parameters, index, mode, paid)
        return np.asarray(paid[np.arange(len(index)), self.seats[index]])


class StepOptions(NamedTuple):
    """Options that affect the result of a step; `truncates`: whether the round limit truncates a game."""

    same_step: bool
    reward_mode: int
    truncates: bool
    shaping: Shaping


class VectorStep:
    """The result of a step, filled in by parts: arrays with one row per game.

    Attributes:
        results: entries of infos about games that ended, or those of games that have not.
    """

    def __init__(self, observations: np.ndarray, masks: np.ndarray, players: int, categories: int) -> None:
        """`observations`, `masks`: arrays to write to; `categories`: number of scores of a seat."""
        n = len(observations)
        self._shape = n, players, categories
        self.observations, self.masks = observations, masks
        self.rewards = np.zeros(n)
        self.terminations, self.truncations = np.zeros((2, n), bool)
        self.last = np.full(n, None, object)  # final observations of games that ended in this step
        self.results = self.no_results()
        self.margins = np.zeros(n)  # if rewards are shaped: before the next deal
        self.seats = np.zeros(n, np.int64)  # the learner's, before the next deal

    def no_results(self) -> dict[str, np.ndarray]:
        """The results of games that have not ended, in new arrays."""
        n, players, _ = self._shape
        return {
            "scores": np.zeros(self._shape, np.int64),
            "winners": np.zeros((n, players), bool),
            "reason": np.full(n, "", object),
            "illegal": np.full(n, "", object),
        }


class VectorPart:
    """Some games of a vector environment.

    Attributes:
        rows: slice of these games.
        played: these games and their players.
        ended: bool (games,), over and not dealt again yet.
    """

    def __init__(self, played: LearnerGames, first: int, ended: np.ndarray, options: StepOptions) -> None:
        """`ended`: the array for all games of the environment."""
        self.rows = slice(first, first + played.games.count)
        self.played, self.ended = played, ended[self.rows]
        self._options = options

    def start(self, index: np.ndarray) -> None:
        """Seat the players in games just dealt, and play to the learner's turn."""
        self._seat(index)
        self.played.others_play(index)
        self._note_margins(index)

    def view(self, observations: np.ndarray, masks: np.ndarray) -> None:
        """Write the rows of this part from the learner's seat, also for finished games."""
        masks = masks[self.rows]
        self.played.games.seats_view(self.played.seats, observations[self.rows], masks)
        masks[self.ended] = 0

    def step(self, actions: np.ndarray, lost: np.ndarray, step: VectorStep) -> None:
        """Make one step; `actions` and `lost` (bool: an illegal move loses) have a row for every game."""
        played, games, rows, ended = self.played, self.played.games, self.rows, self.ended
        lost = lost[rows]
        stale = np.flatnonzero(ended)  # autoreset "next_step": deal these games now and ignore their actions
        still = ended | lost
        moving = np.flatnonzero(~still) if still.any() else games.everyone
        played.move(moving, actions[rows][moving] if len(moving) < games.count else actions[rows])
        self._deal_next(stale)
        played.others_play(np.concatenate([moving, stale]) if len(stale) else moving)
        how = games.states["over"].copy()
        how[stale] = 0
        over = how != 0
        truncated = (how == TRUNCATED) & self._options.truncates
        terminated = over & ~truncated | lost
        step.truncations[rows], step.terminations[rows] = truncated, terminated
        step.seats[rows] = played.seats
        ended[:] = over | lost
        self.view(step.observations, step.masks)
        shaping = self._options.shaping
        if shaping:
            before = played.margins.copy()
            self._note_margins(games.everyone)
            step.margins[rows] = played.margins
            step.rewards[rows] = shaping.paid(before, played.margins, terminated)
            step.rewards[rows][stale] = 0
        if ended.any():
            self._finish(np.flatnonzero(over), lost, step)

    def _finish(self, over: np.ndarray, lost: np.ndarray, step: VectorStep) -> None:
        games, rows = self.played.games, self.rows
        rewards, observations = step.rewards[rows], step.observations[rows]
        rewards[over] += self.played.rewards(over, self._options.reward_mode)
        rewards[lost] -= 1.0
        results = {name: array[rows] for name, array in step.results.items()}
        results["scores"][over], _, results["winners"][over] = games.outcome(over)
        results["reason"][over] = [REASON_NAMES[how] for how in games.states["over"][over]]
        results["reason"][lost] = "illegal"
        if self._options.same_step:
            again = np.flatnonzero(self.ended)
            for i in again:
                step.last[rows.start + i] = observations[i].copy()
            self.played.games.deal_next(again)
            self.start(again)
            self._view_again(again, observations, step.masks[rows])

    def _deal_next(self, index: np.ndarray) -> None:
        if len(index):
            self.played.games.deal_next(index)
            self._seat(index)

    def _seat(self, index: np.ndarray) -> None:
        self.played.start(index)
        self.ended[index] = False

    def _note_margins(self, index: np.ndarray) -> None:
        if self._options.shaping:
            self.played.margins[index] = self.played.games.margins(index, self.played.seats[index])

    def _view_again(self, index: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> None:
        # Replace the views of games that have been dealt again.
        seen = np.empty((len(index), observations.shape[1]), observations.dtype)
        legal = np.empty((len(index), masks.shape[1]), np.int8)
        self.played.games.seats_view(self.played.seats[index], seen, legal, index)
        observations[index], masks[index] = seen, legal


def make_parts(
    played: LearnerGames, threads: int, least: int, ended: np.ndarray, options: StepOptions
) -> list[VectorPart]:
    """The parts of an environment: as many as threads, if each gets `least` games.

    If an agent does not allow calls from several threads, or games are recorded, there is one part, and the
    threads split each call instead.
    """
    count = min(threads, played.games.count // least) if played.can_be_parted else 1
    return [VectorPart(some, first, ended, options) for first, some in played.parted(max(count, 1))]
