"""Tests of `spacemission bench`; no test checks a speed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from spacemission_env import space_mission_v0
from spacemission_env.cli import app
from spacemission_env.commands import speed
from spacemission_env.core.batched import BatchedGames
from spacemission_train.commands import bench as bench_command
from spacemission_train.commands import training_speed as throughput
from spacemission_train.commands.bench import LABELS
from spacemission_train.settings.presets import Settings

pytestmark = pytest.mark.slow


def test_each_rate_counts_the_decisions_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = [
        speed.best_rate(speed.batched_play(8), 400),
        speed.best_rate(speed.batched_play(8, observe=False), 400),
        speed.aec_rate(space_mission_v0.env(num_players=2), decisions=200),
        speed.gymnasium_rate(decisions=50),
        speed.best_rate(speed.vector_play(4), 200),
    ]
    assert all(rate > 0 for rate in rates)
    many = speed.many_rates(games=8, decisions=80)
    assert len(many) == 8 and all(rate > 0 for rate in many.values())
    assert set(speed.many_rates(games=speed.MANY, decisions=4)) <= set(LABELS)
    clock = iter([0.0, 2.0, 10.0, 11.0])
    monkeypatch.setattr(speed.time, "perf_counter", lambda: next(clock))
    assert speed.best_rate(lambda count: count, 100, rounds=2) == 100.0


@pytest.mark.parametrize(("game", "num_players"), [("planet_hexx", 3), ("kuhn_poker", 3)])
def test_any_game_is_measured_beside_space_mission(game: str, num_players: int) -> None:
    assert speed.players_of(game) == num_players
    figures = speed.measure_game(game, decisions=300)
    assert set(figures) <= set(LABELS)
    assert all(figure > 0 for figure in figures.values())
    own, other = figures["batched_256_games"], figures["space_mission_256_games"]
    assert figures["to_space_mission"] == own / other


def test_the_rules_alone_make_the_recorded_moves_again(monkeypatch: pytest.MonkeyPatch) -> None:
    play = speed.rules_play("kuhn_poker", 2, games=8, moves=5)
    made: list[list[int]] = []
    step = BatchedGames.step

    def noted(games: BatchedGames, index: np.ndarray, actions: np.ndarray) -> int:
        made.append(actions.tolist())
        return step(games, index, actions)

    monkeypatch.setattr(BatchedGames, "step", noted)
    assert play(41) == 80
    assert len(made) == 10 and made[:5] == made[5:]


def test_the_command_prints_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {"batched_256_games": 2.5e6, "aec": 5e4, "aec_connect_four": None, "start_up_seconds": 0.5}
    monkeypatch.setattr(speed, "measure", lambda seed, report: figures)
    run = CliRunner().invoke(app, ["bench", "--no-training", "--json"])
    assert run.exit_code == 0
    assert json.loads(run.stdout)["batched_256_games"] == 2.5e6
    run = CliRunner().invoke(app, ["bench", "--no-training"])
    assert "2,500,000" in run.stdout
    assert "not installed" in run.stdout


def test_the_command_measures_the_game_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "measure_game", lambda game, seed, report: {"aec": 4e4, "of": game})
    run = CliRunner().invoke(app, ["bench", "--game", "planet_hexx", "--json"])
    assert json.loads(run.stdout)["of"] == "planet_hexx"
    run = CliRunner().invoke(app, ["bench", "--game", "planet_hexx"])
    assert "40,000" in run.stdout
    monkeypatch.undo()
    run = CliRunner().invoke(app, ["bench", "--game", "chess"])
    assert run.exit_code == 1 and "planet_hexx" in run.output


def test_the_command_prints_training_with_small_and_with_large_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = []

    def measure(
        seed: int, settings: Settings = throughput.MEASURED, threads: int | None = None
    ) -> dict[str, Any]:
        measured.append(settings)
        return {
            "ceiling_steps_per_second": 3000.0 * len(measured),
            "self_play_steps_per_second": 1500.0,
            "ratio": 0.5 / len(measured),
            "shares": {"rules": 0.25, "update": 0.75},
            "envs": settings.envs,
            "hidden": [256, 256],
            "batch_size": settings.batch_size,
            "threads": threads or 2,
        }

    monkeypatch.setattr(speed, "measure", lambda seed, report: {"aec": 5e4})
    monkeypatch.setattr(throughput, "measure", measure)
    monkeypatch.setattr(bench_command, "cold_seconds", lambda program: (11.0, 22.0))
    run = CliRunner().invoke(app, ["bench", "--json"])
    assert json.loads(run.stdout)["training_large_batches"]["ceiling_steps_per_second"] == 6000.0
    assert measured == [throughput.MEASURED, throughput.LARGE_BATCHES]
    run = CliRunner().invoke(app, ["bench", "--threads", "3"], env={"COLUMNS": "150"})
    assert run.stdout.count("3 torch thread(s)") == 2
    sizes = ("64 games, batches of 512", "256 games, batches of 2,048")
    for text in (*sizes, "9,000", "12,000", "25%", "11.00", "22.00"):
        assert text in run.stdout, text
