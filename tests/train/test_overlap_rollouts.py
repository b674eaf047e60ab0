"""Tests of rollouts played during learning: runs are reproducible, and no rollout is lost or mixed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import Logger

from spacemission_train.ppo.networks import masked_log_probs
from spacemission_train.ppo.run import PpoRun
from spacemission_train.run import trainer
from tests.support.small_runs import tiny

pytestmark = pytest.mark.slow

OVERLAPPED = {"overlap_rollouts": True}
LONG = {**OVERLAPPED, "checkpoint_steps": 10**6, "steps": 10**6}


def updates(run: PpoRun, count: int) -> list[dict[str, Any]]:
    """The content of the buffer and the weights at each update."""
    seen: list[dict[str, Any]] = []
    train = run.model.train

    def spied() -> None:
        buffer: Any = run.model.rollout_buffer
        kept = {
            name: torch.from_numpy(getattr(buffer, name).copy()) for name in ("observations", "log_probs")
        }
        kept |= {"actions": torch.from_numpy(buffer.actions.copy()).long(), "steps": run.steps}
        kept["masks"] = torch.from_numpy(buffer.action_masks.copy()) < 0.5
        kept["weights"] = {name: t.clone() for name, t in run.model.policy.state_dict().items()}
        seen.append(kept)
        train()

    run.model.train = spied  # type: ignore[method-assign]
    run.model.set_logger(Logger(None, []))
    for _ in range(count):
        run._update()
    run.model.settle()
    return seen


def test_each_rollout_is_by_the_networks_of_one_update_before(tmp_path: Path) -> None:
    run = PpoRun(tiny(**LONG, precision="float32"), tmp_path, "")
    seen = updates(run, 3)
    assert [kept["steps"] for kept in seen] == [128, 256, 384]
    policy = run.model.policy
    for k, kept in enumerate(seen):
        probabilities = []
        for by in (seen[max(0, k - 1)], seen[k]):  # the networks of one update before, and the present ones
            policy.load_state_dict(by["weights"])
            observations = kept["observations"].flatten(0, 1)
            with torch.no_grad():
                logs = masked_log_probs(policy.logits(observations), kept["masks"].flatten(0, 1).flatten(1))
            probabilities.append(logs.gather(1, kept["actions"].reshape(-1, 1))[:, 0])
        played = kept["log_probs"].flatten()
        assert probabilities[0].numpy() == pytest.approx(played.numpy(), abs=1e-4)
        assert k == 0 or not np.allclose(probabilities[1].numpy(), played.numpy(), atol=1e-4)


def test_the_latest_self_changes_between_rollouts_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = PpoRun(tiny(**LONG), tmp_path, "")
    thread: Any = run.model.rollout_thread
    under_way: list[bool] = []
    set_latest = run.pool.set_latest
    monkeypatch.setattr(
        run.pool,
        "set_latest",
        lambda arrays: (under_way.append(thread._pending is not None), set_latest(arrays)),
    )
    updates(run, 3)
    assert len(under_way) == 3 + 1 and not any(under_way)


def test_no_rollout_overlaps_a_checkpoint(tmp_path: Path) -> None:
    run = PpoRun(tiny(**OVERLAPPED), tmp_path, "")
    pending: list[bool] = []
    thread: Any = run.model.rollout_thread
    train = run.model.train
    run.model.train = lambda: (pending.append(thread._pending is not None), train())  # type: ignore
    run.model.set_logger(Logger(None, []))
    for _ in range(2):
        run._update()
    assert pending == [True, False]  # 256 steps: a checkpoint follows


def test_a_rollout_that_fails_ends_the_run_with_its_own_error(tmp_path: Path) -> None:
    run = PpoRun(tiny(**OVERLAPPED), tmp_path, "")
    act = run.pool.act

    def fail(*args: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("an opponent's fault")
        return act(*args)

    run.pool.act = fail  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="an opponent's fault"):
        updates(run, 2)


def test_a_run_ended_by_the_clock_leaves_a_state_to_go_on_from(tmp_path: Path) -> None:
    settings = tiny(**{**LONG, "steps": None, "minutes": 0.02})
    run = trainer.start(settings, tmp_path / "out")
    more = trainer.resume(tmp_path / "out", {"steps": run.steps + 256, "minutes": 60.0})
    assert more.steps == run.steps + 256
