"""How many pictures a second this machine draws: part of `spacemission bench`, and a program of its own.

`python -m spacemission_env.commands.picture_speed`: random games, a picture after every move, one process.
Only the drawing is measured; what lies behind a drawing is kept while it stays the same, as in every use.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import DEFAULT_GAME, find_game, game_names
from spacemission_env.pictures.raster import SIZE, frame, has_pygame

FRAMES, ROUNDS = 200, 5


def frame_rate(
    name: str = DEFAULT_GAME, size: Any = 256, seed: int = 0, frames: int = FRAMES
) -> float | None:
    """Frames a second of the best of a few rounds, with the game's default players; None without pygame."""
    if not has_pygame():
        return None
    games = _positions(name, seed, frames)
    best = 0.0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for game in games:
            frame(game, size=size)
        best = max(best, len(games) / (time.perf_counter() - start))
    return best


def _positions(name: str, seed: int, count: int) -> list[Game]:
    """So many positions in a row, of as many random games as that takes."""
    rng, game = np.random.default_rng(seed), find_game(name).game()
    found: list[Game] = []
    game.reset(seed)
    while len(found) < count:
        found.append(game.clone())
        game.step(int(rng.choice(game.legal_actions())))
        if game.over:
            game.reset()
    return found


def rates(seed: int = 0) -> dict[str, float | None]:
    """Of every game: 256 by 256, and the usual size."""
    found: dict[str, float | None] = {}
    for name in game_names():
        found[f"{name} 256x256"] = frame_rate(name, 256, seed)
        found[f"{name} {SIZE[0]}x{SIZE[1]}"] = frame_rate(name, SIZE, seed, FRAMES // 10)
    return found


if __name__ == "__main__":
    for what, rate in rates().items():
        print(f"{what:<28} {'no pygame' if rate is None else f'{rate:8.1f} frames/s'}")
