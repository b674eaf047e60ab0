"""Draws a search's strength by its simulations from arena reports.

`python -m studies.search_curve NAME FOLDER…` reads `arena.json` of each folder, in which `…:N` plays another
agent, and writes studies/notes/NAME_curve.svg. `FOLDER=MS` says how long a decision took there: strength by
milliseconds then, with N beside each point.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure


class Point(NamedTuple):
    """A search with so many simulations; how long a decision took, 0 if that was not said."""

    simulations: int
    share: float
    low: float
    high: float
    games: int
    ms: float


def read(argument: str) -> tuple[str, str, Point]:
    """The search without its number, its opponent, and how it did: of one folder."""
    folder, _, ms = argument.partition("=")
    report = json.loads((Path(folder) / "arena.json").read_text("utf-8"))
    searches = [row for row in report["pairs"] if row["agent"].rpartition(":")[2].isdigit()]
    (row,) = searches
    name, _, simulations = row["agent"].rpartition(":")
    told = row["share"], row["low"], row["high"], row["games"]
    return name, row["other"], Point(int(simulations), *told, float(ms or 0))


def draw(name: str, opponent: str, points: list[Point]) -> Figure:
    """The curve, with 95 % intervals."""
    figure = Figure(figsize=(6.5, 3.8), layout="constrained")
    axes = figure.subplots()
    timed = all(point.ms for point in points)
    at = [point.ms if timed else point.simulations for point in points]
    errors = [[100 * (p.share - p.low) for p in points], [100 * (p.high - p.share) for p in points]]
    axes.errorbar(at, [100 * p.share for p in points], yerr=errors, marker="o", capsize=4)
    axes.axhline(50, color="0.6", linestyle=":")
    axes.set_xscale("log")
    axes.set_xticks(at, [f"{x:.3g}" for x in at])
    axes.minorticks_off()
    if timed:
        for x, p in zip(at, points, strict=True):
            axes.annotate(f"{p.simulations}", (x, 100 * p.share), (4, 5), textcoords="offset points")
    axes.set(xlabel="milliseconds a decision, one core" if timed else "simulations a decision")
    axes.set(ylabel=f"places before {opponent}, %")
    axes.set_title(f"{name}:N against {opponent}, 2 players, 95 % intervals")
    return figure


def main(name: str, arguments: list[str]) -> None:
    """Draw it, and print its table."""
    read_all = [read(argument) for argument in arguments]
    points = sorted(point for _, _, point in read_all)
    search, opponent, _ = read_all[0]
    figure = draw(search, opponent, points)
    figure.savefig(Path(__file__).parent / "notes" / f"{name}_curve.svg", metadata={"Date": None})
    for n, share, low, high, games, ms in points:
        time = f" {ms:.3g} |" if ms else ""
        print(f"| {n} |{time} {100 * share:.1f} % ({100 * low:.1f}–{100 * high:.1f}) | {games} |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
