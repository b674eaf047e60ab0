"""`spacemission average`: the mean of the weights of several model folders."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from spacemission_agents.model_folder import load_model, save_model
from spacemission_env.agents_api import make_agent
from spacemission_env.cli import app
from spacemission_env.errors import AgentError
from spacemission_train.average import average
from tests.test_agents import write_model


def test_every_weight_is_the_mean_and_the_card_says_of_which(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abc"]
    for seed, folder in enumerate(folders):
        write_model(folder, seed)
    done = CliRunner().invoke(app, ["average", *map(str, folders), "--out", str(tmp_path / "mean"), "--json"])
    assert done.exit_code == 0, done.output
    models = [load_model(folder) for folder in folders]
    card, arrays = load_model(tmp_path / "mean")
    for name, array in arrays.items():
        expected = sum(model[name].astype(np.float64) for _, model in models) / 3
        np.testing.assert_allclose(array, expected, rtol=1e-6)
    digests = [model_card["weights_sha256"] for model_card, _ in models]
    assert [part["weights_sha256"] for part in card["training"]["mean_of"]] == digests
    assert json.loads(done.stdout)["mean_of"] == card["training"]["mean_of"]
    assert make_agent(f"policy:{tmp_path / 'mean'}") is not None


def test_results_of_one_model_are_not_claimed_for_the_mean(tmp_path: Path) -> None:
    write_model(tmp_path / "a")
    card, arrays = load_model(tmp_path / "a")
    entries = ("rules", "components_sha256", "network", "observation")
    told = {"training": {"steps": 7, "seed": 1}, "results": {"won": 1.0}}
    save_model(tmp_path / "a", arrays, {name: card[name] for name in entries} | told)
    mean = average([tmp_path / "a", tmp_path / "a"], tmp_path / "mean")
    assert mean["results"] == {}
    assert [part["steps"] for part in mean["training"]["mean_of"]] == [7, 7]
    assert mean["training"]["seed"] == 1


def test_models_of_other_networks_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    write_model(tmp_path / "a")
    write_model(tmp_path / "b", hidden=(16, 9))
    write_model(tmp_path / "c", activation="tanh")
    for other in "bc":
        with pytest.raises(AgentError) as caught:
            average([tmp_path / "a", tmp_path / other], tmp_path / "mean")
        assert f"{str(tmp_path / other)!r}: network: not the same as in" in str(caught.value)
    with pytest.raises(AgentError, match="no model folder given"):
        average([], tmp_path / "mean")
    assert not (tmp_path / "mean").exists()


def test_a_folder_that_holds_no_model_is_not_replaced(tmp_path: Path) -> None:
    write_model(tmp_path / "a")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("all my work")
    with pytest.raises(AgentError, match=r"thesis\.tex"):
        average([tmp_path / "a"], tmp_path / "mine")
    assert [entry.name for entry in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
