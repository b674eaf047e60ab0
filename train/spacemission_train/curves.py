"""Draws the plots of a run."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_train.folder import write_atomically, yardsticks_in

Row = dict[str, Any]  # a row of progress.csv

CURVES_FILE = "curves.png"
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:purple", "tab:brown")  # one for each opponent
TARGET = "target"  # stands for an exploiter's target in the column `win_target`
LINES = {2: "-", 3: "--", 4: "-.", 5: ":"}  # line styles by number of players
LEARNING = {  # column: label of its curve
    "entropy": "entropy of the policy, nats",
    "value_loss": "cross entropy of the value",
    "nash_conv": "NashConv: what best responses gain",
}


def draw(out: Path, rows: list[Row], players: tuple[int, ...]) -> None:
    """Draw curves.png: win shares, and the columns of `LEARNING`, by steps."""
    from matplotlib.figure import Figure  # without pyplot: no window, no global state

    figure = Figure(figsize=(9, 6), layout="constrained")
    wins, learning = figure.subplots(2, sharex=True)
    steps = [row["steps"] / 1000 for row in rows]
    names = ([TARGET] if f"win_{TARGET}" in rows[0] else []) + yardsticks_in(rows[0])
    for name, colour in zip(names, COLOURS, strict=False):
        for number in players:
            first = number == players[0]
            column, more = (f"win_{name}", "") if first else (f"win_{name}_{number}p", f", {number} players")
            if column in rows[0]:
                heights = [row[column] for row in rows]
                style = {"color": colour, "linestyle": LINES[number], "marker": "."}
                wins.plot(steps, heights, label=f"against {name}{more}", **style)
    wins.axhline(1 / players[0], color="0.6", linewidth=0.8, label="equal share")
    wins.set(ylabel="win share", ylim=(-0.02, 1.02))
    for column, label in LEARNING.items():
        if column in rows[0]:
            heights = [np.nan if row[column] is None else row[column] for row in rows]
            learning.plot(steps, heights, marker=".", label=label)
    learning.set(xlabel="learner steps, thousands")
    for axes in (wins, learning):
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small")
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=120)
    write_atomically(out / CURVES_FILE, data.getvalue())
