"""Measures how long runs take to reach a strength: `python -m studies.time_to_strength LABEL=DIR,DIR …`.

Each label names the runs of one training method, preferably with several seeds. The plot shows the win share
against a fixed opponent (progress.csv) by minutes of training without evaluations: thin lines for runs, a
thick line for the mean. The table shows the minutes until two evaluations in a row reached the goal.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.run.folder import PROGRESS_FILE, yardsticks_in
from spacemission_train.run.report import COLOURS

Curve = tuple[np.ndarray, np.ndarray]  # minutes, shares


def read_curve(folder: Path, column: str) -> Curve:
    """Minutes of training and win shares of a run's evaluations.

    Raises:
        SpaceMissionError: naming the file and what it lacks.
    """
    path = folder / PROGRESS_FILE
    try:
        rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
        minutes = [float(row["steps"]) / float(row["steps_per_second"]) / 60 for row in rows]
        shares = [float(row[column]) for row in rows]
    except OSError as error:
        raise SpaceMissionError(f"{path}: {error.strerror or error}") from None
    except KeyError as error:
        known = ", ".join(f"win_{name}" for name in yardsticks_in(rows[0]))
        raise SpaceMissionError(f"{path}: no column {error}; known: {known}") from None
    except (ValueError, ZeroDivisionError) as error:
        raise SpaceMissionError(f"{path}: {error}") from None
    if not rows:
        raise SpaceMissionError(f"{path}: no evaluation yet")
    return np.array(minutes), np.array(shares)


def minutes_to(curve: Curve, goal: float) -> float | None:
    """Minutes until two evaluations in a row (or the last) were at the goal; None: it was not reached."""
    minutes, shares = curve
    for i in range(len(shares)):
        if (shares[i : i + 2] >= goal).all():
            return float(minutes[i])
    return None


def table(runs: dict[str, list[Curve]], goal: float) -> str:
    """One row a label, in Markdown."""
    lines = [
        f"| training | runs | minutes to {goal:.0%} | last evaluations | after minutes |",
        "| --- | --- | --- | --- | --- |",
    ]
    for label, curves in runs.items():
        reached = [minutes_to(curve, goal) for curve in curves]
        cells = [
            ", ".join("not reached" if minutes is None else f"{minutes:.1f}" for minutes in reached),
            ", ".join(f"{shares[-1]:.1%}" for _, shares in curves),
            ", ".join(f"{minutes[-1]:.0f}" for minutes, _ in curves),
        ]
        lines.append(f"| {label} | {len(curves)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(out: Path, runs: dict[str, list[Curve]], goal: float, title: str) -> None:
    """Draw the curves into a file; its ending says the format."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.subplots()
    for (label, curves), colour in zip(runs.items(), COLOURS * len(runs), strict=False):
        for minutes, shares in curves:
            axes.plot(minutes, shares, color=colour, linewidth=0.7, alpha=0.6)
        end = min(minutes[-1] for minutes, _ in curves)
        along = np.linspace(max(minutes[0] for minutes, _ in curves), end, 60)
        mean = np.mean([np.interp(along, *curve) for curve in curves], 0)
        seeds = f"{len(curves)} seeds" if len(curves) > 1 else "1 seed"
        axes.plot(along, mean, color=colour, linewidth=2.2, label=f"{label} ({seeds})")
    axes.axhline(goal, color="0.5", linewidth=0.8, linestyle="--")
    axes.set(
        xlabel="minutes of training", ylabel="share of wins", xlim=(0, None), ylim=(0, None), title=title
    )
    axes.legend(loc="lower right", fontsize="small")
    figure.savefig(out, dpi=120)


def main(
    runs: Annotated[list[str], typer.Argument(metavar="LABEL=DIR,DIR …", help="Run folders by label.")],
    out: Annotated[Path, typer.Option("--out", help="The picture; .svg or .png.")],
    against: Annotated[str, typer.Option("--against", help="Yardstick.")] = "heuristic",
    goal: Annotated[float, typer.Option("--goal", min=0, max=1, help="Share of wins.")] = 0.5,
) -> None:
    """Draw the picture and print the table."""
    try:
        curves: dict[str, list[Curve]] = {}
        for entry in runs:
            label, equals, folders = entry.partition("=")
            if not equals:
                raise SpaceMissionError(f"{entry!r}: expected LABEL=DIR,DIR")
            curves[label] = [read_curve(Path(folder), f"win_{against}") for folder in folders.split(",")]
        draw(out, curves, goal, f"From nothing, against {against}")
    except SpaceMissionError as error:
        raise SystemExit(f"spacemission: {error}") from None
    print(table(curves, goal))


if __name__ == "__main__":
    typer.run(main)
