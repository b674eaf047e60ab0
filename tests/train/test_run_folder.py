"""Tests of the run folder without weights: TensorBoard, progress, complete files."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from spacemission_agents.models.folder import load_model
from spacemission_train.commands import output
from spacemission_train.folder import OutputError, held, sweep, write_atomically
from spacemission_train.run import Run, resume, start
from spacemission_train.settings import to_toml
from tests.support.small_runs import tiny

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    settings = tiny(steps=1536, checkpoint_steps=512, players=(2, 3))
    return start(settings, tmp_path_factory.mktemp("runs") / "one", "spacemission train --seed 0")


# ------------------------------------------------------------ TensorBoard, progress


def test_tensorboard_has_our_figures(finished: Run) -> None:
    events = EventAccumulator(str(finished.out / "tensorboard"))
    events.Reload()
    tags = set(events.Tags()["scalars"])
    assert {f"run/{name}" for name in ("win_heuristic_3p", "score", "entropy", "steps_per_second")} <= tags
    found = [(event.step, event.value) for event in events.Scalars("run/score")]
    assert found == [(one["steps"], pytest.approx(one["score"], abs=1e-4)) for one in finished.rows]


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
def test_the_bar_tells_steps_rate_and_time_left() -> None:
    import pty

    code = (
        "from types import SimpleNamespace as N\nimport time\n"
        "from spacemission_train.commands.output import run_bar\n"
        "with run_bar() as advance:\n"
        "    for i in range(8):\n"
        "        advance(N(phase='training', fraction=i / 10, steps=1000 * i, steps_per_second=2468))\n"
        "        time.sleep(0.1)\n"
        "    print('a row')\n"
    )
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "140"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, env=environment, check=True)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", os.read(leader, 1 << 20).decode())
    os.close(leader), os.close(follower)
    assert "7,000 steps" in shown and "2,468 steps/s" in shown and re.search(r"70% \d:\d\d:\d\d", shown)
    assert done.stdout == b"a row\n", "rows belong on standard output"


# ------------------------------------------------------------ a run that is stopped


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_the_command_ends_by_a_signal_as_by_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(to_toml(tiny(steps=10**6)))
    command = ["-m", "spacemission_env", "train", "--experiment", "e.toml", "--out", "out"]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, *command], cwd=tmp_path, **pipes) as run:
        assert run.stdout.readline().startswith("training 2 players")
        assert " steps " in run.stdout.readline()  # the first checkpoint
        run.terminate()
        _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    line = "stopped; out/model is the model so far; resume with: spacemission train --resume out"
    assert said.splitlines()[-1] == f"spacemission: {line}"
    assert load_model(tmp_path / "out" / "model")[0]["training"]["steps"] >= 256


# ------------------------------------------------------------ files


def test_two_processes_do_not_train_in_one_folder(finished: Run) -> None:
    pytest.importorskip("fcntl")
    with held(finished.out), pytest.raises(OutputError, match="another process is training there"):
        resume(finished.out, {"steps": 2048})


def test_what_a_killed_process_left_half_done_is_swept(tmp_path: Path) -> None:
    for name in (".state.safetensors.123", ".progress.csv.99", ".lock", ".hidden", "model", "a.12"):
        (tmp_path / name).write_bytes(b"")
    for name in (".step_000000128.0a1b2c3d", ".best.0a1b2c3d.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "card.json").write_bytes(b"")
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".hidden", ".lock", "a.12", "model"]
    sweep(tmp_path / "nowhere")


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="file: cannot be written: No space left on device"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["file"]


def test_progress_has_the_columns_of_every_number_of_players(finished: Run) -> None:
    with open(finished.out / "progress.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    for one, told in zip(rows, finished.rows, strict=True):
        assert {name: np.float64(text) for name, text in one.items()} == told
    assert {"win_heuristic", "win_heuristic_3p", "score", "entropy"} <= set(rows[0])


def test_an_evaluation_of_few_games_is_shown_with_their_number(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"steps": 1, "seconds": 1.0, "steps_per_second": 1, "margin_random": 1.0, "margin_greedy": 1.0}
    for games, shown in ((2, "greedy  50.0% of 2"), (400, "greedy  50.0%")):
        output._print_row({**row, "win_greedy": 0.5, "games_greedy": games})
        assert capsys.readouterr().out.strip().endswith(shown)
