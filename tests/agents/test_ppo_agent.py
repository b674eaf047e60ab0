"""The agent that learnt by PPO: `policy:ppo`, found without a path wherever an agent can be named."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest

import spacemission_env  # noqa: F401 (registers SpaceMission-v0)
from spacemission_agents.games.space_mission.reading import SpaceMissionReading
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents_api import make_agent
from spacemission_env.games.space_mission.game import Game
from spacemission_train.learning.evaluation import win_share
from spacemission_train.settings.presets import make_settings

SHIPPED = SpaceMissionReading.shipped["ppo"]


def test_it_is_found_from_anywhere_and_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ppo").mkdir()  # a folder of that name is another thing
    monkeypatch.chdir(tmp_path)
    agent = make_agent("policy:ppo")
    assert isinstance(agent, PolicyAgent) and agent.folder == SHIPPED
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 10_000_000
    assert {file.name for file in SHIPPED.iterdir()} == {
        "card.json",
        "weights.safetensors",
    }
    with pytest.raises(Exception, match=r"model folder 'ppo': card.json is missing"):
        make_agent("policy:./ppo")
    assert make_agent("policy:ppo?sample").sample


def test_its_card_says_what_it_was_trained_for_and_how() -> None:
    card = make_agent("policy:ppo").card
    training = card["training"]
    assert training["players"] == [2, 3, 4, 5]
    assert "--preset strong" in training["command"]
    assert card["network"]["value"]["reward"] == "return", "its critic is made for searches"
    assert card["results"]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_it_wins_more_than_its_share_of_strangers(players: int) -> None:
    agent = make_agent("policy:ppo")
    agent.prepare(Game(players).info)
    against = win_share(agent, "greedy", players, 400, 17, "printed", None)
    assert against.low > 1.5 / players, against


def test_it_plays_in_front_ends_searches_and_training() -> None:
    opponents = ["policy:ppo", "policy:ppo?sample"]
    env = gymnasium.make("SpaceMission-v0", num_players=3, opponents=opponents)
    _, info = env.reset(seed=3)
    rng = np.random.default_rng(0)
    over = False
    while not over:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    assert reward <= 0, "random beat it"
    search = make_agent("ismcts-policy:ppo:8")
    found = win_share(search, "random", 2, 2, 1, "printed", None)
    assert found.share == 1
    assert make_settings(opponents="policy:ppo=1", players=2).mixture == {"policy:ppo": 1.0}
