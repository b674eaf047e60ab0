"""The models in the package: found by name everywhere, their cards, outputs and strength."""

from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.models.network_input import find_network_input
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import game_names
from spacemission_env.games.space_mission.game import Game
from spacemission_train.evaluation import win_share
from spacemission_train.presets import make_settings

SHIPPED = [
    (game, name, folder) for game in game_names() for name, folder in find_network_input(game).shipped.items()
]


@pytest.mark.parametrize(("game", "name", "folder"), SHIPPED, ids=[f"{one[0]}-{one[1]}" for one in SHIPPED])
def test_a_model_is_found_from_anywhere_and_is_small(
    game: str, name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).mkdir()  # a folder of that name is not used
    monkeypatch.chdir(tmp_path)
    agent = make_agent(f"policy:{name}", game)
    assert isinstance(agent, PolicyAgent) and agent.folder == folder
    assert f"/{game}/" in str(folder) and make_agent(f"policy:{name}?sample", game).sample
    assert sum(file.stat().st_size for file in folder.iterdir()) < 10_000_000
    assert {file.name for file in folder.iterdir()} == {"card.json", "weights.safetensors"}
    with pytest.raises(AgentError, match=f"model folder '{name}': card.json is missing"):
        make_agent(f"policy:./{name}", game)
    with pytest.raises(AgentError, match=f"no policy:{name} ships for kuhn_poker"):
        make_agent(f"policy:{name}", "kuhn_poker")


def test_a_model_of_planet_hexx_refuses_other_rules_and_games() -> None:
    agent = make_agent("policy:default", "planet_hexx")
    with pytest.raises(AgentError, match="max_turns"):
        prepare_agents([agent], make_game("planet_hexx", 2, "printed,max_turns=7").info)
    with pytest.raises(AgentError, match="it plays planet_hexx, the game is space_mission"):
        prepare_agents([agent], make_game("space_mission", 2).info)
    training, results = agent.card["training"], agent.card["results"]
    assert "--game planet_hexx --preset ppo_ensemble" in training["command"]
    assert results["win_share_against_heuristic_2p"]["share"] > 0.6


def test_scratch_learnt_from_games_against_itself_and_the_observation_alone() -> None:
    card, settings = make_agent("policy:scratch").card, make_settings("scratch")
    assert "--preset scratch" in card["training"]["command"]
    assert card["network"]["input"] == "afterstate" and "ratings_sha256" not in card
    assert settings.input == "afterstate", "no ratings, no moves of others"
    assert settings.mixture == {"latest": 1.0} and settings.reward == "win"
    assert settings.start is None
    assert settings.player_counts == (2, 3, 4, 5)


# The digest of the weights of `scratch`, and its mean logits of legal moves by number of players.
WEIGHTS = "1b2e573dd2efd2a7"
SAID = {
    2: [19.207, 23.3, 5.551, 23.364, 18.682, 13.342, 20.516, 15.264],
    3: [13.691, 12.046, 3.018, 1.112, 1.009, 0.208, 1.144, 0.526],
    4: [11.056, 7.305, 15.351, 3.383, 9.217, 8.466, 7.867, 4.603],
    5: [6.827, 6.718, 3.492, 0.961, 3.349, 21.372, 3.225, 0.685],
}


def said_of_positions(players: int, count: int = 8, every: int = 12) -> list[float]:
    """The mean logits along a game with moves drawn by the decision keys."""
    agent, game, found = PolicyAgent("scratch"), Game(players), []
    game.reset(players)
    for n in range(count * every):
        legal = game.legal_actions()
        if n % every == 0:
            found.append(float(agent.logits(game.ask().part(agent, np.zeros(1, np.int64)))[0, legal].mean()))
        game.step(legal[game.decision_key() % len(legal)])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("players", list(SAID))
def test_scratch_says_what_it_said_when_it_was_shipped(players: int) -> None:
    assert make_agent("policy:scratch").card["weights_sha256"].startswith(WEIGHTS), "another model"
    assert said_of_positions(players) == pytest.approx(SAID[players], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "opponent", "players", "least"),  # `least`: of its fair share of the wins, with 95 % certainty
    [
        ("scratch", "greedy", 2, 1.5),
        *[("scratch", "heuristic", players, 1.0) for players in (3, 4, 5)],
        *[("default", "heuristic", players, 1.15) for players in (2, 3, 4, 5)],
    ],
)
def test_a_model_wins_more_than_its_share(name: str, opponent: str, players: int, least: float) -> None:
    agent, games = make_agent(f"policy:{name}"), 600 if name == "scratch" else 400
    agent.prepare(Game(players).info)
    against = win_share(agent, opponent, players, games, 17, "printed", None)
    assert against.low > least / players, against
