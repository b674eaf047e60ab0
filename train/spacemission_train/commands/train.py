"""Runs `spacemission train`, which trains by self-play."""

from __future__ import annotations

import shlex
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from spacemission_env.commands.shared import Json, emit_json
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.commands.output import print_summary, report, run_bar, summary, told_first, warn

if TYPE_CHECKING:  # torch is loaded only when something is trained
    from spacemission_train.run import Run
    from spacemission_train.settings import Settings

SB3 = "sb3"  # the preset that runs `spacemission_train.sb3`
OF_SB3 = ("game", "players", "steps", "minutes", "rules", "components", "seed")  # options that `sb3` takes
RUNS = Path("runs")  # folder of runs without --out
PRESET_HELP = (
    "demo (default): minutes. scratch (a value), ppo_scratch (a policy): an hour. mixed: for games with "
    "bluffing. exploit: for --exploit. ppo_vs_heuristic, td_vs_heuristic: against heuristic. sb3: "
    "MaskablePPO of Stable-Baselines3."
)
THREADS_HELP = "Threads; default: 2 if two cores are idle, else 1"


def train(
    preset: Annotated[str | None, Option(help=PRESET_HELP)] = None,
    game: Annotated[str | None, Option(help="Name of the game; default: space_mission.")] = None,
    players: Annotated[
        str | None, Option(help="Number of players; several, such as 2,3: one policy for all.")
    ] = None,
    experiment: Annotated[
        Path | None, Option(metavar="FILE", help="Settings in TOML, such as a run's experiment.toml.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="Any setting, with a TOML value; repeatable."),
    ] = None,
    out: Annotated[
        Path | None, Option(help="Folder of the run, new or empty; default: runs/PRESET-TIME.")
    ] = None,
    resume: Annotated[
        Path | None, Option(metavar="DIR", help="Resume the run in this folder, with its settings.")
    ] = None,
    steps: Annotated[int | None, Option(min=1, help="Learner steps in total.")] = None,
    minutes: Annotated[
        float | None, Option(min=0.001, help="Minutes in total; replaces the preset's steps.")
    ] = None,
    envs: Annotated[int | None, Option(min=1, help="Games in parallel.")] = None,
    opponents: Annotated[str | None, Option(help="Shares, such as greedy=0.3,latest=0.7.")] = None,
    exploit: Annotated[
        str | None,
        Option(metavar="AGENT", help="Train a best response to this frozen agent, e.g. policy:PATH."),
    ] = None,
    start: Annotated[
        str | None,
        Option("--start", "--from", metavar="AGENT", help="policy:PATH to start from; several with commas."),
    ] = None,
    reward: Annotated[str | None, Option(help="What to learn for: one of the game's rewards.")] = None,
    rules: Annotated[str | None, Option(help="Preset and options, such as printed,max_rounds=50.")] = None,
    components: Annotated[str | None, Option(help="Components file; default: the one that ships.")] = None,
    threads: Annotated[int | None, Option(min=1, help=THREADS_HELP)] = None,
    seed: Annotated[
        int | None, Option(min=0, max=2**63 - 1, help="Same seed and threads: same run. Default: 0.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Train by self-play and write a model folder.

    Writes OUT/model and OUT/best (play them as policy:OUT/model), OUT/checkpoints, OUT/progress.csv,
    OUT/curves.png, OUT/experiment.toml and OUT/tensorboard. A stopped run writes OUT/model too. --resume
    continues it from its last checkpoint, perhaps with other --steps and --minutes. Options override --set,
    --set overrides the experiment file, and the file overrides the preset. With --exploit, OUT/exploit.json
    has a lower bound on the agent's exploitability.
    """
    options = {
        "game": game, "players": _numbers(players), "steps": steps, "minutes": minutes, "envs": envs,
        "opponents": opponents, "reward": reward, "rules": rules, "components": components,
        "threads": threads, "seed": seed, "exploit": exploit, "start": start,
    }  # fmt: skip
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # SIGTERM acts like Ctrl-C
    try:
        if preset == SB3:
            _train_sb3(
                out, {**options, "--set": sets, "--experiment": experiment, "--resume": resume}, as_json
            )
            return
        if resume is None:
            from spacemission_train.presets import settings_of

            settings = settings_of(preset, experiment, sets or [], options)
            run = _start(settings, out, as_json)
        else:
            for name, given in (("--out", out), ("--experiment", experiment), ("--preset", preset)):
                if given is not None:
                    raise SpaceMissionError(f"--resume: omit {name}, because a resumed run keeps it")
            run = _resume(resume, sets or [], options, as_json)
    finally:
        signal.signal(signal.SIGTERM, before)
    if as_json:
        emit_json(summary(run))
    else:
        print_summary(run)


def _numbers(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 9 for part in parts):
        raise SpaceMissionError(f"--players: expected numbers such as 2 or 2,3,4, not {text!r}")
    return tuple(map(int, parts))


def _train_sb3(out: Path | None, options: dict[str, Any], as_json: bool) -> None:
    from spacemission_train import sb3

    given = {name: value for name, value in options.items() if value}
    for name in given:
        if name not in OF_SB3:
            raise SpaceMissionError(f"--preset {SB3}: takes no {name}; only {', '.join(OF_SB3)}")
    if len(players := given.pop("players", ())) > 1:
        raise SpaceMissionError(f"--preset {SB3}: expected one number of players")
    found = sb3.train(_folder(out, SB3), **given, players=players[0] if players else None, command=_command())
    if as_json:
        emit_json(found)
    else:
        print("\n".join(sb3.result_lines(found)))


def _folder(out: Path | None, preset: str) -> Path:
    return out or RUNS / f"{preset}-{time.strftime('%Y%m%d-%H%M%S')}"


def _command() -> str:
    return shlex.join(["spacemission", *sys.argv[1:]])


def _start(settings: Settings, out: Path | None, as_json: bool) -> Run:
    from spacemission_train.run import start

    folder = _folder(out, settings.preset)
    with run_bar() as advance:
        numbers = ", ".join(map(str, settings.player_counts))
        line = f"training {numbers} players, preset {settings.preset}, into {folder}"
        moved = advance if as_json else told_first(line, advance)
        return start(settings, folder, _command(), report(as_json), moved, warn)


def _resume(folder: Path, sets: list[str], options: dict[str, Any], as_json: bool) -> Run:
    from spacemission_train.run import resume
    from spacemission_train.settings import parse_change

    changes = dict(map(parse_change, sets)) | {k: v for k, v in options.items() if v is not None}
    with run_bar() as advance:
        return resume(folder, changes, report(as_json), advance, warn)
