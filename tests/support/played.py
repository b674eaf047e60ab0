"""Games of every kind, played to any point by moves that get somewhere."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import find_game, game_names

# Every game with every number of players.
TABLES = [
    (name, players)
    for name in game_names()
    for players in range(find_game(name).min_players, find_game(name).max_players + 1)
]
_PLAYERS = {"space_mission": "greedy", "planet_hexx": "greedy"}


def positions(name: str, players: int, seed: int, every: int, by_chance: float = 0.3) -> Iterator[Game]:
    """A game after each so many decisions, and at its end: played by greedy agents, at times by chance."""
    spec = find_game(name)
    game: Game = make_game(spec, players)
    game.reset(seed)
    agent: Any = make_agent(_PLAYERS.get(name, "random"), name)
    draw = random.Random(seed)
    while not game.over:
        if game.states[0].decisions % every == 0:
            yield game.clone()
        chance = draw.random() < by_chance
        game.step(draw.choice(game.legal_actions()) if chance else int(act_alone(agent, game.ask())[0]))
    yield game


def at(name: str, players: int, seed: int, decisions: int) -> Game:
    """A game after so many decisions of greedy agents, or at its end."""
    for game in positions(name, players, seed, 1, 0):
        if game.states[0].decisions >= decisions:
            return game
    return game
