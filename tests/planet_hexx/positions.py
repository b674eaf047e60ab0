"""Builds positions of Planet Hexx by hand, and plays random moves."""

from collections.abc import Iterator

import numpy as np

from spacemission_env.core.game import make_game
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import CELL_OF
from spacemission_env.games.planet_hexx.engine.legal import write_mask
from spacemission_env.games.planet_hexx.game import Game
from tests.support.planet_hexx_pair import Situation


def new_game(num_players: int = 2, seed: int = 1, components: object = None, **rules: object) -> Game:
    """A new game; without `components` with the shipped deck."""
    game = make_game("planet_hexx", num_players, rules, components)
    game.reset(seed)
    return game


def kind(game: Game, card: str) -> int:
    """The number of a card in the deck."""
    return [one.id for one in game.components.cards].index(card)


def table(*hands: list[str], **given: object) -> Game:
    """The engine's game of a `Situation` at the first decision of seat 0, with these hands."""
    return Situation(seats=len(hands), hands=hands, **given).engine


def asked(game: Game) -> tuple[int, str]:
    """The seat to act and the name of its decision."""
    return int(game.player), c.ASKED_NAMES[game.states[0].asked]


def slot(game: Game, seat: int, card: str) -> int:
    """The hand slot of a card."""
    return [int(k) for k in game.states[0].hand[seat, : c.HAND]].index(kind(game, card))


def play(game: Game, card: str) -> None:
    """Play a card of the seat to act."""
    game.step(c.TO_PLAY + slot(game, game.player, card))


def at(q: int, r: int) -> int:
    """The move of a cell."""
    return c.TO_CELL + CELL_OF[q, r]


def random_move(game: Game, rng: np.random.Generator, eager: float = 0.7) -> int:
    """A random legal move; `eager`: how often passes are left out."""
    mask = np.zeros(425, np.int8)
    write_mask(game.states[0], game.t, game.states[0].player, mask)
    legal = np.flatnonzero(mask)
    if rng.random() < eager and legal[-1] > 0:
        legal = legal[legal > 0]
    return int(rng.choice(legal))


def random_walk(
    seed: int, decisions: int = 10_000, components: object = None, **rules: object
) -> Iterator[Game]:
    """Yield a game of 2 to 4 players, depending on the seed, before each of its random moves."""
    game, rng = new_game(2 + seed % 3, seed, components, **rules), np.random.default_rng(seed)
    for _ in range(decisions):
        if game.over:
            return
        yield game
        game.step(random_move(game, rng))
