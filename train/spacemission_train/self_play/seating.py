"""Who sits where in each game of the self-play environment, and what the learner has had of it so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Seating:
    """What is kept for each game beside the game itself; arrays of (num_envs,) but `players`.

    Attributes:
        turn: counts the learner's games in this place; its seat moves on by one with each.
        seat: the learner's seat.
        symmetry: the symmetric form in which the game is shown (LearnerView.draw).
        players: (num_envs, num_players), the opponent's number at each seat (not used at the learner's).
        acted: the learner has acted in this game, so it has a step that can be paid.
        margin: `Table.margins` at the learner's last decision, where rewards are shaped.
        total: reward of this game so far.
        length: learner steps of this game so far.
    """

    turn: np.ndarray
    seat: np.ndarray
    symmetry: np.ndarray
    players: np.ndarray
    acted: np.ndarray
    margin: np.ndarray
    total: np.ndarray
    length: np.ndarray


def new_seating(count: int, num_players: int) -> Seating:
    """Blank entries for `count` games."""
    turn, seat, symmetry, length = (np.zeros(count, np.int64) for _ in range(4))
    reals = np.zeros(count, np.float32)
    players = np.zeros((count, num_players), np.int64)
    acted = np.zeros(count, bool)
    return Seating(turn, seat, symmetry, players, acted, reals, reals.copy(), length)
