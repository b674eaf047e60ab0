"""Rules in many variants, and random moves that make progress."""

from __future__ import annotations

import random

import numpy as np

from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules

SPACE_TILE = ACTION_COUNT - 1  # the pick of a space tile, always the last legal move

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
    """A random move, chosen by kind first: most legal moves are top-ups."""
    groups: dict[str, list[int]] = {}
    for action in legal:
        groups.setdefault(kind_of(action), []).append(action)
    weights = {"top_up": 2, "jump": 2, "fly": 2, "scan": 6, "develop": 12, "discover": 6, "take": 1}
    kinds = list(groups)
    kind = rng.choices(kinds, [weights[k] for k in kinds])[0]
    moves = groups[kind]
    if SPACE_TILE in moves and rng.random() < 0.9:  # otherwise games with the penalty option never end
        moves = moves[:-1]
    return rng.choice(moves)


def uniform(mask: np.ndarray, key: int) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[(key >> 16) % len(legal)])
