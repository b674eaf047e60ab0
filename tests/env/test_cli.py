"""The command line finds subcommands by entry point, and reports each failure in one line."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from spacemission_env import cli
from spacemission_env.commands.shared import emit_json, print_table
from spacemission_env.core.errors import AgentError, RecordError, SpaceMissionError
from spacemission_env.core.game_spec import game_names, game_of_env
from spacemission_env.core.heartbeat import progress
from spacemission_env.records.reader import replay_file
from spacemission_env.version import __version__
from spacemission_train.commands.output import told_first
from tests.golden.make_golden import FOLDER, GOLDEN
from tests.support.command_line import run, run_in_process
from tests.support.paths import DOCS

GAME = str(FOLDER / "2_players_printed.jsonl")
YUCATA = str(FOLDER / "3_players_yucata.jsonl")
DEFAULT = str(Path(cli.__file__).parent / "games/space_mission/data/default.toml")


def process(*arguments: str, code: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program in a new process."""
    command = ["-c", code] if code else ["-m", "spacemission_env"]
    return subprocess.run(
        [sys.executable, *command, *arguments], capture_output=True, text=True, timeout=600, encoding="utf-8"
    )


# ---------------------------------------------------------------- the frame


def test_as_a_program() -> None:
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"spacemission {__version__}\n", "")
    refused = process("replay", "no such file.jsonl", "--check")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "spacemission: no such file.jsonl: No such file or directory\n"
    bad = process("replay")
    assert bad.returncode == 2
    assert "Traceback" not in bad.stderr
    checked = process("replay", GAME, "--check")
    assert (checked.returncode, checked.stderr) == (0, "")  # no progress bar in a pipe


def test_the_help_of_a_command_imports_no_trainer() -> None:
    code = (
        "import sys; from spacemission_env import cli\n"
        "sys.argv = ['spacemission', 'replay', '--help']\n"
        "try: cli.main()\n"
        "finally: print(sorted({'torch', 'stable_baselines3', 'matplotlib'} & set(sys.modules)))"
    )
    shown = process(code=code)
    assert shown.stdout.splitlines()[-1] == "[]", shown.stdout + shown.stderr
    assert "--check" in shown.stdout


def test_a_closed_pipe_ends_quietly() -> None:
    code = (
        "import subprocess, sys\n"
        f"c = subprocess.Popen([sys.executable, '-m', 'spacemission_env', 'replay', {GAME!r}],\n"
        "    stdout=subprocess.PIPE, stderr=subprocess.PIPE)\n"
        "c.stdout.read(10); c.stdout.close(); print(repr(c.stderr.read())); c.wait()"
    )
    assert process(code=code).stdout == "b''\n"


def test_bad_usage_is_2() -> None:
    for bad in (["nonsense"], ["replay"], ["replay", GAME, "--number", "0"], ["replay", GAME, "--what"]):
        run(*bad, status=2)
    assert "Usage: " in run("--help").stdout
    assert run("--version").stdout == f"spacemission {__version__}\n"


@pytest.mark.parametrize(
    ("typed", "status", "said"),
    [
        (["arean", "--agents", "greedy,random"], 2, "No such command 'arean'; did you mean 'arena'?"),
        (["play", "--agents", "gredy,random"], 1, "agent 'gredy': unknown; did you mean 'greedy'?"),
        (["agents", "--game", "planet_hex"], 1, "not 'planet_hex'; did you mean 'planet_hexx'?"),
        (["train", "--preset", "demmo"], 1, "preset 'demmo': unknown; did you mean 'demo'?"),
    ],
)
def test_a_slip_of_the_fingers_is_told_what_may_be_meant(typed: list[str], status: int, said: str) -> None:
    assert said in run(*typed, status=status).stderr


def test_the_shell_completes_commands() -> None:
    """Simulate `spacemission ar<TAB>` in bash, as the script from --show-completion does."""
    asked = {"COMP_WORDS": "spacemission ar", "COMP_CWORD": "1", "_SPACEMISSION_COMPLETE": "complete_bash"}
    code = "from spacemission_env.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["arena"]


def with_commands(monkeypatch: pytest.MonkeyPatch, **targets: object) -> None:
    """Replace the subcommands."""

    entries = {
        name: target if isinstance(target, EntryPoint) else SimpleNamespace(load=lambda target=target: target)
        for name, target in targets.items()
    }
    monkeypatch.setattr(cli, "_entries", lambda: entries)


