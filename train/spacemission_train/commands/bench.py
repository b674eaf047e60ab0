"""Runs `spacemission bench`: measures the speed of this machine."""

from __future__ import annotations

import os
import platform
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import typer
from pettingzoo import AECEnv

from spacemission_env.commands.shared import GameOption, Json, Seed, emit_json, print_table
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game_spec import DEFAULT_GAME, find_game
from spacemission_env.core.heartbeat import progress
from spacemission_env.core.masks import choose_uniform
from spacemission_env.frontends.aec import env
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv

PLAYERS = 3  # or the nearest number that the game allows
ROUNDS = 5  # rounds that are timed; also the number of timed updates in training, after the first
SIZES = (256, 2048)  # numbers of games
LABELS = {
    "batched_256_games": "batched engine, 256 games, mask and observation: decisions",
    "batched_2048_games": "batched engine, 2,048 games: decisions",
    "aec": "PettingZoo AEC loop (last, masked choice, step): decisions",
    "gymnasium": "Gymnasium, single, against random: learner steps",
    "gymnasium_vector_256_games": "Gymnasium, 256 games, against random: learner steps",
    "gymnasium_vector_2048_games": "Gymnasium, 2,048 games, against random: learner steps",
    "gymnasium_vector_2048_games_2_threads": "  the same with threads=2",
    "training": "training, preset demo: learner steps",
}


def bench(
    seed: Seed = 0,
    game: GameOption = DEFAULT_GAME,
    json: Json = False,
    training: Annotated[bool, typer.Option(help="Measure training too.")] = True,
) -> None:
    """Measure this machine: decisions per second of each front end, and training steps per second.

    Plays random legal moves in one process, with 3 players if the game allows so many. Run it while nothing
    else runs. Other programs can only slow it down, so each figure is that of the fastest of several rounds.
    """
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    figures: dict[str, float] = {}
    with progress("measuring", len(LABELS) - 1 + training) as advance:
        for name, rate in rates(game, seed, training):
            figures[name] = round(rate)
            advance(1)
    if json:
        emit_json({"machine": machine, **figures})
        return
    rows = [(LABELS[name], f"{rate:,.0f}") for name, rate in figures.items()]
    print_table(["measured", "a second"], rows, "{cores} cores, {machine}, Python {python}".format(**machine))


def rates(game: str, seed: int, training: bool, decisions: int = 10**6) -> Iterator[tuple[str, float]]:
    """Measure each of `LABELS`; yield its name with its decisions or learner steps per second."""
    spec = find_game(game)
    options: Any = {"game": game, "num_players": min(max(PLAYERS, spec.min_players), spec.max_players)}
    for games in SIZES:
        table = BatchedGames(games, **options)
        yield f"batched_{games}_games", best_rate(play_batch(table, seed), decisions)
    yield "aec", best_rate(play_aec(env(**options), seed), decisions // 25)
    yield "gymnasium", best_rate(play_single(LearnerEnv(**options), seed), decisions // 100)
    for games, threads in (*((games, 1) for games in SIZES), (SIZES[-1], 2)):
        many = LearnerVectorEnv(games, threads=threads, **options)
        name = f"gymnasium_vector_{games}_games" + "_2_threads" * (threads == 2)
        yield name, best_rate(play_vector(many, seed), decisions // 5)
    if training:
        yield "training", training_rate(game, seed)


def best_rate(steps: Iterator[int], decisions: int) -> float:
    """Decisions per second in the fastest round, after a warm-up; each step yields its decisions."""
    best = 0.0
    for least in (decisions // 20, *[decisions] * ROUNDS):
        made, start = 0, time.perf_counter()
        while made < least:
            made += next(steps)
        best = max(best, made / (time.perf_counter() - start))
    return best


def play_batch(table: BatchedGames, seed: int) -> Iterator[int]:
    actions = np.zeros(table.count, np.int64)
    for i in range(table.count):
        table.deal(i, seed + i)
    while True:
        choose_uniform(table.view(table.everyone)[1], table.keys(table.everyone), actions)
        if table.step(table.everyone, actions):
            table.deal_next(np.flatnonzero(table.over))
        yield table.count


def play_vector(many: LearnerVectorEnv, seed: int) -> Iterator[int]:
    actions, rng = np.zeros(many.num_envs, np.int64), np.random.default_rng(seed)
    infos = many.reset(seed=seed)[1]
    while True:
        choose_uniform(infos["action_mask"], rng.integers(0, 2**62, many.num_envs), actions)
        infos = many.step(actions)[4]
        yield many.num_envs


def play_aec(table: AECEnv, seed: int) -> Iterator[int]:
    rng = random.Random(seed)
    table.reset(seed=seed)
    while True:
        observation, _, terminated, truncated, _ = table.last()
        if terminated or truncated:
            table.reset()
            observation = table.last()[0]
        table.step(rng.choice(np.flatnonzero(observation["action_mask"])))
        yield 1


def play_single(learner: LearnerEnv, seed: int) -> Iterator[int]:
    rng, info = random.Random(seed), learner.reset(seed=seed)[1]
    while True:
        _, _, terminated, truncated, info = learner.step(rng.choice(np.flatnonzero(info["action_mask"])))
        if terminated or truncated:
            info = learner.reset()[1]
        yield 1


def training_rate(game: str, seed: int) -> float:
    """Learner steps per second of the preset `demo`, in the fastest of a few updates."""
    from spacemission_train.presets import make_settings
    from spacemission_train.run import start  # imports torch

    marks: list[tuple[float, int]] = []

    def advance(run: Any) -> None:
        marks.append((time.perf_counter(), run.steps))
        if len(marks) > ROUNDS + 1:
            raise EOFError  # ends the run, because enough is measured

    endless: Any = {"steps": 10**11, "checkpoint_steps": 10**11, "seed": seed}
    with tempfile.TemporaryDirectory() as folder, suppress(EOFError):
        start(make_settings("demo", game=game, **endless), folder, advance=advance)
    return max((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(marks[1:]))
