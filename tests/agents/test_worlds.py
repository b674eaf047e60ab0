"""Worlds drawn by how well the others stand in them: nothing hidden comes in, and true ones are like them."""

from __future__ import annotations

import numpy as np
import pytest

from spacemission_agents.games.space_mission.value.moves import new_scratch
from spacemission_agents.games.space_mission.value.network import Network, new_network
from spacemission_agents.games.space_mission.value.worlds import (
    DEALT,
    likely_world,
    standing,
    weigh_worlds,
)
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents_api import act_alone, make_agent
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game
from tests.support.afterstates import positions, random_network

pytestmark = pytest.mark.slow


def drawn(game: Game, key: int, network: Network) -> np.ndarray:
    """A likely world of the seat to act."""
    world, dealt, odds = np.zeros(1, STATE), np.zeros(DEALT, np.int64), np.zeros(DEALT)
    origin, box = game.states[0], game.box
    weigh_worlds(origin, box, key, network, new_scratch(), world, dealt, odds)
    assert (np.diff(odds) >= 0).all() and odds[-1] == 1
    likely_world(origin, box, key, dealt, odds, world)
    return world


def stands(game: Game, seat: int, network: Network) -> float:
    return float(standing(game.states[0], game.box, seat, network, new_scratch()))


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


def test_what_a_seat_says_of_itself_is_the_same_in_all_worlds_that_it_holds_possible() -> None:
    network = random_network(4)
    for i, game in enumerate(positions(3, "printed", 2, every=9)):
        for seat in range(3):
            other = game.determinize(seat, 40 + i)
            assert stands(other, seat, network) == stands(game, seat, network)


def test_true_worlds_are_more_like_those_drawn_than_like_even_ones() -> None:
    """In games of `policy:scratch` its rival stands better than in even worlds, about so well as in these."""
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
