"""Tests of tuning: the output is a weights file, equal seeds give equal weights, a stopped run resumes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from spacemission_agents.games.space_mission.heuristic import weights as w
from spacemission_env.cli import app
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.games.space_mission import tuning
from spacemission_train.games.space_mission.tuning import Tuning, as_values, new_run, read_run, to_toml, tune

pytestmark = pytest.mark.slow

pytest.importorskip("cma")

SMALL = Tuning(population=4, games=2, players=(2, 3), against=("greedy",), seed=5)


@pytest.fixture(scope="module")
def straight() -> str:
    """The output of three generations without a stop."""
    return to_toml(tune(new_run(SMALL), 3), "test")


def test_a_run_writes_weights_that_can_be_played(tmp_path: Path, straight: str) -> None:
    path = tmp_path / "w.toml"
    path.write_text(straight)
    weights = w.load_weights(path)
    run = read_run(path)
    assert as_values(weights) == run.weights
    assert run.weights != run.start == as_values(w.shipped_weights(3))
    assert [len(row) for row in run.history] == [4, 4, 4]
    assert all(0.0 <= one <= 1.0 for row in run.history for one in row)
    for weight in w.TABLE:
        assert weight.low <= run.weights[weight.name] <= weight.high


def test_the_same_seed_gives_the_same_file_and_another_seed_another(straight: str) -> None:
    before = np.random.get_state()[1]
    assert to_toml(tune(new_run(SMALL), 3), "test") == straight
    assert (np.random.get_state()[1] == before).all(), "tuning leaves the global random numbers alone"
    other = Tuning(population=4, games=2, players=(2, 3), against=("greedy",), seed=6)
    assert tune(new_run(other), 1).history[0] != tune(new_run(SMALL), 1).history[0]


def test_a_stopped_run_goes_on_as_if_it_had_not_been(tmp_path: Path, straight: str) -> None:
    path = tmp_path / "w.toml"
    path.write_text(to_toml(tune(new_run(SMALL), 1), "test"))
    again = read_run(path)
    written = []
    tune(again, 3, after=lambda run: written.append(len(run.history)))
    assert written == [2, 3]
    assert to_toml(again, "test") == straight
    assert to_toml(tune(again, 3), "test") == straight, "a finished run is left as it is"


def test_better_weights_have_a_higher_fitness() -> None:
    settings = Tuning(games=60, against=("greedy",))
    careless = {"plan": 0.2, "takes_ahead": 0.0, "delivery": 0.0, "delivery_ready": 0.0, "card": 0.0}
    assert tuning.fitness(w.shipped_weights(2), settings, 0) > 0.6
    assert tuning.fitness(w.shipped_weights(2), settings, 0) > tuning.fitness(
        w.make_weights(careless), settings, 0
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"population": 3}, "population: expected a whole number from 4"),
        ({"games": 0}, "games: expected a whole number from 1"),
        ({"sigma": 0.0}, "sigma: expected a number above 0"),
        ({"players": (6,)}, "num_players: expected 2 to 5"),
        ({"players": ()}, "at least one number of players"),
        ({"against": ("nobody",)}, "agent 'nobody': unknown"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(SpaceMissionError, match=problem):
        Tuning(**changes)  # type: ignore[arg-type]


def test_bad_out_files_are_refused_in_one_line(tmp_path: Path, straight: str) -> None:
    path = tmp_path / "w.toml"
    broken = {
        "[weights]": "not an out file",
        straight.replace("format = 1", "format = 7"): "format 7 is not known",
        straight.replace("history = [", "history = [\n  [0.5],"): "expected rows of 4 numbers",
        straight.replace("population = 4", "population = 1"): "population",
        straight.replace("[weights]", "[weights]\nnothing = 1"): "unknown weight 'nothing'",
    }
    for text, problem in broken.items():
        path.write_text(text)
        with pytest.raises(tuning.TuningError, match=problem) as caught:
            read_run(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- the command


def command(*arguments: object, status: int = 0) -> str:
    """The output of the command; a refusal is one line on standard error."""
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == status, result.output
    assert status == 0 or result.stderr.count("\n") == 1
    return result.stderr if status else result.stdout


def test_the_command_tunes_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "w.toml"
    options = ["--population", 4, "--games", 2, "--against", "greedy", "--seed", 2, "--out", out]
    text = command("tune", "--generations", 1, *options)
    assert "generation    1" in text
    assert str(out) in text
    assert out.read_text().startswith("# Weights of the agent `heuristic`, tuned by: spacemission")
    report = json.loads(command("tune", "--generations", 2, *options, "--json"))
    assert len(report["history"]) == 2
    assert tuple(report["weights"]) == w.NAMES
    assert report["weights"] == as_values(w.load_weights(out))


def test_the_command_does_not_mix_runs(tmp_path: Path) -> None:
    out = tmp_path / "w.toml"
    out.write_text(to_toml(new_run(SMALL), "test"))
    told = command("tune", "--generations", 1, "--population", 5, "--out", out, status=1)
    assert "other settings" in told
    assert read_run(out).history == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--out", "none/w.toml"], "the folder does not exist"),
        (["--out", "w.toml", "--players", "2;3"], "--players: expected numbers"),
        (["--out", "w.toml", "--against", "greedy,"], "expected names separated by commas"),
    ],
)
def test_the_command_refuses_bad_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert problem in command("tune", *options, status=1)
    assert list(tmp_path.iterdir()) == []
