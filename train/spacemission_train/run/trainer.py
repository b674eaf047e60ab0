"""Starts and resumes training runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch

from spacemission_env.core.reading import Json
from spacemission_train.ppo.run import PpoRun, Run
from spacemission_train.run.folder import (
    BEST_FOLDER,
    MODEL_FOLDER,
    STATE_FILE,
    checkpoint_folder,
    held,
    is_finished,
    prepare,
    sweep,
    working_in,
    write_settings,
)
from spacemission_train.run.progress import Listeners, Progress, Row, quiet
from spacemission_train.run.stages import first_folders, first_stages
from spacemission_train.run.state import ResumeError, read_state
from spacemission_train.run.torch_settings import settled, torch_settings
from spacemission_train.settings.experiment import (
    EXPERIMENT_FILE,
    check_alone,
    command_of,
    read_experiment,
    settings_from_json,
)
from spacemission_train.settings.settings import Settings, SettingsError
from spacemission_train.td.run import AfterstateRun

__all__ = ["BEST_FOLDER", "MODEL_FOLDER", "STATE_FILE", "Row", "Run", "resume", "start"]

CHANGEABLE = ("steps", "minutes", "threads", "opponents")  # settings that a resumed run may change


def start(
    settings: Settings,
    out: str | Path,
    command: str = "",
    report: Callable[[Row], None] = quiet,
    advance: Callable[[Progress], None] = quiet,
    warn: Callable[[str], None] = quiet,
) -> Run:
    """Train a new run in a new or empty folder; return the finished run.

    Writes OUT/model, OUT/best and OUT/checkpoints/step_N (model folders), experiment.toml, progress.csv,
    report.html with its plots, tensorboard/, and state.safetensors for `resume`. `command` goes on the model
    card; `report`, `advance` and `warn` are called as in `Listeners`.

    Raises:
        SpaceMissionError: one line on the refused folder, components or opponent.
    """
    return _begin(settings, Path(out), command, Listeners(report, advance, warn))


def _begin(settings: Settings, out: Path, command: str, listeners: Listeners, again: bool = False) -> Run:
    settings = _ready(settings)
    stages = first_stages(settings)  # checks the stages before hours of training
    with torch_settings(_torch_threads(settings)):
        run = run_class(settings)(settings, out, command)
        if not stages:
            run.load_start(settings)
        if not again:
            prepare(out, settings, command)
        with held(out), working_in(out):
            if again:
                _sweep(out)
                write_settings(out, settings, command)
            for stage, folder in zip(stages, first_folders(out, len(stages)), strict=True):
                _train_first(stage, folder, command, listeners)
            if stages:
                models = [f"policy:{folder / MODEL_FOLDER}" for folder in first_folders(out, len(stages))]
                run.load_start(replace(settings, start=",".join(models)))
            run.go_on(listeners)
    return run


def run_class(settings: Settings) -> type[Run]:
    """The class of a run with these settings."""
    return AfterstateRun if settings.of_afterstates else PpoRun


def _train_first(settings: Settings, out: Path, command: str, listeners: Listeners) -> None:
    # Starts the stage, or resumes it if the run was stopped in it.
    if not (out / STATE_FILE).is_file() and not (out / EXPERIMENT_FILE).is_file():
        _begin(settings, out, command, listeners)
    elif not is_finished(out):
        _resume(out, {}, "", listeners)


def _ready(settings: Settings) -> Settings:
    # Without this check SB3 would silently use the CPU.
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise SettingsError("settings: device: torch finds no CUDA device; use cpu or auto")
    return settled(settings)


def _torch_threads(settings: Settings) -> int:
    # If such a run learns while its games run, torch gets one thread and the games get the rest.
    return 1 if settings.of_afterstates and settings.overlap_rollouts else settings.threads or 1


def resume(
    out: str | Path,
    changes: Json | None = None,
    report: Callable[[Row], None] = quiet,
    advance: Callable[[Progress], None] = quiet,
    warn: Callable[[str], None] = quiet,
) -> Run:
    """Resume the run in a folder from its last checkpoint; return the finished run.

    `changes` may hold `steps` and `minutes` (limits counted from the beginning of the run), `threads` and
    `opponents`. Without changes the run continues as if it had not stopped, except that method td starts new
    games. A run that was stopped before its first checkpoint starts again with its experiment.toml.

    Raises:
        SpaceMissionError: one line naming the file or the setting.
    """
    out = Path(out)
    changes = {name: value for name, value in (changes or {}).items() if value is not None}
    for name in changes:
        if name not in CHANGEABLE:
            raise ResumeError(f"--resume: {name}: cannot be changed; {', '.join(CHANGEABLE)} can")
    if "minutes" in changes and "steps" not in changes:
        changes["steps"] = None
    listeners = Listeners(report, advance, warn)
    given = ", ".join(f"{name} {value}" for name, value in changes.items())
    note = f" (resumed with {given})" if given else ""
    return _resume(out, changes, note, listeners)


def _resume(out: Path, changes: Json, note: str, listeners: Listeners) -> Run:
    path = out / EXPERIMENT_FILE
    if (out / STATE_FILE).is_file() or not path.is_file():
        return _go_on(out, changes, note, listeners)
    settings = _changed(check_alone(read_experiment(path), path), changes)
    return _begin(settings, out, command_of(path) + note, listeners, again=True)


def _changed(settings: Settings, changes: Json) -> Settings:
    if settings.exploit is not None and "opponents" in changes:
        raise ResumeError("--resume: opponents: an exploiter plays only its target; omit them")
    return replace(settings, **changes)


def _sweep(out: Path) -> None:
    sweep(out)
    sweep(checkpoint_folder(out, 0).parent)


def _go_on(out: Path, changes: Json, note: str, listeners: Listeners) -> Run:
    path = out / STATE_FILE
    saved, tensors = read_state(path)
    settings = _ready(_changed(settings_from_json(saved["settings"], str(path)), changes))
    with torch_settings(_torch_threads(settings)), held(out):
        run = run_class(settings)(settings, out, saved["command"] + note, saved["steps"])
        run.restore(path, saved, tensors)
        if "opponents" in changes:
            run.seat_new_opponents()
        if run.fraction >= 1.0 and is_finished(out):
            raise ResumeError(
                f"{out}: the run is finished after {run.steps} steps; give a larger --steps or --minutes"
            )
        _sweep(out)
        run.mend()
        if note:
            write_settings(out, run.settings, run.command)
        with working_in(out):
            run.go_on(listeners)
    return run
