"""Tests the networks of observations: torch and compiled code agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spacemission_agents.models.policy import PolicyAgent
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.ppo.run import PpoRun
from spacemission_train.self_play.league import NetworkPlayer
from tests.support.small_runs import some_table, tiny

pytestmark = pytest.mark.slow


def test_torch_and_compiled_code_say_the_same(tmp_path: Path) -> None:
    settings = tiny(players=(2, 4))
    run = PpoRun(settings, tmp_path, "")
    run.save_model(tmp_path / "model")
    policy: Any = run.model.policy
    table = some_table(60, (2, 4))
    asked = table.ask(table.everyone)
    with torch.no_grad():
        expected = policy.logits(torch.from_numpy(asked.observations)).numpy()
    agents = PolicyAgent(str(tmp_path / "model")), NetworkPlayer(settings.form, policy_arrays(policy))
    for agent in agents:
        assert agent.logits(asked) == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected, 0).max() > 1e-3, "the logits do not depend on what is seen"
