"""`spacemission new-bot --game`: a game without a bot of its own gets one that plays by masks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spacemission_env.cli import app

pytestmark = pytest.mark.slow


def test_the_bot_for_any_game_passes_its_own_test(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["new-bot", "any_kuhn", "--game", "kuhn_poker", "--out", str(tmp_path)])
    assert told.exit_code == 0, told.output
    assert "spacemission play --game kuhn_poker --agents any_kuhn:AnyKuhnBot,random" in told.stdout
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert "3 passed" in done.stdout, done.stdout + done.stderr
