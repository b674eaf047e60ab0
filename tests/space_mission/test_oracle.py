"""The engine against the independent plain-Python rules, state by state and mask by mask.

`python -m tests.space_mission.test_oracle 20000` runs the full comparison; `make test` runs a smaller sample.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import pytest

from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from tests.oracle.space_mission_oracle import OracleGame
from tests.support.engine_snapshot import snapshot
from tests.support.random_boxes import random_box

SPACE_TILE = ACTION_COUNT - 1  # the last pick, always last among the legal moves

VARIANTS: list[tuple[str, Rules]] = [
    ("printed", PRESETS["printed"]),
    ("yucata", PRESETS["yucata"]),
    ("penalty", Rules(space_tile_penalty=True)),
    ("few_chips", Rules(chips_per_player=8)),
    ("small_hand", Rules(hand_size=3)),
    ("three_actions", Rules(actions_per_turn=3)),
    ("gate_without_probe", Rules(gate_points_without_probe=True)),
    ("early_end", Rules(space_tiles_to_end=3)),
    ("few_rounds", Rules(max_rounds=12)),
    ("all", Rules(True, True, 12, 4, 3, True, 7, 60)),
    ("start_player", Rules(start_player=1)),
    ("no_empty_top_up", Rules(empty_top_up=False)),
    ("scan_face_up", Rules(scan_face_up=True)),
    ("all_three", Rules(start_player=0, empty_top_up=False, scan_face_up=True, space_tiles_to_end=16)),
    ("everything", Rules(True, True, 12, 4, 3, True, 7, 60, 1, False, True)),
]


def choose(game: Game, legal: list[int], rng: random.Random) -> int:
    """A random move by kind first, so that games get somewhere: most legal moves are top-ups."""
    groups: dict[str, list[int]] = {}
    for action in legal:
        groups.setdefault(kind_of(action), []).append(action)
    weights = {"top_up": 2, "jump": 2, "fly": 2, "scan": 6, "develop": 12, "discover": 6, "take": 1}
    kinds = list(groups)
    kind = rng.choices(kinds, [weights[k] for k in kinds])[0]
    moves = groups[kind]
    if SPACE_TILE in moves and rng.random() < 0.9:  # or games with the penalty option never end
        moves = moves[:-1]
    return rng.choice(moves)


def compare_game(seed: int, num_players: int, rules: Rules, components: Any = None) -> tuple[int, str | None]:
    """Play one random game in both; returns its decisions and how it ended."""
    rng = random.Random(seed)
    game = Game(num_players, rules, components)
    game.reset(seed=seed)
    header = game.components.to_json()
    oracle = OracleGame(
        num_players, game.rules.to_json(), header["planets"], header["cards"], game.setup_json()
    )
    decisions = 0
    while True:
        context = f"seed {seed}, decision {decisions}"
        assert snapshot(game) == oracle.snapshot(), context
        legal = game.legal_actions()
        assert legal == oracle.legal(), context
        assert game.scores_json() == oracle.scores(), context
        assert game.winners() == oracle.winners(), context
        for seat in range(num_players):
            assert seat == game.player or not game.mask(seat).any(), context
        if oracle.over:
            assert game.over
            return decisions, game.reason
        action = choose(game, legal, rng)
        shuffles = int(game.states[0].shuffles)
        game.step(action)
        asked: list[bool] = []

        def shuffled(cards: list[str], asked: list[bool] = asked) -> list[str]:
            asked.append(True)
            return game.last_shuffle()

        oracle.apply(action, shuffled)
        assert len(asked) == game.states[0].shuffles - shuffles, context
        decisions += 1


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize(("name", "rules"), VARIANTS, ids=[name for name, _ in VARIANTS])
def test_engine_agrees_with_the_independent_rules(name: str, rules: Rules, num_players: int) -> None:
    first = 1000 * num_players
    for seed in range(first, first + 5):
        compare_game(seed, num_players, rules)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize(("name", "rules"), VARIANTS[-5:], ids=[name for name, _ in VARIANTS[-5:]])
def test_engine_agrees_with_the_independent_rules_in_other_boxes(
    name: str, rules: Rules, num_players: int
) -> None:
    # Repeated ids, cards with two numbers of one colour (SM-12), other numbers of tiles.
    for seed in range(100 * num_players, 100 * num_players + 3):
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
