"""Tests of the run folder without weights: report, TensorBoard, progress, list of runs, complete files."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from typer.testing import CliRunner

from spacemission_agents.models.folder import load_model
from spacemission_env.cli import app
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.game_training import find_game_training
from spacemission_train.run import trainer
from spacemission_train.run.folder import OutputError, held, is_held, sweep, write_atomically
from spacemission_train.run.listing import HEAD, cells, list_runs
from spacemission_train.run.warnings import DivergedError
from spacemission_train.settings.experiment import to_toml
from spacemission_train.settings.settings import Settings
from tests.support.small_runs import same, stop, stopped, tiny, tiny_value, weights

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> trainer.Run:
    settings = tiny(steps=384, checkpoint_steps=128, players=(2, 3))
    return trainer.start(settings, tmp_path_factory.mktemp("runs") / "one", "spacemission train --seed 0")


# ------------------------------------------------------------ report, TensorBoard, progress


def test_the_report_is_one_page_with_everything_on_it(finished: trainer.Run) -> None:
    page = (finished.out / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert not re.search(r'(src|href)="(?!data:)', page) and "<script" not in page
    shown = re.sub(r"<wbr>", "", page)
    for name, value in finished.settings.to_json().items():
        assert name in shown
        assert isinstance(value, list) or str(value) in shown
    for text in ("128 steps", "384 steps", "spacemission train --seed 0", "experiment.toml", "heuristic"):
        assert text in shown
    for result in finished.results:
        assert f"{100 * result.share:.2f} %" in shown
    for one in finished.rows:
        assert f"<td>{one['win_greedy']:,}</td>" in page
    assert "torch" in shown and "numba" in shown
    for name in ("curve.png", "learning.png"):
        assert (finished.out / name).read_bytes().startswith(b"\x89PNG")


def test_tensorboard_has_our_figures(finished: trainer.Run) -> None:
    events = EventAccumulator(str(finished.out / "tensorboard"))
    events.Reload()
    tags = set(events.Tags()["scalars"])
    expected = {
        f"evaluation/win_share_against_{a}_{n}p" for a in find_game_training().yardsticks for n in (2, 3)
    }
    expected |= {f"league_result/step_{steps:09d}" for steps in (128, 256, 384)}
    expected |= {"evaluation/score", "time/learner_steps_per_second", "time/share_of_opponents"}
    expected |= {"train/entropy", "train/explained_variance"}
    assert expected <= tags
    found = [(event.step, event.value) for event in events.Scalars("evaluation/score")]
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
    assert "7,000 steps" in shown and "2,468 steps/s" in shown and re.search(r"left: \d:\d\d", shown)
    assert done.stdout == b"a row\n", "rows belong on standard output"


# ------------------------------------------------------------ the list of runs


def test_the_list_tells_how_far_each_run_is(finished: trainer.Run, tmp_path: Path) -> None:
    stopped(tiny(exploit="greedy", opponents=None, final_games=4), tmp_path / "b")
    stopped(tiny(), tmp_path / "c", "advance")
    (tmp_path / "a").symlink_to(finished.out)
    (tmp_path / "d").mkdir()
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "experiment.toml").write_text("envs = [")
    with held(tmp_path / "c"):
        rows = list_runs(tmp_path)
    assert [Path(one["run"]).name for one in rows] == ["a", "b", "c", "e"]
    assert [one["state"] for one in rows] == ["finished", "stopped", "running", "unreadable"]
    assert [one.get("steps") for one in rows] == [384, 256, 0, None]
    assert [one.get("against") for one in rows[1:3]] == ["greedy", tiny().opponents]
    assert rows[0]["win_heuristic"] == finished.rows[-1]["win_heuristic"]
    assert (rows[0]["players"], rows[2]["win_greedy"]) == ([2, 3], None)
    assert all(len(cells(one)) == len(HEAD) for one in rows)
    assert list_runs(finished.out)[0]["run"] == str(finished.out)
    with pytest.raises(SpaceMissionError, match="no such folder"):
        list_runs(tmp_path / "nowhere")


def test_the_command_lists_runs(finished: trainer.Run) -> None:
    folder = str(finished.out.parent)
    result = CliRunner().invoke(app, ["train", "--list", folder, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["runs"] == list_runs(Path(folder))
    table = CliRunner().invoke(app, ["train", "--list", folder])
    assert table.exit_code == 0
    assert "384 of 384" in table.stdout and "finished" in table.stdout and "2, 3" in table.stdout
    refused = CliRunner().invoke(app, ["train", folder])
    assert refused.exit_code == 1 and "--list" in refused.stderr


# ------------------------------------------------------------ a run that is stopped


@pytest.mark.parametrize(
    ("settings", "stop"),
    [(tiny(), KeyboardInterrupt()), (tiny_value(), SpaceMissionError("it erred"))],
    ids=["ppo", "td"],
)
def test_a_stopped_run_leaves_a_model(settings: Settings, stop: BaseException, tmp_path: Path) -> None:
    """The model has the networks of the moment of the stop, between checkpoints; the run is not finished."""

    def advance(run: trainer.Progress) -> None:
        if run.rows and run.updates > updates.setdefault(run.last_checkpoint, run.updates):
            raise stop

    out, updates = tmp_path / "out", dict[int, int]()
    with pytest.raises(type(stop)) as ended:
        trainer.start(settings, out, advance=advance)
    card, arrays = load_model(out / "model")
    assert card["training"]["steps"] > 256 and card["results"] == {}
    assert not same(arrays, weights(out / "best"))
    told = f"{out}/model is the model so far; resume with: spacemission train --resume {out}"
    assert ended.value.__notes__ == [told]
    assert list_runs(out)[0]["state"] == "stopped"
    (out / ".experiment.toml.123").write_text("env")  # as if killed as it was written
    assert trainer.resume(out).steps == 512 and not (out / ".experiment.toml.123").exists()
    assert list_runs(out)[0]["state"] == "finished"


def test_what_is_left_where_there_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are not finite are not written; the message names the best checkpoint, if there is one."""

    def diverge(model: Any, out: Path) -> None:
        if model.num_timesteps > 256:
            next(model.policy.parameters()).data.fill_(np.nan)
            raise DivergedError(out, "weights", model.num_timesteps)

    monkeypatch.setattr("spacemission_train.ppo.run.check_finite", diverge)
    with pytest.raises(DivergedError) as ended:
        trainer.start(tiny(), tmp_path / "out")
    assert not (tmp_path / "out" / "model").exists()
    assert ended.value.__notes__[0].startswith(f"{tmp_path}/out/best is the model so far; resume with: ")
    with pytest.raises(KeyboardInterrupt) as early:
        trainer.start(tiny(), tmp_path / "early", advance=stop)
    assert early.value.__notes__ == [
        f"there is no model yet; resume with: spacemission train --resume {tmp_path}/early"
    ]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_the_command_ends_by_a_signal_as_by_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(to_toml(tiny(steps=10**6, final_games=4)))
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


def test_two_processes_do_not_train_in_one_folder(finished: trainer.Run) -> None:
    pytest.importorskip("fcntl")
    assert not is_held(finished.out)
    with held(finished.out):
        assert is_held(finished.out)
        with pytest.raises(OutputError, match="another process is training there"):
            trainer.resume(finished.out, {"steps": 512})
    assert not is_held(finished.out)


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


def test_progress_has_the_columns_of_every_number_of_players(finished: trainer.Run) -> None:
    with open(finished.out / "progress.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    for one, told in zip(rows, finished.rows, strict=True):
        assert {name: np.float64(text) for name, text in one.items()} == told
    assert {"win_heuristic", "win_heuristic_3p", "score", "explained_variance"} <= set(rows[0])
