"""The agent that learnt from nothing: `policy:scratch`, what it was taught by, and how it plays."""

from __future__ import annotations

import hashlib

import pytest

from spacemission_env.core.agents_api import act_alone, make_agent
from spacemission_env.games.space_mission.game import Game
from spacemission_train.learning.evaluation import win_share
from spacemission_train.settings.presets import make_settings


def test_it_learnt_from_nothing_but_the_observation() -> None:
    card = make_agent("policy:scratch").card
    assert "--preset scratch" in card["training"]["command"]
    settings = card["training"]["settings"]
    preset = make_settings("scratch").to_json()
    given = {"seed", "threads", "precision", "preset"}
    assert {k: v for k, v in settings.items() if k not in given} == {
        k: v for k, v in preset.items() if k not in given
    }
    assert card["network"]["input"] == "afterstate" and "ratings_sha256" not in card


def test_its_preset_learns_from_games_against_itself_alone() -> None:
    settings = make_settings("scratch")
    assert (settings.method, settings.input) == ("td", "afterstate"), "no ratings, no moves of others"
    assert settings.mixture == {"latest": 1.0} and settings.reward == "win"
    assert settings.start is None and settings.imitate is None
    assert settings.player_counts == (2, 3, 4, 5)


# Of its weights, and of its moves in a game of each number of players as it played them when it was shipped.
WEIGHTS, MOVES = "1d47b1e19bf7a096", "5fabdfffb20b05d8"


def test_it_plays_as_when_it_was_shipped() -> None:
    agent, moves = make_agent("policy:scratch"), hashlib.sha256()
    assert agent.card["weights_sha256"].startswith(WEIGHTS), "another model: note its moves anew"
    for players in (2, 3, 4, 5):
        game = Game(players)
        game.reset(players)
        while not game.over:
            action = int(act_alone(agent, game.ask())[0])
            moves.update(bytes([action]))
            game.step(action)
    assert moves.hexdigest().startswith(MOVES)


def test_it_is_stronger_than_greedy() -> None:
    against = win_share(make_agent("policy:scratch"), "greedy", 2, 600, 17, "printed", None)
    assert against.low > 0.75, against


@pytest.mark.parametrize("players", [3, 4, 5])
def test_with_more_players_it_is_stronger_than_heuristic(players: int) -> None:
    against = win_share(make_agent("policy:scratch"), "heuristic", players, 600, 17, "printed", None)
    assert against.low > 1 / players, against
