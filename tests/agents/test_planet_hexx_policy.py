"""Tests the shipped policy of Planet Hexx, and refusals of damaged folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from spacemission_agents.games.planet_hexx.network_input import DATA
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import make_game
from spacemission_env.core.reading import Json

pytestmark = pytest.mark.slow

SHIPPED = DATA / "default"


def test_it_is_found_by_the_game_and_small() -> None:
    agent = make_agent("policy:default", "planet_hexx")
    assert isinstance(agent, PolicyAgent) and agent.folder == SHIPPED
    assert make_agent("policy:default").folder != SHIPPED
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 2_000_000
    training = agent.card["training"]
    assert "--game planet_hexx --preset ppo_ensemble" in training["command"]
    assert agent.card["results"]["win_share_against_heuristic_2p"]["share"] > 0.6


def test_it_refuses_what_it_was_not_trained_for() -> None:
    agent = make_agent("policy:default", "planet_hexx")
    with pytest.raises(AgentError, match="max_turns"):
        prepare_agents([agent], make_game("planet_hexx", 2, "printed,max_turns=7").info)
    with pytest.raises(AgentError, match="it plays planet_hexx, the game is space_mission"):
        prepare_agents([agent], make_game("space_mission", 2).info)


@pytest.mark.parametrize(
    ("card", "network", "cut", "words"),
    [
        ({"ratings_sha256": "0" * 64}, {}, 0, "heuristic"),
        ({}, {"hidden": [65, 128]}, 0, "hidden|shape|weights"),
        ({}, {"input": "afterstate_policy"}, 0, "ratings_sha256|rating"),
        ({}, {}, 40, "weights.safetensors"),
    ],
)
def test_a_damaged_folder_is_refused_in_one_line(
    tmp_path: Path, card: Json, network: Json, cut: int, words: str
) -> None:
    copy = Path(shutil.copytree(SHIPPED, tmp_path / "model"))
    card_file, weights = copy / "card.json", copy / "weights.safetensors"
    entries = json.loads(card_file.read_text("utf-8")) | card
    entries["network"] |= network
    card_file.write_text(json.dumps(entries), "utf-8")
    weights.write_bytes(weights.read_bytes()[: weights.stat().st_size - cut])
    with pytest.raises(AgentError, match=words) as caught:
        make_agent(f"policy:{copy}", "planet_hexx")
    assert "\n" not in str(caught.value) and str(copy) in str(caught.value)
