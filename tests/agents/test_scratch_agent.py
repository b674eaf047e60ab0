"""The agent that learnt from nothing: `policy:scratch`, what it was taught by, and how it plays."""

from __future__ import annotations

import numpy as np
import pytest

from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents_api import make_agent
from spacemission_env.games.space_mission.game import Game
from spacemission_train.run.evaluation import win_share
from spacemission_train.settings.presets import make_settings

pytestmark = pytest.mark.slow


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


# Of its weights, and by the number of players the mean logits of legal moves when it was shipped.
WEIGHTS = "1d47b1e19bf7a096"
SAID = {
    2: [19.207, 23.3, 5.551, 23.364, 18.682, 13.342, 20.516, 15.264],
    3: [13.691, 12.046, 3.018, 1.112, 1.009, 0.208, 1.144, 0.526],
    4: [11.056, 7.305, 15.351, 3.383, 9.217, 8.466, 7.867, 4.603],
    5: [6.827, 6.718, 3.492, 0.961, 3.349, 21.372, 3.225, 0.685],
}


def said_of_positions(players: int, count: int = 8, every: int = 12) -> list[float]:
    """Mean logits along a game whose moves are drawn by the decision keys."""
    agent, game, found = PolicyAgent("scratch"), Game(players), []
    game.reset(players)
    for n in range(count * every):
        legal = game.legal_actions()
        if n % every == 0:
            found.append(float(agent.logits(game.ask().part(agent, np.zeros(1, np.int64)))[0, legal].mean()))
        game.step(legal[game.decision_key() % len(legal)])
    return found


@pytest.mark.parametrize("players", list(SAID))
def test_it_says_what_it_said_when_it_was_shipped(players: int) -> None:
    assert make_agent("policy:scratch").card["weights_sha256"].startswith(WEIGHTS), "another model"
    assert said_of_positions(players) == pytest.approx(SAID[players], abs=0.01)


def test_it_is_stronger_than_greedy() -> None:
    against = win_share(make_agent("policy:scratch"), "greedy", 2, 600, 17, "printed", None)
    assert against.low > 0.75, against


@pytest.mark.parametrize("players", [3, 4, 5])
def test_with_more_players_it_is_stronger_than_heuristic(players: int) -> None:
    against = win_share(make_agent("policy:scratch"), "heuristic", players, 600, 17, "printed", None)
    assert against.low > 1 / players, against
