"""Tests of a run's state file: `--resume` refuses a damaged one, and one of other settings."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import save
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.errors import LONGEST
from spacemission_env.core.reading import Json
from spacemission_train.run import trainer
from spacemission_train.run.state import read_state, state_bytes
from tests.support.small_runs import files_of, tiny

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runs(run_of: Callable[[str], trainer.Run], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of a small run by each method."""
    small = tiny(hidden=(4,), envs=4, players=(2, 3), steps=128, checkpoint_steps=128)
    return {"ppo": trainer.start(small, tmp_path_factory.mktemp("run") / "out").out, "td": run_of("td").out}


@pytest.fixture
def state(runs: dict[str, Path], tmp_path: Path) -> Path:
    """The state of a copy of the run by PPO."""
    return Path(shutil.copytree(runs["ppo"], tmp_path / "out")) / trainer.STATE_FILE


def refusal(path: Path) -> str:
    """The line that refuses the state; the refusal changes nothing."""
    before = files_of(path.parent)
    result = CliRunner().invoke(app, ["train", "--resume", str(path.parent), "--steps", "256"])
    assert result.exit_code == 1 and files_of(path.parent) == before
    (line,) = result.stderr.splitlines()
    assert line.startswith("spacemission: ") and "unexpected" not in line and len(line) <= LONGEST + 20
    return str(line)


def test_a_state_without_a_digest_is_refused(state: Path) -> None:
    state.write_bytes(save(read_state(state)[1]))
    assert "its checksum is missing" in refusal(state)


CHANGES: list[tuple[str, Callable[[Json], Any], str]] = [
    ("ppo", lambda text: text.update(components_sha256="0" * 64), "components"),
    ("ppo", lambda text: text["settings"].update(hidden=[4096] * 500), "hidden: expected 1 to 8 layers"),
    ("ppo", lambda text: text["settings"].update(components=5), "components: expected a text"),
    ("ppo", lambda text: text["settings"].update(hidden=[6]), "does not fit these settings"),
    ("td", lambda text: text["settings"].update(hidden=[6, 8]), "does not fit these settings"),
    ("td", lambda text: text["settings"].update(method="ppo"), "input"),
]


@pytest.mark.parametrize(("method", "change", "said"), CHANGES)
def test_a_state_of_other_settings_is_refused(
    method: str, change: Callable[[Json], Any], said: str, runs: dict[str, Path], tmp_path: Path
) -> None:
    path = Path(shutil.copytree(runs[method], tmp_path / "out")) / trainer.STATE_FILE
    text, tensors = read_state(path)
    change(text)
    path.write_bytes(state_bytes(text, tensors))
    line = refusal(path)
    assert said in line and str(path) in line, line
