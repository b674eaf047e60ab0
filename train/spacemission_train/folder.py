"""Writes and locks the folder of a run."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from spacemission_agents.models.folder import CARD_FILE, read_card
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json
from spacemission_env.core.writing import write_whole
from spacemission_train.evaluation import WinShare
from spacemission_train.settings import EXPERIMENT_FILE, Settings, to_toml

try:
    import fcntl
except ImportError:  # without flock, nothing keeps two runs out of one folder
    fcntl = None  # type: ignore[assignment]

MODEL_FOLDER = "model"  # the last policy of a finished or stopped run
BEST_FOLDER = "best"  # the best checkpoint so far
STATE_FILE = "state.safetensors"
PROGRESS_FILE = "progress.csv"
EXPLOIT_FILE = "exploit.json"
FINISHED = "finished"  # name of an entry of `training` on a model card
LOCK_FILE = ".lock"  # the training process holds it; the system releases it when the process ends
# Names of temporary files and folders, which a killed process may leave behind.
_ASIDE = re.compile(r"\.(.+)\.([0-9]+|[0-9a-f]{8}(\.old)?)")


class OutputError(SpaceMissionError):
    """A folder or file that a run cannot write."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically; after OutputError, an older file is unchanged."""
    try:
        write_whole(path, data, synced=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None


def new_folder(folder: Path, or_else: str = "") -> None:
    """Make the output folder of a command; it may exist if it is empty or holds only temporary files.

    Raises:
        OutputError: the folder has other contents or cannot be made; the message ends with the advice
            `or_else`.
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
    """Remove the temporary files that a killed process left; no other process may be writing there."""
    for path in list(folder.iterdir()) if folder.is_dir() else []:
        if _ASIDE.fullmatch(path.name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def held(out: Path) -> Iterator[None]:
    """Lock a run folder while the block runs; OutputError if another process holds the lock."""
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


@contextmanager
def working_in(out: Path) -> Iterator[None]:
    """Add a note on the run folder to any exception of the block; OSError becomes OutputError."""
    # TensorBoard raises its thread's disk errors again in this thread, so its own thread need not print them.
    usual = threading.excepthook

    def hook(failed: threading.ExceptHookArgs) -> None:
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
    models = [out / name for name in (MODEL_FOLDER, BEST_FOLDER)]
    left = [f"{model} is the model so far" for model in models if (model / CARD_FILE).exists()]
    what = left[0] if left else "there is no model yet"
    return f"{what}; resume with: spacemission train --resume {shlex.quote(str(out))}"


def write_settings(out: Path, settings: Settings, command: str = "") -> None:
    """Write experiment.toml with all settings of the run."""
    write_atomically(out / EXPERIMENT_FILE, to_toml(settings, command).encode("utf-8", "replace"))


def checkpoint_folder(out: Path, steps: int) -> Path:
    """The model folder of the checkpoint after `steps` steps."""
    return out / "checkpoints" / f"step_{steps:09d}"


def is_finished(out: Path, steps: int = 0) -> bool:
    """Whether the run in a folder finished after at least `steps` steps."""
    model = out / MODEL_FOLDER
    training = read_card(model)["training"] if (model / CARD_FILE).exists() else {}
    return training.get(FINISHED) is True and training["steps"] >= steps


def columns(results: list[WinShare], yardsticks: tuple[str, ...]) -> dict[str, float]:
    """The columns of an evaluation in progress.csv; for later numbers of players with a suffix like "_3p"."""
    row: dict[str, float] = {}
    for result in results:
        tail = "" if result.players == results[0].players else f"_{result.players}p"
        if result.opponent in yardsticks:
            row[f"win_{result.opponent}{tail}"] = round(result.share, 4)
            row[f"margin_{result.opponent}{tail}"] = round(result.margin, 2)
            row[f"games_{result.opponent}{tail}"] = result.games
    row["truncated"] = round(results[0].truncated, 4)
    return row


def yardsticks_in(row: Iterable[str]) -> list[str]:
    """The yardsticks (opponents in evaluations) that the columns of an evaluation name."""
    names = [name.removeprefix("margin_") for name in row if name.startswith("margin_")]
    return [name for name in names if not re.fullmatch(r".*_\dp", name)]


def write_progress(out: Path, rows: list[Json]) -> None:
    """Write progress.csv with one row for each evaluation."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(out / PROGRESS_FILE, text.getvalue().encode())
