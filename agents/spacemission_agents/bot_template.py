"""Holds the default templates of `spacemission new-bot`: a bot and its test.

`$name` is the module, `$cls` the class, `$game` the game.
"""

from __future__ import annotations

from string import Template

BOT = Template('''\
"""$name: a bot for $game, a start for your own.

- `python -m pytest test_$name.py` tests it,
- `spacemission play --game $game --agents $name:$cls,random --games 100` lets it play,
- `spacemission arena --game $game --agents $name:$cls,random --games 1000 --out my_report` ranks it.
"""

from __future__ import annotations

import numpy as np
from spacemission_env import Agent, find_game

LAYOUT = find_game("$game").layout  # the pieces of the observation by their names


def piece(observation: np.ndarray, name: str) -> np.ndarray:
    """A piece of the observation by its name, in its shape; all numbers are scaled to 0 to 1."""
    part = LAYOUT[name]
    return observation[part.slice].reshape(part.shape)


class $cls(Agent):
    """Plays random legal moves: replace this with something better."""

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        """The number of a legal move; `mask` is 1 for each legal move.

        `rng` is new for each decision. Use no other random numbers, so that games can be repeated.
        """
        return int(rng.choice(np.flatnonzero(mask)))
''')

TEST = Template('''\
"""Tests of $name: run them with `python -m pytest test_$name.py` after every change."""

from __future__ import annotations

import pytest
from spacemission_env import Agent, find_game, make_game
from spacemission_env.core.agents import act_alone, prepare_agents

from $name import $cls, LAYOUT, piece

GAME = find_game("$game")


def play(agents: list[Agent], seed: int) -> list[int]:
    """Play a game and return its moves; `Game.step` raises an error for an illegal move."""
    game, moves = make_game(GAME, len(agents)), []
    prepare_agents(agents, game.info)  # passes components and rules to the agents
    game.reset(seed=seed)
    assert all(piece(game.observe(), name).shape == tuple(LAYOUT[name].shape) for name in LAYOUT)
    while not game.over:
        moves.append(int(act_alone(agents[game.player], game.ask())[0]))
        game.step(moves[-1])
    return moves


@pytest.mark.parametrize("players", range(GAME.min_players, GAME.max_players + 1))
def test_every_move_is_legal(players: int) -> None:
    for seed in range(3):
        play([$cls() for _ in range(players)], seed)


def test_the_same_seed_gives_the_same_game() -> None:
    agents = [$cls() for _ in range(GAME.min_players)]
    assert play(agents, 7) == play(agents, 7)
''')
