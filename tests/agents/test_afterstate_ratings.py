"""Tests the ratings by `heuristic` in the features of input `afterstate_rated`."""

import math
from collections import Counter

import numpy as np
import pytest

from spacemission_agents.afterstates.network import RATED_INPUT
from spacemission_agents.games.space_mission.value import afterstates as ratings
from spacemission_agents.games.space_mission.value.afterstates import RATINGS
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.games.space_mission.actions import kind_of
from spacemission_env.games.space_mission.options import PRESETS, Rules
from tests.support.afterstates import FORM, judged, positions, random_network
from tests.support.random_components import random_box
from tests.support.random_play import EVERYTHING

pytestmark = pytest.mark.slow

RATED_FORM = {**FORM, "input": RATED_INPUT}
LEFT_OUT = -1e8  # ratings below this mean that a move has no rating
CASES: list[tuple[str, Rules, int | None]] = [
    ("printed", PRESETS["printed"], None),
    ("yucata", PRESETS["yucata"], None),
    ("everything", EVERYTHING, None),
    ("chips", Rules(chips_per_player=60, hand_size=4, empty_top_up=False, space_tiles_to_end=16), 4),
    ("another", Rules(space_tile_penalty=True, scan_face_up=True, actions_per_turn=4), 8),
]


def nearest(value: float) -> int:
    """The nearest byte."""
    return min(255, math.floor(value + 0.5))


def expected_features(points: dict[int, float]) -> dict[int, list[float]]:
    """The features of each move from its rating in points."""
    rated = sorted(value for value in points.values() if value > LEFT_OUT)
    expected = {}
    for action, value in points.items():
        if value <= LEFT_OUT:
            expected[action] = [0, 0, 0, 1, 0, 0, 0, 0]
            continue
        loss = rated[-1] - value
        ahead = rated[-1] - rated[-2] if loss == 0 and len(rated) > 1 else 0.0
        expected[action] = [nearest(8 * loss), nearest(32 * loss), loss == 0, 0, nearest(8 * ahead), 0, 0, 0]
    return expected


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize(("name", "rules", "box"), CASES, ids=[case[0] for case in CASES])
def test_they_are_those_that_heuristic_gives(name: str, rules: Rules, box: int | None, players: int) -> None:
    network, heuristic, row = random_network(1, RATED_FORM), make_agent("heuristic"), np.zeros(1, np.int64)
    seen: Counter[str] = Counter()
    of = None if box is None else random_box(box)
    for game in positions(players, rules, 40 + players, every=3, box=of):
        values = heuristic.rate(game.ask().part(heuristic, row))[0]
        actions, features, _ = judged(game, network)
        assert actions == game.legal_actions()
        expected = expected_features({action: float(values[action]) for action in actions})
        for action, found in zip(actions, features[:, RATINGS:], strict=True):
            assert found.tolist() == expected[action], (action, kind_of(action))
            seen[kind_of(action)] += 1
            seen["unrated"] += int(found[ratings.UNRATED])
            seen["ahead"] += found[ratings.AHEAD] > 0
        assert features[:, RATINGS + ratings.BEST].any()
        chosen = act_alone(heuristic, game.ask())[0]
        seen["chosen"] += int(features[actions.index(chosen), RATINGS + ratings.BEST])
        seen["decisions"] += 1
    assert min(seen[what] for what in ("top_up", "fly", "take", "unrated", "ahead")) > 0, seen
    assert seen["chosen"] > 0.5 * seen["decisions"] > 5, "it plays others than those that it rates best"


def test_a_move_is_rated_alike_where_others_are_left_out() -> None:
    network, less = random_network(1, RATED_FORM), 0
    rng = np.random.default_rng(4)
    for game in positions(3, PRESETS["printed"], 21, every=3):
        actions, features, _ = judged(game, network)
        kept = [action for action in actions if action == actions[-1] or rng.random() < 0.4]
        mask = np.zeros_like(game.mask())
        mask[kept] = 1
        found, some, _ = judged(game, network, mask)
        assert found == kept
        assert (some == features[[actions.index(action) for action in kept]]).all()
        less += not some[:, RATINGS + ratings.BEST].any()
    assert less > 5, "the best has hardly ever been left out"
