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
from spacemission_train.presets import Settings
from spacemission_train.resume_state import write_atomically

STATE_FILE = "state.safetensors"
SETTINGS_FILE = "settings.json"
PROGRESS_FILE = "progress.csv"
CURVE_FILE = "curve.png"
CURVES = {  # opponent: how its curve is called and drawn, in this order
    "target": ("against the target", "tab:red"),
    "random": ("against random", "tab:blue"),
    "greedy": ("against greedy", "tab:orange"),
    "heuristic": ("against heuristic", "tab:green"),
}
LINES = {2: "-", 3: "--", 4: "-.", 5: ":"}  # by number of players


def columns(results: list[WinShare]) -> dict[str, float]:
    """What progress.csv has of an evaluation: `win_greedy`, `margin_greedy`, …

    For the second and further numbers of players `win_greedy_3p` and so on.
    """
    row: dict[str, float] = {}
    for result in results:
        tail = "" if result.players == results[0].players else f"_{result.players}p"
        if result.opponent in CURVES:
            row[f"win_{result.opponent}{tail}"] = round(result.share, 4)
            row[f"margin_{result.opponent}{tail}"] = round(result.margin, 2)
    row["truncated_random"] = round(results[0].truncated, 4)
    return row


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
        "network": settings.form.card() | critic_card(settings),
        "training": {**training, "settings": settings.to_json()},
        "results": {result_name(result): result.to_json() for result in results},
    }
    save_model(folder, arrays, card)


def result_name(result: WinShare) -> str:
    """What a result is called on a model's card."""
    return f"win_share_against_{result.opponent}_{result.players}p"


def critic_card(settings: Settings) -> dict[str, Any]:
    """What the critic of a run tells (model_card.py); nothing of one that reads what a seat cannot see."""
    if settings.form.full_critic:
        return {}
    value = {
        "hidden": list(settings.hidden),
        "reward": settings.reward,
        "shaping": settings.shaping,
        "final_potential": settings.final_lead,
    }
    return {"value": value}


def write_progress(out: Path, rows: list[dict[str, Any]]) -> None:
    """Write progress.csv: one row an evaluation."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(out / PROGRESS_FILE, text.getvalue().encode())


def draw_curve(out: Path, rows: list[dict[str, Any]], players: tuple[int, ...]) -> None:
    """Draw curve.png: win shares by steps, with the minutes of training on the upper edge."""
    from matplotlib.figure import Figure  # a figure of its own: no pyplot, no window, nothing global

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    steps = [row["steps"] / 1000 for row in rows]
    for name, (label, colour) in CURVES.items():
        for number in players:
            first = number == players[0]
            column = f"win_{name}" if first else f"win_{name}_{number}p"
            if column in rows[0] and (first or name != "random"):
                style = {"color": colour, "marker": ".", "linestyle": LINES[number]}
                style["label"] = label if first else f"{label}, {number} players"
                axes.plot(steps, [row[column] for row in rows], **style)
    axes.axhline(1 / players[0], color="0.6", linestyle="-", linewidth=0.8, label="equal share")
    axes.set(xlabel="learner steps, thousands", ylabel="win share", ylim=(-0.02, 1.02))
    axes.set_title(f"Wins of the trained policy, {', '.join(map(str, players))} players")
    axes.legend(loc="lower right", fontsize="small")
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
