"""Prints a training run: progress bar, rows of evaluations, warnings and summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spacemission_env.core.heartbeat import progress
from spacemission_env.core.reading import Json
from spacemission_train.folder import BEST_FOLDER, MODEL_FOLDER, yardsticks_in

if TYPE_CHECKING:
    from spacemission_train.run import Run

FEW_GAMES = 50  # an evaluation of fewer, if the time was short, is shown with their number


@contextmanager
def run_bar() -> Iterator[Callable[[Run], None]]:
    """Show the progress of a run on standard error while the block runs (`heartbeat.progress`).

    Yields:
        `advance(run)`, which updates what is shown.
    """
    what, shown = "starting", 0.0
    with progress(lambda: what, 1.0) as done:

        def advance(run: Run) -> None:
            nonlocal what, shown
            what = f"{run.phase}, {run.steps:,} steps, {run.steps_per_second:,} steps/s"
            new, shown = run.fraction - shown, run.fraction
            done(new)

        yield advance


def report(as_json: bool) -> Callable[[Json], None]:
    """The function that prints each evaluation's row; with `--json` it prints nothing."""
    return (lambda row: None) if as_json else _print_row


def told_first(line: str, advance: Callable[[Run], None]) -> Callable[[Run], None]:
    """Wrap `advance` to print a line at its first call, so that a run refused earlier prints nothing."""
    lines = [line]

    def tell(run: Run) -> None:
        if lines:
            print(lines.pop(), flush=True)
        advance(run)

    return tell


def warn(line: str) -> None:
    """Print a warning on standard error."""
    print(f"warning: {line}", file=sys.stderr, flush=True)


def _print_row(row: Json) -> None:
    # A row has at most 80 characters, so the weakest yardstick is left out.
    yardsticks = yardsticks_in(row)
    names = ["target"] if "win_target" in row else yardsticks[1:] or yardsticks
    shown = "wins: " + "  ".join(f"{name} {row[f'win_{name}']:6.1%}{_if_few(row, name)}" for name in names)
    if "nash_conv" in row:
        shown = f"NashConv {row['nash_conv']:.4f}"
    spent = f"{row['seconds']:6.0f} s {row['steps_per_second']:6}/s"
    print(f"{row['steps']:>9} steps {spent}  {shown}", flush=True)


def _if_few(row: Json, name: str) -> str:
    games = row.get(f"games_{name}", FEW_GAMES)
    return f" of {games}" if games < FEW_GAMES else ""


def summary(run: Run) -> Json:
    """The output of `--json` for a finished run."""
    return {
        "type": "train",
        "out": str(run.out),
        "model": str(run.out / MODEL_FOLDER),
        "settings": run.settings.to_json(),
        "steps": run.steps,
        "seconds": round(run.seconds, 1),
        "training_seconds": round(run.training, 1),
        "results": {result.name: result.to_json() for result in run.results},
        "best": run.best and {**run.best, "model": str(run.out / BEST_FOLDER)},
        "progress": run.rows,
        **({} if run.exploit is None else {"exploit": run.exploit}),
    }


def print_summary(run: Run) -> None:
    """Print a finished run as text."""
    for result in run.results:
        print(
            f"against {result.opponent}, {result.players} players: wins {result.share:.1%} of"
            f" {result.games} games (95 % interval {result.low:.1%} to {result.high:.1%})"
        )
    if run.exploit is not None:
        print(exploit_line(run.exploit))
    if run.best is not None:
        best = run.out / BEST_FOLDER
        print(f"best checkpoint: {best}  ({run.best['steps']} steps, score {run.best['score']:.3f})")
    model = run.out / MODEL_FOLDER
    print(f"model: {model}  (play it as policy:{model})")


def exploit_line(found: Json) -> str:
    """The contents of exploit.json as one line of text."""
    bound, (low, high) = found["exploitability_lower_bound"], found["exploitability_lower_bound_interval"]
    what = f"exploitability of {found['target']}: at least {bound:.1%} of the wins"
    if low <= 0:  # a bound of 0 needs no run, because the target can play itself
        what = f"exploitability of {found['target']}: this run found none beyond chance, {bound:+.1%}"
    return (
        f"{what} (95 % interval {low:+.1%} to {high:+.1%}): win share {found['share']:.1%} minus the fair"
        f" share {found['fair_share']:.1%}, {found['games']} games; {found['meaning']}"
    )
