"""Games of every kind, played to any point by greedy and random moves."""

import random
from collections.abc import Iterator

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
    """Yield a copy of the game after every `every` decisions and at its end; moves are greedy, or random with
    this chance.
    """
    spec = find_game(name)
    game: Game = make_game(spec, players)
    game.reset(seed)
    agent = make_agent(_PLAYERS.get(name, "random"), name)
    draw = random.Random(seed)
    while not game.over:
        if game.states[0].decisions % every == 0:
            yield game.clone()
        chance = draw.random() < by_chance
        game.step(draw.choice(game.legal_actions()) if chance else int(act_alone(agent, game.ask())[0]))
    yield game


def at(name: str, players: int, seed: int, decisions: int) -> Game:
    """A game after some decisions of greedy agents, or at its end."""
    for game in positions(name, players, seed, 1, 0):
        if game.states[0].decisions >= decisions:
            return game
    return game
