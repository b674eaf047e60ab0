"""Tests of runs in stages: another preset is trained first, and the run starts from its model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_train.run import stages, trainer
from spacemission_train.run.folder import is_finished
from spacemission_train.settings.experiment import EXPERIMENT_FILE
from spacemission_train.settings.presets import make_settings
from spacemission_train.settings.settings import Settings
from spacemission_train.td.network import ensemble_arrays
from tests.support.small_runs import TINY, VALUE, same, tiny_value, weights

pytestmark = pytest.mark.slow

SMALL = {**TINY, **VALUE, "threads": 1, "steps": 512}
LATER = {"input": "afterstate_rated", "opponents": "heuristic=0.5,latest=0.5", "seed": 4}


@pytest.fixture
def small_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """First stages that take seconds."""

    def small(name: str, **given: Any) -> Settings:
        made = make_settings(name, **given)
        small = {**SMALL, "seed": given["seed"], "minutes": None}
        return replace(made, **small) if made.method == "td" else made

    monkeypatch.setattr(stages, "make_settings", small)


def without_ratings(model: Path) -> dict[str, np.ndarray]:
    """The weights of a model that could read ratings, but does not use them yet."""
    arrays = weights(model)
    assert not any(arrays.pop(f"afterstate.{name}.weight").any() for name in ("rating", "residual"))
    return arrays


def learns_nothing(**changes: Any) -> Settings:
    """A second stage that ends with its first weights."""
    return tiny_value(**LATER, start="preset:scratch", learning_rate=0.0, last_learning_rate=0.0, **changes)


@pytest.mark.usefixtures("small_first")
def test_the_run_begins_with_what_the_first_stage_came_to(tmp_path: Path) -> None:
    run = trainer.start(learns_nothing(), tmp_path / "out")
    first = weights(tmp_path / "out" / "first" / "model")
    assert any(array.any() for array in first.values())
    assert same(without_ratings(run.out / "model"), first)
    alone = trainer.start(
        replace(make_settings("scratch"), **{**SMALL, "minutes": None, "seed": 4}), tmp_path / "b"
    )
    assert same(weights(alone.out / "model"), first), "by the same seed"
    card = json.loads((run.out / "model" / "card.json").read_text())
    assert card["training"]["settings"]["start"] == "preset:scratch"
    assert 'start = "preset:scratch"' in (run.out / EXPERIMENT_FILE).read_text()


@pytest.mark.usefixtures("small_first")
@pytest.mark.parametrize("when", [1, 6])
def test_a_run_stopped_in_its_first_stage_goes_on_with_it(when: int, tmp_path: Path) -> None:
    whole = trainer.start(tiny_value(**LATER, start="preset:scratch"), tmp_path / "whole")
    told = []

    def stop(run: trainer.Progress) -> None:
        told.append(run.steps)
        if len(told) == when:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.start(tiny_value(**LATER, start="preset:scratch"), tmp_path / "out", advance=stop)
    assert not is_finished(tmp_path / "out" / "first")
    run = trainer.resume(tmp_path / "out")
    assert run.steps == whole.steps and (run.out / "model").is_dir()
    if when == 1:  # a run of values that goes on from a checkpoint begins new games
        assert same(weights(run.out / "model"), weights(whole.out / "model"))


@pytest.mark.usefixtures("small_first")
def test_a_first_stage_that_is_done_is_not_done_again(tmp_path: Path) -> None:
    told: list[Path] = []

    def stop(run: trainer.Progress) -> None:
        told.append(run.out)
        if run.out == tmp_path / "out":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.start(learns_nothing(), tmp_path / "out", advance=stop)
    first = weights(tmp_path / "out" / "first" / "model")
    told.clear()
    run = trainer.resume(tmp_path / "out", advance=lambda run: told.append(run.out))
    assert set(told) == {tmp_path / "out"}
    found = weights(run.out / "model")
    assert same({name: found[name] for name in first}, first)


def test_stages_have_the_run_s_widths_together() -> None:
    widths: dict[str, Any] = {"hidden": (8, 16), "planets": 4}
    (first,) = stages.first_stages(make_settings("td_ensemble", start="preset:scratch", **widths))
    assert first.hidden == (8, 16) and first.planets == 4
    both = stages.first_stages(make_settings("td_ensemble", start="preset:scratch*2", seed=5, **widths))
    assert [(of.hidden, of.planets, of.seed) for of in both] == [((4, 8), 2, 5), ((4, 8), 2, 6)]


@pytest.mark.usefixtures("small_first")
def test_values_of_several_first_stages_are_side_by_side(tmp_path: Path) -> None:
    hidden, planets = tuple(2 * width for width in SMALL["hidden"]), 2 * SMALL["planets"]
    of = tiny_value(**LATER, learning_rate=0.0, last_learning_rate=0.0, hidden=hidden, planets=planets)
    run = trainer.start(replace(of, start="preset:scratch*2"), tmp_path / "out")
    models = [tmp_path / "out" / name / "model" for name in ("first", "first_2")]
    firsts = [weights(model) for model in models]
    assert not same(*firsts), "of other seeds"
    assert same(without_ratings(run.out / "model"), ensemble_arrays(firsts)), "no first stage reads ratings"
    named = trainer.start(replace(of, start=",".join(f"policy:{model}" for model in models)), tmp_path / "b")
    assert same(weights(named.out / "model"), weights(run.out / "model"))
