"""Kills a training run at random moments, resumes it, and compares its end with an undisturbed run.

    python -m studies.kill_train [kills] [checkpoints] [seed]

Some kills come at the start, some at a random time after a checkpoint, some while a file or folder of a
checkpoint is being written. `tests/train/test_run_faults.py` runs a short study.
"""

from __future__ import annotations

import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

from spacemission_agents.models.folder import load_model
from spacemission_train.folder import STATE_FILE, is_finished
from spacemission_train.settings import to_toml
from spacemission_train.state import read_state
from studies.kill_arena import kill_when
from tests.support.small_runs import tiny

CLOCKS = {"seconds", "steps_per_second"}
UPDATE = 128  # learner steps of an update of a tiny run
CHANGES = {"players": (2, 3), "average": 0.5}


def command(out: Path) -> list[str]:
    """The command that starts the run, or resumes it if there is one."""
    begun = (out / "experiment.toml").exists()
    how = ["--resume", str(out)] if begun else ["--experiment", "experiment.toml", "--out", str(out)]
    return [sys.executable, "-m", "spacemission_env", "train", "--json", *how]


def to_the_end(out: Path) -> None:
    """Let it run."""
    done = subprocess.run(command(out), cwd=out.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def progress(out: Path) -> list[dict[str, str]]:
    """The rows of progress.csv, without what was timed."""
    if not (out / "progress.csv").exists():
        return []
    with open(out / "progress.csv", newline="") as file:
        return [{k: v for k, v in row.items() if k not in CLOCKS} for row in csv.DictReader(file)]


def half_done(out: Path) -> bool:
    """Whether a file or model folder is being written."""
    folders = (out, out / "checkpoints")
    return any(path.name != ".lock" for folder in folders for path in folder.glob(".*"))


def moments(out: Path, kills: int, checkpoints: int, rng: random.Random) -> list[tuple[Any, float]]:
    """When to kill: once while it starts, then along the run, by turns while something is written."""
    found: list[tuple[Any, float]] = [(lambda: True, rng.uniform(0.5, 4.0))]
    counts = sorted(rng.randrange(checkpoints - 1) for _ in range(kills - 1))
    for i, count in enumerate(counts):
        if i % 2:
            found.append((lambda count=count: len(progress(out)) >= count and half_done(out), 0.0))
        else:
            found.append((lambda count=count: len(progress(out)) > count, rng.uniform(0.0, 0.4)))
    return found


def check(kills: int, checkpoints: int, seed: int, folder: Path) -> int:
    """Kill and compare; return how many kills hit a running process."""
    rng = random.Random(seed)
    steps = {"steps": 2 * UPDATE * checkpoints, "checkpoint_steps": 2 * UPDATE}
    (folder / "experiment.toml").write_text(to_toml(tiny(**{**CHANGES, **steps, "seed": seed})))
    alone, out = folder / "alone", folder / "killed"
    to_the_end(alone)
    hits = 0
    for moment, extra in moments(out, kills, checkpoints, rng):
        hits += kill_when(command(out), folder, moment, extra)
        for path in (out / "checkpoints").glob("step_*"):
            load_model(path)  # whole, or not there
        if (out / STATE_FILE).exists():
            read_state(out / STATE_FILE)
    if not is_finished(out):
        to_the_end(out)
    assert progress(out) == progress(alone)
    before, after = (read_state(one / STATE_FILE)[1] for one in (alone, out))
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before), "the run took another way"
    names = [str(path.relative_to(alone)) for path in alone.rglob("weights.safetensors")]
    assert len(names) == checkpoints + 2
    for name in names:
        assert (out / name).read_bytes() == (alone / name).read_bytes(), name
    assert sorted(path.name for path in alone.iterdir()) == sorted(path.name for path in out.iterdir())
    return hits


if __name__ == "__main__":
    kills_, checkpoints_, seed_ = (int(a) for a in [*sys.argv[1:], *("10", "12", "0")[len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory() as scratch:
        hits_ = check(kills_, checkpoints_, seed_, Path(scratch))
        print(f"{hits_} of {kills_} kills met a run at work: all agree")
