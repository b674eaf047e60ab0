"""Lists the runs in a folder (`spacemission train --list`)."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import PROGRESS_BYTES, read_bytes
from spacemission_train.game_training import find_game_training
from spacemission_train.run.folder import PROGRESS_FILE, is_finished, is_held
from spacemission_train.run.progress import Row
from spacemission_train.settings.experiment import EXPERIMENT_FILE, check_alone, read_experiment
from spacemission_train.settings.settings import Settings

HEAD = ("run", "game", "preset", "players", "steps", "minutes", "state", "wins against", "opponents")


def list_runs(folder: Path) -> list[Row]:
    """One dict per run folder in `folder`, sorted by name; only one if `folder` itself is a run folder.

    Keys: `run`, `game`, `preset`, `players`, `steps` and `seconds` at the last checkpoint, `steps_limit`,
    `minutes_limit`, `state` (running, finished, stopped, unreadable), `win_greedy` and others (None before
    the first checkpoint), and `against`: the opponents, or the target of an exploiter.
    """
    if not folder.is_dir():
        raise SpaceMissionError(f"--list: {folder}: no such folder")
    inside = sorted(path for path in folder.iterdir() if (path / EXPERIMENT_FILE).is_file())
    return [_row(path) for path in ([folder] if (folder / EXPERIMENT_FILE).is_file() else inside)]


def cells(row: Row) -> list[str]:
    """Format a row of `list_runs` for the columns of `HEAD`."""
    if row["state"] == "unreadable":
        return [row["run"], "", "", "", "", "", row["state"], "", row["why"]]
    limit = "" if row["steps_limit"] is None else f" of {row['steps_limit']:,}"
    of_minutes = "" if row["minutes_limit"] is None else f" of {row['minutes_limit']:g}"
    wins = {name.removeprefix("win_"): share for name, share in row.items() if name.startswith("win_")}
    return [
        row["run"],
        row["game"],
        row["preset"],
        ", ".join(map(str, row["players"])),
        f"{row['steps']:,}{limit}",
        f"{row['seconds'] / 60:.1f}{of_minutes}",
        row["state"],
        ", ".join(f"{name} {share:.1%}" for name, share in wins.items() if share is not None),
        row["against"],
    ]


def _row(path: Path) -> Row:
    try:
        file = path / EXPERIMENT_FILE
        return _readable(path, check_alone(read_experiment(file), file), _last(path / PROGRESS_FILE))
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        return {"run": str(path), "state": "unreadable", "why": " ".join(str(error).split())}


def _readable(path: Path, settings: Settings, last: dict[str, str]) -> Row:
    steps = int(last.get("steps", 0))
    yardsticks = find_game_training(settings.game).yardsticks
    columns = [f"win_{name}" for name in yardsticks[1:] or yardsticks]  # all runs beat the weakest
    shares = {name: float(last[name]) if name in last else None for name in columns}
    return {
        "run": str(path),
        "game": settings.game,
        "preset": settings.preset,
        "players": list(settings.player_counts),
        "steps": steps,
        "steps_limit": settings.steps,
        "seconds": float(last.get("seconds", 0)),
        "minutes_limit": settings.minutes,
        "state": "running" if is_held(path) else "finished" if is_finished(path, steps) else "stopped",
        **shares,
        "against": settings.exploit or settings.opponents,
    }


def _last(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    text = read_bytes(path, PROGRESS_BYTES, SpaceMissionError, str(path)).decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    return rows[-1] if rows else {}
