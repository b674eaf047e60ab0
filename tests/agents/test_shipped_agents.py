"""The models in the package are found by name everywhere."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest

import spacemission_env  # noqa: F401 (registers SpaceMission-v0)
from spacemission_agents.games.space_mission.network_input import SpaceMissionNetworkInput
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import make_agent
from spacemission_env.core.errors import AgentError
from spacemission_train.run.evaluation import win_share
from spacemission_train.settings.presets import make_settings

SEARCHES = {"default": "rollouts:default:8", "scratch": "rollouts:scratch:8"}


def test_a_search_on_each_is_tested() -> None:
    assert set(SEARCHES) == set(SpaceMissionNetworkInput.shipped)


@pytest.mark.parametrize("name", SEARCHES)
def test_it_is_found_from_anywhere_and_is_small(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).mkdir()  # a folder of that name is not used
    monkeypatch.chdir(tmp_path)
    agent, shipped = make_agent(f"policy:{name}"), SpaceMissionNetworkInput.shipped[name]
    assert isinstance(agent, PolicyAgent) and agent.folder == shipped
    assert sum(file.stat().st_size for file in shipped.iterdir()) < 10_000_000
    assert {file.name for file in shipped.iterdir()} == {"card.json", "weights.safetensors"}
    with pytest.raises(AgentError, match=f"model folder '{name}': card.json is missing"):
        make_agent(f"policy:./{name}")
    assert make_agent(f"policy:{name}?sample").sample
    with pytest.raises(AgentError, match=f"no policy:{name} ships for kuhn_poker"):
        make_agent(f"policy:{name}", "kuhn_poker")


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
def test_it_plays_in_front_ends_searches_and_training(name: str) -> None:
    opponents = [f"policy:{name}", f"policy:{name}?sample"]
    env = gymnasium.make("SpaceMission-v0", num_players=3, opponents=opponents)
    _, info = env.reset(seed=3)
    rng = np.random.default_rng(0)
    over = False
    while not over:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    assert reward <= 0, "random beat it"
    assert win_share(make_agent(SEARCHES[name]), "random", 2, 2, 1, "printed", None).share == 1
    assert make_settings(opponents=f"policy:{name}=1", players=2).mixture == {f"policy:{name}": 1.0}
