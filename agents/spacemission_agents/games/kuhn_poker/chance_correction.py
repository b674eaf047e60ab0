"""Computes the luck of a deal of Kuhn poker; the game has no other chance.

The value of a position is each seat's expected share of the win if from there on everybody plays both moves
with probability one half. It comes from the rules alone, so it is fixed before any game.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import permutations

import numpy as np

from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.games.kuhn_poker import (
    ACTION_COUNT,
    BATCH,
    MAX_PLAYERS,
    MIN_PLAYERS,
    SPEC,
    STATE,
    winner,
)


class KuhnChanceCorrection:
    """Corrects for the deal, by the value that positions have if all moves are equally likely."""

    def __init__(self) -> None:
        """Work out the value of each deal."""
        self._known: dict[bytes, np.ndarray] = {}
        numbers = range(MIN_PLAYERS, MAX_PLAYERS + 1)
        self._mean = {n: np.mean([self._worth(s) for s in _deals(n)], axis=0) for n in numbers}
        table = b"".join(key + self._known[key].tobytes() for key in sorted(self._known))
        self.digest = sha256(table).hexdigest()

    def of_deal(self, games: BatchedGames, index: np.ndarray) -> np.ndarray:
        """The value of each deal minus the mean over all deals."""
        return np.array([self._worth(s) for s in games.states[index]]) - self._mean[games.num_players]

    def of_draws(self, games: BatchedGames, index: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Nothing: no card is drawn after the deal."""
        return np.zeros((len(index), games.num_players))

    def of_choices(
        self, games: BatchedGames, index: np.ndarray, actions: np.ndarray, policy: np.ndarray
    ) -> np.ndarray:
        """The value of each move minus the mean over both moves by their probabilities."""
        luck = np.zeros((len(index), games.num_players))
        for n, s in enumerate(games.states[index]):
            after = np.array([self._worth(_after(s, action)) for action in range(ACTION_COUNT)])
            luck[n] = after[actions[n]] - policy[n] @ after
        return luck

    def _worth(self, s: np.record) -> np.ndarray:
        """The share of the win of each seat, float64 (seats,)."""
        key = s.cards.tobytes() + s.history.tobytes()
        if key not in self._known:
            if s.over:
                worth = np.zeros(int(s.num_players))
                worth[winner(s)] = 1.0
            else:
                worth = np.mean([self._worth(_after(s, action)) for action in range(ACTION_COUNT)], axis=0)
            self._known[key] = worth
        return self._known[key]


def _after(s: np.record, action: int) -> np.record:
    """The position after a move."""
    states = np.zeros(1, STATE)
    states[0] = s
    BATCH.apply_one(states, 0, SPEC.default_parameters(), action, NO_ORDER)
    return states[0]


def _deals(players: int) -> list[np.record]:
    """Every deal for this number of players; all are equally likely."""
    found = []
    for cards in permutations(range(players + 1)):
        states = np.zeros(1, STATE)
        s = states[0]
        s.num_players, s.bet_at = players, -1
        s.history[:], s.cards[:] = -1, -1
        s.put_in[:players] = 1
        s.cards[: players + 1] = cards
        found.append(s)
    return found
