"""Tests of training runs that fail: killed, disk full, folder not writable."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.tensorboard import SummaryWriter
from typer.testing import CliRunner

from spacemission_agents.models.folder import load_model
from spacemission_env.cli import app
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.folder import STATE_FILE
from spacemission_train.run import Run, resume, start
from spacemission_train.settings import to_toml
from spacemission_train.state import read_state
from studies.kill_train import check
from tests.support.small_runs import tiny

pytestmark = pytest.mark.slow

SETTINGS = {"steps": 640, "checkpoint_steps": 256}


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_run_killed_three_times_ends_as_one_left_alone(tmp_path: Path) -> None:
    assert check(3, 5, 2, tmp_path) >= 2


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return start(tiny(**SETTINGS), tmp_path_factory.mktemp("run") / "out")


def no_room() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def same_end(alone: Run, out: Path) -> None:
    """Check that both runs have the same end."""
    before, after = (read_state(one / STATE_FILE)[1] for one in (alone.out, out))
    assert all(torch.equal(before[name], after[name]) for name in before)
    for name in ("model", "best"):
        one, other = (folder / name / "weights.safetensors" for folder in (alone.out, out))
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("writes", [1, 2, 3, 5, 7, 9, 11, 14, 17, 20])
def test_a_full_disk_ends_a_run_in_one_line_and_it_goes_on_once_there_is_room(
    writes: int, alone: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = writes
    sync = os.fsync

    def fsync(number: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise no_room()
        sync(number)

    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(SpaceMissionError, match=r"cannot be written: No space left on device") as refused:
            start(tiny(**SETTINGS), out)
    assert str(out) in str(refused.value) and "\n" not in str(refused.value)
    assert not (out / "model").exists()
    for path in (out / "checkpoints").glob("*"):
        load_model(path)  # whole, and nothing half done beside it
    assert resume(out).steps == 640
    same_end(alone, out)
    assert sorted(p.name for p in out.iterdir()) == sorted(p.name for p in alone.out.iterdir())


def test_no_room_for_tensorboard_is_one_line_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(self: Any, *_: Any) -> None:
        raise no_room()

    monkeypatch.setattr(SummaryWriter, "add_scalar", write)
    with pytest.raises(SpaceMissionError, match="out: cannot be written: No space left"):
        start(tiny(), tmp_path / "out")


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE, and its error")
def test_the_command_says_so_in_one_line_where_files_cannot_grow(tmp_path: Path) -> None:
    import resource

    (tmp_path / "e.toml").write_text(to_toml(tiny(**SETTINGS)))
    largest = 20_000  # bytes: room for a model folder and for the plots not
    done = subprocess.run(
        [sys.executable, "-m", "spacemission_env", "train", "--experiment", "e.toml", "--out", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest)),
        env={**os.environ, "MPLCONFIGDIR": str(tmp_path / "mpl")},
    )
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("spacemission: ")]
    assert len(lines) == 1 and "cannot be written: File too large" in lines[0]
    assert "Traceback" not in done.stderr
    assert resume(tmp_path / "out").steps == 640


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_that_cannot_be_written(resume: bool, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    result = CliRunner().invoke(app, ["train", "--resume" if resume else "--out", str(out)])
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1 and str(out) in result.stderr


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SpaceMissionError, match="out: cannot be made: Permission denied"):
        start(tiny(), tmp_path / "out")
