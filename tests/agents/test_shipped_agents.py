"""The models in the package are found by name everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import spacemission_env  # noqa: F401 (registers SpaceMission-v0)
from spacemission_agents.games.space_mission.network_input import SpaceMissionNetworkInput
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import make_agent
from spacemission_env.core.errors import AgentError


@pytest.mark.parametrize("name", SpaceMissionNetworkInput.shipped)
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
