"""Tests the leaf evaluator: the value of `policy:scratch` of what a seat knows."""

from __future__ import annotations

import numpy as np
import pytest

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.leaf_evaluator import (
    LeafEvaluators,
    evaluate_position,
    new_evaluators,
    write_returns,
)
from spacemission_agents.games.space_mission.search.rollout_policy import MOVES, new_view
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS
from spacemission_env.games.space_mission.game import Game
from tests.support.afterstates import random_arrays

pytestmark = pytest.mark.slow


def games_under_way(players: int = 2, count: int = 120, loose: float = 0.15) -> list[Game]:
    """Positions of `heuristic` against itself with some random moves."""
    agent, rng = make_agent("heuristic"), np.random.default_rng(7)
    found: list[Game] = []
    seed = 0
    while len(found) < count:
        game = Game(players)
        game.reset(seed)
        seed += 1
        while not game.over and len(found) < count:
            if rng.random() < 0.3:
                found.append(game.clone())
            odd = rng.random() < loose
            move = rng.choice(game.legal_actions()) if odd else act_alone(agent, game.ask())[0]
            game.step(int(move))
    return found


@njit
def evaluate_all(states: np.ndarray, boxes: np.ndarray, evaluators: LeafEvaluators, out: np.ndarray) -> None:
    for seat in range(len(out)):
        out[seat] = evaluate_position(states[0], boxes[0], seat, evaluators)


@njit
def pay(
    states: np.ndarray,
    boxes: np.ndarray,
    views: np.ndarray,
    evaluators: LeafEvaluators,
    seat: int,
    out: np.ndarray,
) -> None:
    actions, values = np.zeros(MOVES, np.int64), np.zeros(MOVES)
    write_returns(states[0], boxes[0], views[0], evaluators, actions, values, seat, out)


def evaluated(game: Game, evaluators: LeafEvaluators) -> np.ndarray:
    out = np.zeros(game.num_players)
    evaluate_all(game.states, game.parameters, evaluators, out)
    return out


@pytest.mark.parametrize("players", [2, 3, 5])
def test_it_is_the_same_in_all_possible_worlds_of_a_seat(players: int) -> None:
    evaluators = new_evaluators(random_arrays(2))
    hidden = 0
    for i, game in enumerate(games_under_way(players)):
        for seat in range(players):
            world = game.determinize(seat, 500 + i)
            hidden += world.states.tobytes() != game.states.tobytes()
            assert evaluated(world, evaluators)[seat] == evaluated(game, evaluators)[seat]
    assert hidden > 200


@pytest.mark.parametrize("players", [2, 4])
def test_the_leaf_evaluator_knows_who_is_ahead_late_in_a_game(players: int) -> None:
    """A seat that is twenty points ahead in the last rounds has the highest expected share."""
    evaluators, views = new_evaluators(), new_view()
    asked = right = 0
    for game in games_under_way(players, count=300, loose=0.3):
        if game.rounds < 9:
            continue
        totals = game.scores()[:, -1]
        shares = evaluated(game, evaluators)
        assert ((shares > 0) & (shares < 1)).all()
        first, second = np.sort(totals)[::-1][:2]
        if first > second + 20:
            asked += 1
            right += int(shares.argmax() == totals.argmax())
        if game.phase == "action":
            out = np.zeros(MAX_PLAYERS)
            for seat in range(players):
                pay(game.clone().states, game.parameters, views, evaluators, seat, out)
                assert out[seat] == pytest.approx(shares[seat])
                assert out[:players].sum() == pytest.approx(1.0)
    assert asked > 5
    assert right >= 0.8 * asked


def test_leaf_evaluators_take_other_weights() -> None:
    """With these weights, the logit is always the last bias."""
    arrays = {name: np.zeros_like(array) for name, array in random_arrays(1).items()}
    arrays["afterstate.outputs.bias"][0] = 1.5
    game = Game(2)
    game.reset(1)
    assert evaluated(game, new_evaluators(arrays)) == pytest.approx(1 / (1 + np.exp(-1.5)))
