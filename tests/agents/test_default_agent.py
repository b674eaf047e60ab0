"""The agent that ships: `policy:default`, found without a path wherever an agent can be named."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest

import spacemission_env  # noqa: F401 (registers SpaceMission-v0)
from spacemission_agents.games.space_mission.reading import SpaceMissionReading
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents_api import make_agent
from spacemission_env.core.errors import AgentError
from spacemission_env.games.space_mission.game import Game
from spacemission_train.learning.evaluation import win_share
from spacemission_train.settings.presets import make_settings

SHIPPED = SpaceMissionReading.shipped["default"]
# What a run is asked for on its command line, and what its machine says.
GIVEN = {"seed", "threads", "precision", "preset", "start", "final_games"}


def test_it_is_found_from_anywhere_and_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "default").mkdir()  # a folder of that name is another thing
    monkeypatch.chdir(tmp_path)
    agent = make_agent("policy:default")
    assert isinstance(agent, PolicyAgent) and agent.folder == SHIPPED
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 10_000_000
    assert {file.name for file in SHIPPED.iterdir()} == {"card.json", "weights.safetensors"}
    with pytest.raises(AgentError, match=r"model folder 'default': card.json is missing"):
        make_agent("policy:./default")
    assert make_agent("policy:default?sample").sample


def test_its_card_says_what_it_was_trained_for_and_how() -> None:
    card = make_agent("policy:default").card
    assert card["training"]["players"] == [2, 3, 4, 5] and card["results"]
    made, preset = card["training"]["settings"], make_settings("strongest").to_json()
    assert {k: v for k, v in made.items() if k not in GIVEN} == {
        k: v for k, v in preset.items() if k not in GIVEN
    }
    assert preset["start"] == "preset:scratch" and made["start"] == "policy:scratch"
    assert "ratings_sha256" in card, "it reads the ratings of `heuristic`"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_it_is_stronger_than_heuristic(players: int) -> None:
    agent = make_agent("policy:default")
    agent.prepare(Game(players).info)
    against = win_share(agent, "heuristic", players, 400, 17, "printed", None)
    assert against.low > 1.15 / players, against


def test_it_plays_in_front_ends_searches_and_training() -> None:
    opponents = ["policy:default", "policy:default?sample"]
    env = gymnasium.make("SpaceMission-v0", num_players=3, opponents=opponents)
    _, info = env.reset(seed=3)
    rng = np.random.default_rng(0)
    over = False
    while not over:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    assert reward <= 0, "random beat it"
    found = win_share(make_agent("rollouts:default:8"), "random", 2, 2, 1, "printed", None)
    assert found.share == 1
    assert make_settings(opponents="policy:default=1", players=2).mixture == {"policy:default": 1.0}
