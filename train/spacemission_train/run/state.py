"""A run between two updates as a state file (resume_state.py), and back: league, evaluations, times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spacemission_agents.models.card import weights_digest
from spacemission_agents.models.folder import load_model, save_model
from spacemission_train.learning.evaluation import WinShare
from spacemission_train.learning.networks import policy_arrays
from spacemission_train.run.folder import BEST_FOLDER, STATE_FILE, checkpoint_folder
from spacemission_train.run.protocol import AnyRun, LeagueRun
from spacemission_train.run.resume_state import ResumeError, restore_state, save_state
from spacemission_train.run.state_checks import MOST, check_run


def save(run: LeagueRun) -> None:
    """Write what `restore` needs of a run at a checkpoint."""
    text = {
        "settings": run.settings.to_json(),
        "components_sha256": run.components.sha256,
        "target_sha256": weights_digest(run.target),
        "command": run.command,
        "seconds": run.seconds,
        "training": run.training,
        "env_seconds": run.env.seconds,
        "rows": run.rows,
        "results": [result.to_json() for result in run.results],
        "best": run.best,
        "warnings": run.warnings,
        "snapshots": run.pool.snapshots,
        "pool_results": run.pool.results.tolist(),
        "thinned": run.pool.thinned,
    }
    save_state(run.out / STATE_FILE, run.model, run.env, text)


def restore(run: LeagueRun, path: Path, text: dict[str, Any], tensors: dict[str, Any]) -> None:
    """Put a state that was read (`read_state`) into a run just made with its settings.

    Raises:
        ResumeError: naming the file and what does not fit.
    """
    saved = text["run"]
    try:
        check_run(saved, run.env.seconds)
    except (ValueError, KeyError, TypeError) as error:
        raise ResumeError(f"{path}: not the state of a run: {error}") from None
    if saved["components_sha256"] != run.components.sha256:
        raise ResumeError(f"{path}: components: the run began with another table of components")
    if saved.get("target_sha256") != weights_digest(run.target):
        raise ResumeError(f"{path}: exploit: {run.settings.exploit!r} is another model by now")
    opponents, snapshots = len(run.pool.fixed), len(saved["snapshots"])
    restore_state(path, text, tensors, run.model, run.env, opponents, snapshots)
    run.model.remember()  # the state is a checkpoint's: its policy is the one remembered there
    run.seconds, run.training = float(saved["seconds"]), float(saved["training"])
    run.env.seconds.update(saved["env_seconds"])
    run.rows, run.results = saved["rows"], [WinShare(**result) for result in saved["results"]]
    run.best, run.warnings = saved["best"], saved["warnings"]
    for steps, result in zip(saved["snapshots"], saved["pool_results"], strict=True):
        run.pool.add_snapshot(steps, load_model(checkpoint_folder(run.out, steps))[1], result)
    run.pool.thinned = int(saved["thinned"])
    run.pool.set_latest(policy_arrays(run.model.policy))


def steps_of(path: Path, text: dict[str, Any]) -> int:
    """Learner steps of a state of method td.

    Raises:
        ResumeError: it does not say.
    """
    steps = text["run"].get("steps")
    if type(steps) is not int or not 0 <= steps <= MOST:
        raise ResumeError(f"{path}: not the state of a run: steps: {steps!r}")
    return steps


def mend(run: AnyRun) -> None:
    """Let OUT/best be the best checkpoint of the state: a killed process may have been replacing it."""
    assert run.best is not None  # a state is a checkpoint's
    folder = checkpoint_folder(run.out, run.best["steps"])
    if folder.is_dir():
        card, arrays = load_model(folder)
        save_model(run.out / BEST_FOLDER, arrays, card, run.settings.spec)
