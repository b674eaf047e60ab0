"""Draws docs/ismcts_curve.svg from arena reports: `python -m docs.generators.curve FOLDER…`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from matplotlib.figure import Figure

OPPONENT = "heuristic"


def main(folders: list[str]) -> None:
    """Read `arena.json` of each folder, in which `ismcts:N` plays `heuristic`, and draw its share by N."""
    points = []
    for folder in folders:
        report = json.loads((Path(folder) / "arena.json").read_text("utf-8"))
        for row in report["pairs"]:
            if row["other"] == OPPONENT:
                simulations = int(row["agent"].partition(":")[2])
                points.append((simulations, row["share"], row["low"], row["high"], row["games"]))
    points.sort()
    figure = Figure(figsize=(6.5, 3.8), layout="constrained")
    axes = figure.subplots()
    ns, shares, lows, highs, _ = zip(*points, strict=True)
    errors = [
        [100 * (share - low) for share, low in zip(shares, lows, strict=True)],
        [100 * (high - share) for share, high in zip(shares, highs, strict=True)],
    ]
    axes.errorbar(ns, [100 * share for share in shares], yerr=errors, marker="o", capsize=4)
    axes.axhline(50, color="0.6", linestyle=":")
    axes.set_xscale("log")
    axes.set_xticks(ns, [str(n) for n in ns])
    axes.minorticks_off()
    axes.set(xlabel="simulations a decision", ylabel="places before heuristic, %")
    axes.set_title("ismcts:N against heuristic, 2 players, 95 % intervals")
    figure.savefig(Path(__file__).parents[1] / "ismcts_curve.svg", metadata={"Date": None})
    for n, share, low, high, games in points:
        print(f"| {n} | {100 * share:.1f} % ({100 * low:.1f}–{100 * high:.1f}) | {games} |")


if __name__ == "__main__":
    main(sys.argv[1:])
