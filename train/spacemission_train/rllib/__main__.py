"""`python -m spacemission_train.rllib`: train by self-play on RLlib."""

from __future__ import annotations

import logging
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from spacemission_env.cli_common import Players, RulesOption, Seed
from spacemission_env.errors import SpaceMissionError
from spacemission_train.rllib import check_installed, train_rllib


def main(
    out: Annotated[Path, typer.Option("--out", help="Folder of the run, new or empty.")],
    players: Players = 2,
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Learner steps in all.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", min=0.001, help="Minutes in all; replaces the preset's steps."),
    ] = None,
    preset: Annotated[str, typer.Option("--preset", help="quick or standard.")] = "quick",
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes that play.")] = 2,
    address: Annotated[
        str | None, typer.Option("--address", help="Of a running Ray cluster; auto: this machine's.")
    ] = None,
    opponents: Annotated[
        str | None,
        typer.Option("--opponents", help="Shares, such as random=0.2,greedy=0.3,latest=0.2,past=0.3."),
    ] = None,
    reward: Annotated[str | None, typer.Option("--reward", help="win, rank or score_margin.")] = None,
    rules: RulesOption = "printed",
    seed: Seed = 0,
) -> None:
    """Train a policy on a Ray cluster, or on one that is started on this machine, and write OUT/model."""
    try:
        check_installed()
        from spacemission_train.presets import make_settings

        settings = make_settings(
            preset, players=players, steps=steps, minutes=minutes, opponents=opponents, reward=reward,
            rules=rules, seed=seed,
        )  # fmt: skip
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of its own defaults
        command = shlex.join(["python", "-m", "spacemission_train.rllib", *sys.argv[1:]])
        run = train_rllib(
            settings, out, num_env_runners=workers, address=address, command=command, report=_print_row
        )
    except SpaceMissionError as error:
        print(f"spacemission: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    print(f"model: {run.out / 'model'}  (play it as policy:{run.out / 'model'})")


def _print_row(row: dict[str, Any]) -> None:
    print(
        f"{row['steps']:>9} steps  {row['seconds']:7.0f} s  {row['steps_per_second']:6} steps/s"
        f"  wins against random {row['win_random']:6.1%}  greedy {row['win_greedy']:6.1%}",
        flush=True,
    )


if __name__ == "__main__":
    typer.run(main)
