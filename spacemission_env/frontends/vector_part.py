"""Some of a vector environment's games, played by one thread: a whole step of them, from the learner's move
to the next observation, so that threads meet once a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_env.core.constants import REASON_NAMES, TRUNCATED
from spacemission_env.core.shaping import Shaping
from spacemission_env.frontends.learner_games import LearnerGames


class StepOptions(NamedTuple):
    """Options of an environment that say what a step returns; `truncates`: at the round limit."""

    same_step: bool
    reward_mode: int
    truncates: bool
    shaping: Shaping


class VectorStep:
    """What a step returns, filled by parts: arrays with a row for each game."""

    def __init__(self, observations: np.ndarray, masks: np.ndarray) -> None:
        """`observations`, `masks`: to be written."""
        n = len(observations)
        self.observations, self.masks = observations, masks
        self.rewards = np.zeros(n)
        self.terminations, self.truncations = np.zeros((2, n), bool)
        self.last = np.full(n, None, object)  # last observations of games that ended
        self.scores: list[list[dict[str, int]] | None] = [None] * n  # of games that are over
        self.reasons: list[str | None] = [None] * n  # why they are
        self.margins = np.zeros(n, np.float32)  # where rewards are shaped: before the next deal
        self.seats = np.zeros(n, np.int64)  # the learner's, before the next deal


class VectorPart:
    """The games of rows `first` to `stop` - 1 of a vector environment.

    Attributes:
        rows: these, as a slice.
        played: these games and who plays them.
        ended: bool (games,), over and not yet dealt anew.
    """

    def __init__(self, played: LearnerGames, first: int, ended: np.ndarray, options: StepOptions) -> None:
        """`ended`: memory of all games of the environment."""
        self.rows = slice(first, first + played.games.count)
        self.played, self.ended = played, ended[self.rows]
        self._options = options

    def start(self, index: np.ndarray) -> None:
        """Games of this part have just been dealt: seat the players, and play to the learner's turn."""
        self._seat(index)
        self.played.others_play(index)
        self._note_margins(index)

    def view(self, observations: np.ndarray, masks: np.ndarray) -> None:
        """Write rows of this part: from the learner's seat, also where the game is over."""
        masks = masks[self.rows]
        self.played.games.seats_view(self.played.seats, observations[self.rows], masks)
        masks[self.ended] = 0

    def step(self, actions: np.ndarray, lost: np.ndarray, step: VectorStep) -> None:
        """One step; `actions` and `lost` (bool: an illegal move loses) have a row for each game of all."""
        played, games, rows, ended = self.played, self.played.games, self.rows, self.ended
        lost = lost[rows]
        stale = np.flatnonzero(ended)  # next_step: these are dealt now, their actions ignored
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
        for i, scores in zip(over, games.scores_json(over), strict=True):
            step.scores[rows.start + i] = scores
            step.reasons[rows.start + i] = REASON_NAMES[games.states[i].over]
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
        # Of those games that have been dealt since.
        seen = np.empty((len(index), observations.shape[1]), observations.dtype)
        legal = np.empty((len(index), masks.shape[1]), np.int8)
        self.played.games.seats_view(self.played.seats[index], seen, legal, index)
        observations[index], masks[index] = seen, legal


def make_parts(
    played: LearnerGames, threads: int, least: int, ended: np.ndarray, options: StepOptions
) -> list[VectorPart]:
    """The parts of an environment: as many as threads where each has `least` games, or one.

    One where an agent may not be asked from several threads at once, or games are recorded: then the threads
    share each single call.
    """
    count = min(threads, played.games.count // least) if played.can_be_parted else 1
    return [VectorPart(some, first, ended, options) for first, some in played.parted(max(count, 1))]
