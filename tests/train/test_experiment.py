"""Tests of experiment files: all settings in TOML, precedence, one-line refusals, reproduced runs."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.run import trainer
from spacemission_train.settings.experiment import (
    check_alone,
    command_of,
    parse_change,
    read_experiment,
    settings_of,
    to_toml,
)
from spacemission_train.settings.presets import PRESETS, make_settings
from spacemission_train.settings.settings import Settings
from tests.support.paths import DOCS
from tests.support.small_runs import FULL, TINY, same, tiny, weights

pytestmark = pytest.mark.slow


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def again(settings: Settings, path: Path) -> Settings:
    return check_alone(read_experiment(written(path, to_toml(settings, "spacemission train"))), path)


# ------------------------------------------------------------ the file


ODD = 'a "b"\\c\n\x7f\tä €😀'


@pytest.mark.parametrize(
    "settings",
    [
        make_settings("quick"),
        make_settings("quick", minutes=2.5, **{**FULL, "seed": 2**62}),
        make_settings("quick", components=ODD),
        make_settings("exploit", exploit="greedy", critic_warmup=3),
    ],
)
def test_a_file_holds_every_setting_and_gives_it_back(settings: Settings, tmp_path: Path) -> None:
    assert again(settings, tmp_path / "e.toml") == settings
    names = [of.name for of in fields(Settings) if of.name != "opponents" or settings.exploit is None]
    assert list(tomllib.loads((tmp_path / "e.toml").read_text("utf-8"))) == names


def test_values_that_are_none_come_back_whatever_the_preset_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PRESETS, "quick", replace(PRESETS["quick"], start="policy:x", minutes=3.0, threads=2))
    settings = replace(PRESETS["quick"], start=None, minutes=None, threads=None)
    assert again(settings, tmp_path / "e.toml") == settings


def test_the_heading_says_what_the_run_was_made_with(tmp_path: Path) -> None:
    path = written(tmp_path / "e.toml", to_toml(tiny(), "spacemission train\n--out 'a b'"))
    heading = path.read_text().split("\n\n")[0]
    for name in ("spacemission-env", "Python", "numpy", "torch", "numba", "stable-baselines3", "sb3-contrib"):
        assert name in heading
    assert "1 torch threads" in heading and "unknown" not in heading
    assert all(line.startswith("# ") for line in heading.splitlines())
    assert command_of(path) == "spacemission train --out 'a b'"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("learning_rat = 0.1", "unknown setting 'learning_rat'; did you mean 'learning_rate'"),
        ("zzz = 1", "unknown setting 'zzz'; known: preset, game, method"),
        ("envs = 64.0", "envs: expected a whole number, not 64.0"),
        ("envs = true", "envs: expected a whole number, not True"),
        ('gamma = "0.9"', "gamma: expected a number, not '0.9'"),
        ("overlap_rollouts = 1", "overlap_rollouts: expected true or false, not 1"),
        ("hidden = 256", "hidden: expected a list of whole numbers, not 256"),
        ("players = [2, 2.5]", "players: expected a list of whole numbers"),
        ("rules = 3", "rules: expected a text, not 3"),
        ('gamma = "none"', "gamma: expected a number, not 'none'"),
        ("[settings]\nenvs = 3", "unknown setting 'settings'"),
        ("gamma = nan", "gamma: expected a number from 0.0 to 1.0, not nan"),
        ('preset = "slow"', "preset 'slow': unknown"),
        ('preset = "exploit"', "exploit is not set"),
        ('exploit = "greedy"\nopponents = "random=1"', "opponents: an exploiter"),
        ("envs = ", "not TOML"),
        ("envs = 1\nenvs = 2", "not TOML"),
    ],
)
def test_a_refused_file_is_named_in_one_line(text: str, words: str, tmp_path: Path) -> None:
    path = written(tmp_path / "e.toml", text + "\n")
    with pytest.raises(SpaceMissionError) as refused:
        settings_of(None, path, [], {})
    assert str(refused.value).startswith(f"{path}: ")
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_the_file_in_the_manual_is_accepted(tmp_path: Path) -> None:
    manual = (DOCS / "training.md").read_text("utf-8")
    text = manual.split("```toml\n")[1].split("```")[0]
    settings = settings_of(None, written(tmp_path / "e.toml", text), [], {})
    assert (settings.preset, settings.players, settings.start) == ("quick", (2, 3), None)


# ------------------------------------------------------------ precedence


def test_options_win_over_set_over_file_over_preset(tmp_path: Path) -> None:
    path = written(tmp_path / "e.toml", 'preset = "demo"\nenvs = 10\nn_steps = 11\nepochs = 3\n')
    settings = settings_of(None, path, ["envs=20", "n_steps=21"], {"envs": 30, "n_steps": None, "seed": 7})
    assert (settings.envs, settings.n_steps, settings.epochs, settings.seed) == (30, 21, 3, 7)
    assert settings.batch_size == PRESETS["demo"].batch_size != PRESETS["quick"].batch_size
    assert settings_of("quick", path, [], {}).batch_size == PRESETS["quick"].batch_size
    assert settings_of(None, path, ["preset=quick"], {}).preset == "quick"
    with pytest.raises(SpaceMissionError, match=r"^settings: envs"):  # the file is not blamed for an option
        settings_of(None, path, ["envs=0"], {})


def test_limits_and_targets_of_a_weaker_layer_give_way(tmp_path: Path) -> None:
    path = written(tmp_path / "e.toml", 'steps = 5000\nopponents = "random=1"\n')
    by_time = settings_of(None, path, [], {"minutes": 2.0})
    assert (by_time.steps, by_time.minutes) == (None, 2.0)
    both = settings_of(None, path, ["minutes=3"], {"steps": 9})
    assert (both.steps, both.minutes) == (9, 3.0)
    exploiter = settings_of(None, path, [], {"exploit": "greedy"})
    assert (exploiter.preset, exploiter.mixture) == ("exploit", {"greedy": 1.0})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("envs=3", ("envs", 3)),
        ("gamma = 1", ("gamma", 1.0)),
        ("hidden=[4, 5]", ("hidden", (4, 5))),
        ("players=3", ("players", (3,))),
        ("overlap_rollouts=true", ("overlap_rollouts", True)),
        ("input=afterstate", ("input", "afterstate")),
        ('input="afterstate"', ("input", "afterstate")),
        ("rules=printed,max_rounds=50", ("rules", "printed,max_rounds=50")),
        ("opponents=random=0.5,greedy=0.5", ("opponents", "random=0.5,greedy=0.5")),
        ("start=none", ("start", None)),
        ("threads=none", ("threads", None)),
    ],
)
def test_set_takes_toml_and_bare_texts(text: str, found: tuple[str, Any]) -> None:
    assert parse_change(text) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("envs", "--set envs: expected name=value"),
        ("env=3", "--set: unknown setting 'env'; did you mean 'envs'"),
        ("envs=many", "--set envs: not a TOML value: 'many'"),
        ("envs=2.5", "--set: envs: expected a whole number, not 2.5"),
        ("envs=3\nseed=4", "--set: envs: expected a whole number"),
        ("gamma=none", "--set: gamma: expected a number"),
    ],
)
def test_refused_sets(text: str, words: str) -> None:
    with pytest.raises(SpaceMissionError) as refused:
        parse_change(text)
    assert words in str(refused.value) and "\n" not in str(refused.value)


# ------------------------------------------------------------ runs


def test_a_runs_own_file_makes_the_same_run_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    trainer.start(tiny(steps=256, seed=3), first, "spacemission train --out first")
    given = ["train", "--experiment", str(first / "experiment.toml"), "--out", str(second), "--json"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    for name in ("model", "best", "checkpoints/step_000000256"):
        one, other = (folder / name / "weights.safetensors" for folder in (first, second))
        assert one.read_bytes() == other.read_bytes()
    lines = [(folder / "experiment.toml").read_text().splitlines() for folder in (first, second)]
    assert [line for line in lines[0] if line[:1] != "#"] == [line for line in lines[1] if line[:1] != "#"]


def test_the_command_takes_file_set_and_options(tmp_path: Path) -> None:
    rows = "\n".join(
        f"{name} = {json.dumps(list(value) if isinstance(value, tuple) else value)}"
        for name, value in {"preset": "quick", **TINY}.items()
    )
    path = written(tmp_path / "e.toml", rows + "\n")
    out = tmp_path / "out"
    given = ["--experiment", str(path), "--set", "steps=128", "--set", "seed=5", "--seed", "6"]
    result = CliRunner().invoke(app, ["train", *given, "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    settings = json.loads(result.stdout)["settings"]
    assert (settings["steps"], settings["seed"], settings["hidden"]) == (128, 6, [16, 8])
    assert same(
        weights(out / "model"), weights(trainer.start(tiny(steps=128, seed=6), tmp_path / "a").out / "model")
    )
    refused = CliRunner().invoke(app, ["train", "--resume", str(out), "--set", "envs=4"])
    assert refused.exit_code == 1 and "envs: cannot be changed" in refused.stderr
    refused = CliRunner().invoke(app, ["train", "--resume", str(out), "--experiment", str(path)])
    assert refused.exit_code == 1 and "omit --experiment" in refused.stderr
    more = CliRunner().invoke(app, ["train", "--resume", str(out), "--set", "steps=256", "--json"])
    assert more.exit_code == 0 and json.loads(more.stdout)["steps"] == 256
