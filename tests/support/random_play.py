"""Rules in many variants, and random moves that make progress."""

import random
from dataclasses import asdict

import numpy as np

from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, RANGES, Rules

SPACE_TILE = ACTION_COUNT - 1  # the pick of a space tile, always the last legal move

# A value of each option other than its default. These numbers make games of a usual length.
NUMBERS: dict[str, int] = {
    "chips_per_player": 12,
    "hand_size": 4,
    "actions_per_turn": 3,
    "space_tiles_to_end": 7,
    "max_rounds": 60,
    "start_player": 1,
}
CHANGED: dict[str, int] = {
    name: NUMBERS.get(name, sum(RANGES[name]) // 2) if name in RANGES else not default
    for name, default in asdict(Rules()).items()
}
EVERYTHING = Rules(**CHANGED)  # type: ignore[arg-type]

VARIANTS: list[tuple[str, Rules]] = [
    ("printed", PRESETS["printed"]),
    *((name, Rules(**{name: value})) for name, value in CHANGED.items()),  # type: ignore[arg-type]
    ("short", Rules(chips_per_player=8, hand_size=3, space_tiles_to_end=3, max_rounds=12)),
    ("long", Rules(start_player=0, empty_top_up=False, scan_face_up=True, space_tiles_to_end=16)),
    ("everything", EVERYTHING),
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
