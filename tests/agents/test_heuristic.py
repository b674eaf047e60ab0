"""Tests what `heuristic` reads and does, its weights and its strength."""

from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.schedule import round_robin
from spacemission_agents.games.space_mission.heuristic.agent import HeuristicAgent
from spacemission_agents.games.space_mission.heuristic.weights import (
    NAMES,
    TABLE,
    load_weights,
    make_weights,
    shipped_weights,
)
from spacemission_env.core.agents import make_agent
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.options import Rules
from tests.support.agent_games import collect


@pytest.fixture(scope="module")
def agent() -> HeuristicAgent:
    return HeuristicAgent()


def test_a_space_tile_is_never_taken_by_choice(agent: HeuristicAgent) -> None:
    for asked in collect(agent, 3, 10, rules=Rules(space_tile_penalty=True)):
        assert (agent.act(asked) != c.TAKE + c.SPACE).all()


# ---------------------------------------------------------------- weights


def test_the_table_of_weights_is_whole() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for weight in TABLE:
        assert weight.low <= weight.default <= weight.high
        assert weight.meaning
    assert make_weights()["card"] == next(weight.default for weight in TABLE if weight.name == "card")


def test_the_shipped_weights_are_read() -> None:
    for num_players in (2, 3, 5):
        shipped = shipped_weights(num_players)
        assert any(shipped[weight.name][0] != weight.default for weight in TABLE)
    assert (shipped_weights(3) == shipped_weights(5)).all()


def test_two_players_have_weights_of_their_own(agent: HeuristicAgent) -> None:
    """Other weights for more players change no game of two."""
    other = HeuristicAgent()
    other.weights = np.concatenate([agent.weights[:1], make_weights({"plan": 0.2, "card": 0.0})])
    for num_players, same in ((2, True), (3, False)):
        batches = collect(agent, num_players, 10)
        assert all((other.act(asked) == agent.act(asked)).all() for asked in batches) == same


def test_a_file_of_weights_is_played(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text("[weights]\njoker = 2.5\ncard = 1\n")
    weights = load_weights(path)
    assert weights["joker"] == 2.5
    assert weights["card"] == 1.0
    assert weights["plan"] == make_weights()["plan"]
    played = make_agent(f"heuristic:{path}")
    assert isinstance(played, HeuristicAgent)
    assert (played.weights == weights).all()


# ---------------------------------------------------------------- strength


@pytest.mark.parametrize(("num_players", "least"), [(2, 0.7), (3, 0.5), (5, 0.3)])
def test_it_beats_greedy(num_players: int, least: float) -> None:
    """One seat against `greedy` in all others wins far more than its fair share."""
    lineups, seeds = round_robin(2, num_players, 200, 11)
    one = (lineups == 0).sum(1) == 1
    results = play_games(["heuristic", "greedy"], lineups[one], seeds[one], workers=1)
    assert results.truncated.mean() < 0.01
    assert results.shares[lineups[one] == 0].mean() > least
