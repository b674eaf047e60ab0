"""What a training run writes besides its state: model folders, experiment.toml, progress.csv, plots."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.models.folder import CARD_FILE, read_card, save_model
from spacemission_train.learning.evaluation import WinShare
from spacemission_train.run.files import OutputError, is_blank, sweep, write_atomically
from spacemission_train.run.plots import draw_curve  # noqa: F401 (draw_curve is offered here too)
from spacemission_train.settings.experiment import EXPERIMENT_FILE, to_toml
from spacemission_train.settings.settings import TD, Settings

MODEL_FOLDER = "model"  # the last policy, of a finished run or one that was stopped
BEST_FOLDER = "best"  # the best checkpoint so far
STATE_FILE = "state.safetensors"
PROGRESS_FILE = "progress.csv"
WARNINGS_FILE = "warnings.txt"
FINISHED = "finished"  # in `training` of a model's card


def columns(results: list[WinShare], yardsticks: tuple[str, ...]) -> dict[str, float]:
    """What progress.csv has of an evaluation: `win_greedy`, `margin_greedy`, …

    For the second and further numbers of players `win_greedy_3p` and so on.
    """
    row: dict[str, float] = {}
    for result in results:
        tail = "" if result.players == results[0].players else f"_{result.players}p"
        if result.opponent in yardsticks:
            row[f"win_{result.opponent}{tail}"] = round(result.share, 4)
            row[f"margin_{result.opponent}{tail}"] = round(result.margin, 2)
    row["truncated_random"] = round(results[0].truncated, 4)
    return row


def prepare(out: Path, settings: Settings, command: str = "") -> None:
    """Make the folder of a new run and note its settings there.

    Raises:
        OutputError: it exists and is not an empty folder, or it cannot be made.
    """
    try:
        if out.exists() and not out.is_dir():
            raise OutputError(f"{out}: is not a folder")
        if out.is_dir() and not is_blank(out):
            raise OutputError(f"{out}: exists and is not empty; choose another --out, or go on with --resume")
        out.mkdir(parents=True, exist_ok=True)
        sweep(out)
    except OSError as error:
        raise OutputError(f"{out}: cannot be made: {error.strerror or error}") from None
    write_settings(out, settings, command)


def write_settings(out: Path, settings: Settings, command: str = "") -> None:
    """Write experiment.toml: every setting that the run has now, from which it can be made again."""
    write_atomically(out / EXPERIMENT_FILE, to_toml(settings, command).encode("utf-8", "replace"))


def checkpoint_folder(out: Path, steps: int) -> Path:
    """The model folder of the checkpoint after so many steps."""
    return out / "checkpoints" / f"step_{steps:09d}"


def save_network(
    folder: Path,
    arrays: dict[str, np.ndarray],
    settings: Settings,
    training: dict[str, Any],
    results: list[WinShare],
) -> None:
    """Write a model folder (models/folder.py) with what its card has to say about the run."""
    card = {
        "rules": settings.spec.make_rules(settings.rules).to_json(),
        "components_sha256": settings.spec.load_components(settings.components).sha256,
        "network": settings.form.card()
        | ({} if settings.cards or settings.method == TD else critic_card(settings)),
        "training": {**training, "settings": settings.to_json()},
        "results": {result_name(result): result.to_json() for result in results},
    }
    save_model(folder, arrays, card, settings.spec)


def result_name(result: WinShare) -> str:
    """What a result is called on a model's card."""
    return f"win_share_against_{result.opponent}_{result.players}p"


def critic_card(settings: Settings) -> dict[str, Any]:
    """What the critic of a run tells (models/card.py)."""
    value = {
        "hidden": list(settings.hidden),
        "reward": settings.reward,
        "shaping": settings.shaping,
        "final_potential": settings.final_lead,
        "full": settings.form.full_critic,
    }
    return {"value": value}


def is_finished(out: Path, steps: int = 0) -> bool:
    """Whether the run in a folder came to its end, after at least so many steps.

    Raises:
        AgentError: its model folder is damaged.
    """
    model = out / MODEL_FOLDER
    training = read_card(model)["training"] if (model / CARD_FILE).exists() else {}
    return training.get(FINISHED) is True and training["steps"] >= steps


@contextmanager
def saying_what_is_left(out: Path) -> Iterator[None]:
    """Add to whatever stops the block a note: where the model is, and how the run in the folder goes on."""
    try:
        yield
    except BaseException as stop:
        folders = [out, *sorted(out.glob("first*"))]
        models = [folder / name for folder in folders for name in (MODEL_FOLDER, BEST_FOLDER)]
        left = [f"{model} has what it learnt" for model in models if (model / CARD_FILE).exists()][:1]
        left = left or ["there is no model yet"]
        resume = f"go on with: spacemission train --resume {shlex.quote(str(out))}"
        stop.__notes__ = ["; ".join([*left, resume])]
        raise


def write_progress(out: Path, rows: list[dict[str, Any]]) -> None:
    """Write progress.csv: one row an evaluation."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(out / PROGRESS_FILE, text.getvalue().encode())
