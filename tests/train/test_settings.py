"""Tests of settings: experiment files in TOML, precedence, one-line refusals, reproduced runs."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import game_names
from spacemission_train.presets import check_alone, make_settings, presets_of, settings_of
from spacemission_train.run import start
from spacemission_train.settings import NAMES, Settings, read_experiment, to_toml
from tests.support.paths import DOCS
from tests.support.small_runs import tiny


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def again(settings: Settings, path: Path) -> Settings:
    return check_alone(read_experiment(written(path, to_toml(settings, "spacemission train"))), path)


# ------------------------------------------------------------ the model


def test_each_of_at_most_28_settings_has_a_meaning() -> None:
    assert len(NAMES) <= 28
    assert all(field.description for field in Settings.model_fields.values())


@pytest.mark.parametrize("game", game_names())
def test_every_preset_survives_json_and_toml(game: str, tmp_path: Path) -> None:
    for settings in presets_of(game).values():
        assert Settings(**json.loads(json.dumps(settings.to_json()))) == settings
        if settings.preset != "exploit":
            assert again(settings, tmp_path / "e.toml") == settings


ODD = 'a "b"\\c\n\x7f\tä €😀'


@pytest.mark.parametrize(
    "settings",
    [
        make_settings(minutes=2.5, seed=2**62, players=(2, 3), average=0.5),
        make_settings(components=ODD),
        make_settings("exploit", exploit="greedy", start="policy:a,policy:b"),
    ],
)
def test_a_file_holds_every_setting_and_gives_it_back(settings: Settings, tmp_path: Path) -> None:
    assert again(settings, tmp_path / "e.toml") == settings
    names = [name for name in NAMES if name != "opponents" or settings.exploit is None]
    assert list(tomllib.loads((tmp_path / "e.toml").read_text("utf-8"))) == names


def test_the_heading_says_what_the_run_was_made_with(tmp_path: Path) -> None:
    path = written(tmp_path / "e.toml", to_toml(tiny(), "spacemission train\n--out 'a b'"))
    heading = path.read_text().split("\n\n")[0]
    for name in ("spacemission-env", "Python", "numpy", "torch", "numba", "1 threads"):
        assert name in heading
    assert all(line.startswith("# ") for line in heading.splitlines())
    assert heading.splitlines()[-1] == "# command: spacemission train --out 'a b'"


def test_the_file_in_the_manual_is_accepted(tmp_path: Path) -> None:
    manual = (DOCS / "training.md").read_text("utf-8")
    text = manual.split("```toml\n")[1].split("```")[0]
    settings = settings_of(None, written(tmp_path / "e.toml", text), [], {})
    assert (settings.preset, settings.players, settings.start) == ("ppo_vs_heuristic", (2, 3), None)


# ------------------------------------------------------------ precedence


def test_options_win_over_set_over_file_over_preset(tmp_path: Path) -> None:
    path = written(tmp_path / "e.toml", 'preset = "scratch"\nenvs = 10\nn_steps = 11\nepochs = 3\n')
    settings = settings_of(None, path, ["envs=20", "n_steps=21"], {"envs": 30, "n_steps": None, "seed": 7})
    assert (settings.envs, settings.n_steps, settings.epochs, settings.seed) == (30, 21, 3, 7)
    assert settings.batch_size == make_settings("scratch").batch_size != make_settings("demo").batch_size
    assert settings_of("demo", path, [], {}).batch_size == make_settings("demo").batch_size
    assert settings_of(None, path, ["preset=demo"], {}).preset == "demo"
    with pytest.raises(SpaceMissionError, match=r"^settings: envs"):  # the file is not blamed for an option
        settings_of(None, path, ["envs=0"], {})


def test_limits_and_targets_of_a_weaker_layer_give_way(tmp_path: Path) -> None:
    path = written(tmp_path / "e.toml", 'steps = 5000\nopponents = "random=1"\n')
    by_time = settings_of(None, path, [], {"minutes": 2.0})
    assert (by_time.steps, by_time.minutes) == (None, 2.0)
    assert settings_of(None, None, ["minutes=3"], {"steps": 9}).minutes is None
    both = settings_of(None, None, [], {"steps": 9, "minutes": 3.0})
    assert (both.steps, both.minutes) == (9, 3.0)
    exploiter = settings_of(None, path, [], {"exploit": "greedy"})
    assert (exploiter.preset, exploiter.mixture) == ("exploit", {"greedy": 1.0})


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("envs=3", "envs", 3),
        ("gae_lambda = 1", "gae_lambda", 1.0),
        ("hidden=[4, 5, 6]", "hidden", (4, 5, 6)),
        ("players=3", "players", (3,)),
        ("learning_rate=0.1", "learning_rate", (0.1, 0.1)),
        ("entropy=[0.1, 0]", "entropy", (0.1, 0.0)),
        ("input=afterstate", "input", "afterstate"),
        ('input="afterstate"', "input", "afterstate"),
        ("rules=printed,max_rounds=50", "rules", "printed,max_rounds=50"),
        ("opponents=random=0.5,greedy=0.5", "opponents", "random=0.5,greedy=0.5"),
        ("start=none", "start", None),
        ("threads=none", "threads", None),
    ],
)
def test_set_takes_toml_and_bare_texts(text: str, name: str, value: Any) -> None:
    assert getattr(settings_of(None, None, [text], {}), name) == value


# ------------------------------------------------------------ runs


@pytest.mark.slow
def test_a_runs_own_file_makes_the_same_run_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    start(tiny(steps=256, seed=3), first, "spacemission train --out first")
    given = ["train", "--experiment", str(first / "experiment.toml"), "--out", str(second), "--json"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    for name in ("model", "best", "checkpoints/step_000000256"):
        one, other = (folder / name / "weights.safetensors" for folder in (first, second))
        assert one.read_bytes() == other.read_bytes()
    lines = [(folder / "experiment.toml").read_text().splitlines() for folder in (first, second)]
    assert [line for line in lines[0] if line[:1] != "#"] == [line for line in lines[1] if line[:1] != "#"]
    for more, words in ((["--set", "envs=4"], "envs: cannot be changed"), (given[1:3], "omit --experiment")):
        refused = CliRunner().invoke(app, ["train", "--resume", str(second), *more])
        assert refused.exit_code == 1 and words in refused.stderr
