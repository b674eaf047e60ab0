"""The plots of a run: curve.png, what it wins, and learning.png, how it learns."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_train.run.columns import yardsticks_in
from spacemission_train.run.files import write_atomically

CURVE_FILE = "curve.png"
LEARNING_FILE = "learning.png"
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:purple", "tab:brown")  # of the yardsticks
TARGET, TARGET_COLOUR = "target", "tab:red"  # of an exploiter
LINES = {2: "-", 3: "--", 4: "-.", 5: ":"}  # by number of players
LEARNING = {  # column: how its curve is called and drawn
    "entropy": ("entropy of the policy, nats", "tab:purple"),
    "explained_variance": ("explained variance of the critic", "tab:green"),
    "value_loss": ("cross entropy of the value", "tab:blue"),
    "win_past": ("result against past selves", "tab:red"),
}


def draw_curve(out: Path, rows: list[dict[str, Any]], players: tuple[int, ...]) -> None:
    """Draw curve.png: win shares by steps, with the minutes of training on the upper edge."""
    from matplotlib.figure import Figure  # a figure of its own: no pyplot, no window, nothing global

    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    steps = [row["steps"] / 1000 for row in rows]
    for name, colour in _curves(rows[0]).items():
        label = "against the target" if name == TARGET else f"against {name}"
        for number in players:
            first = number == players[0]
            column = f"win_{name}" if first else f"win_{name}_{number}p"
            if column in rows[0] and (first or name != "random"):
                style: dict[str, Any] = {"color": colour, "marker": ".", "linestyle": LINES[number]}
                style["label"] = label if first else f"{label}, {number} players"
                axes.plot(steps, [row[column] for row in rows], **style)
    axes.axhline(1 / players[0], color="0.6", linestyle="-", linewidth=0.8, label="equal share")
    axes.set(xlabel="learner steps, thousands", ylabel="win share", ylim=(-0.02, 1.02))
    axes.set_title(f"Wins of the trained policy, {', '.join(map(str, players))} players")
    figure.legend(loc="outside right center", fontsize="small")  # no corner that no line crosses
    if len(rows) > 1:
        _minutes_above(axes, rows, steps)
    _write(out / CURVE_FILE, figure)


def _curves(row: dict[str, Any]) -> dict[str, str]:
    # Who is played against, and the colour of the curve, as the columns of progress.csv have it.
    against = yardsticks_in(row)
    colours = {TARGET: TARGET_COLOUR} if f"win_{TARGET}" in row else {}
    return colours | dict(zip(against, COLOURS, strict=False))


def draw_learning(out: Path, rows: list[dict[str, Any]]) -> None:
    """Draw learning.png: entropy, what the critic explains, and results against past selves, by steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    steps = [row["steps"] / 1000 for row in rows]
    for column, (label, colour) in LEARNING.items():
        if column not in rows[0]:
            continue
        heights = [np.nan if row[column] is None else row[column] for row in rows]
        axes.plot(steps, heights, color=colour, marker=".", label=label)
    axes.set(xlabel="learner steps, thousands")
    axes.legend(loc="best", fontsize="small")
    _write(out / LEARNING_FILE, figure)


def _minutes_above(axes: Any, rows: list[dict[str, Any]], steps: list[float]) -> None:
    upper = axes.twiny()
    upper.set_xlim(axes.get_xlim())
    ticks = np.linspace(0, len(rows) - 1, min(6, len(rows))).round().astype(int)
    upper.set_xticks([steps[i] for i in ticks], [f"{rows[i]['seconds'] / 60:.1f}" for i in ticks])
    upper.set_xlabel("minutes")


def _write(path: Path, figure: Any) -> None:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=120)
    write_atomically(path, data.getvalue())
