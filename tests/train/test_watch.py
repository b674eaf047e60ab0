"""Tests that the best checkpoint is kept, that warnings have a cause, and that a diverging run ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from spacemission_agents.models.folder import load_model
from spacemission_env.core.agents import Agent
from spacemission_env.core.reading import Json
from spacemission_train.game_training import find_game_training
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.ppo.run import PpoRun
from spacemission_train.run import trainer
from spacemission_train.run.evaluation import WinShare, score
from spacemission_train.run.warnings import LEAST_WIN_PAST, MOST_FALLEN, DivergedError, warnings
from spacemission_train.settings.settings import Settings
from tests.support.small_runs import same, tiny, weights

pytestmark = pytest.mark.slow


def measured(opponent: str, share: float, players: int = 2) -> WinShare:
    return WinShare(opponent, share, share, share, 4, 0.0, 0.0, players)


# ------------------------------------------------------------ the best checkpoint


def test_the_score_is_the_mean_share_in_terms_of_an_equal_share() -> None:
    results = [measured("random", 1.0), measured("heuristic", 0.5), measured("heuristic", 0.5, 4)]
    assert score(results, "heuristic") == pytest.approx((1.0 + 2.0) / 2)
    assert score([*results, measured("greedy", 0.25)], "greedy") == pytest.approx(0.5)


def shares_of_checkpoints(monkeypatch: pytest.MonkeyPatch, shares: list[float]) -> None:
    """Replace the evaluations of a run: these shares against all agents, one for each checkpoint."""
    left = iter(shares)

    def measure(run: PpoRun, player: Agent, games: int) -> list[WinShare]:
        share = next(left)
        names = find_game_training().yardsticks
        return [measured(name, share if name != "greedy" else 1 - share) for name in names]

    monkeypatch.setattr(PpoRun, "win_shares", measure)


def stopped_after(count: int, settings: Settings, out: Path, **told: Any) -> list[Json]:
    """The rows of a run that is stopped after `count` checkpoints."""
    rows: list[Json] = []

    def report(row: Json) -> None:
        rows.append(row)
        if len(rows) == count:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.start(settings, out, report=report, **told)
    return rows


def test_the_best_checkpoint_is_kept_and_survives_a_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares_of_checkpoints(monkeypatch, [0.3, 0.6, 0.5, 0.55])
    out = tmp_path / "out"
    seen = stopped_after(3, tiny(steps=512, checkpoint_steps=128), out)
    (out / "best" / "weights.safetensors").unlink()  # as if killed while it was replaced
    run = trainer.resume(out)
    assert [row["score"] for row in seen] == [0.6, 1.2, 1.0] and run.rows[-1]["score"] == 1.1
    assert run.best == {"steps": 256, "score": 1.2}
    assert same(weights(out / "best"), weights(out / "checkpoints" / "step_000000256"))
    assert load_model(out / "best")[0]["training"]["steps"] == 256
    assert same(weights(out / "model"), weights(out / "checkpoints" / "step_000000512"))


# ------------------------------------------------------------ early warnings


def row(entropy: float = 1.0, win_past: float = 0.5, **shares: float) -> Json:
    return {"steps": 1, "entropy": entropy, "win_past": win_past, **shares}


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        ([row()], set()),
        ([row(0.06)], set()),
        ([row(0.04)], {"entropy"}),
        ([row(2.0), row(0.21)], set()),
        ([row(2.0), row(0.19)], {"entropy"}),
        ([row(win_past=0.4)], set()),
        ([row(win_past=0.4), row(win_past=0.44)], {"win_past"}),
        ([row(win_past=0.4), row(win_past=LEAST_WIN_PAST), row(win_past=0.4)], set()),
        ([row(win_greedy=share) for share in (0.8, 0.6, 0.6)], {"win_greedy"}),
        ([row(win_greedy=share) for share in (0.8, 0.6)], set()),
        ([row(win_greedy=share) for share in (0.8, 0.6, 0.7, 0.6)], set()),
        ([row(win_greedy=share) for share in (0.8, 0.8 - MOST_FALLEN, 0.6)], set()),
        ([row(win_target=share) for share in (0.1, 0.9, 0.3, 0.2)], {"win_target"}),
        ([row(win_heuristic_3p=share) for share in (0.5, 0.2, 0.2)], {"win_heuristic_3p"}),
    ],
)
def test_warnings_are_given_where_there_is_cause(rows: list[Json], kinds: set[str]) -> None:
    found = warnings(rows)
    assert set(found) == kinds
    assert all("\n" not in line for line in found.values())


def test_a_warning_is_told_once_and_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares_of_checkpoints(monkeypatch, [0.9, 0.5, 0.5, 0.4, 0.4, 0.4])
    out, told = tmp_path / "out", list[str]()
    stopped_after(4, tiny(steps=768, checkpoint_steps=128), out, warn=told.append)
    assert [line.split()[0] for line in told] == ["win_random", "win_heuristic"]
    trainer.resume(out, warn=told.append)
    assert len(told) == 2, "told again after a resume"
    lines = (out / "warnings.txt").read_text().splitlines()
    assert [line.split(": ")[0] for line in lines] == ["384 steps"] * 2
    assert all(line in (out / "report.html").read_text() for line in ("384 steps: win_random has fallen",))


def spoil(monkeypatch: pytest.MonkeyPatch, after: int, how: Callable[[Any], None]) -> None:
    train = LeaguePPO.train

    def spoiled(model: LeaguePPO) -> None:
        train(model)
        if model._n_updates > after:
            how(model)

    monkeypatch.setattr(LeaguePPO, "train", spoiled)


def no_loss(model: LeaguePPO) -> None:
    model.logger.record("train/value_loss", float("inf"))


def no_weights(model: LeaguePPO) -> None:
    with torch.no_grad():
        model.policy.action_net.weight[3, 3] = float("nan")


@pytest.mark.parametrize(("how", "word"), [(no_loss, "value_loss"), (no_weights, "weights")])
def test_a_run_that_diverges_ends_in_one_line_and_keeps_its_checkpoint(
    how: Any, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        spoil(patched, 2, how)  # the third update, after the checkpoint that follows the second
        with pytest.raises(DivergedError, match=rf"out: {word} not finite after 384 steps") as refused:
            trainer.start(tiny(), out)
    assert "\n" not in str(refused.value)
    assert not (out / "model").exists()
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["step_000000256"]
    assert trainer.resume(out).steps == 512
