"""Tests of all network forms: torch and compiled code agree, runs start from models, refusals."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spacemission_agents.games.space_mission.policy import inputs as p
from spacemission_agents.games.space_mission.policy.network import LAYERS, new_network, njit, run_critic
from spacemission_agents.models.folder import load_model, tensor_shapes
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.errors import AgentError, SpaceMissionError
from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    CARD_FEATURES,
    MAX_PLAYERS,
    RING,
    SCORES,
    SLOTS,
)
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.engine.scoring import score
from spacemission_train.games.space_mission.networks import PartNetworks
from spacemission_train.games.space_mission.views import LearnerView
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.ppo.run import PpoRun
from spacemission_train.rllib import settings_here
from spacemission_train.run import trainer
from spacemission_train.self_play.league import NetworkPlayer
from spacemission_train.settings.presets import make_settings
from spacemission_train.settings.settings import Form
from tests.support.small_runs import PARTS, RUNS, new_model, some_table, tiny

pytestmark = pytest.mark.slow

FORMS = [
    {"input": "observation", "planets": 0},
    {"input": "turned", "planets": 0},
    {"input": "ring", "planets": 0},
    {"input": "ring", "planets": 5},
]
BY_PARTS = {"input": "ordered", "planets": 5, "cards": 4}  # without a critic for others


@pytest.fixture
def whole(run_of: Callable[[str], trainer.Run]) -> trainer.Run:
    return run_of("parts")


@njit
def write_values(states, parameters, observations, masks, network, out):
    """What a critic says for the players to act."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for i in range(len(states)):
        s = states[i]
        score(s, parameters[0], scores)
        out[i] = run_critic(s, parameters[0], int(s.player), observations[i], masks[i], scores, network)


@pytest.mark.parametrize("critic", ["observation", "full"])
@pytest.mark.parametrize("form", [*FORMS, BY_PARTS, {"input": "rated", "planets": 5}])
def test_torch_and_compiled_code_say_the_same(form: dict[str, Any], critic: str, tmp_path: Path) -> None:
    settings = tiny(**form, critic=critic, players=(2, 4))
    run = PpoRun(settings, tmp_path, "")
    run.save_model(tmp_path / "model")
    policy: Any = run.model.policy
    table = some_table(60, (2, 4))
    view = LearnerView(table, settings.form)
    inputs, masks = view.read(table.everyone, table.players, np.zeros(60, np.int64))
    with torch.no_grad():
        logits, judged = (out.numpy() for out in policy.both(torch.from_numpy(inputs)))
    expected = np.zeros_like(logits)
    for action in range(ACTION_COUNT):
        own = view.own_actions(np.full(60, action))
        expected[np.arange(60), own] = logits[:, action]
    asked = table.ask(table.everyone)
    agents = PolicyAgent(str(tmp_path / "model")), NetworkPlayer(settings.form, policy_arrays(policy))
    for agent in agents:
        assert agent.logits(asked) == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected, 0).max() > 1e-3, "the logits do not depend on what is seen"
    assert (masks.sum(1) == asked.masks.sum(1)).all()
    if form == BY_PARTS:
        return
    card, arrays = load_model(tmp_path / "model")
    assert card["network"]["value"]["full"] == (critic == "full")
    values, value = np.zeros(60), new_network(arrays, card["network"], "value")
    write_values(table.states, table.template.parameters, asked.observations, asked.masks, value, values)
    assert values == pytest.approx(judged[:, 0], abs=1e-5)
    assert np.ptp(judged) > 1e-3, "the values do not depend on what is seen"


def test_the_policy_reads_nothing_hidden_and_a_full_critic_does() -> None:
    settings = tiny(**FORMS[-1], critic="full")
    table = some_table(30)
    view = LearnerView(table, replace(settings.form, full_critic=True))
    inputs, _ = view.read(table.everyone, table.players, np.zeros(30, np.int64))
    changed = inputs.copy()
    changed[:, -p.HIDDEN_SIZE :] += 1
    with torch.no_grad():
        network = new_model(settings).policy.mlp_extractor
        first, second = (torch.from_numpy(x) for x in (inputs, changed))
        assert torch.equal(network.forward_actor(first), network.forward_actor(second))
        assert not torch.equal(network.forward_critic(first), network.forward_critic(second))


# ------------------------------------------------------------ shared weights for cards and planets


