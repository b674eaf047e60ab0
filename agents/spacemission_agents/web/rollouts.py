"""How often each seat wins when an agent plays on for all, in worlds that one seat holds possible."""

from __future__ import annotations

import hashlib

import numpy as np

from spacemission_env.core.agents_api import Agent, act_alone
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game import Game

WORLDS = 24  # of each position


def win_shares(positions: list[Game], seat: int, agent: Agent, worlds: int = WORLDS) -> np.ndarray:
    """Shares of wins by seat: float64 (positions, seats), a shared win in parts.

    Args:
        positions: of one game; it has been told to the agent.
        seat: in whose eyes: worlds are drawn by what it knows.
        agent: who plays on; it wants no worlds itself.
        worlds: of each position.
    """
    one = positions[0]
    count = len(positions) * worlds
    games = BatchedGames(count, one.num_players, one.info.rules, one.info.components, game=one.spec)
    games.template.boxes, games.template.box = one.boxes, one.box
    for i, game in enumerate(positions):
        for k in range(worlds):
            world = game if game.over else game.determinize(seat, _seed(game, seat, k))
            games.states[i * worlds + k] = world.states[0]
    index = games.everyone[~games.over]
    while len(index):
        games.step(index, act_alone(agent, games.ask(index)))
        index = index[~games.over[index]]
    shares = np.zeros((count, one.num_players))
    for i in range(count):
        winners = games.game(i).winners()
        shares[i, winners] = 1 / max(1, len(winners))
    return shares.reshape(len(positions), worlds, -1).mean(1)


def _seed(game: Game, seat: int, number: int) -> int:
    digest = hashlib.sha256(game.information_state_key(seat) + number.to_bytes(4, "little")).digest()
    return int.from_bytes(digest[:7], "big")
