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
    """Write inputs float32 (n, INPUT_SIZE) and moves int64 (n, MOVES) of the seats to act in these games."""
    t, w = parameters[0], weights[0]
    scratch, mask = p.new_scratch(), np.zeros(ACTION_COUNT, np.int8)
    for n in range(len(index)):
        s = states[index[n]]
        write_mask(s, t, s.player, mask)
        p.write_input(s, t, w, mask, scratch, actions[n], inputs[n])


def make_view(table: GameTable, form: Form, augment: bool = False) -> View:
    """Make the view for networks of a form."""
    made = RatedView if form.input == p.INPUTS[p.RATED] else View
    return made(table, form, augment)


class RatedView(View):
    """The input `rated` (policy/inputs.py): an action is the place of a move among the considered moves."""

    def __init__(self, table: GameTable, form: Form, augment: bool = False) -> None:
        """`form` and `augment` have no effect here."""
        self.table, self.action_count = table, p.MOVES
        self.space = spaces.Box(-np.inf, np.inf, (p.INPUT_SIZE,), np.float32)
        self._weights = shipped_weights()
        self._moves = np.zeros((table.count, p.MOVES), np.int64)
        self._counts = np.ones(table.count, np.int64)

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """New arrays of inputs float32 (n, INPUT_SIZE) and of masks int8 (n, MOVES) of places with a move."""
        inputs = np.zeros((len(index), p.INPUT_SIZE), np.float32)
        moves = np.zeros((len(index), p.MOVES), np.int64)
        read_batch(self.table.states, self.table.template.parameters, self._weights, index, moves, inputs)
        counts = inputs[:, p.COUNT_AT].astype(np.int64)
        self._moves[index], self._counts[index] = moves, counts
        return inputs, (np.arange(p.MOVES) < counts[:, None]).astype(np.int8)

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """Zeros, because a seat that does not decide has no moves."""
        return np.zeros((len(index), p.INPUT_SIZE), np.float32)

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The game's moves at the chosen places, for all games: int64 (count,); -1 for an empty place."""
        inside = actions.clip(0, p.MOVES - 1)
        there = (actions == inside) & (actions < self._counts)
        return np.where(there, self._moves[np.arange(len(actions)), inside], -1)

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The places of the game's moves, for all games; 0 if a move is not considered."""
        return (self._moves == actions[:, None]).argmax(1)
