"""Tests of sampling without distribution objects, and of networks in bfloat16."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from spacemission_train.run import torch_settings as parts
from spacemission_train.run import trainer
from spacemission_train.run.torch_settings import settled
from tests.support.small_runs import new_model, tiny, weights

pytestmark = pytest.mark.slow


def test_actions_are_drawn_by_the_odds_of_the_legal_ones() -> None:
    policy = new_model(tiny()).policy
    inputs = torch.rand(1, policy.observation_space.shape[0]).expand(20_000, -1)
    masks = np.zeros((20_000, 101), np.int8)
    masks[:, [3, 17, 40]] = 1
    with torch.no_grad():
        policy.action_net.bias[[3, 17, 40]] = torch.tensor([0.0, 1.0, 2.0])
        actions, values, log_probs = policy(inputs, action_masks=masks)
        best, _, _ = policy(inputs[:5], deterministic=True, action_masks=masks[:5])
        logits = policy.logits(inputs[:1])[0, [3, 17, 40]].double()
    probabilities = torch.softmax(logits, 0).numpy()
    shares = np.bincount(actions.numpy(), minlength=101)[[3, 17, 40]] / 20_000
    assert shares.sum() == 1, "an illegal action was drawn"
    assert shares == pytest.approx(probabilities, abs=0.02)
    expected = np.log(probabilities)[np.searchsorted([3, 17, 40], actions.numpy())]
    assert log_probs.numpy() == pytest.approx(expected, abs=1e-4)
    assert values.shape == (20_000, 1)
    assert (best == [3, 17, 40][int(probabilities.argmax())]).all()


def test_bfloat16_rounds_the_products_and_nothing_else() -> None:
    exact, fast = (new_model(tiny(precision=name)).policy for name in ("float32", "bfloat16"))
    inputs = (torch.rand(200, exact.observation_space.shape[0]) < 0.2).float()
    with torch.no_grad():
        exact.action_net.weight *= 50  # SB3 begins with logits near 0
        fast.load_state_dict(exact.state_dict())
        first, second = exact.logits(inputs), fast.logits(inputs)
    assert first.dtype == second.dtype == torch.float32
    assert not torch.equal(first, second)
    assert float((first - second).abs().max()) < 0.03 * float(first.abs().max())
    assert {p.dtype for p in fast.parameters()} == {torch.float32}


def test_precision_is_settled_by_the_machine_and_then_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for able, expected in (({"avx512_bf16": True}, "bfloat16"), ({}, "float32")):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda able=able: able)
        assert settled(tiny()).precision == expected
        assert settled(tiny(precision="bfloat16")).precision == "bfloat16"
    monkeypatch.setattr(parts, "fast_precision", lambda device: "bfloat16")
    run = trainer.start(tiny(steps=128), tmp_path / "out")
    assert 'precision = "bfloat16"' in (tmp_path / "out" / "experiment.toml").read_text()
    assert run.settings.precision == "bfloat16"
    arrays = weights(tmp_path / "out" / "model").values()
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}
    monkeypatch.setattr(parts, "fast_precision", lambda device: "float32")
    assert trainer.resume(tmp_path / "out", {"steps": 256}).settings.precision == "bfloat16"
