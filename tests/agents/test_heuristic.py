"""Tests what `heuristic` reads and does, its weights and its strength."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.schedule import round_robin
from spacemission_agents.games.space_mission.heuristic.agent import HeuristicAgent
from spacemission_agents.weights import LARGEST, load_weights, replace_weights
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


@pytest.mark.parametrize("game", ["space_mission", "planet_hexx"])
def test_each_weight_has_its_meaning_and_each_file_has_all_weights(game: str) -> None:
    data = files(f"spacemission_agents.games.{game}") / "data"
    text = data.joinpath("heuristic.toml").read_text("utf-8")
    names = re.findall(r"^(\w+) = [-\d.]+  # \w", text, re.MULTILINE)
    assert names == list(tomllib.loads(text)["weights"])
    for file in data.iterdir():
        if file.name.startswith("heuristic"):
            assert names == list(tomllib.loads(file.read_text("utf-8"))["weights"])


def test_two_players_have_weights_of_their_own(agent: HeuristicAgent) -> None:
    """Other weights for more players change no game of two."""
    other = HeuristicAgent()
    other.weights = agent.weights.copy()
    other.weights[1:] = replace_weights(agent.weights[1:], {"plan": 0.2, "card": 0.0})
    for num_players, same in ((2, True), (3, False)):
        batches = collect(agent, num_players, 10)
        assert all((other.act(asked) == agent.act(asked)).all() for asked in batches) == same


def test_a_file_of_weights_is_played(agent: HeuristicAgent, tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text("[weights]\njoker = 2.5\ncard = 1\n")
    weights = load_weights(path, agent.weights)
    assert weights["joker"].tolist() == [2.5, 2.5]
    assert weights["card"].tolist() == [1.0, 1.0]
    assert (weights["plan"] == agent.weights["plan"]).all() and weights["plan"][0] != weights["plan"][1]
    played = make_agent(f"heuristic:{path}")
    assert isinstance(played, HeuristicAgent)
    assert (played.weights == weights).all()


@pytest.mark.parametrize("game", ["space_mission", "planet_hexx"])
def test_the_largest_weights_choose_legal_moves(game: str, tmp_path: Path) -> None:
    """Their values stay above the mark of an illegal move, whatever their signs."""
    data = files(f"spacemission_agents.games.{game}") / "data" / "heuristic.toml"
    names = list(tomllib.loads(data.read_text("utf-8"))["weights"])
    specs = []
    for i, signs in enumerate(((1, 1), (-1, -1), (1, -1))):
        path = tmp_path / f"{i}.toml"
        path.write_text(
            "\n".join(["[weights]", *(f"{n} = {LARGEST * signs[j % 2]}" for j, n in enumerate(names))])
        )
        specs.append(f"heuristic:{path}")
    # An illegal move would be an AgentError.
    play_games(specs, [[i, i] for i in range(3)] * 4, range(12), workers=1, game=game)


# ---------------------------------------------------------------- strength


@pytest.mark.parametrize(("num_players", "least"), [(2, 0.7), (3, 0.5), (5, 0.3)])
def test_it_beats_greedy(num_players: int, least: float) -> None:
    """One seat against `greedy` in all others wins far more than its fair share."""
    lineups, seeds = round_robin(2, num_players, 200, 11)
    one = (lineups == 0).sum(1) == 1
    results = play_games(["heuristic", "greedy"], lineups[one], seeds[one], workers=1)
    assert results.truncated.mean() < 0.01
    assert results.shares[lineups[one] == 0].mean() > least
