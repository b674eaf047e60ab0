"""Tests of the script studies/plain_sb3.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from spacemission_agents.models.policy import PolicyAgent
from studies import plain_sb3

pytestmark = pytest.mark.slow


def test_the_plain_script_stops_at_its_time_and_writes_a_model(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(plain_sb3.main)
    done = CliRunner().invoke(app, ["--minutes", "0.001", "--out", str(tmp_path / "model")])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["steps"] < 10 * plain_sb3.ROLLOUT * plain_sb3.ENVS
    assert PolicyAgent(str(tmp_path / "model")).card["network"]["hidden"] == [256, 256]
