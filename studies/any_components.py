"""Measures `heuristic` against `greedy` in boxes that nobody tuned it for.

`python -m studies.any_components`: two players, each set-up from both seats.
The result is the mean win share over all boxes.
"""

from __future__ import annotations

import argparse

import numpy as np

from spacemission_agents.arena.play import play_games
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.components import Components
from spacemission_env.games.space_mission.engine.constants import SPACE
from tests.support.random_components import random_box

BOXES = 50
GAMES = 100  # in each box


def win_share(components: Components, agents: tuple[str, str], games: int, seed: int = 0) -> float:
    """Share of the wins of the first of two agents, seats in turn, every set-up from both."""
    seats = np.arange(games) % 2
    lineups = np.stack([seats, 1 - seats], 1)
    seeds = [int(hash63(seed, i // 2, 0)) for i in range(games)]
    results = play_games(agents, lineups, seeds, components=components, workers=1)
    return float(results.shares[lineups == 0].mean())


def main() -> None:
    """Print the share in every box, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boxes", type=int, default=BOXES)
    parser.add_argument("--games", type=int, default=GAMES, help="in each box")
    parser.add_argument("--agents", default="heuristic,greedy", help="two, by comma")
    given = parser.parse_args()
    first, second = given.agents.split(",")
    shares = []
    for seed in range(given.parameters):
        components = random_box(seed)
        shares.append(win_share(components, (first, second), given.games))
        kinds = len({card.id for card in components.cards})
        print(
            f"box {seed}: {shares[-1]:.1%} (tiles {components.tiles[:SPACE]}, {kinds} different cards)",
            flush=True,
        )
    error = np.std(shares) / len(shares) ** 0.5
    print(
        f"{first} against {second}: {np.mean(shares):.1%} of the wins in {len(shares)} boxes x {given.games} "
        f"games (standard error of the mean over boxes {error:.1%}; lowest {min(shares):.1%})"
    )


if __name__ == "__main__":
    main()
