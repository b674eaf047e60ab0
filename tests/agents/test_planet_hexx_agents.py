"""Tests the agents of Planet Hexx: what they read and do, weights, strength."""

import pytest

from spacemission_agents.games.planet_hexx.facts import FAR, find_ways, new_ways
from spacemission_env import make_agent, make_game
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import CENTRE, EAST
from studies.planet_hexx_games import play_out


def test_the_heuristic_pays_a_price_that_comes_first():
    """The Mother Lode takes a card before it gives Data: else its games go on to the last turn."""
    game, agent = make_game("planet_hexx", 2), make_agent("heuristic", "planet_hexx")
    game.reset(seed=1001)
    while not game.over:
        game.step(agent.play(game))
    assert game.reason == "finished"


def test_the_heuristic_throws_a_coin_for_its_side():
    games = BatchedGames(64, 2, game="planet_hexx")
    for i in range(64):
        games.deal(i, i)
    assert (games.states["asked"] == c.SIDE).all()
    agent = make_agent("heuristic", "planet_hexx")
    sides = agent.act(games.ask(games.everyone, observations=False).part(agent, games.everyone))
    assert 16 < (sides == 2).sum() < 48


@pytest.mark.parametrize(
    ("agents", "set_ups", "least"),
    [
        (("greedy", "random"), 40, 0.85),
        (("heuristic", "greedy"), 120, 0.58),
        (("heuristic", "greedy", "greedy"), 60, 0.42),
        pytest.param(("policy:default", "heuristic"), 150, 0.53, marks=pytest.mark.slow),
    ],
    ids=lambda given: "-".join(given) if isinstance(given, tuple) else None,
)  # fmt: skip
def test_strength(agents, set_ups, least):
    made = {name: make_agent(name, "planet_hexx") for name in agents}
    games, lineups = play_out([made[name] for name in agents], list(range(7000, 7000 + set_ups)))
    won = ((games.states["won"][:, : len(agents)] == 1) & (lineups == 0)).any(1).mean()
    assert won >= least


def test_ways_end_on_planets_and_at_walls():
    games = BatchedGames(1, 2, game="planet_hexx")
    games.deal(0, 1)
    s, t = games.states[0], games.template.t
    ways = new_ways()
    find_ways(s, t, CENTRE, c.NOWHERE, ways)
    assert ways[0][EAST] == 1
    assert (ways[0] < FAR).sum() == 2
    find_ways(s, t, CENTRE, EAST, ways)  # HX-19
    assert ways[0][EAST] == FAR
    s["walls"][CENTRE] = 1  # the edge towards it
    find_ways(s, t, CENTRE, c.NOWHERE, ways)
    assert ways[0][EAST] == FAR
