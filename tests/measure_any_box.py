"""How `heuristic` does against `greedy` in boxes that nobody tuned it for: `python -m tests.measure_any_box`.

Two players, each set-up played from both seats; the mean of the win shares over all boxes is the figure.
"""

from __future__ import annotations

import argparse
import random

import numpy as np

from spacemission_agents.arena import play_games
from spacemission_env.components import Components, components_from_data
from spacemission_env.engine.constants import KIND_NAMES, POINT_TILES, SPACE, SPACE_TILES
from spacemission_env.engine.rng import hash63

BOXES = 50
GAMES = 100  # in each box
COORDINATES = tuple((colour, number) for colour in "JSL" for number in "1234?")
COLOUR_NAMES = {"J": "jump", "S": "scan", "L": "landing"}


def any_box(seed: int) -> Components:
    """A random valid box: lopsided tile colours, identical cards, two numbers of one colour on a card."""
    rng = random.Random(seed)
    tiles = dict.fromkeys(KIND_NAMES, 0)
    tiles[KIND_NAMES[SPACE]] = SPACE_TILES
    weights = [rng.random() ** 2 for _ in KIND_NAMES[:SPACE]]  # some kinds are rare, some are missing
    for name in rng.choices(KIND_NAMES[:SPACE], weights, k=POINT_TILES):
        tiles[name] += 1
    planets = [
        {
            "name": f"P{i}",
            "jump": rng.randint(1, 4),
            "scan": rng.randint(1, 4),
            "landing": [rng.randint(1, 4), rng.randint(1, 4)],
        }
        for i in range(12)
    ]
    kinds = [any_card(rng) for _ in range(rng.choice((12, 30, 60)))]
    cards = [rng.choice(kinds) for _ in range(60)]
    data = {"name": f"box {seed}", "tiles": tiles, "planets": planets, "cards": cards}
    return components_from_data(data, f"box {seed}")


def any_card(rng: random.Random) -> dict[str, object]:
    """A card of two coordinates; in one card of six they are of one colour."""
    jokers = 0.15
    while True:
        shown = [
            (rng.choice("JSL"), "?" if rng.random() < jokers else str(rng.randint(1, 4))) for _ in range(2)
        ]
        (first, a), (second, b) = sorted(shown, key=COORDINATES.index)
        if first != second:
            return {
                "id": first + a + second + b,
                COLOUR_NAMES[first]: value(a),
                COLOUR_NAMES[second]: value(b),
            }
        if a != b and "?" not in a + b and rng.random() < 0.5:
            return {"id": first + a + second + b, COLOUR_NAMES[first]: [int(a), int(b)]}


def value(text: str) -> int | str:
    """A coordinate as a components file has it."""
    return text if text == "?" else int(text)


def win_share(box: Components, agents: tuple[str, str], games: int, seed: int = 0) -> float:
    """Share of the wins of the first of two agents, seats in turn, every set-up from both."""
    seats = np.arange(games) % 2
    lineups = np.stack([seats, 1 - seats], 1)
    seeds = [int(hash63(seed, i // 2, 0)) for i in range(games)]
    results = play_games(agents, lineups, seeds, components=box, workers=1)
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
    for seed in range(given.boxes):
        box = any_box(seed)
        shares.append(win_share(box, (first, second), given.games))
        kinds = len({card.id for card in box.cards})
        print(
            f"box {seed}: {shares[-1]:.1%} (tiles {box.tiles[:SPACE]}, {kinds} different cards)", flush=True
        )
    error = np.std(shares) / len(shares) ** 0.5
    print(
        f"{first} against {second}: {np.mean(shares):.1%} of the wins in {len(shares)} boxes x {given.games} "
        f"games (standard error of the mean over boxes {error:.1%}; lowest {min(shares):.1%})"
    )


if __name__ == "__main__":
    main()
