"""Who sits where in each game of the self-play environment, and what the learner has had of it so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Seating:
    """What is kept for each game beside the game itself; arrays of (num_envs,) but `players`.

    Attributes:
        seat: the learner's seat.
        players: (num_envs, num_players), the opponent's number at each seat (not used at the learner's).
        acted: the learner has acted in this game, so it has a step that can be paid.
        lead: `Table.lead` at the learner's last decision, where rewards are shaped.
        total: reward of this game so far.
        length: learner steps of this game so far.
    """

    seat: np.ndarray
    players: np.ndarray
    acted: np.ndarray
    lead: np.ndarray
    total: np.ndarray
    length: np.ndarray


def new_seating(count: int, num_players: int) -> Seating:
    """Blank entries for `count` games."""
    whole = np.zeros(count, np.int64)
    reals = np.zeros(count, np.float32)
    players = np.zeros((count, num_players), np.int64)
    return Seating(whole, players, np.zeros(count, bool), reals, reals.copy(), whole.copy())
