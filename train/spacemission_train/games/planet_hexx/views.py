"""Gives the learner's networks the heuristic's best moves to choose among."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gymnasium import spaces

from spacemission_agents.games.planet_hexx import compiled
from spacemission_agents.games.planet_hexx.heuristic.agent import shipped_weights
from spacemission_agents.games.planet_hexx.policy import inputs as p
from spacemission_env.core.compiling import make_njit
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT
from spacemission_env.games.planet_hexx.engine.legal import write_mask
from spacemission_train.self_play.table import GameTable, View
from spacemission_train.settings.settings import Form

njit = make_njit(compiled.njit, Path(__file__).parent)


@njit
def read_batch(states, parameters, weights, index, actions, inputs):
    """Inputs float32 (n, INPUT_SIZE) and moves int64 (n, MOVES) of the seats to act in these games.

    A game is a world that its seat to act holds possible.
    """
    t, w = parameters[0], weights[0]
    scratch, mask = p.new_scratch(), np.zeros(ACTION_COUNT, np.int8)
    for n in range(len(index)):
        s = states[index[n]]
        write_mask(s, t, s.player, mask)
        p.write_input(s, t, w, mask, scratch, actions[n], inputs[n])


def make_view(table: GameTable, form: Form, augment: bool = False) -> View:
    """What networks of a form read."""
    made = RatedView if form.input == p.INPUTS[p.RATED] else View
    return made(table, form, augment)


class RatedView(View):
    """The input `rated` (policy/inputs.py): the learner names a move by its place among those considered."""

    def __init__(self, table: GameTable, form: Form, augment: bool = False) -> None:
        """`form` and `augment` are those of the run; there is one form of this input."""
        self.table, self.action_count = table, p.MOVES
        self.space = spaces.Box(-np.inf, np.inf, (p.INPUT_SIZE,), np.float32)
        self._weights = shipped_weights()
        self._moves = np.zeros((table.count, p.MOVES), np.int64)
        self._counts = np.ones(table.count, np.int64)

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Inputs float32 (n, INPUT_SIZE) and which places hold a move, int8 (n, MOVES); fresh arrays."""
        inputs = np.zeros((len(index), p.INPUT_SIZE), np.float32)
        moves = np.zeros((len(index), p.MOVES), np.int64)
        read_batch(self.table.states, self.table.template.parameters, self._weights, index, moves, inputs)
        counts = inputs[:, p.COUNT_AT].astype(np.int64)
        self._moves[index], self._counts[index] = moves, counts
        return inputs, (np.arange(p.MOVES) < counts[:, None]).astype(np.int8)

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """Nothing: where a seat has nothing to decide there are no moves to read."""
        return np.zeros((len(index), p.INPUT_SIZE), np.float32)

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The games' own moves for the places chosen, one a game: int64 (count,); -1 for an empty one."""
        inside = actions.clip(0, p.MOVES - 1)
        there = (actions == inside) & (actions < self._counts)
        return np.where(there, self._moves[np.arange(len(actions)), inside], -1)

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The places of the games' own moves, one a game; 0, the best, for one that is not considered."""
        return (self._moves == actions[:, None]).argmax(1)
