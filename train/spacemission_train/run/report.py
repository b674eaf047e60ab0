"""OUT/report.html: a run on one page that needs nothing from outside; the style is that of the arena's."""

from __future__ import annotations

import shlex
from dataclasses import fields
from html import escape
from typing import Any

from spacemission_agents.report.html import STYLE, breakable, folded, note, picture, section, table
from spacemission_agents.report.text import interval, percent, whole
from spacemission_env.core.game_spec import DEFAULT_GAME
from spacemission_train.run.files import write_atomically
from spacemission_train.run.plots import CURVE_FILE, LEARNING_FILE
from spacemission_train.run.protocol import AnyRun
from spacemission_train.settings.experiment import EXPERIMENT_FILE, made_with
from spacemission_train.settings.settings import Settings

REPORT_FILE = "report.html"


def write(run: AnyRun) -> None:
    """Write the page on a run after a checkpoint, with the plots that lie in its folder."""
    write_atomically(run.out / REPORT_FILE, html_page(run).encode("utf-8", "backslashreplace"))


def html_page(run: AnyRun) -> str:
    """The page on a run."""
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
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Training {escape(run.out.name)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )


def _summary(run: AnyRun) -> str:
    assert run.best is not None  # there is a checkpoint
    of = run.settings
    against = f"against {of.exploit} alone" if of.exploit else f"against {of.opponents}"
    limits = [f"{of.steps:,} steps" if of.steps else "", f"{of.minutes:g} minutes" if of.minutes else ""]
    return (
        f"<h1>Training: {', '.join(map(str, of.player_counts))} players, preset {escape(of.preset)}</h1>\n"
        f'<p class="lead">{run.steps:,} learner steps of {escape(" or ".join(filter(None, limits)))}, '
        f"{run.seconds / 60:.1f} minutes, {run.games:,} games; seed {of.seed}; "
        f"{breakable(against)}.</p>"
        + note(
            f"Best checkpoint: {run.best['steps']:,} steps, score {run.best['score']:.3f}, in the folder "
            f"best. The score is the share of the wins against {of.exploit or run.yardsticks[-1]} in terms "
            "of an equal share, the mean over the numbers of players."
        )
    )


def _last_results(run: AnyRun) -> str:
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
        note("The most probable move in one seat, the opponent in all others; the margin is in points."),
    )


def _evaluations(rows: list[dict[str, Any]]) -> str:
    head = [name.replace("_", " ") for name in rows[0]]
    cells = [["" if value is None else f"{value:,}" for value in row.values()] for row in rows]
    return section("Evaluations", folded(table_of(head, cells), len(rows)))


def table_of(head: list[str], cells: list[list[str]]) -> str:
    """A table of any width: `pieces.table` knows the alignment of twenty columns."""
    wide = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>\n"
        for row in cells
    )
    return f'<div class="wide"><table><thead><tr>{wide}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _league(run: AnyRun) -> str:
    pool = run.pool
    if pool is None:
        return ""
    rows = zip(pool.snapshots, pool.results, pool.odds(), strict=True)
    cells = [[f"{steps:,} steps", percent(result), percent(odds)] for steps, result, odds in rows]
    return section(
        "League",
        folded(table(["past self", "result", "odds"], cells), len(cells)),
        note(
            "Result: the learner's recent share against that snapshot, 50 % before they have met. Odds: how "
            "likely it is drawn where an opponent is a past self."
        ),
    )


def _game(run: AnyRun) -> str:
    return "" if run.settings.game == DEFAULT_GAME else f" --game {run.settings.game}"


def _again(run: AnyRun) -> str:
    out = shlex.quote(str(run.out))
    lines = [
        ("Started by", run.command),
        ("Go on", f"spacemission train --resume {out}"),
        ("The same run again", f"spacemission train --experiment {out}/{EXPERIMENT_FILE} --out DIR"),
        ("Curves", f"tensorboard --logdir {out}/tensorboard"),
        ("Play its games", f"spacemission arena{_game(run)} --agents policy:{out}/best,{run.yardsticks[-1]}"),
    ]
    cells = [[what, f"<code>{escape(line)}</code>"] for what, line in lines if line]
    return section("Commands", table(["what", "command"], cells, texts=[1]))


def _settings(settings: Settings) -> str:
    rows = [[setting.name, breakable(str(getattr(settings, setting.name)))] for setting in fields(Settings)]
    made = "; ".join(made_with(settings))
    return section("Settings", folded(table(["setting", "value"], rows, texts=[1]), len(rows)), note(made))
