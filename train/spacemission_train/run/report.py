"""Draws the plots of a run and writes its report, one self-contained page."""

from __future__ import annotations

import io
import shlex
from dataclasses import fields
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spacemission_agents.report.html import breakable, document, folded, note, picture, section, table
from spacemission_agents.report.text import interval, percent, whole
from spacemission_env.core.game_spec import DEFAULT_GAME
from spacemission_train.run.folder import write_atomically, yardsticks_in
from spacemission_train.run.progress import Progress, Row
from spacemission_train.settings.experiment import EXPERIMENT_FILE, made_with
from spacemission_train.settings.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPORT_FILE = "report.html"
CURVE_FILE = "curve.png"
LEARNING_FILE = "learning.png"
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:purple", "tab:brown")  # one for each yardstick
TARGET, TARGET_COLOUR = "target", "tab:red"  # the target of an exploiter: column and colour
LINES = {2: "-", 3: "--", 4: "-.", 5: ":"}  # line styles by number of players
LEARNING = {  # column: label and colour of its curve
    "entropy": ("entropy of the policy, nats", "tab:purple"),
    "explained_variance": ("explained variance of the critic", "tab:green"),
    "value_loss": ("cross entropy of the value", "tab:blue"),
    "win_past": ("result against past selves", "tab:red"),
}


def write(run: Progress) -> None:
    """Write the report of a run with the plots from its folder."""
    parts = [
        _summary(run),
        *(f'<p class="note">Warning at {escape(line)}</p>' for line in run.warnings.values()),
        _last_results(run),
        picture("wins", (run.out / CURVE_FILE).read_bytes()),
        picture("learning", (run.out / LEARNING_FILE).read_bytes()),
        _evaluations(run.rows),
        _league(run),
        _again(run),
        _settings(run.settings),
    ]
    page = document(f"Training {escape(run.out.name)}", parts)
    write_atomically(run.out / REPORT_FILE, page.encode("utf-8", "backslashreplace"))


def _summary(run: Progress) -> str:
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
            f"best. Score: the win share against {of.exploit or run.yardsticks[-1]} divided by an equal "
            "share, averaged over the numbers of players."
        )
    )


def _last_results(run: Progress) -> str:
    cells = [
        [
            breakable(result.opponent),
            str(result.players),
            percent(result.share),
            interval(vars(result)),
            percent(1 / result.players),
            f"{result.margin:+.1f}",
            percent(result.truncated),
            whole(result.games),
        ]
        for result in run.results
    ]
    head = ["against", "players", "win share", "95 % interval", "equal share", "margin", "truncated", "games"]
    return section(
        "Last evaluation",
        table(head, cells),
        note(
            "The policy plays its most probable move in one seat; the opponent has all others. "
            "The margin is in points."
        ),
    )


def _evaluations(rows: list[Row]) -> str:
    head = [name.replace("_", " ") for name in rows[0]]
    cells = [["" if value is None else f"{value:,}" for value in row.values()] for row in rows]
    return section("Evaluations", folded(table(head, cells), len(rows)))


def _league(run: Progress) -> str:
    pool = run.pool
    if pool is None:
        return ""
    rows = zip(pool.snapshots, pool.results, strict=True)
    cells = [[f"{steps:,} steps", percent(result)] for steps, result in rows]
    return section(
        "League",
        folded(table(["past self", "result"], cells), len(cells)),
        note("Result: the learner's recent score against that snapshot, 50 % before their first game."),
    )


def _again(run: Progress) -> str:
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
    rows = [[setting.name, breakable(str(getattr(settings, setting.name)))] for setting in fields(Settings)]
    made = "; ".join(made_with(settings))
    return section("Settings", folded(table(["setting", "value"], rows, texts=[1]), len(rows)), note(made))


# ------------------------------------------------------------ plots


def draw_curve(out: Path, rows: list[Row], players: tuple[int, ...]) -> None:
    """Draw curve.png: win shares by steps, with the minutes of training on the upper axis."""
    from matplotlib.figure import Figure  # without pyplot: no window, no global state

    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    steps = [row["steps"] / 1000 for row in rows]
    colours = {TARGET: TARGET_COLOUR} if f"win_{TARGET}" in rows[0] else {}
    for name, colour in (colours | dict(zip(yardsticks_in(rows[0]), COLOURS, strict=False))).items():
        label = "against the target" if name == TARGET else f"against {name}"
        for number in players:
            first = number == players[0]
            column = f"win_{name}" if first else f"win_{name}_{number}p"
            if column in rows[0] and (first or name != "random"):
                axes.plot(
                    steps,
                    [row[column] for row in rows],
                    color=colour,
                    marker=".",
                    linestyle=LINES[number],
                    label=label if first else f"{label}, {number} players",
                )
    axes.axhline(1 / players[0], color="0.6", linestyle="-", linewidth=0.8, label="equal share")
    axes.set(xlabel="learner steps, thousands", ylabel="win share", ylim=(-0.02, 1.02))
    axes.set_title(f"Wins of the trained policy, {', '.join(map(str, players))} players")
    figure.legend(loc="outside right center", fontsize="small")  # inside, it would cover lines
    if len(rows) > 1:
        upper = axes.twiny()
        upper.set_xlim(axes.get_xlim())
        ticks = np.linspace(0, len(rows) - 1, min(6, len(rows))).round().astype(int)
        upper.set_xticks([steps[i] for i in ticks], [f"{rows[i]['seconds'] / 60:.1f}" for i in ticks])
        upper.set_xlabel("minutes")
    _write(out / CURVE_FILE, figure)


def draw_learning(out: Path, rows: list[Row]) -> None:
    """Draw learning.png: the columns of `LEARNING` by steps."""
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


def _write(path: Path, figure: Figure) -> None:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=120)
    write_atomically(path, data.getvalue())
