"""Tests of studies/ablation.py: variants have their changes, and finished runs are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from spacemission_train.run import trainer
from spacemission_train.settings.presets import combine
from studies import ablation

pytestmark = pytest.mark.slow

BUDGET = {
    "steps": 128, "envs": 4, "n_steps": 16, "batch_size": 32, "hidden": (8,), "epochs": 1,
    "checkpoint_steps": 64, "evaluation_games": 2, "final_games": 4, "threads": 1,
}  # fmt: skip


def test_each_variant_differs_from_its_base_by_what_it_declares() -> None:
    for name, base, changes in ablation.VARIANTS:
        own = combine("quick", [ablation.changes_of(name)])
        assert changes, name
        for setting, value in changes.items():
            assert getattr(own, setting) == value
        if base is not None:
            other = combine("quick", [ablation.changes_of(base)])
            differing = {k for k, v in own.to_json().items() if v != other.to_json()[k]}
            assert differing == set(changes), name


def test_a_finished_run_is_read_and_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ablation.run_variant("flat", tmp_path, BUDGET)
    assert first["steps"] == 128 and first["random"]["games"] == 4
    monkeypatch.setattr(trainer, "start", None)
    assert ablation.run_variant("flat", tmp_path, BUDGET) == first
    lines = ablation.table([first]).splitlines()
    assert len(lines) == 3 and lines[2].startswith("| flat | - | ")
