"""What a training run writes besides its state: model folders, progress.csv, curve.png."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.model_folder import save_model
from spacemission_env.components import load_components
from spacemission_env.errors import SpaceMissionError
from spacemission_env.options import make_rules
from spacemission_train.evaluation import WinShare
from spacemission_train.networks import ACTIVATION
from spacemission_train.presets import Settings
from spacemission_train.resume_state import write_atomically

STATE_FILE = "state.safetensors"
SETTINGS_FILE = "settings.json"
PROGRESS_FILE = "progress.csv"
CURVE_FILE = "curve.png"
COLUMNS = (
    "steps",
    "seconds",
    "steps_per_second",
    "games",
    "win_random",
    "win_greedy",
    "margin_greedy",
    "truncated_random",
)
CURVES = {  # those that a run has, in this order
    "win_target": ("against the target", "tab:red"),
    "win_random": ("against random", "tab:blue"),
    "win_greedy": ("against greedy", "tab:orange"),
}


class OutputError(SpaceMissionError):
    """A folder that a run may not write to."""


def prepare(out: Path, settings: Settings) -> None:
    """Make the folder of a new run and note its settings there.

    Raises:
        OutputError: it exists and is not an empty folder.
    """
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out}: is not a folder")
    if out.is_dir() and any(out.iterdir()):
        raise OutputError(f"{out}: exists and is not empty; choose another --out, or go on with --resume")
    out.mkdir(parents=True, exist_ok=True)
    write_settings(out, settings)


def write_settings(out: Path, settings: Settings) -> None:
    """Write settings.json: every setting that the run has now."""
    write_atomically(out / SETTINGS_FILE, (json.dumps(settings.to_json(), indent=2) + "\n").encode())


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
    """Write a model folder (model_folder.py) with what its card has to say about the run."""
    card = {
        "rules": make_rules(settings.rules).to_json(),
        "components_sha256": load_components(settings.components).sha256,
        "network": {
            "hidden": list(settings.hidden),
            "activation": ACTIVATION,
            "value": critic_card(settings),
        },
        "training": {**training, "settings": settings.to_json()},
        "results": {f"win_share_against_{result.opponent}": result.to_json() for result in results},
    }
    save_model(folder, arrays, card)


def critic_card(settings: Settings) -> dict[str, Any]:
    """What the critic of a run tells (model_card.py)."""
    return {
        "hidden": list(settings.hidden),
        "reward": settings.reward,
        "shaping": settings.shaping,
        "final_potential": True,
    }


def write_progress(out: Path, rows: list[dict[str, Any]]) -> None:
    """Write progress.csv: one row an evaluation, columns `COLUMNS`, then what else the rows have."""
    text = io.StringIO(newline="")
    further = [name for name in rows[0] if name not in COLUMNS]
    writer = csv.DictWriter(text, (*COLUMNS, *further), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(out / PROGRESS_FILE, text.getvalue().encode())


def draw_curve(out: Path, rows: list[dict[str, Any]], players: int) -> None:
    """Draw curve.png: win shares by steps, with the minutes of training on the upper edge."""
    from matplotlib.figure import Figure  # a figure of its own: no pyplot, no window, nothing global

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    steps = [row["steps"] / 1000 for row in rows]
    for name, (label, colour) in CURVES.items():
        if name in rows[0]:
            axes.plot(steps, [row[name] for row in rows], color=colour, marker=".", label=label)
    axes.axhline(1 / players, color="0.6", linestyle=":", label="equal share")
    axes.set(xlabel="learner steps, thousands", ylabel="win share", ylim=(-0.02, 1.02))
    axes.set_title(f"Wins of the trained policy, {players} players")
    axes.legend(loc="lower right")
    if len(rows) > 1:
        minutes = np.array([row["seconds"] / 60 for row in rows])
        upper = axes.twiny()
        upper.set_xlim(axes.get_xlim())
        ticks = np.linspace(0, len(rows) - 1, min(6, len(rows))).round().astype(int)
        upper.set_xticks([steps[i] for i in ticks], [f"{minutes[i]:.1f}" for i in ticks])
        upper.set_xlabel("minutes")
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=120)
    write_atomically(out / CURVE_FILE, data.getvalue())
