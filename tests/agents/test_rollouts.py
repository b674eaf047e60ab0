"""Tests `rollouts:PATH:N`: likely worlds, simulations, the agent."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.afterstates.network import Network
from spacemission_agents.games.space_mission.value.afterstates import new_network, new_scratch, win_shares
from spacemission_agents.games.space_mission.value.rollouts import RolloutAgent, roll_out
from spacemission_agents.games.space_mission.value.worlds import DEALT, likely_world, standing, weigh_worlds
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game
from tests.support.afterstates import positions, random_model, random_network
from tests.support.random_play import choose

pytestmark = pytest.mark.slow

SIMULATIONS = 24


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(tmp_path_factory.mktemp("rollouts") / "model")


def simulated(game: Game, action: int, seed: int, turns: int) -> list[float]:
    told = np.full(turns, -1.0)
    world = game.determinize(game.player, seed).states
    roll_out(world, game.t, action, random_network(3), new_scratch(), told)
    return told.tolist()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_share_won_is_the_result(players: int) -> None:
    scores, shares = np.zeros((MAX_PLAYERS, SCORES), np.int64), np.zeros(players)
    for seed in range(20):
        game = Game(players)
        game.reset(seed)
        rng = random.Random(seed)
        while not game.over:
            game.step(choose(game, game.legal_actions(), rng))
        win_shares(game.states[0], game.t, scores, shares)
        assert sum(shares) == pytest.approx(1)
        assert [seat for seat, share in enumerate(shares) if share > 0] == list(game.winners())


@pytest.mark.parametrize("players", [2, 4])
def test_a_simulation_tells_the_same_of_the_same_seed_and_changes_nothing(players: int) -> None:
    told = set()
    for game in positions(players, "printed", 5, every=12):
        before = game.states.tobytes()
        action = int(game.legal_actions()[0])
        worth = simulated(game, action, 7, 2)
        assert all(0 <= share <= 1 for share in worth)
        assert worth == simulated(game, action, 7, 2)
        told |= {*worth, *simulated(game, action, 8, 1)}
        assert game.states.tobytes() == before
    assert len(told) > 10, "other worlds and other turns tell otherwise"


@pytest.mark.parametrize("players", [2, 3])
def test_a_longer_simulation_goes_the_same_way_further(players: int) -> None:
    for game in positions(players, "printed", 6, every=15):
        action = int(game.legal_actions()[-1])
        longest = simulated(game, action, 3, 6)
        for turns in (2, 4, 5):
            assert simulated(game, action, 3, turns)[:-1] == longest[: turns - 1]


def test_without_a_turn_to_come_the_end_of_the_game_is_told() -> None:
    last = [g.clone() for g in positions(2, "printed,max_rounds=6", 9) if g.states[0]["round_number"] == 6]
    told = [simulated(game, int(game.legal_actions()[0]), seed, 3) for game in last for seed in range(4)]
    assert all(len(set(ends)) == 1 for ends in told)
    shares = {ends[0] for ends in told}
    assert shares <= {0.0, 0.5, 1.0} and len(shares) > 1


def test_simulations_go_to_the_moves_that_are_tried(model: Path) -> None:
    agent = make_agent(f"rollouts:{model}:{SIMULATIONS}")
    twice = make_agent(f"rollouts:{model}:{SIMULATIONS}x2")
    assert isinstance(agent, RolloutAgent) and isinstance(twice, RolloutAgent)
    table = BatchedGames(4, 2)
    for i in range(4):
        table.deal(i, i)
    asked = table.ask(table.everyone).part(agent, np.arange(4))
    visits = agent.visits(asked)
    assert (visits[asked.masks == 0] == 0).all()
    assert (visits.sum(1) > SIMULATIONS // 2).all() and (visits.sum(1) <= SIMULATIONS + 1).all()
    assert (visits.argmax(1) == agent.act(asked)).all()
    assert (twice.visits(asked).sum(1) == 2 * visits.sum(1)).all()
    assert np.allclose(agent.probabilities(asked).sum(1), 1)


# ---------------------------------------------------------------- likely worlds


def drawn(game: Game, key: int, network: Network) -> np.ndarray:
    """Sample a likely world of the seat to act."""
    world, dealt, cumulative = np.zeros(1, STATE), np.zeros(DEALT, np.int64), np.zeros(DEALT)
    origin, box = game.states[0], game.t
    weigh_worlds(origin, box, key, network, new_scratch(), world, dealt, cumulative)
    assert (np.diff(cumulative) >= 0).all() and cumulative[-1] == 1
    likely_world(origin, box, key, dealt, cumulative, world)
    return world


def stands(game: Game, seat: int, network: Network) -> float:
    return float(standing(game.states[0], game.t, seat, network, new_scratch()))


@pytest.mark.parametrize("players", [2, 3, 5])
def test_the_world_drawn_is_the_same_in_all_that_the_seat_cannot_tell_apart(players: int) -> None:
    network = random_network(4)
    found = set()
    for i, game in enumerate(positions(players, "printed", players, every=9)):
        before = game.states.tobytes()
        world = drawn(game, i, network)
        found.add(world.tobytes())
        assert world.tobytes() == drawn(game, i, network).tobytes()
        other = game.determinize(game.player, 70 + i)
        assert world.tobytes() == drawn(other, i, network).tobytes()
        assert game.states.tobytes() == before
        assert (game.from_world(world[0]).observe(game.player) == game.observe(game.player)).all()
    assert len(found) > 5


def test_true_worlds_are_more_like_those_drawn_than_like_even_ones() -> None:
    """In games of `policy:scratch`, the rival's value is close to that in likely worlds."""
    agent = make_agent("policy:scratch")
    network = new_network(PolicyAgent("scratch").arrays)
    true, even, likely = [], [], []
    for seed in range(6):
        game = Game(2)
        game.reset(seed)
        while not game.over:
            if game.states[0]["decisions"] % 7 == 0:
                seat = game.player
                true.append(stands(game, 1 - seat, network))
                even.append(stands(game.determinize(seat, 5), 1 - seat, network))
                likely.append(stands(game.from_world(drawn(game, seed, network)[0]), 1 - seat, network))
            game.step(int(act_alone(agent, game.ask())[0]))
    assert len(true) > 40
    assert np.mean(true) > np.mean(even) + 0.3
    assert abs(np.mean(true) - np.mean(likely)) < 0.5 * (np.mean(true) - np.mean(even))