def test_every_layer_learns(whole: trainer.Run) -> None:
    fresh, learnt = new_model(RUNS["parts"]).policy.state_dict(), whole.model.policy.state_dict()
    assert not [name for name, weight in learnt.items() if torch.equal(weight, fresh[name])]


def test_the_model_plays_every_number_of_players(whole: trainer.Run) -> None:
    card, arrays = load_model(whole.out / "model")
    assert card["network"]["cards"] == 4 and "value" not in card["network"]
    assert {name.split(".")[1] for name in arrays} >= set(LAYERS)
    asked = (table := some_table(40, (2, 3))).ask(table.everyone)
    assert asked.masks[np.arange(40), act_alone(make_agent(f"policy:{whole.out / 'model'}"), asked)].all()


def test_a_run_starts_from_such_a_model_of_the_same_widths_alone(whole: trainer.Run, tmp_path: Path) -> None:
    given = {**PARTS, "start": f"policy:{whole.out / 'model'}", "learning_rate": 0.0}
    run = trainer.start(tiny(**given, last_learning_rate=0.0), tmp_path / "on")
    started = {name: array for name, array in run.model.policy.state_dict().items() if "parts" in name}
    kept = whole.model.mean.state_dict()
    assert started and all(torch.equal(array, kept[name]) for name, array in started.items())
    for other in ({"cards": 5}, {"planets": 7}, {"cards": 0}):
        with pytest.raises(SpaceMissionError, match=r"network: (cards|planets): is"):
            trainer.start(tiny(**{**given, **other}), tmp_path / "no")


def test_the_input_holds_the_observation_in_order_and_nothing_else() -> None:
    table = some_table(40, (2, 3))
    view = LearnerView(table, Form((8,), "ordered"))
    inputs, _ = view.read(table.everyone, table.players, np.zeros(40, np.int64))
    hand = table.ask(table.everyone).observations[:, LAYOUT["hand"].slice]
    assert (inputs[:, p.HAND_PLACE : p.HAND_PLACE + SLOTS * CARD_FEATURES] == hand).all() and hand.any()
    assert not inputs[:, p.GAME_NUMBERS : p.GAME_SIZE].any(), "no computed features"
    planets = inputs[:, p.GAME_SIZE : p.RING_SIZE].reshape(-1, RING, p.PLANET_SIZE)
    assert not planets[:, :, p.PLANET_NUMBERS :].any() and planets[:, :, : p.PLANET_NUMBERS].any()


def test_slots_and_planets_are_read_alike() -> None:
    networks = PartNetworks(Form((8,), "ordered", 6, False, cards=4))
    x = torch.rand(3, p.RING_SIZE, generator=torch.Generator().manual_seed(1))
    hand = slice(p.HAND_PLACE, p.HAND_PLACE + SLOTS * CARD_FEATURES)
    other = x.clone()
    other[:, hand] = x[:, hand].reshape(3, SLOTS, -1).flip(1).flatten(1)
    other[:, p.GAME_SIZE :] = x[:, p.GAME_SIZE :].reshape(3, RING, -1).roll(3, 1).flatten(1)
    with torch.no_grad():
        one, two = networks.forward_actor(x), networks.forward_actor(other)
    assert torch.allclose(one.planets.roll(3, 1), two.planets, atol=1e-6)
    assert torch.allclose(one.pairs.flip(1).roll(3, 2), two.pairs, atol=1e-6)


def test_a_card_that_does_not_fit_is_refused(whole: trainer.Run, tmp_path: Path) -> None:
    folder = shutil.copytree(whole.out / "model", tmp_path / "m")
    card = json.loads((folder / "card.json").read_text())
    value = {"hidden": [8], "reward": "win", "shaping": 0.0, "final_potential": False}
    for change in ({"cards": 5}, {"cards": "4"}, {"planets": 0}, {"activation": "tanh"}, {"value": value}):
        (folder / "card.json").write_text(json.dumps({**card, "network": {**card["network"], **change}}))
        with pytest.raises(AgentError, match=r"cards|value|expected shape"):
            load_model(folder)
    assert len(tensor_shapes(card["network"])) == 2 * (len(LAYERS) + 3)


def test_rllib_trains_with_plain_networks_and_without_kl() -> None:
    here = settings_here(make_settings("demo", kl=0.1))
    assert (here.cards, here.planets, here.input, here.kl) == (0, 0, "observation", 0.0)
