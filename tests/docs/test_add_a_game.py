"""Tests that all commands in docs/add_a_game.md run, with fewer games and steps."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.batch_template import DEFAULTS, REQUIRED
from spacemission_env.core.game_spec import RESERVED_NAMES, find_game, version_of
from spacemission_env.version import __version__
from tests.support.pages import blocks
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "add_a_game.md").read_text("utf-8")
LESS = {"--games": "20", "--steps": "2048"}
QUICK = ("--envs", "32", "--set", "evaluation_games=20", "--threads", "1")
EDITABLE = "from setuptools import setup; setup(script_args=['-q', 'egg_info'])"


def arguments(line: str) -> list[str]:
    """The arguments of a command, with fewer games and steps."""
    words = shlex.split(line)
    given = [LESS.get(before, word) for before, word in zip(["", *words], words, strict=False)]
    if given[:2] == ["pip", "install"]:
        return [sys.executable, "-c", EDITABLE]
    assert given[0] == "spacemission", line
    return [sys.executable, "-m", "spacemission_env", *given[1:], *(QUICK if given[1] == "train" else ())]


def run(command: list[str], folder: Path, package: Path) -> str:
    paths = [str(package), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    at = package if "egg_info" in command[-1] else folder
    done = subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def test_the_commands_of_the_page_work_as_they_stand(tmp_path: Path) -> None:
    package = tmp_path / "my_game"
    lines = "".join(blocks("docs/add_a_game.md", "bash")).splitlines()
    assert {shlex.split(line)[1] for line in lines} >= {"new-game", "check-game", "play", "arena", "train"}
    told = {line: run(arguments(line), tmp_path, package) for line in lines}
    assert told["spacemission check-game my_game"].startswith("my_game: no problems")
    for python in blocks("docs/add_a_game.md"):
        run([sys.executable, "-c", python], tmp_path, package)
    assert (tmp_path / "runs" / "my_game" / "model" / "card.json").exists()
    # The card has the version of the package that adds the game.
    card = (tmp_path / "runs" / "my_game" / "model" / "card.json").read_text()
    assert f'"environment_version": "{__version__}, my-game-game 0.1.0"' in card
    assert version_of(find_game("kuhn_poker")) == __version__


def test_the_page_names_every_function_and_the_names_that_are_taken() -> None:
    functions = (*REQUIRED, *(function.__name__ for function in DEFAULTS))
    missing = [name for name in functions if not re.search(rf"`{name}[`(]", PAGE)]
    assert missing == []
    listed = PAGE[PAGE.index("themselves (") : PAGE.index(", …)")]
    assert set(re.findall(r"`(\w+)`", listed)) <= RESERVED_NAMES
    assert "`move_seen" in PAGE or "Game.move_seen" in PAGE


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kuhn_poker", "is installed already"),
        ("class", "is a word of Python itself"),
        ("My Game", "expected a letter, then small letters"),
        ("a" * 41, "expected a letter, then small letters"),
        ("my_game", "exists already"),
    ],
)
def test_names_that_no_game_can_have(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "my_game").mkdir()
    done = CliRunner().invoke(app, ["new-game", name, "--out", str(tmp_path)])
    assert done.exit_code == 1 and done.stderr.count("\n") == 1 and said in done.stderr
    assert list(tmp_path.rglob("*")) == [tmp_path / "my_game"]
