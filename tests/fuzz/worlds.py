"""States with bytes changed: what `Game.from_world` accepts is looked at by all seats and played on."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import OBSERVATIONS, find_game

RULES: dict[str, tuple[dict[str, Any], ...]] = {
    "kuhn_poker": ({},),
    "planet_hexx": ({"max_turns": 12}, {"max_turns": 4, "always_ask": True}, {"equal_turns": True}),
    "space_mission": ({"max_rounds": 40}, {"max_rounds": 6, "space_tile_penalty": True}),
}
MOVES = 50  # that are played on
EACH = 12  # positions of each game of the seeds

World = tuple[Any, np.ndarray]  # a game of the same rules, and the bytes of a state


def seeds(name: str, rng: random.Random) -> list[World]:
    """States of a game: from its start, on its way and over, some of them drawn by `determinize`."""
    spec = find_game(name)
    found: list[World] = []
    for players in range(spec.min_players, spec.max_players + 1):
        for rules in RULES[name]:
            game = make_game(spec, players, rules, observation=rng.choice(OBSERVATIONS))
            game.reset(rng.randrange(2**40))
            states = [game.states.copy()]
            while not game.over:
                game.step(rng.choice(game.legal_actions()))
                states.append(game.states.copy())
            for state in (states[0], states[-1], *rng.choices(states, k=EACH - 2)):
                if rng.random() < 0.2:
                    state = game.from_world(state).determinize(0, rng.randrange(2**40)).states
                found.append((game, state.view(np.uint8)))
    return found


def mutate(rng: random.Random, world: World) -> World:
    """One to four bytes of a state are others."""
    game, data = world[0], world[1].copy()
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.choice((rng.randrange(256), 0, 1, 2, 127, 128, 255))
    return game, data


def read(world: World) -> Any:
    """The game of a state."""
    game, data = world
    return game.from_world(data.view(game.spec.state))


def use(rng: random.Random, game: Any) -> None:
    """It is played on by random moves, and all seats look at it on the way."""
    for made in range(MOVES + 1):
        if made % 25 == 0 or game.over:
            _look(rng, game)
        if game.over:
            break
        legal = game.legal_actions()
        assert legal, "no legal move"
        game.step(rng.choice(legal))


def _look(rng: random.Random, game: Any) -> None:
    for seat in range(game.num_players):
        seen = game.observe(seat)
        assert ((seen >= 0) & (seen <= 1)).all(), "observation outside 0 to 1"
        game.board(seat)
        game.information_state_key(seat)
        game.seat_json(seat)
        world = game.determinize(seat, rng.randrange(2**40))
        assert game.from_world(world.states).observe(seat).tobytes() == world.observe(seat).tobytes()
    assert game.picture(rng.randrange(game.num_players), legal=True)
    game.open_board()
    game.public_json()
    for action in game.legal_actions():
        game.words(action)
    game.contents()
    game.rewards()
    if game.over:
        game.result_words()
        game.winners()
