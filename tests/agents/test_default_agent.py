"""The agent that ships: `policy:default`."""

from __future__ import annotations

import pytest

from spacemission_env.core.agents_api import make_agent
from spacemission_env.games.space_mission.game import Game
from spacemission_train.run.evaluation import win_share
from spacemission_train.settings.presets import make_settings

pytestmark = pytest.mark.slow

START = "policy:runs/coached_1/model,policy:runs/coached_2/model"  # docs/default_agent.md
# What a run is asked for on its command line, and what its machine says.
GIVEN = {"seed", "threads", "precision", "preset", "start", "final_games"}


def test_its_card_says_what_it_was_trained_for_and_how() -> None:
    card = make_agent("policy:default").card
    assert card["training"]["players"] == [2, 3, 4, 5] and card["results"]
    made, preset = card["training"]["settings"], make_settings("td_ensemble").to_json()
    assert {k: v for k, v in made.items() if k not in GIVEN} == {
        k: v for k, v in preset.items() if k not in GIVEN
    }
    assert preset["start"] == "preset:td_vs_heuristic*2" and made["start"] == START
    assert "ratings_sha256" in card, "it reads the ratings of `heuristic`"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_it_is_stronger_than_heuristic(players: int) -> None:
    agent = make_agent("policy:default")
    agent.prepare(Game(players).info)
    against = win_share(agent, "heuristic", players, 400, 17, "printed", None)
    assert against.low > 1.15 / players, against
