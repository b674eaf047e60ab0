"""What luck was worth in a game of Space Mission, as the arena asks for it (`arena.luck.Luck`)."""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from spacemission_agents.games.space_mission.luck.chances import draw_anew, luck_batch, moves_worth
from spacemission_agents.games.space_mission.luck.value import new_value, shipped_weights
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS


class SpaceMissionLuck:
    """Luck by the value that ships: of cards drawn, and of the first look into each pile."""

    # Between what fits agents that play like the player (0.81 and 0.39) and agents that do less (0.51 and
    # 0.57 with 24 endings): `heuristic` and one that weighs actions otherwise, two values by preset scratch.
    of_endings = 0.65
    beside_endings = 0.4

    def __init__(self, weights: bytes | None = None) -> None:
        """`weights`: the file of another value."""
        data = shipped_weights() if weights is None else weights
        self.digest = sha256(data).hexdigest()
        self._net = new_value(data)

    def of_deal(self, games: BatchedGames, index: np.ndarray) -> np.ndarray:
        """Nothing: all games of a block have the same deal, so between them it favours nobody."""
        return np.zeros((len(index), games.num_players))

    def of_draws(self, games: BatchedGames, index: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Of cards and of first looks (chances.py)."""
        told = np.zeros((len(index), MAX_PLAYERS))
        worlds = games.spec.new_states(2)
        luck_batch(games.states, games.template.boxes, index, actions, self._net, worlds, told)
        return told[:, : games.num_players]

    def of_choices(
        self, games: BatchedGames, index: np.ndarray, actions: np.ndarray, odds: np.ndarray
    ) -> np.ndarray:
        """Each move as it stands before chance has its part."""
        luck = np.zeros((len(index), games.num_players))
        worlds = games.spec.new_states(3)
        for n, i in enumerate(index.tolist()):
            moves = np.flatnonzero(odds[n])
            told = np.zeros((len(moves), MAX_PLAYERS))
            moves_worth(games.states[i], games.template.boxes[0], moves, self._net, worlds, told)
            mean = odds[n, moves] @ told
            luck[n] = (told[moves == actions[n]].sum(0) - mean)[: games.num_players]
        return luck

    def draw_anew(self, games: BatchedGames, index: np.ndarray, count: int, states: np.ndarray) -> None:
        """Tiles that nobody has seen, and the draw pile."""
        draw_anew(games.states, index, count, games.spec.new_states(1), states)
