"""Draws the plots of a run and writes its report, one self-contained page."""

from __future__ import annotations

import io
import shlex
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.report.html import breakable, document, folded, note, picture, section, table
from spacemission_agents.report.text import interval, percent, whole
from spacemission_env.core.game_spec import DEFAULT_GAME
from spacemission_train.folder import write_atomically, yardsticks_in
from spacemission_train.settings import EXPERIMENT_FILE, NAMES, Settings, made_with

REPORT_FILE = "report.html"
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


def write(run: Any) -> None:
    """Write the report of a run (`run.Run`) with the plots from its folder."""
    parts = [
        _summary(run),
        *(f'<p class="note">Warning at {escape(line)}</p>' for line in run.warnings.values()),
        _last_results(run),
        picture("curves", (run.out / CURVES_FILE).read_bytes()),
        _evaluations(run.rows),
        _again(run),
        _settings(run.settings),
    ]
    page = document(f"Training {escape(run.out.name)}", parts)
    write_atomically(run.out / REPORT_FILE, page.encode("utf-8", "backslashreplace"))


def _summary(run: Any) -> str:
    assert run.best is not None  # there is a checkpoint
    of = run.settings
    against = f"against {of.exploit} alone" if of.exploit else f"against {of.opponents}"
    limits = [f"{of.steps:,} steps" if of.steps else "", f"{of.minutes:g} minutes" if of.minutes else ""]
    return (
        f"<h1>Training: {', '.join(map(str, of.player_counts))} players, preset {escape(of.preset)}</h1>\n"
        f'<p class="lead">{run.steps:,} learner steps in {run.games:,} games, {run.seconds / 60:.1f} minutes '
        f"(limit: {escape(' or '.join(filter(None, limits)))}); seed {of.seed}; {breakable(against)}.</p>"
        + note(
            f"Best checkpoint: {run.best['steps']:,} steps, score {run.best['score']:.3f}, in the folder "
            f"best. Score: {run.score_meaning}."
        )
    )


def _last_results(run: Any) -> str:
    cells = []
    for one in run.results:
        shares = percent(one.share), interval(vars(one)), percent(1 / one.players)
        more = f"{one.margin:+.1f}", percent(one.truncated), whole(one.games)
        cells.append([breakable(one.opponent), str(one.players), *shares, *more])
    head = ["against", "players", "win share", "95 % interval", "equal share", "margin", "truncated", "games"]
    told = "The network plays in one seat, as its model does; the opponent has all others."
    return section("Last evaluation", table(head, cells), note(told))


def _evaluations(rows: list[Row]) -> str:
    head = [name.replace("_", " ") for name in rows[0]]
    cells = [["" if value is None else f"{value:,}" for value in row.values()] for row in rows]
    return section("Evaluations", folded(table(head, cells), len(rows)))


def _again(run: Any) -> str:
    out = shlex.quote(str(run.out))
    game = "" if run.settings.game == DEFAULT_GAME else f" --game {run.settings.game}"
    lines = [
        ("Started by", run.command),
        ("Resume", f"spacemission train --resume {out}"),
        ("Repeat the run", f"spacemission train --experiment {out}/{EXPERIMENT_FILE} --out DIR"),
        ("Curves", f"tensorboard --logdir {out}/tensorboard"),
        ("Play its games", f"spacemission arena{game} --agents policy:{out}/best,{run.yardsticks[-1]}"),
    ]
    cells = [[what, f"<code>{escape(line)}</code>"] for what, line in lines if line]
    return section("Commands", table(["what", "command"], cells, texts=[1]))


def _settings(settings: Settings) -> str:
    rows = [[name, breakable(str(getattr(settings, name)))] for name in NAMES]
    made = "; ".join(made_with(settings))
    return section("Settings", folded(table(["setting", "value"], rows, texts=[1]), len(rows)), note(made))


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
