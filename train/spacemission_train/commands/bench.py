"""Runs `spacemission bench`: measures the speed of this machine."""

from __future__ import annotations

import os
import platform
from typing import Annotated, Any

import typer

from spacemission_env.commands import speed
from spacemission_env.commands.shared import GameOption, Json, Seed, emit_json, print_table, progress
from spacemission_env.commands.speed import cold_seconds
from spacemission_env.core.game_spec import DEFAULT_GAME

Figures = dict[str, Any]
LABELS = {
    "batched_256_games": "batched engine, 256 games, mask and observation (decisions/s)",
    "batched_256_games_mask_only": "batched engine, 256 games, mask only (decisions/s)",
    "batched_256_games_compact": '  the same with dtype="uint8", mask and observation (decisions/s)',
    "rules_256_games": "  the rules alone, with moves chosen before (decisions/s)",
    "space_mission_256_games": "Space Mission's batched engine, mask and observation (decisions/s)",
    "to_space_mission": "  this game's / Space Mission's",
    "aec": "PettingZoo AEC loop: last, masked choice, step (decisions/s)",
    "aec_connect_four": "the same loop over PettingZoo's connect_four (decisions/s)",
    "gymnasium": "Gymnasium, single, against random (learner steps/s)",
    "gymnasium_vector_256": "Gymnasium, 256 games, against random (learner steps/s)",
    "gymnasium_vector_256_compact": '  the same with dtype="uint8"',
    "batched_2048": "batched engine, 2,048 games (decisions/s)",
    "batched_2048_2_threads": "  the same with threads=2",
    "batched_2048_compact": '  the same with dtype="uint8"',
    "batched_2048_compact_2_threads": "  the same with both",
    "gymnasium_vector_2048": "Gymnasium, 2,048 games, against random (learner steps/s)",
    "gymnasium_vector_2048_2_threads": "  the same with threads=2",
    "gymnasium_vector_2048_compact": '  the same with dtype="uint8"',
    "gymnasium_vector_2048_compact_2_threads": "  the same with both",
    "pictures_256": "pictures of Space Mission, 256 x 256 (frames/s)",
    "start_up_seconds": "from import to the first observation, warm cache (s)",
    "cold_first_move_seconds": "empty cache: delay of the first move of ismcts:50 (s)",
    "cold_first_move_cpu_seconds": "  processor time (s)",
    "cold_first_update_seconds": "empty cache: delay of the first update of train --preset quick (s)",
    "cold_first_update_cpu_seconds": "  processor time (s)",
}
TRAINED = {
    "ceiling_steps_per_second": "on an environment that takes no time (steps/s)",
    "self_play_steps_per_second": "self-play (learner steps/s)",
    "ratio": "self-play / ceiling",
}
FIRST_UPDATE = (
    "import tempfile\n"
    "from spacemission_train.run import trainer\n"
    "from spacemission_train.settings.presets import make_settings\n"
    "def advance(run):\n"
    "    if run.steps:\n"
    "        raise SystemExit\n"
    "with tempfile.TemporaryDirectory() as folder:\n"
    "    trainer.start(make_settings('quick'), folder, advance=advance)\n"
)


def bench(
    seed: Seed = 0,
    game: GameOption = DEFAULT_GAME,
    json: Json = False,
    training: Annotated[
        bool, typer.Option(help="Space Mission only: measure training too (a minute more).")
    ] = True,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Threads of torch; default: 2 if two cores are idle, else 1"),
    ] = None,
) -> None:
    """Measure this machine: decisions per second of each front end, and training steps per second.

    Plays random legal moves with 3 players in one process. Run it while nothing else runs. For games other
    than Space Mission it measures the batched engine (compared with Space Mission's), the AEC loop and the
    vector environment.
    """
    if game == DEFAULT_GAME:
        figures = _figures(seed, training, threads)
    else:
        with progress("measuring", 3) as advance:
            figures = dict(speed.measure_game(game, seed, lambda name: advance(1)))
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    if json:
        emit_json({"machine": machine, **figures})
        return
    trained = [figures.pop(name) for name in ("training", "training_large_batches") if name in figures]
    rows = [(LABELS[name], _number(value)) for name, value in figures.items() if name in LABELS]
    for one in trained:
        rows += _training_rows(one)
    title = f"{machine['cores']} cores, {machine['machine']}, Python {machine['python']}"
    print_table(["measured", ""], rows, title)


def _figures(seed: int, training: bool, threads: int | None) -> Figures:
    with progress("measuring", 10 + 3 * training) as advance:
        figures: Figures = dict(speed.measure(seed, lambda name: advance(1)))
        if training:
            from spacemission_train.commands.training_speed import LARGE_BATCHES, measure  # imports torch

            advance(1)
            cold = cold_seconds(FIRST_UPDATE)
            figures["cold_first_update_seconds"], figures["cold_first_update_cpu_seconds"] = cold
            advance(1)
            figures["training"] = measure(seed=seed, threads=threads)
            advance(1)
            figures["training_large_batches"] = measure(seed=seed, settings=LARGE_BATCHES, threads=threads)
    return figures


def _training_rows(one: Figures) -> list[tuple[str, str]]:
    hidden = "×".join(map(str, [len(one["hidden"]), one["hidden"][0]]))
    what = f"MaskablePPO {hidden}, {one['envs']} games, batches of {one['batch_size']:,}"
    rows = [(f"{what}, {one['threads']} torch thread(s)", "")]
    rows += [(f"  {label}", _number(one[name])) for name, label in TRAINED.items()]
    rows += [(f"  wall-clock of self-play: {name}", f"{part:.0%}") for name, part in one["shares"].items()]
    return rows


def _number(value: float | None) -> str:
    if value is None:
        return "not installed"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
