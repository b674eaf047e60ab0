"""What a learner's networks read of the games of a table: a protocol, and the view of every game."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from spacemission_train.learning.form import Form
from spacemission_train.self_play.table import Table


class View(Protocol):
    """What the learner reads. A view may show a game in several symmetric forms and name moves accordingly,
    or have it choose among a few.

    `size`: numbers of an input. `action_count`: names of moves. `masks`: legal actions in the games' own
    terms, as of the last `read`: int8 (count, actions).
    """

    size: int
    action_count: int
    masks: np.ndarray

    def draw(self, rng: np.random.Generator) -> int:
        """The symmetric form in which a new game is shown."""

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Inputs float32 (n, size) and masks int8 (n, actions) for the players to act; fresh arrays."""

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """What a seat reads of each of these games, over or not: float32 (n, size), a fresh array."""

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The games' own actions for those chosen by what `read` gave last, one a game: int64 (count,)."""

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The other way round: the games' own actions as `read` showed them, one a game: int64 (count,)."""


class PlainView:
    """The observation as it is, of any game (the protocol `View`)."""

    def __init__(self, table: Table, form: Form, augment: bool = False) -> None:
        """`form` and `augment` are those of the run; only the plain observation is read here."""
        self.table, self.size = table, table.observation_size
        self.action_count = table.action_count
        self.masks = np.zeros((table.count, table.action_count), np.int8)

    def draw(self, rng: np.random.Generator) -> int:
        """There is one form."""
        return 0

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Copies of observations and masks: learners keep them."""
        observations, masks = self.table.view(index)
        self.masks[index] = masks
        return observations.copy(), masks.copy()

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """The seats' observations."""
        return self.table.seen_by(seats, index)

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The actions themselves."""
        return actions

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The actions themselves."""
        return actions
