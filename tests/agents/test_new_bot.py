"""`spacemission new-bot` writes a working bot, or nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result

from spacemission_agents.commands.new_bot import class_name
from spacemission_agents.games.space_mission.bot_template import BOT, TEST
from spacemission_env.core.agents import make_agent
from tests.support import command_line
from tests.support.bad_bots import write_bots

pytestmark = pytest.mark.slow


def run(*arguments: str, status: int = 0) -> Result:
    return command_line.run("new-bot", *arguments, status=status)


@pytest.mark.parametrize(("game", "passed"), [("space_mission", "2 passed"), ("kuhn_poker", "2 passed")])
def test_the_new_bot_passes_its_own_test(tmp_path: Path, game: str, passed: str) -> None:
    made = json.loads(run("hal_9", "--game", game, "--out", str(tmp_path / "bots"), "--json").stdout)
    assert made["agent"] == "hal_9:Hal9Bot"
    assert sorted(made["files"]) == sorted(str(file) for file in (tmp_path / "bots").iterdir())
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path / "bots", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and passed in done.stdout, done.stdout + done.stderr


def test_it_is_an_agent_for_every_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bots(tmp_path, monkeypatch)
    shown = run("any_kuhn", "--game", "kuhn_poker").stdout
    assert "spacemission play --game kuhn_poker --agents any_kuhn:AnyKuhnBot,random" in shown
    shown = run("my_first").stdout
    assert "my_first.py" in shown and "play --agents my_first:MyFirstBot,greedy" in shown
    monkeypatch.delitem(sys.modules, "my_first", raising=False)
    make_agent("my_first:MyFirstBot")
    command_line.run("play", "--agents", "my_first:MyFirstBot,random", "--games", "4", "--json")
    probed = command_line.run("probe", "my_first:MyFirstBot", "--repeat", "2", "--json")
    assert 0.2 < json.loads(probed.stdout)["score"] < 0.9


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("my_bot", "MyBot"),
        ("hal", "HalBot"),
        ("agent", "AgentBot"),
        ("none", "NoneBot"),
        ("LAYOUT", "LAYOUTBot"),
    ],
)
def test_the_class_hides_nothing_that_the_bot_uses(name: str, cls: str) -> None:
    assert class_name(name) == cls
    for text in (BOT, TEST):
        compile(text.substitute(name=name, cls=cls), name, "exec")


@pytest.mark.parametrize("existing", ["mine_x.py", "test_mine_x.py"])
def test_nothing_is_overwritten(tmp_path: Path, existing: str) -> None:
    (tmp_path / existing).write_text("kept")
    assert f"{existing} exists already" in run("mine_x", "--out", str(tmp_path), status=1).stderr
    assert [file.name for file in tmp_path.iterdir()] == [existing]
    assert (tmp_path / existing).read_text() == "kept"
