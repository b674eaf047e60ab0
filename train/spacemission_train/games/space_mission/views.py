"""Writes the network inputs of a table's games, and translates the networks' actions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gymnasium import spaces

from spacemission_agents.games.space_mission import compiled
from spacemission_agents.games.space_mission.policy import inputs as p
from spacemission_agents.games.space_mission.policy.network import choose_by_network, compile_network
from spacemission_env.core.compiling import compile_in_background, make_njit
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.engine.scoring import score
from spacemission_env.games.space_mission.engine.symmetry import ACTION_SOURCES, TURNS
from spacemission_train.self_play.table import GameTable, View
from spacemission_train.settings.settings import Form

njit = make_njit(compiled.njit, Path(__file__).parent)
TURNED_ACTIONS = np.argsort(ACTION_SOURCES, 1)  # the inverse permutations


@njit
def read_batch(observations, masks, parameters, kind, turns, scratch, inputs, turned_masks):
    """Write the network's inputs and masks; `turns` receives the rotation of each input."""
    t = parameters[0]
    for n in range(len(observations)):
        turn = p.write_input(observations[n], masks[n], t, kind, turns[n], scratch, inputs[n])
        turns[n] = turn
        for a in range(ACTION_COUNT):
            turned_masks[n, a] = masks[n, ACTION_SOURCES[turn, a]]


@njit
def hidden_batch(states, t, index, seats, turns, out):
    """Write the information hidden from the seats, float32 (n, HIDDEN_SIZE)."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        s = states[index[n]]
        score(s, t, scores)
        p.write_hidden(s, t, int(seats[n]), turns[n], scores, out[n])


class LearnerView(View):
    """Inputs of one kind (inputs.py), followed by hidden information if the critic reads it.

    With `augment`, each new game draws one of the 16 symmetric forms.
    """

    def __init__(self, table: GameTable, form: Form, augment: bool = False) -> None:
        """`form.input`: kind of the inputs; `form.full_critic`: add hidden information."""
        self.table, self.augment, self.full_critic = table, augment, form.full_critic
        self._kind = p.INPUTS.index(form.input)
        self._seen = p.SIZES[form.input]
        size = self._seen + (p.HIDDEN_SIZE if self.full_critic else 0)
        self.space = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self._scratch = p.new_scratch()
        self._turns = np.zeros(table.count, np.int64)

    def draw(self, rng: np.random.Generator) -> int:
        """Draw the symmetric form of a new game."""
        return int(rng.integers(TURNS)) if self.augment else 0

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """New arrays of inputs float32 (n, size) and masks int8 (n, actions) for the players to act."""
        return self._written(index, seats, symmetry, *self.table.view(index))

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """A new array of the inputs of one seat in each game, finished or not: float32 (n, size)."""
        observations = self.table.seen_by(seats, index)
        masks = np.zeros((len(index), self.table.action_count), np.int8)
        turns = self._turns[index]
        inputs, _ = self._written(index, seats, symmetry, observations, masks)
        self._turns[index] = turns
        return inputs

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The game's actions for the network's actions after the last `read`: int64 (count,)."""
        inside = actions.clip(0, self.table.action_count - 1)  # the table refuses actions out of range
        return np.where(actions == inside, ACTION_SOURCES[self._turns, inside], actions).astype(np.int64)

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The network's actions for the game's actions, the inverse of `own_actions`: int64 (count,)."""
        return TURNED_ACTIONS[self._turns, actions]

    def _written(
        self,
        index: np.ndarray,
        seats: np.ndarray,
        symmetry: np.ndarray,
        observations: np.ndarray,
        masks: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        out = np.zeros((len(index), *self.space.shape), np.float32)
        turned, turns = np.zeros_like(masks), symmetry[: len(index)].astype(np.int64)
        inputs = np.zeros((len(index), self._seen), np.float32) if self.full_critic else out
        parameters = self.table.template.parameters
        read_batch(observations, masks, parameters, self._kind, turns, self._scratch, inputs, turned)
        if self.full_critic:
            hidden = np.zeros((len(index), p.HIDDEN_SIZE), np.float32)
            hidden_batch(self.table.states, self.table.template.t, index, seats, turns, hidden)
            out[:, : self._seen], out[:, self._seen :] = inputs, hidden
        self._turns[index] = turns
        return out, turned


def compile_in_time() -> None:
    """Start a second process that compiles the code of the first update."""
    compile_in_background(f"{__name__}:compile_reading", choose_by_network)


def compile_reading() -> None:
    """Compile the networks and the inputs by calls with empty arrays."""
    compile_network()
    nothing = np.zeros((0, p.SIZES[p.INPUTS[0]]), np.float32), np.zeros((0, ACTION_COUNT), np.int8)
    t, turns = find_game().default_parameters(), np.zeros(0, np.int64)
    read_batch(*nothing, t, 0, turns, p.new_scratch(), *nothing)
