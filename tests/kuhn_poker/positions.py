"""Brings games of the engine to a given deal and history."""

import numpy as np

from spacemission_env.core.game import Game, make_game
from spacemission_env.games.kuhn_poker import CARD_NAMES, LAYOUT


def dealt(players: int, seed: int = 0, ante: int = 1) -> Game:
    """A game from a seed."""
    game = make_game("kuhn_poker", players, {"ante": ante})
    game.reset(seed)
    return game


def position(deal: tuple[int, ...], history: str = "", ante: int = 1, seed: int = 0) -> Game:
    """A game with these cards after these moves ("p" pass, "b" bet)."""
    game = make_game("kuhn_poker", len(deal), {"ante": ante})
    out = (set(range(len(deal) + 1)) - set(deal)).pop()
    game.reset(seed, {"cards": [CARD_NAMES[card] for card in (*deal, out)]})
    for move in history:
        game.step("pb".index(move))
    return game


def piece(observation: np.ndarray, name: str) -> np.ndarray:
    """A piece of an observation in its shape."""
    return observation[LAYOUT[name].slice].reshape(LAYOUT[name].shape)
