"""Tests the ratings by `heuristic` in the features of Planet Hexx's input `afterstate_rated`."""

import numpy as np
import pytest
import torch

from spacemission_agents.games.planet_hexx import value as r
from spacemission_agents.games.planet_hexx.heuristic.choice import LEFT_OUT
from spacemission_agents.games.planet_hexx.value import SIZES
from spacemission_env.core.agents import make_agent
from spacemission_train.networks import RATING_FACTOR, Policy
from tests.support.any_afterstates import positions

pytestmark = pytest.mark.slow


def nearest(value: float) -> int:
    return min(255, max(0, int(value + 0.5)))


def expected(values: dict[int, float]) -> list[list[int]]:
    """The features of the moves from their ratings."""
    rated = sorted((value for value in values.values() if value > LEFT_OUT), reverse=True)
    rows = []
    for value in values.values():
        if value <= LEFT_OUT:
            rows.append([0, 0, 0, 0, 1, 0, 0, 0])
            continue
        below = rated[0] - value
        ahead = rated[0] - rated[1] if below == 0 and len(rated) > 1 else 0.0
        apart = [nearest(128 * below), nearest(1024 * below), int(below == 0), 0]
        rows.append([nearest(128 + 64 * value), *apart, nearest(128 * ahead), nearest(1024 * ahead), 0])
    return rows


@pytest.mark.parametrize("players", [2, 3, 4])
def test_they_are_those_of_heuristic_in_every_world(players: int) -> None:
    ratings, heuristic = r.new_ratings(), make_agent("heuristic", "planet_hexx")
    seen, row = np.zeros(len(r.SCALES), np.int64), np.zeros(1, np.int64)
    for n, game in enumerate(positions("planet_hexx", players, 60, rules="printed")):
        values = heuristic.rate(game.ask().part(heuristic, row))[0]
        actions = game.legal_actions()
        for world in (game, game.determinize(int(game.player), n)):
            r.rate_moves(world.states[0], world.t, ratings)
            found = np.zeros((len(actions), len(r.SCALES)), np.uint8)
            for action, x in zip(actions, found, strict=True):
                r.write_rating(action, ratings, x)
            assert found.tolist() == expected({action: float(values[action]) for action in actions})
        seen += found.any(0)
    assert seen.astype(bool).tolist() == [True] * 7 + [False]


def test_a_new_policy_prefers_what_is_rated_higher() -> None:
    policy = Policy(SIZES, {"hidden": [8, 8], "input": "afterstate_policy_rated", "planets": 4}, 0.5)
    x = np.zeros((3, SIZES.size), np.uint8)
    x[1:, SIZES.ratings + r.LOSS] = nearest(128 * 0.125), nearest(128 * 0.5)
    x[1:, SIZES.ratings + r.LOSS_FINE] = nearest(1024 * 0.125), nearest(1024 * 0.5)
    with torch.no_grad():
        outputs = policy(torch.from_numpy(x))
        critic, logits = outputs[:, 1].tolist(), policy.logits_of(outputs).tolist()
    for factor, (best, below, far) in ((1.0, critic), (RATING_FACTOR, logits)):
        assert best - below == pytest.approx(factor * 2 * 0.125, abs=1e-3 * factor)
        assert best - far == pytest.approx(factor * (0.5 + 0.25), abs=1e-2 * factor)
