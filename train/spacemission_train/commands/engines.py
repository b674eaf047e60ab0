"""The engines of `spacemission train`: what each may be asked for, and how a run on it begins."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacemission_env.core.errors import SpaceMissionError

if TYPE_CHECKING:
    from spacemission_train.run.protocol import AnyRun
    from spacemission_train.settings.settings import Settings

SB3, RLLIB = "sb3", "rllib"
ENGINES = (SB3, RLLIB)
WORKERS = 2
Row = dict[str, Any]


@dataclass(frozen=True)
class Library:
    """Which library trains.

    Attributes:
        name: one of `ENGINES`.
        workers: of rllib: processes that play.
        address: of rllib: of a running Ray cluster; None: Ray is started for the run.
    """

    name: str = SB3
    workers: int = WORKERS
    address: str | None = None


def choose_engine(name: str, workers: int | None, address: str | None) -> Library:
    """The engine that the options of a command name; None: not given.

    Raises:
        SpaceMissionError: one line on an engine that does not exist, or an option that it does not have.
    """
    if name not in ENGINES:
        raise SpaceMissionError(f"--engine: expected {' or '.join(ENGINES)}, not {name!r}")
    for option, value in (("--workers", workers), ("--address", address)):
        if name != RLLIB and value is not None:
            raise SpaceMissionError(f"{option}: only with --engine {RLLIB}")
    return Library(name, WORKERS if workers is None else workers, address)


def start(
    engine: Library,
    settings: Settings,
    folder: Path,
    command: str,
    report: Callable[[Row], None],
    advance: Callable[[AnyRun], None],
    warn: Callable[[str], None],
) -> AnyRun:
    """Train anew on an engine; arguments and errors as of `trainer.start`, which see."""
    if engine.name == SB3:
        from spacemission_train.run import trainer

        return trainer.start(settings, folder, command, report, advance, warn)
    from spacemission_train.rllib import check_installed, settings_here, train_rllib

    here = settings_here(settings)  # what is not done there is refused first, also where it is not installed
    check_installed()
    for line in _changed(settings, here):
        warn(line)
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of its own defaults
    return train_rllib(
        here,
        folder,
        num_env_runners=engine.workers,
        address=engine.address,
        command=command,
        report=report,
        advance=advance,
    )


def resume(
    engine: Library,
    folder: Path,
    changes: dict[str, Any],
    report: Callable[[Row], None],
    advance: Callable[[AnyRun], None],
    warn: Callable[[str], None],
) -> AnyRun:
    """Go on with a run; arguments and errors as of `trainer.resume`.

    Raises:
        SpaceMissionError: also where the run is one on RLlib: MaskablePPO would begin it anew.
    """
    from spacemission_train.rllib import is_rllib_run

    if engine.name == RLLIB or is_rllib_run(folder):
        raise SpaceMissionError(f"--resume: {folder}: a run on {RLLIB} cannot be gone on with; start anew")
    from spacemission_train.run import trainer

    return trainer.resume(folder, changes, report, advance, warn)


def _changed(asked: Settings, here: Settings) -> list[str]:
    pairs = [(of.name, getattr(asked, of.name), getattr(here, of.name)) for of in fields(asked)]
    changes = [f"{name} {now!r}, not {was!r}" for name, was, now in pairs if was not in (now, "auto")]
    return [f"on {RLLIB} the run has {'; '.join(changes)}"] if changes else []
