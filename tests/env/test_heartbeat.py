"""Long work prints a line on standard error every few seconds, without a terminal."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from spacemission_env.core import heartbeat as module
from spacemission_env.core import private_folder
from spacemission_env.core.heartbeat import QUIET, heartbeat, progress

PATIENCE = 60.0

# Runs a command, or a program, with a line at each tick.
QUICK = """
import sys
from spacemission_env.core import heartbeat
heartbeat.SECONDS, heartbeat.TICK = 0.0, 0.002
from spacemission_env import cli
sys.exit(cli.main())
"""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(QUIET)
    monkeypatch.setattr(module, "SECONDS", 0.02)
    monkeypatch.setattr(module, "TICK", 0.005)


def lines(capfd: pytest.CaptureFixture[str], wanted: str) -> list[str]:
    """Wait for a line that begins with `wanted`, and return all lines up to it."""
    found: list[str] = []
    end = time.monotonic() + PATIENCE
    while not any(line.startswith(wanted) for line in found):
        assert time.monotonic() < end, found
        time.sleep(0.01)
        found += capfd.readouterr().err.splitlines()
    return found


def test_it_beats_during_a_long_call_and_then_no_more(
    quick: None, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with heartbeat(lambda: "outside"):
        lines(capfd, "spacemission: outside, ")
        with progress("inside", 4) as done:
            done(1)
            lines(capfd, "spacemission: inside: 25%, ")
        lines(capfd, "spacemission: outside, ")
        with progress("countless") as done:
            done(3)
            lines(capfd, "spacemission: countless: 3 so far, ")
    end = time.monotonic() + PATIENCE
    while module._HEARTBEAT._thread is not None:
        assert time.monotonic() < end
        time.sleep(0.01)
    capfd.readouterr()
    monkeypatch.setenv(QUIET, "1")
    with heartbeat(lambda: "quiet"):
        assert module._HEARTBEAT._thread is None
    assert capfd.readouterr().err == ""


def test_short_works_in_a_row_are_one_long_work(quick: None, capfd: pytest.CaptureFixture[str]) -> None:
    found: list[str] = []
    end = time.monotonic() + PATIENCE
    while not found:
        assert time.monotonic() < end
        for _ in range(20):
            with heartbeat(lambda: "short"):
                time.sleep(0.001)
        found += capfd.readouterr().err.splitlines()
    assert found[0].startswith("spacemission: short, ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("play --agents random,random --games 20000 --workers 1", ["playing: "]),
        ("arena --agents a=random,b=random --games 400 --workers 1", ["making the agents, ", "playing: "]),
        (
            "train --steps 256 --threads 1 --set evaluation_games=8 --out run",
            ["starting: 0%, ", "training, "],
        ),
        ("warmup", ["compiling Kuhn poker: 0 so far, ", "compiling, "]),
    ],
    ids=lambda value: value.partition(" ")[0] if isinstance(value, str) else "",
)
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")  # type: ignore[attr-defined]
def test_long_commands_beat(command: str, said: list[str], tmp_path: Path) -> None:
    environment = {**os.environ, QUIET: ""}
    if command == "warmup":
        environment[private_folder.CHOSEN] = str(tmp_path / "cache")
    done = subprocess.run(
        [sys.executable, "-c", QUICK, *command.split(), "--game", "kuhn_poker"],
        env=environment, capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    for line in said:
        assert f"\nspacemission: {line}" in f"\n{done.stderr}"
