"""Trains MaskablePPO of sb3-contrib on the Gymnasium environment, as docs/environments.md shows.

`python -m studies.plain_sb3 --out DIR`

The result is a model folder, which plays as `policy:DIR`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import torch
import typer
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import spacemission_env  # noqa: F401 (registers SpaceMission-v0)
from spacemission_env.cli import complain, in_words
from spacemission_env.commands.shared import Seed, emit_json
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.export import save_policy
from spacemission_train.run.folder import OutputError

ENVS = 64
ROLLOUT = 32  # steps of each game between updates


def main(
    out: Annotated[Path, typer.Option("--out", help="The model folder.")],
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Steps in all.")] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.001, help="Minutes of training.")
    ] = None,
    players: Annotated[int, typer.Option("--players", min=2, max=5, help="Number of players.")] = 2,
    opponents: Annotated[
        str, typer.Option("--opponents", help="In all other seats; shares of a mixture.")
    ] = "greedy",
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Of torch; default: its own.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Train up to the limit that is nearer, and write a model folder."""
    if steps is None and minutes is None:
        raise typer.BadParameter("one of --steps and --minutes has to limit the run")
    if out.exists():
        raise OutputError(f"{out}: exists already; choose another --out")
    if threads is not None:
        torch.set_num_threads(threads)
    options = {"num_players": players, "opponents": opponents, "reward": "score_margin", "shaping": 1.0}
    env = make_vec_env("SpaceMission-v0", n_envs=ENVS, seed=seed % 2**32, env_kwargs=options)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=ROLLOUT if steps is None else min(ROLLOUT, -(-steps // ENVS)),
        batch_size=256,
        gamma=0.98,
        ent_coef=0.01,
        learning_rate=lambda left: 1e-3 * max(left, 0.05),  # of steps; with minutes alone it stays
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=seed % 2**32,
        device="cpu",
    )
    began = perf_counter()

    def in_time(*_: Any) -> bool:  # SB3 ends the training where a callback says False
        return minutes is None or perf_counter() - began < 60 * minutes

    model.learn(10**12 if steps is None else steps, callback=in_time)
    seconds = perf_counter() - began
    training = {"engine": "plain sb3", "seed": seed, "steps": model.num_timesteps, "seconds": seconds}
    save_policy(out, model, players=players, training=training)
    emit_json({"model": str(out), "steps": model.num_timesteps, "training_seconds": seconds})


if __name__ == "__main__":
    try:
        typer.run(main)
    except SpaceMissionError as error:
        complain(in_words(error))
        sys.exit(1)
