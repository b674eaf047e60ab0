"""Tests of all network forms: torch and compiled code agree, the policy reads nothing hidden."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spacemission_agents.games.space_mission.policy import inputs as p
from spacemission_agents.games.space_mission.policy.network import new_network, njit, run_critic
from spacemission_agents.models.folder import load_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.engine.scoring import score
from spacemission_train.games.space_mission.views import LearnerView
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.ppo.run import PpoRun
from spacemission_train.rllib import settings_here
from spacemission_train.self_play.league import NetworkPlayer
from spacemission_train.settings.presets import make_settings
from tests.support.small_runs import new_model, some_table, tiny

pytestmark = pytest.mark.slow

FORMS = [
    {"input": "observation", "planets": 0},
    {"input": "ring", "planets": 0},
    {"input": "ring", "planets": 5},
]


@njit
def write_values(states, parameters, observations, masks, network, out):
    """What a critic says for the players to act."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for i in range(len(states)):
        s = states[i]
        score(s, parameters[0], scores)
        out[i] = run_critic(s, parameters[0], int(s.player), observations[i], masks[i], scores, network)


@pytest.mark.parametrize("critic", ["observation", "full"])
@pytest.mark.parametrize("form", [*FORMS, {"input": "rated", "planets": 5}])
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


def test_rllib_trains_with_plain_networks_and_without_kl() -> None:
    here = settings_here(make_settings("demo", kl=0.1))
    assert (here.planets, here.input, here.kl) == (0, "observation", 0.0)
