"""Many games with a learner's seat in each: whose turn it is, and the moves of all others."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from spacemission_env.core.agents_api import acts_in_parts, reads_observations
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.crew import parts_of
from spacemission_env.core.masks import first_illegal
from spacemission_env.core.turns import others_to_move
from spacemission_env.frontends.seats import Opponents, answer, check_learner_name, check_seat, learner_seat
from spacemission_env.records.recording import Recording


class LearnerGames:
    """Games in which one seat is the learner's and named agents play the others.

    Attributes:
        games: all of them.
        opponents: who may play the other seats.
        seats: the learner's in each game, int64 (games,).
        who: numbers of the opponents in each game, clockwise from the learner, int64 (games, others).
        margins: the learner's score margin at its last decision, float32 (games,), where rewards are shaped.
        recording: where the games are recorded, if anywhere.
    """

    def __init__(
        self, games: BatchedGames, opponents: Any, seat: int | None, learner_name: str, record: Any
    ) -> None:
        """Arguments beside the games are as for `LearnerEnv`."""
        self.games = games
        self.opponents = Opponents(opponents, games.template)
        self._agents = self.opponents.agents
        self._look = any(reads_observations(agent) for agent in self._agents)
        self._learner_name = check_learner_name(learner_name)
        self._fixed_seat = check_seat(seat, games.num_players)
        self.seats = np.zeros(games.count, np.int64)
        self.who = np.zeros((games.count, games.num_players - 1), np.int64)
        self.margins = np.zeros(games.count, np.float32)
        self._waiting, self._offsets = np.zeros((2, games.count), np.int64)  # of `others_to_move`
        self.recording = Recording(record)

    @property
    def can_be_parted(self) -> bool:
        """Whether threads may each play some of these games: all agents can be asked at once, nothing is
        recorded.
        """
        return not self.recording and all(acts_in_parts(agent) for agent in self._agents)

    def parted(self, count: int) -> list[tuple[int, LearnerGames]]:
        """These games in so many parts that follow each other: the first game of each, and the part, which
        shares games, seats and agents with the whole. One part is the whole itself.
        """
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
        """Seat the learner in games that have just been dealt, and begin to record them."""
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
        """Make a move in each of these games.

        Raises:
            IllegalActionError: naming the game and the move; no game has moved.
        """
        if self.recording and first_illegal(self.games.view(index)[1], actions) < 0:
            for i, action in zip(index, actions, strict=True):
                self.recording.before(int(action), int(i))
        self.games.step(index, actions)
        if self.recording:
            for i in index[self.games.over[index]]:
                self.recording.finish(int(i))

    def others_play(self, waiting: np.ndarray) -> None:
        """Play on in these games until the learner is to move, or the game is over."""
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
        """Of the learner in games that are over: float64 (n,)."""
        games = self.games
        paid = np.zeros((len(index), games.num_players))
        games.spec.batch.rewards_batch(games.states, games.template.boxes, index, mode, paid)
        return paid[np.arange(len(index)), self.seats[index]]
