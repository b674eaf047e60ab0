"""Runs `spacemission tune`: tunes the weights of the agent `heuristic`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacemission_env.cli import STOPPED
from spacemission_env.commands.shared import Json, Seed, emit_json, progress
from spacemission_env.core.errors import SpaceMissionError

if TYPE_CHECKING:
    from spacemission_train.games.space_mission.tuning import Tuning, TuningRun


def tune(
    out: Annotated[
        Path, typer.Option("--out", help="Weights file to write; if it holds a run, resume that run.")
    ],
    generations: Annotated[int, typer.Option("--generations", min=1, help="Generations in all.")] = 40,
    population: Annotated[int, typer.Option("--population", min=4, help="Candidates a generation.")] = 14,
    games: Annotated[
        int, typer.Option("--games", min=1, help="Games of a candidate against each opponent per generation.")
    ] = 100,
    players: Annotated[
        str, typer.Option("--players", help="Numbers of players, 2 to 5, separated by commas.")
    ] = "2",
    against: Annotated[
        str, typer.Option("--against", help="Opponents, separated by commas; each fills all other seats.")
    ] = "greedy,heuristic",
    sigma: Annotated[
        float, typer.Option("--sigma", help="Initial step size, as a share of each weight's range.")
    ] = 0.12,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Tune the weights of the agent `heuristic` by CMA-ES; play the result as heuristic:OUT.

    Starts from the weights that ship and writes OUT after each generation. The same command resumes a stopped
    run; a larger --generations continues a finished one.
    """
    from spacemission_agents.commands.shared import split_agents
    from spacemission_train.games.space_mission.tuning import Tuning, to_toml
    from spacemission_train.games.space_mission.tuning import tune as go_on
    from spacemission_train.run.folder import write_atomically

    settings = Tuning(population, games, _numbers(players), tuple(split_agents(against)), seed, sigma)
    run = _open(out, settings)
    command = shlex.join(["spacemission", *sys.argv[1:]])

    def write(run: TuningRun) -> None:
        write_atomically(out, to_toml(run, command).encode())
        if not as_json:
            last, number = run.history[-1], len(run.history)
            mean = sum(last) / len(last)
            print(f"generation {number:>4}  fitness mean {mean:.4f}  best {max(last):.4f}", flush=True)

    try:
        with progress("tuning", max(generations - len(run.history), 0)) as done:
            go_on(run, generations, write, done)
    except KeyboardInterrupt:
        print(f"stopped after {len(run.history)} generations; the same command goes on", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    if as_json:
        emit_json({"type": "tune", "out": str(out), "weights": run.weights, "history": run.history})
    else:
        print(f"written: {out}  (play it as heuristic:{out})")


def _numbers(players: str) -> tuple[int, ...]:
    try:
        return tuple(int(n) for n in players.split(","))
    except ValueError:
        raise SpaceMissionError(
            f"--players: expected numbers from 2 to 5, separated by commas, not {players!r}"
        ) from None


def _open(out: Path, settings: Tuning) -> TuningRun:
    from spacemission_train.games.space_mission.tuning import TuningError, new_run, read_run

    if not out.exists():
        if not out.parent.is_dir():
            raise TuningError(f"{out}: the folder does not exist")
        return new_run(settings)
    run = read_run(out)
    if run.settings != settings:
        raise TuningError(f"{out}: holds a run with other settings; choose another --out")
    return run