def raising(error: BaseException) -> Callable[..., None]:
    def command(seed: int = 0) -> None:
        """Fail."""
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (SpaceMissionError("rules: no\nsuch  preset"), 1, "rules: no such preset"),
        (FileNotFoundError(2, "No such file or directory", "x"), 1, "x: No such file or directory"),
        (OSError("odd"), 1, "odd"),
        (KeyboardInterrupt(), 130, "stopped"),
        (ModuleNotFoundError("m", name="torch"), 1, "pip install 'spacemission-env[train]'"),
        (ModuleNotFoundError("m", name="stable_baselines3.common"), 1, "'spacemission-env[train]'"),
        (ModuleNotFoundError("No module named 'mine'", name="mine"), 1, "No module named 'mine'"),
    ],
)
def test_a_failure_is_one_line(
    error: BaseException, status: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_commands(monkeypatch, fail=raising(error))
    result = run_in_process.invoke(cli.app, ["fail"])
    assert result.exit_code == status
    assert result.stderr.startswith("spacemission: ")
    assert line in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_bug_is_one_line_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with_commands(monkeypatch, fail=raising(ZeroDivisionError("by zero")))
    monkeypatch.setattr(sys, "argv", ["spacemission", "fail"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    line = r"spacemission: unexpected ZeroDivisionError: by zero \(test_cli.py:\d+\)"
    assert re.fullmatch(rf"{line} \(set {cli.TRACEBACK}=1 to see where\)\n", capsys.readouterr().err)
    monkeypatch.setenv(cli.TRACEBACK, "1")
    with pytest.raises(ZeroDivisionError):
        cli.main()


def test_commands_may_be_functions_or_typer_apps(monkeypatch: pytest.MonkeyPatch) -> None:
    sub = typer.Typer()

    @sub.command("one")
    def one(n: int) -> None:
        print(n + 1)

    @sub.command("two")
    def two() -> None:
        print(2)

    with_commands(monkeypatch, sub=sub, plain=lambda: print("plain"))
    assert run("sub", "one", "4").stdout == "5\n"
    assert run("sub", "two").stdout == "2\n"
    assert run("plain").stdout == "plain\n"
    assert {"sub", "plain"} <= set(run("--help").stdout.split())


def test_a_command_that_cannot_be_imported_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = EntryPoint("learn", "spacemission_no_such.module:learn", cli.GROUP)
    unnamed = EntryPoint("unnamed", "spacemission_env.core.errors:nothing", cli.GROUP)
    with_commands(monkeypatch, learn=missing, unnamed=unnamed, fine=lambda: print("fine"))
    assert "unnamed: module 'spacemission_env.core.errors' has no" in run("unnamed", status=1).stderr
    for arguments in (["learn"], ["learn", "--help"], ["learn", "--steps", "3", "x"]):
        assert "learn: No module named 'spacemission_no_such'" in run(*arguments, status=1).stderr
    assert "Not available here" in run("--help").stdout
    assert run("fine").stdout == "fine\n"


@pytest.mark.parametrize(
    "arguments", [["--opponents", "nobody=1"], ["--opponents", "heuristic:no_such_file=1"], []]
)
def test_training_says_nothing_before_it_refuses(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "not empty").touch()
    out = ["--out", str(tmp_path / "new" if arguments else tmp_path)]
    assert run("train", "--steps", "64", *arguments, *out, status=1).stdout == ""


def test_training_tells_once_what_it_trains(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[float] = []
    advance = told_first("training 2 players", seen.append)
    advance(1)
    advance(2)
    assert capsys.readouterr().out == "training 2 players\n"
    assert seen == [1, 2]


FAILING = """from spacemission_env import Agent


class Bot(Agent):
    def choose(self, observation, mask, rng):
        return {}["move"]
"""


def test_commands_tell_where_a_bot_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_failing_bot.py").write_text(FAILING)
    monkeypatch.syspath_prepend(tmp_path)
    spec = "a_failing_bot:Bot"
    result = run_in_process.invoke(cli.app, ["probe", spec, "--theme", "gate"])
    line = f"spacemission: agent '{spec}': failed with KeyError: 'move' (a_failing_bot.py:6)\n"
    assert (result.exit_code, result.stderr) == (1, line)
    monkeypatch.setenv(cli.TRACEBACK, "1")
    result = run_in_process.invoke(cli.app, ["probe", spec, "--theme", "gate"])
    assert isinstance(result.exception, AgentError) and isinstance(result.exception.__cause__, KeyError)
    page = (DOCS / "your_own_bot.md").read_text("utf-8")
    assert f"{cli.TRACEBACK}=1" in page


# ---------------------------------------------------------------- replay


@pytest.mark.parametrize("name", list(GOLDEN))
def test_replay_checks(name: str) -> None:
    file = str(FOLDER / name)
    actions = Path(file).read_text("utf-8").count('"type": "action"')
    assert run("replay", file, "--check").stdout == f"1 game, {actions} actions: all hold\n"
    summary = json.loads(run("replay", file, "--check", "--json", "--seed", "5").stdout)
    assert summary == dict(file=file, games=1, actions=actions, holds=True, cut=[], note=None)


def test_replay_refuses_an_altered_record(tmp_path: Path) -> None:
    file = tmp_path / "altered.jsonl"
    lines = Path(GAME).read_text("utf-8").splitlines(keepends=True)
    lines[3] = lines[3].replace('"player": ', '"player": 1')
    file.write_text("".join(lines), "utf-8")
    for arguments in ([], ["--check"], ["--json"], ["--check", "--json"]):
        assert f"{file}: line 4: player: " in run("replay", str(file), *arguments, status=1).stderr


def test_replay_says_where_a_record_was_cut(tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    file.write_text(Path(GAME).read_text("utf-8")[:6000], "utf-8")
    assert "game 1: cut short after " in run("replay", str(file), "--check").stdout
    assert json.loads(run("replay", str(file), "--check", "--json").stdout)["cut"][0]["number"] == 1
    assert "\ncut short after " in run("replay", str(file)).stdout
    last = json.loads(run("replay", str(file), "--json").stdout.splitlines()[-1])
    assert last["result"] is None
    assert last["cut"].startswith("cut short after ")
    both = tmp_path / "both.jsonl"
    both.write_text(Path(GAME).read_text("utf-8") + '{"type": "game", "for', "utf-8")
    for arguments in ([], ["--check"]):
        assert "is cut short: a game not begun" in run("replay", str(both), *arguments).stdout


def test_replay_shows_a_game() -> None:
    shown = run("replay", GAME).stdout
    lines = Path(GAME).read_text("utf-8").splitlines()
    result = json.loads(lines[-1])
    assert shown.count("Round ") == result["rounds"] + 1  # each round, and the end
    assert shown.count("\n  player_") >= sum('"type": "action"' in line for line in lines)
    assert shown.count("the discard pile is shuffled") == sum('"type": "shuffle"' in line for line in lines)
    assert f"finished after {result['rounds']} rounds" in shown
    assert "player_1 holds " in shown


def test_replay_of_moves_alone_is_a_line_a_move() -> None:
    records = [json.loads(line) for line in Path(GAME).read_text("utf-8").splitlines()]
    moves = [record for record in records if record["type"] == "action"]
    whole, shown = run("replay", GAME).stdout, run("replay", GAME, "--moves").stdout
    lines = [line for line in shown.splitlines() if line[5:].startswith("player_")]
    assert len(lines) == len(moves)
    assert [line[5:] for line in lines] == [
        line[2:] for line in whole.splitlines() if line.startswith("  player_")
    ][: len(moves)]
    assert [int(line[:3]) for line in (lines[0], lines[-1])] == [1, records[-1]["rounds"]]
    assert "Round " not in shown and "holds" not in shown
    shuffles = sum(record["type"] == "shuffle" for record in records)
    assert shown.count("the discard pile is shuffled") == shuffles
    # The other lines are the heading, the end and the scores.
    assert len(shown.splitlines()) <= len(moves) + shuffles + 8
    for other in ("--check", "--json"):
        assert f"--moves: not with {other}" in run("replay", GAME, "--moves", other, status=1).stderr


def test_replay_for_a_seat_hides_what_it_did_not_know() -> None:
    for seat in range(3):
        shown = run("replay", YUCATA, "--seat", str(seat)).stdout
        assert "holds" not in shown
        for line in shown.splitlines():
            if line.startswith("  player_") and (" takes " in line or " reserves " in line):
                assert (" a tile" not in line) == line.startswith(f"  player_{seat} ")
        for line in map(
            json.loads, run("replay", YUCATA, "--seat", str(seat), "--json").stdout.splitlines()[:-1]
        ):
            takes = line["move"].partition(" ")[0] == "take"
            assert (line["move"] == "take") == (takes and line["player"] != seat)
    assert "has no seat 3, only 0 to 2" in run("replay", YUCATA, "--seat", "3", status=1).stderr


def test_replay_of_one_game_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"".join((FOLDER / name).read_bytes() for name in GOLDEN))
    assert run("replay", str(file), "--check").stdout.startswith("4 games, ")
    assert run("replay", str(file), "--check", "--number", "3").stdout.startswith("1 game, ")
    assert run("replay", str(file), "--number", "2").stdout.startswith(
        "=== Game 2: seed 33; player_0 golden, "
    )
    assert "there is no game 5, the file has 4" in run("replay", str(file), "--number", "5", status=1).stderr
    games = [json.loads(line)["number"] for line in run("replay", str(file), "--json").stdout.splitlines()]
    assert sorted(set(games)) == [1, 2, 3, 4]


# ---------------------------------------------------------------- helpers


def test_helpers_write_to_standard_output_only(capsys: pytest.CaptureFixture[str]) -> None:
    emit_json({"a": "é", "b": [1]})
    with progress("working", 10) as done:
        done(5)
    print_table(["name", "n"], [["[red]agent[/]", 12], ["x" * 300, 3]], title="Games")
    shown = capsys.readouterr()
    assert shown.err == ""
    assert json.loads(shown.out.splitlines()[0]) == {"a": "é", "b": [1]}
    assert "[red]agent[/]" in shown.out


def test_a_game_that_cannot_be_loaded_is_not_in_the_way_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "broken-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[spacemission.games]\nbroken = broken_game.spec:SPEC\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "broken" in game_names()
    found = game_of_env("kuhn_poker_v0")
    assert found is not None and found.name == "kuhn_poker" and game_of_env("broken_v0") is None
    file = tmp_path / "broken.jsonl"
    file.write_text('{"type": "game", "format": 2, "env": "broken_v0"}\n')
    said = "line 1: game: env: 'broken_v0' is not known, this version reads 'k"
    with pytest.raises(RecordError, match=said):
        list(replay_file(file))
