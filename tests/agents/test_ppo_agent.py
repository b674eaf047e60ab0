"""The agent that learnt by PPO: `policy:ppo`."""

from __future__ import annotations

import pytest

from spacemission_env.core.agents_api import make_agent
from spacemission_env.games.space_mission.game import Game
from spacemission_train.run.evaluation import win_share

pytestmark = pytest.mark.slow


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
