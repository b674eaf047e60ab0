"""`spacemission bench`: what this machine does, a second."""

from __future__ import annotations

import os
import platform
from typing import Annotated, Any

import typer

from spacemission_env import speed
from spacemission_env.cli_common import Json, Seed, emit_json, print_table, progress

LABELS = {
    "batched_256_games": "batched engine, 256 games, mask and observation (decisions/s)",
    "batched_256_games_mask_only": "batched engine, 256 games, mask only (decisions/s)",
    "aec": "PettingZoo AEC loop: last, masked choice, step (decisions/s)",
    "aec_connect_four": "the same loop over PettingZoo's connect_four (decisions/s)",
    "gymnasium": "Gymnasium, single, against random (learner steps/s)",
    "gymnasium_vector_256": "Gymnasium, 256 games, against random (learner steps/s)",
    "start_up_seconds": "from import to the first observation, warm cache (s)",
    "ceiling_steps_per_second": "MaskablePPO 2×256 on an environment that costs nothing (steps/s)",
    "self_play_steps_per_second": "MaskablePPO 2×256, self-play (learner steps/s)",
    "ratio": "self-play / ceiling",
}


def bench(
    seed: Seed = 0,
    json: Json = False,
    training: Annotated[bool, typer.Option(help="Measure training steps too (a minute more).")] = True,
) -> None:
    """Measure this machine: decisions a second per front end, and training steps a second.

    Random legal play with 3 players, one process; run it while nothing else runs.
    """
    parts = 7 + training
    with progress("measuring", parts) as advance:
        figures: dict[str, Any] = dict(speed.measure(seed, lambda name: advance(1)))
        if training:
            from spacemission_train.throughput import measure  # imports torch

            advance(1)
            figures["training"] = measure(seed=seed)
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    if json:
        emit_json({"machine": machine, **figures})
        return
    trained = figures.pop("training", {})
    rows = [
        (LABELS[name], _number(value)) for name, value in {**figures, **trained}.items() if name in LABELS
    ]
    rows += [(f"  share of the wall-clock: {name}", f"{part:.0%}") for name, part in _shares(trained).items()]
    if trained:
        with_ = f"{trained['players']} players, {trained['envs']} games, {trained['threads']} torch thread(s)"
        rows.append((f"  self-play measured with {with_}", ""))
    title = f"{machine['cores']} cores, {machine['machine']}, Python {machine['python']}"
    print_table(["measured", ""], rows, title)


def _shares(trained: dict[str, Any]) -> dict[str, float]:
    return trained.get("shares", {})


def _number(value: float | None) -> str:
    if value is None:
        return "not installed"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
