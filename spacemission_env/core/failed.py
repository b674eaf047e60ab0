"""Makes games refuse every call after one that failed halfway.

A game counts as dealt if the field `num_players` of its state is positive; compiled and Python code check
that already. When a call fails with a game half changed, the field becomes `FAILED`, so these checks refuse
the game until the next deal.
"""

from __future__ import annotations

import numpy as np

FAILED = -1  # `num_players` of a game that a failed call left half changed; 0: not dealt yet


class GiveUpOnError:
    """A context manager that calls `give_up` on `states` if its block raises, even on Ctrl-C."""

    def __init__(self, states: np.ndarray) -> None:
        self.states = states

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            give_up(self.states)


def give_up(states: np.ndarray) -> None:
    """Write `FAILED` into these games, except those not dealt yet; their seeds stay."""
    players = states["num_players"]
    players[players > 0] = FAILED


def since(num_players: int) -> str:
    """The end of "it has not been reset": "yet" or "since a call failed", by the field `num_players`."""
    return " since a call failed halfway" if num_players == FAILED else " yet"
