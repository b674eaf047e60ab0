"""`spacemission leaktest` reports findings by exit status, and refuses bad input in one line."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from spacemission_env.core import heartbeat
from spacemission_env.leaktest.command import check, leaktest
from tests.support import planted_v0

app = typer.Typer(add_completion=False)
app.command()(leaktest)
PLANTED = "pettingzoo:tests.support.planted_v0"


def run(*arguments: str, status: int) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == status, result.output + repr(result.exception)
    return result.output


def test_a_clean_environment_gives_0_and_says_what_was_tried() -> None:
    output = run(PLANTED, "--games", "2", "--twin", "tests.support.planted_v0:twin", status=0)
    assert "2 games" in output and "no findings" in output


def test_a_finding_gives_1_and_the_shortest_example() -> None:
    options = ["--games", "4", "--seed", "5", "--twin", "tests.support.planted_v0:twin"]
    output = run(f"{PLANTED}(fault='observation')", *options, status=1)
    assert "FOUND twins, observation" in output
    assert "moves of both games: none" in output  # the shortest: before the first move


def test_json_has_the_same_content() -> None:
    data = json.loads(run(f"{PLANTED}(fault='dtype')", "--games", "1", "--json", status=1))
    assert data["found"].keys() == {"observation space"}
    assert data["tried"]["observation space"] > 0 and data["notes"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "there is no hook `twin`"),
        (["--twin", "tests.support.planted_v0:no_twin"], "the hook made no twin"),
        (
            ["--twin", "tests.support.planted_v0:same_twin"],
            "all twins of the hook were like the environment",
        ),
    ],
)
def test_leaks_that_were_not_tested_are_named_in_the_last_line_and_the_status(
    options: list[str], why: str
) -> None:
    output = run(PLANTED, "--games", "2", *options, status=3)
    assert output.endswith("no findings; leaks: NOT TESTED\n") and f"not tried: leaks: {why}\n" in output
    assert "NOT TESTED" in run(PLANTED, "--games", "1", *options, "--require-twins", status=1)
    assert json.loads(run(PLANTED, "--games", "1", "--json", *options, status=3))["leaks"] == "NOT TESTED"


def test_by_default_it_ends_when_enough_was_compared() -> None:
    output = run(PLANTED, "--twin", "tests.support.planted_v0:twin", status=0)
    assert "no findings; leaks: tried with 2,00" in output and "seconds were over" not in output


def test_it_says_what_a_limit_of_time_cut_short_and_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(heartbeat.QUIET, raising=False)
    monkeypatch.setattr(heartbeat, "SECONDS", 0.1)
    monkeypatch.setattr(heartbeat, "TICK", 0.05)
    pytest.importorskip("pyspiel")
    output = run("openspiel:leduc_poker", "--games", "1000000", "--seconds", "1", status=0)
    assert "the rest: 1 seconds were over (enough: 400 games, 4,000 twins)" in output
    assert "spacemission: leak test: " in output


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["chess"], "write openspiel:NAME"),
        (["pettingzoo:no_such_v0"], "No module named"),
        (["pettingzoo:json.decoder"], "has no attribute 'env'"),
        ([f"{PLANTED}(fault"], "SyntaxError"),
        ([PLANTED, "--twin", "nowhere"], "MODULE:FUNCTION"),
        (["gymnasium:NoSuch-v0"], "NoSuch"),
        ([PLANTED, "--games", "0"], "--games"),
    ],
)
def test_bad_input_gives_2_and_the_reason(arguments: list[str], why: str) -> None:
    assert why in run(*arguments, status=2)


def test_a_package_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo's Hanabi says that it needs another package than the one that it lacks."""
    lines = ["try:", "    import not_there.inside", "except ImportError as error:"]
    (tmp_path / "lacking_v0.py").write_text("\n".join([*lines, "    raise ImportError('others') from error"]))
    monkeypatch.syspath_prepend(tmp_path)
    assert "lacking_v0: ImportError: not_there is needed: pip install not_there" in run(
        "pettingzoo:lacking_v0", status=2
    )


def test_options_in_the_name_reach_the_environment() -> None:
    report = check(f"{PLANTED}(fault='dtype')", planted_v0.twin, games=1)
    assert report.found.keys() == {"observation space"}


def test_a_module_in_the_working_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_env.py").write_text("from tests.support.planted_v0 import env, twin\n")
    monkeypatch.chdir(tmp_path)
    output = run("pettingzoo:my_own_env", "--games", "1", "--twin", "my_own_env:twin", status=0)
    assert "twins" in output


def test_no_game_of_ours_is_imported() -> None:
    pytest.importorskip("pyspiel")
    import subprocess
    import sys

    code = (
        "import sys; from spacemission_env.leaktest import check; check('openspiel:kuhn_poker', games=1); "
        "print([name for name in sys.modules if name.startswith('spacemission_env.games')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
