"""The progress bar of a training run: what it does, steps, steps a second, time passed and time left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacemission_train.run.protocol import AnyRun

SPAN = 600.0  # seconds that the time left is judged by: longer than an evaluation, which makes no steps


@contextmanager
def run_bar() -> Iterator[Callable[[AnyRun], None]]:
    """Show a bar on standard error while the block runs: on a terminal only, nothing in a pipe.

    Yields:
        `advance(run)`: to be called whenever the run has moved on.
    """
    if not sys.stderr.isatty():
        yield lambda run: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[steps]:,} steps  {task.fields[rate]:,} steps/s"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=SPAN,
        redirect_stdout=sys.stdout.isatty(),  # rows that go to a file stay there
    ) as bar:
        task = bar.add_task("starting", total=1.0, steps=0, rate=0)

        def advance(run: AnyRun) -> None:
            bar.update(
                task,
                description=run.phase,
                completed=run.fraction,
                steps=run.steps,
                rate=run.steps_per_second,
            )

        yield advance
