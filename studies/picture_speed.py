"""Measures how many pictures a second are drawn of every game: `python -m studies.picture_speed`.

A picture of each move of random games; the rate is that of the fastest of five rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import game_names
from spacemission_env.pictures.raster import SIZE, frame
from spacemission_train.commands.bench import best_rate


def draw(name: str, size: tuple[int, int]) -> Iterator[int]:
    """Draw random games, one picture a step."""
    rng, game = np.random.default_rng(0), make_game(name)
    while True:
        game.reset(int(rng.integers(2**32)))
        while not game.over:
            frame(game, size=size)
            game.step(int(rng.choice(game.legal_actions())))
            yield 1


if __name__ == "__main__":
    for name in game_names():
        for size, frames in (((256, 256), 200), (SIZE, 20)):
            print(f"{name} {size[0]}x{size[1]}: {best_rate(draw(name, size), frames):.0f}")
