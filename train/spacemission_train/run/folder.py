"""Writes the files of a run's folder, whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from spacemission_agents.models.folder import CARD_FILE, read_card
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.run.evaluation import WinShare
from spacemission_train.settings.experiment import EXPERIMENT_FILE, to_toml
from spacemission_train.settings.settings import Settings

try:
    import fcntl
except ImportError:  # no flock on this system: nothing keeps two runs apart there
    fcntl = None  # type: ignore[assignment]

MODEL_FOLDER = "model"  # the last policy, of a finished run or one that was stopped
BEST_FOLDER = "best"  # the best checkpoint so far
STATE_FILE = "state.safetensors"
PROGRESS_FILE = "progress.csv"
WARNINGS_FILE = "warnings.txt"
FINISHED = "finished"  # in `training` of a model's card
LOCK_FILE = ".lock"  # held by the process that trains; the system lets go of it however that dies
# What a killed process may leave: files and model folders that were not yet in their place.
_ASIDE = re.compile(r"\.(.+)\.([0-9]+|[0-9a-f]{8}(\.old)?)")


class OutputError(SpaceMissionError):
    """A folder or file that a run may not or cannot write."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all; OutputError leaves an older one where it is."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(aside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None


def new_folder(folder: Path, or_else: str = "") -> None:
    """Make a folder for what a command will write; an empty one, or what a killed process left, will do.

    Raises:
        OutputError: something else is there (`or_else`: advice for the line), or it cannot be made.
    """
    try:
        if folder.exists() and not (
            folder.is_dir() and all(_ASIDE.fullmatch(path.name) for path in folder.iterdir())
        ):
            raise OutputError(f"{folder}: exists and is not an empty folder; choose another --out{or_else}")
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        if not os.access(folder, os.W_OK):
            raise OutputError(f"{folder}: cannot be written: Permission denied")
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror or error}") from None


def sweep(folder: Path) -> None:
    """Remove what a killed process left half done there; only by whoever holds the folder (`held`)."""
    for path in list(folder.iterdir()) if folder.is_dir() else []:
        if _ASIDE.fullmatch(path.name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def held(out: Path) -> Iterator[None]:
    """Keep other processes from training in this folder while the block runs; OutputError if one does."""
    if fcntl is None:
        yield
        return
    try:
        file = open(out / LOCK_FILE, "ab")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror or error}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(f"{out}: another process is training there") from None
        yield


def is_held(out: Path) -> bool:
    """Whether a process is training in this folder."""
    if fcntl is None:
        return False
    try:
        with open(out / LOCK_FILE, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextmanager
def working_in(out: Path) -> Iterator[None]:
    """Let whatever stops the block name what is left in a run's folder; OutputError if the disk refused."""
    # TensorBoard's thread hands errors of the disk over; what it would print besides is not for people.
    usual = threading.excepthook

    def hook(failed: Any) -> None:
        if not issubclass(failed.exc_type, OSError):
            usual(failed)

    threading.excepthook = hook
    try:
        yield
    except OSError as error:
        refused = OutputError(f"{out}: cannot be written: {error.strerror or error}")
        refused.__notes__ = [_what_is_left(out)]
        raise refused from None
    except BaseException as stop:
        stop.__notes__ = [_what_is_left(out)]
        raise
    finally:
        threading.excepthook = usual


def _what_is_left(out: Path) -> str:
    folders = [out, *sorted(out.glob("first*"))]
    models = [folder / name for folder in folders for name in (MODEL_FOLDER, BEST_FOLDER)]
    left = [f"{model} has what it learnt" for model in models if (model / CARD_FILE).exists()]
    what = left[0] if left else "there is no model yet"
    return f"{what}; go on with: spacemission train --resume {shlex.quote(str(out))}"


def prepare(out: Path, settings: Settings, command: str = "") -> None:
    """Make the folder of a new run (`new_folder`) and note its settings there."""
    new_folder(out, ", or go on with --resume")
    write_settings(out, settings, command)


def write_settings(out: Path, settings: Settings, command: str = "") -> None:
    """Write experiment.toml: every setting that the run has now, from which it can be made again."""
    write_atomically(out / EXPERIMENT_FILE, to_toml(settings, command).encode("utf-8", "replace"))


def checkpoint_folder(out: Path, steps: int) -> Path:
    """The model folder of the checkpoint after so many steps."""
    return out / "checkpoints" / f"step_{steps:09d}"


def is_finished(out: Path, steps: int = 0) -> bool:
    """Whether the run in a folder came to its end, after at least so many steps."""
    model = out / MODEL_FOLDER
    training = read_card(model)["training"] if (model / CARD_FILE).exists() else {}
    return training.get(FINISHED) is True and training["steps"] >= steps


def columns(results: list[WinShare], yardsticks: tuple[str, ...]) -> dict[str, float]:
    """What progress.csv has of an evaluation: `win_greedy`, …; of more numbers of players `win_greedy_3p`."""
    row: dict[str, float] = {}
    for result in results:
        tail = "" if result.players == results[0].players else f"_{result.players}p"
        if result.opponent in yardsticks:
            row[f"win_{result.opponent}{tail}"] = round(result.share, 4)
            row[f"margin_{result.opponent}{tail}"] = round(result.margin, 2)
    row["truncated_random"] = round(results[0].truncated, 4)
    return row


def yardsticks_in(row: Iterable[str]) -> list[str]:
    """The agents that an evaluation was against, for the first number of players, from its columns."""
    names = [name.removeprefix("margin_") for name in row if name.startswith("margin_")]
    return [name for name in names if not re.fullmatch(r".*_\dp", name)]  # `greedy_3p`: of three players


def write_progress(out: Path, rows: list[dict[str, Any]]) -> None:
    """Write progress.csv: one row an evaluation."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(out / PROGRESS_FILE, text.getvalue().encode())
