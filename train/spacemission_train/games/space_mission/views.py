"""Writes what the learner's networks read of the games of a table, and translates their moves."""

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
TURNED_ACTIONS = np.argsort(ACTION_SOURCES, 1)  # the inverse: they are permutations


@njit
def read_batch(observations, masks, parameters, kind, turns, scratch, inputs, turned_masks):
    """Inputs and masks as the network has them; `turns` is overwritten by the turns that they stand in."""
    t = parameters[0]
    for n in range(len(observations)):
        turn = p.write_input(observations[n], masks[n], t, kind, turns[n], scratch, inputs[n])
        turns[n] = turn
        for a in range(ACTION_COUNT):
            turned_masks[n, a] = masks[n, ACTION_SOURCES[turn, a]]


@njit
def hidden_batch(states, t, index, seats, turns, out):
    """What the seats cannot see in their games, float32 (n, HIDDEN_SIZE)."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        s = states[index[n]]
        score(s, t, scores)
        p.write_hidden(s, t, int(seats[n]), turns[n], scores, out[n])


class LearnerView(View):
    """Inputs of one kind (inputs.py), behind them what only a privileged critic reads.

    With `augment` each game is shown in one of the 16 symmetric forms, drawn when it is dealt.
    """

    def __init__(self, table: GameTable, form: Form, augment: bool = False) -> None:
        """`form`: its `input`, and its `full_critic`: add what the seat cannot see."""
        self.table, self.augment, self.full_critic = table, augment, form.full_critic
        self._kind = p.INPUTS.index(form.input)
        self._seen = p.SIZES[form.input]
        size = self._seen + (p.HIDDEN_SIZE if self.full_critic else 0)
        self.space = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self._scratch = p.new_scratch()
        self._turns = np.zeros(table.count, np.int64)
        self.action_count = table.action_count

    def draw(self, rng: np.random.Generator) -> int:
        """The symmetric form in which a new game is shown."""
        return int(rng.integers(TURNS)) if self.augment else 0

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Inputs float32 (n, size) and masks int8 (n, actions) for the players to act; fresh arrays."""
        return self._written(index, seats, symmetry, *self.table.view(index))

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """What a seat reads of each of these games, over or not: float32 (n, size)."""
        observations = self.table.seen_by(seats, index)
        masks = np.zeros((len(index), self.table.action_count), np.int8)
        turns = self._turns[index]
        inputs, _ = self._written(index, seats, symmetry, observations, masks)
        self._turns[index] = turns
        return inputs

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The games' own actions for those chosen by what `read` gave last, one a game: int64 (count,)."""
        inside = actions.clip(0, self.table.action_count - 1)  # others are refused by the table, as they are
        return np.where(actions == inside, ACTION_SOURCES[self._turns, inside], actions).astype(np.int64)

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The other way round: the games' own actions as `read` showed them, one a game: int64 (count,)."""
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
    """Have another process compile what the first update needs while this one gets ready for it."""
    compile_in_background(f"{__name__}:compile_reading", choose_by_network)


def compile_reading() -> None:
    """Compile what plays a network and what the learner reads, by doing both with nothing."""
    compile_network()
    nothing = np.zeros((0, p.SIZES[p.INPUTS[0]]), np.float32), np.zeros((0, ACTION_COUNT), np.int8)
    t, turns = find_game().default_parameters(), np.zeros(0, np.int64)
    read_batch(*nothing, t, 0, turns, p.new_scratch(), *nothing)
