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

from spacemission_env import make_game
from spacemission_env.testing import check_agent

from $name import $cls, LAYOUT, piece


def test_its_moves_are_legal_and_follow_from_what_its_seat_knows() -> None:
    assert check_agent($cls(), "$game") == []


def test_a_piece_has_its_shape() -> None:
    game = make_game("$game")
    game.reset(seed=1)
    assert all(piece(game.observe(), name).shape == tuple(LAYOUT[name].shape) for name in LAYOUT)
''')
