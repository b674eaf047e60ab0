"""Compares the engine with the independent rules, state by state and mask by mask.

`python -m tests.space_mission.test_oracle 20000` runs the full comparison; `make test` runs a smaller sample.
"""

import sys

import numpy as np
import pytest

from spacemission_env.games.space_mission.options import Rules
from tests.support.oracle_games import compare_game
from tests.support.random_components import random_box
from tests.support.random_play import VARIANTS


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize(("name", "rules"), VARIANTS, ids=[name for name, _ in VARIANTS])
def test_engine_agrees_with_the_independent_rules(name: str, rules: Rules, num_players: int) -> None:
    compare_game(1000 * num_players, num_players, rules)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize(("name", "rules"), VARIANTS[-5:], ids=[name for name, _ in VARIANTS[-5:]])
def test_engine_agrees_with_the_independent_rules_in_other_boxes(
    name: str, rules: Rules, num_players: int
) -> None:
    # Repeated ids, cards with two numbers of one colour (SM-12), other numbers of tiles.
    seed = 100 * num_players
    compare_game(seed, num_players, rules, random_box(seed))


def main(games: int, start: int = 0) -> None:
    """Compare many games; prints totals by variant and how they ended."""
    ends: dict[tuple[str, str | None], int] = {}
    decisions = 0
    for i in range(start, start + games):
        name, rules = VARIANTS[i % len(VARIANTS)]
        box = random_box(i) if i // (4 * len(VARIANTS)) % 2 else None  # every other round of all variants
        made, reason = compare_game(50_000 + i, 2 + (i // len(VARIANTS)) % 4, rules, box)
        decisions += made
        ends[name, reason] = ends.get((name, reason), 0) + 1
        if (i + 1 - start) % 500 == 0:
            print(f"{i + 1 - start} games, {decisions} decisions agree", flush=True)
    for (name, reason), count in sorted(ends.items(), key=str):
        print(f"{name:20} {reason:10} {count}")
    print(f"{games} games, {decisions} decisions: every state, mask, score and winner agrees")


if __name__ == "__main__":
    np.seterr(all="raise")
    main(*(int(a) for a in sys.argv[1:]))
