"""Networks that read cards and planets by shared weights and say moves by them: runs, folders, refusals.

That torch and compiled code say the same with them, test_league.py has.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spacemission_agents.games.space_mission.policy.inputs import (
    GAME_NUMBERS,
    GAME_SIZE,
    HAND_PLACE,
    PLANET_NUMBERS,
    PLANET_SIZE,
    RING_SIZE,
)
from spacemission_agents.games.space_mission.policy.network import LAYERS
from spacemission_agents.models.folder import load_model, tensor_shapes
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.errors import AgentError, SpaceMissionError
from spacemission_env.games.space_mission.engine.constants import CARD_FEATURES, RING, SLOTS
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_train.games.space_mission.networks import PartNetworks
from spacemission_train.games.space_mission.views import LearnerView
from spacemission_train.rllib import settings_here
from spacemission_train.run import trainer
from spacemission_train.self_play.table import GameTable
from spacemission_train.settings.presets import make_settings
from spacemission_train.settings.settings import Form, SettingsError
from tests.support.small_runs import new_model, same, tiny, weights

pytestmark = pytest.mark.slow

PARTS: dict[str, Any] = {
    "input": "ordered",
    "planets": 6,
    "cards": 4,
    "critic": "full",
    "augment": True,
    "kl": 0.05,
    "average": 0.5,
    "players": (2, 3),
    "opponents": "random=0.4,latest=0.3,past=0.3",
}


def stop(_: Any) -> None:
    raise KeyboardInterrupt


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> trainer.Run:
    return trainer.start(tiny(**PARTS), tmp_path_factory.mktemp("run") / "out")


def some_table(count: int = 40, moves: int = 25) -> GameTable:
    table = GameTable(count, (2, 3), "printed")
    for i in range(count):
        table.deal(i, i)
    for _ in range(moves):
        asked = table.ask(table.everyone)
        table.step(table.everyone, make_agent("random").act(asked))
    return table


def test_a_run_is_resumed_exactly(whole: trainer.Run, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        trainer.start(tiny(**PARTS), tmp_path / "out", report=stop)
    run = trainer.resume(tmp_path / "out")
    assert same(weights(whole.out / "model"), weights(run.out / "model"))
    fresh = new_model(tiny(**PARTS)).policy.state_dict()
    learnt = whole.model.policy.state_dict()
    unmoved = [name for name, weight in learnt.items() if torch.equal(weight, fresh[name])]
    assert not unmoved, "every layer learns"


def test_the_model_plays_every_number_of_players(whole: trainer.Run) -> None:
    card, arrays = load_model(whole.out / "model")
    assert card["network"]["cards"] == 4 and "value" not in card["network"]
    assert {name.split(".")[1] for name in arrays} >= set(LAYERS)
    table = some_table()
    asked = table.ask(table.everyone)
    assert asked.masks[np.arange(40), act_alone(make_agent(f"policy:{whole.out / 'model'}"), asked)].all()


def test_a_run_starts_from_such_a_model_of_the_same_widths_alone(whole: trainer.Run, tmp_path: Path) -> None:
    model = f"policy:{whole.out / 'model'}"
    run = trainer.start(
        tiny(**PARTS, start=model, learning_rate=0.0, last_learning_rate=0.0), tmp_path / "on"
    )
    assert same(weights(whole.out / "best"), weights(whole.out / "best"))
    started = {name: array for name, array in run.model.policy.state_dict().items() if "parts" in name}
    kept = whole.model.mean.state_dict()
    assert started and all(torch.equal(array, kept[name]) for name, array in started.items())
    for other in ({"cards": 5}, {"planets": 7}, {"cards": 0}):
        with pytest.raises(SpaceMissionError, match=r"network: (cards|planets): is"):
            trainer.start(tiny(**{**PARTS, **other}, start=model), tmp_path / "no")


def test_the_input_holds_the_observation_in_order_and_nothing_else() -> None:
    table = some_table()
    view = LearnerView(table, Form((8,), "ordered"))
    inputs, _ = view.read(table.everyone, table.players, np.zeros(40, np.int64))
    observations = table.ask(table.everyone).observations
    hand = observations[:, LAYOUT["hand"].slice]
    assert (inputs[:, HAND_PLACE : HAND_PLACE + SLOTS * CARD_FEATURES] == hand).all() and hand.any()
    assert not inputs[:, GAME_NUMBERS:GAME_SIZE].any(), "no aids"
    planets = inputs[:, GAME_SIZE:RING_SIZE].reshape(-1, RING, PLANET_SIZE)
    assert not planets[:, :, PLANET_NUMBERS:].any() and planets[:, :, :PLANET_NUMBERS].any()


def test_slots_and_planets_are_read_alike() -> None:
    networks = PartNetworks(Form((8,), "ordered", 6, False, cards=4))
    x = torch.rand(3, RING_SIZE, generator=torch.Generator().manual_seed(1))
    hand = slice(HAND_PLACE, HAND_PLACE + SLOTS * CARD_FEATURES)
    other = x.clone()
    other[:, hand] = x[:, hand].reshape(3, SLOTS, -1).flip(1).flatten(1)
    other[:, GAME_SIZE:] = x[:, GAME_SIZE:].reshape(3, RING, -1).roll(3, 1).flatten(1)
    with torch.no_grad():
        one, two = networks.forward_actor(x), networks.forward_actor(other)
    assert torch.allclose(one.planets.roll(3, 1), two.planets, atol=1e-6)
    assert torch.allclose(one.pairs.flip(1).roll(3, 2), two.pairs, atol=1e-6)


@pytest.mark.parametrize("changes", [{"planets": 0}, {"input": "rated"}, {"cards": -1}])
def test_settings_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=r"settings: cards: "):
        tiny(**{**PARTS, **changes})


def test_a_card_that_does_not_fit_is_refused(whole: trainer.Run, tmp_path: Path) -> None:
    folder = shutil.copytree(whole.out / "model", tmp_path / "m")
    card = json.loads((folder / "card.json").read_text())
    value = {"hidden": [8], "reward": "win", "shaping": 0.0, "final_potential": False}
    for change in ({"cards": 5}, {"cards": "4"}, {"planets": 0}, {"activation": "tanh"}, {"value": value}):
        (folder / "card.json").write_text(json.dumps({**card, "network": {**card["network"], **change}}))
        with pytest.raises(AgentError, match=r"cards|value|expected shape"):
            load_model(folder)
    assert len(tensor_shapes(card["network"])) == 2 * (len(LAYERS) + 3)


def test_rllib_trains_the_preset_by_networks_of_its_own() -> None:
    here = settings_here(make_settings("demo"))
    assert (here.cards, here.planets, here.input) == (0, 0, "observation")
