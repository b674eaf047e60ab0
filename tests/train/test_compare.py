"""Tests of studies/compare.py and of plain_sb3.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.options import make_rules
from spacemission_train.run.evaluation import win_share
from studies import compare as module
from studies import plain_sb3
from studies.compare import FAILED, MISSING, TRAINED, YARDSTICKS, Comparison, compare, table

pytestmark = pytest.mark.slow

Make = Callable[..., Comparison]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A small comparison, which only shows that all parts run."""
    tiny = {"steps": 300, "minutes": None, "games": 4, "players": 2, "seed": 5, "threads": 1, "workers": 1}
    return lambda **changes: Comparison(tmp_path / "out", **{**tiny, **changes})  # type: ignore[arg-type]


def in_typer(function: Any, *args: Any) -> Any:
    import typer

    app = typer.Typer()
    app.command()(function)
    return CliRunner().invoke(app, list(map(str, args)))


def check_trained(what: Comparison, of: Json) -> None:
    assert of["state"] == TRAINED, of
    assert of["steps"] >= 300 and of["seconds"] <= of["process_seconds"]
    agent = PolicyAgent(of["model"])
    assert agent.card["network"]["hidden"] == [256, 256]
    assert agent.card["network"].get("input", "observation") == "observation"
    assert agent.card["training"]["steps"] == of["steps"]
    assert list(of["results"]) == list(YARDSTICKS)
    again = win_share(agent, "random", 2, 4, what.seed, make_rules("printed"), load_components())
    assert of["results"]["random"] == again.to_json()


def test_trainers_are_trained_and_measured_alike(make: Make) -> None:
    what = make()
    by_time = make(steps=None, minutes=2.5)
    for engine in module.ENGINES:  # the budget is the same for each
        command = " ".join(map(str, what.command(engine)))
        assert "--steps 300" in command and "--minutes" not in command
        command = " ".join(map(str, by_time.command(engine)))
        assert "--minutes 2.5" in command and "--steps" not in command
    said: list[str] = []
    report = compare(what, ["plain", "sb3"], said.append)
    assert list(report["engines"]) == ["plain", "sb3"]
    for of in report["engines"].values():
        check_trained(what, of)
    assert json.loads((what.out / "compare.json").read_text()) == report
    lines = table(report).splitlines()
    assert len(lines) == 4
    assert {line.count("|") for line in lines} == {8}
    assert lines[3].startswith(f"| sb3 | {report['engines']['sb3']['steps']} |")
    assert [line.split(",")[0] for line in said] == [
        "training plain", "measuring plain", "training sb3", "measuring sb3",
    ]  # fmt: skip
    with pytest.raises(SpaceMissionError, match="not an empty folder"):
        compare(what, ["plain"])


def test_rllib_is_compared_where_it_is_installed(make: Make) -> None:
    pytest.importorskip("ray.rllib.algorithms.ppo")
    report = compare(make(), ["rllib"], lambda line: None)
    check_trained(make(), report["engines"]["rllib"])


def test_an_engine_that_is_missing_is_told_and_the_others_go_on(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "__init__.py").write_text("raise ModuleNotFoundError('no ray', name='ray')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    report = compare(make(steps=16), ["rllib", "plain"], lambda line: None)
    assert report["engines"]["rllib"]["state"] == MISSING
    assert "the package 'ray' is needed" in report["engines"]["rllib"]["reason"]
    assert report["engines"]["plain"]["state"] == TRAINED
    assert "not installed: " in table(report)


def test_an_engine_that_fails_makes_the_command_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Comparison, "command", lambda *_: ["-c", "raise SystemExit('broken off')"])
    done = in_typer(module.main, "--steps", 10, "--out", tmp_path / "out", "--engines", "sb3,plain")
    assert isinstance(done.exception, SpaceMissionError)
    report = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert {of["state"] for of in report["engines"].values()} == {FAILED}
    assert {of["reason"] for of in report["engines"].values()} == {"broken off"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--steps", 10, "--minutes", 1), "give one of --steps and --minutes"),
        ((), "give one of --steps and --minutes"),
        (
            ("--steps", 10, "--engines", "sb3,torch"),
            "expected different ones of sb3, rllib, plain",
        ),
        (("--steps", 10, "--engines", "sb3,sb3"), "--engines: expected different ones of"),
    ],
)
def test_bad_options_are_refused(options: tuple[Any, ...], said: str, tmp_path: Path) -> None:
    done = in_typer(module.main, *options, "--out", tmp_path / "out")
    assert done.exit_code != 0
    assert said in " ".join(f"{done.stderr} {done.exception}".replace("│", " ").split())
    assert not (tmp_path / "out").exists()


def test_the_plain_script_ends_when_its_time_is_over(tmp_path: Path) -> None:
    done = in_typer(plain_sb3.main, "--minutes", 0.001, "--out", tmp_path / "model")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["steps"] < 10 * plain_sb3.ROLLOUT * plain_sb3.ENVS
    assert PolicyAgent(str(tmp_path / "model")).card["network"]["activation"] == "relu"
    again = in_typer(plain_sb3.main, "--minutes", 0.001, "--out", tmp_path / "model")
    assert "exists already" in str(again.exception)
