"""Tests of `spacemission bench`; no test checks a speed."""

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.game_spec import game_names
from spacemission_train.commands import bench

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", game_names())
def test_every_front_end_of_a_game_is_measured(game: str) -> None:
    found = dict(bench.rates(game, 0, False, decisions=400))
    assert list(found) == [name for name in bench.LABELS if name != "training"]
    assert all(rate > 0 for rate in found.values())


def test_training_is_measured() -> None:
    assert bench.training_rate("kuhn_poker", 0) > 0


def test_a_rate_is_that_of_the_fastest_round(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 9.0, *(time for start in range(bench.ROUNDS) for time in (10.0, 12.0 + start))])
    monkeypatch.setattr(bench.time, "perf_counter", lambda: next(times))
    assert bench.best_rate(iter([30] * 100), 100) == 120 / 2.0


def test_the_command_prints_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    def rates(game: str, seed: int, training: bool) -> Iterator[tuple[str, float]]:
        yield from [("batched_256_games", 2.5e6), ("aec", 5e4)] + [("training", 900.0)] * training

    monkeypatch.setattr(bench, "rates", rates)
    run = CliRunner().invoke(app, ["bench", "--no-training", "--json"])
    figures = json.loads(run.stdout)
    assert figures.pop("machine")["cores"] and figures == {"batched_256_games": 2500000, "aec": 50000}
    run = CliRunner().invoke(app, ["bench"])
    assert "2,500,000" in run.stdout and "training, preset demo" in run.stdout
    monkeypatch.undo()
    run = CliRunner().invoke(app, ["bench", "--game", "chess"])
    assert run.exit_code == 1 and "planet_hexx" in run.output
