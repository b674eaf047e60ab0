"""Tests of td runs against other agents: training, resumption and refusals."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.models.folder import load_model
from spacemission_env.core.agents import Agent
from spacemission_train.run import trainer
from spacemission_train.settings.experiment import to_toml
from spacemission_train.td.run import AfterstateRun
from tests.support.command_line import run
from tests.support.small_runs import files_of, same, tiny_value, weights

pytestmark = pytest.mark.slow

MIXED = {"players": (2, 3), "opponents": "greedy=0.3,random=0.3,latest=0.4"}
HERE = "tests.train.test_value_opponents"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> AfterstateRun:
    done = trainer.start(tiny_value(**MIXED), tmp_path_factory.mktemp("run") / "out", "spacemission train")
    assert isinstance(done, AfterstateRun)
    return done


@pytest.fixture
def copied(finished: AfterstateRun, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished.out, tmp_path / "out"))


def test_the_same_run_again_and_another_against_others(finished: AfterstateRun, tmp_path: Path) -> None:
    again = trainer.start(tiny_value(**MIXED, steps=256), tmp_path / "again")
    alone = trainer.start(tiny_value(players=(2, 3), steps=256), tmp_path / "alone")
    first = weights(finished.out / "checkpoints" / "step_000000256")
    assert same(first, weights(again.out / "model"))
    assert not same(first, weights(alone.out / "model"))
    assert finished.games > 4 and finished.learner.updates > 10
    card = load_model(finished.out / "model")[0]
    assert card["training"]["settings"]["opponents"] == MIXED["opponents"]


def test_a_run_that_learns_while_its_games_go_on_is_the_same_with_any_number_of_threads(
    finished: AfterstateRun, tmp_path: Path
) -> None:
    ends = []
    for threads in (1, 2):
        settings = tiny_value(**MIXED, steps=256, overlap_rollouts=True, threads=threads)
        ends.append(weights(trainer.start(settings, tmp_path / str(threads)).out / "model"))
    assert same(*ends)
    assert not same(ends[0], weights(finished.out / "checkpoints" / "step_000000256")), "nothing overlaps"


def test_it_goes_on_against_the_same_or_others(finished: AfterstateRun, copied: Path, tmp_path: Path) -> None:
    several = [Path(shutil.copytree(copied, tmp_path / name)) for name in ("again", "other")]
    before, ends = weights(copied / "model"), []
    for out, changes in ((copied, {}), (several[0], {}), (several[1], {"opponents": "random=1"})):
        done = trainer.resume(out, {"steps": 768, **changes})
        assert isinstance(done, AfterstateRun)
        assert [row["steps"] for row in done.rows] == [256, 512, 768] and done.rows[:2] == finished.rows
        assert done.games > finished.games and done.learner.updates > finished.learner.updates
        assert done.settings.opponents == changes.get("opponents", MIXED["opponents"])
        ends.append(weights(out / "model"))
    assert same(ends[0], ends[1]) and not same(ends[0], ends[2])
    for end in ends:
        assert 0 < max(np.abs(end[name] - before[name]).max() for name in before) < 0.3, "it began anew"


@pytest.mark.parametrize(
    ("opponents", "words"),
    [("past=0.5,latest=0.5", "opponents: 'past': not with input 'afterstate'"), ("nobody=1", "nobody")],
)
def test_it_does_not_go_on_against_whom_it_cannot_meet(copied: Path, opponents: str, words: str) -> None:
    before = files_of(copied)
    given = ("--resume", str(copied), "--steps", "768", "--opponents", opponents)
    assert words in run("train", *given, status=1).stderr
    assert files_of(copied) == before


class Failing(Agent):
    """Fails in its hundredth decision."""

    asked = 0

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        self.asked += 1
        if self.asked == 100:
            raise RuntimeError("out of ideas\nand lines")
        return int(mask.argmax())


def test_one_that_fails_ends_the_run_in_one_line_and_leaves_what_was_learnt(tmp_path: Path) -> None:
    experiment, out = tmp_path / "e.toml", tmp_path / "out"
    experiment.write_text(to_toml(tiny_value(opponents=f"{HERE}:Failing=1", steps=4096)))
    line = run("train", "--experiment", str(experiment), "--out", str(out), status=1).stderr
    assert f"agent '{HERE}:Failing': failed with RuntimeError: out of ideas" in line
    done = trainer.resume(out, {"steps": 1024, "opponents": "random=1"})
    assert done.steps == 1024 and (out / "model").is_dir()
