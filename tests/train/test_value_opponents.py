"""Runs of method td against other agents: what goes on, how it goes on later, what is refused; exploiters."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_agents.models.card import weights_digest
from spacemission_agents.models.folder import load_model, save_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import Agent, Decisions, make_agent
from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.run import trainer
from spacemission_train.run.evaluation import win_share
from spacemission_train.run.state import ResumeError
from spacemission_train.self_play.league import Pool
from spacemission_train.settings.experiment import to_toml
from spacemission_train.settings.settings import Settings
from spacemission_train.td.run import TdRun
from tests.support.afterstates import FORM, random_model
from tests.support.command_line import run
from tests.support.small_runs import VALUE, same, tiny_value, weights

pytestmark = pytest.mark.slow

RULES = VALUE["rules"]
MIXED = "greedy=0.3,random=0.3,latest=0.4"
HERE = "tests.train.test_value_opponents"


def files_of(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TdRun:
    settings = tiny_value(players=(2, 3), opponents=MIXED)
    done = trainer.start(settings, tmp_path_factory.mktemp("run") / "out", "spacemission train")
    assert isinstance(done, TdRun)
    return done


@pytest.fixture
def copied(finished: TdRun, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished.out, tmp_path / "out"))


# ------------------------------------------------------------ a run against others


def test_the_same_run_again_and_another_against_others(finished: TdRun, tmp_path: Path) -> None:
    again = trainer.start(tiny_value(players=(2, 3), opponents=MIXED, steps=256), tmp_path / "again")
    alone = trainer.start(tiny_value(players=(2, 3), steps=256), tmp_path / "alone")
    first = weights(finished.out / "checkpoints" / "step_000000256")
    assert same(first, weights(again.out / "model"))
    assert not same(first, weights(alone.out / "model"))
    assert finished.games > 4 and finished.learner.updates > 10
    card = load_model(finished.out / "model")[0]
    assert card["training"]["settings"]["opponents"] == MIXED


def test_a_run_that_learns_while_its_games_go_on_is_the_same_with_any_number_of_threads(
    finished: TdRun, tmp_path: Path
) -> None:
    given = {"players": (2, 3), "opponents": MIXED, "steps": 256}
    ends = [
        weights(
            trainer.start(tiny_value(**given, overlap_rollouts=True, threads=n), tmp_path / str(n)).out
            / "model"
        )
        for n in (1, 2)
    ]
    assert same(*ends)
    assert not same(ends[0], weights(finished.out / "checkpoints" / "step_000000256")), "it does not go ahead"


def test_it_goes_on_against_the_same_or_others(copied: Path, tmp_path: Path) -> None:
    several = [Path(shutil.copytree(copied, tmp_path / name)) for name in ("again", "other")]
    before, ends = weights(copied / "model"), []
    for out, changes in ((copied, {}), (several[0], {}), (several[1], {"opponents": "random=1"})):
        done = trainer.resume(out, {"steps": 768, **changes})
        assert [row["steps"] for row in done.rows] == [256, 512, 768]
        assert done.settings.opponents == changes.get("opponents", MIXED)
        ends.append(weights(out / "model"))
    assert same(ends[0], ends[1]) and not same(ends[0], ends[2])
    for end in ends:
        assert 0 < max(np.abs(end[name] - before[name]).max() for name in before) < 0.3, "it began anew"


@pytest.mark.parametrize(
    ("opponents", "words"),
    [("past=0.5,latest=0.5", "opponents: 'past': not with method 'td'"), ("nobody=1", "nobody")],
)
def test_it_does_not_go_on_against_whom_it_cannot_meet(copied: Path, opponents: str, words: str) -> None:
    before = files_of(copied)
    given = ("--resume", str(copied), "--steps", "768", "--opponents", opponents)
    assert words in run("train", *given, status=1).stderr
    assert files_of(copied) == before


class Refusing(Agent):
    """Plays these games with nobody."""

    def prepare(self, info: Any) -> None:
        raise RuntimeError("not with me\nnor others")


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("nobody", "agent 'nobody': unknown"),
        ("policy:nowhere", "no such folder"),
        (f"{HERE}:Nobody", "no Agent class 'Nobody'"),
        (f"{HERE}:Refusing", "Refusing: prepare: failed with RuntimeError: not with me"),
        ("policy:MODEL", "max_rounds"),
        ("past", "opponents: 'past': not with method 'td'"),
    ],
)
@pytest.mark.parametrize("setting", ["opponents", "exploit"])
def test_whom_it_cannot_meet_is_refused_in_one_line_and_nothing_is_written(
    setting: str, who: str, words: str, tmp_path: Path
) -> None:
    who = who.replace("MODEL", str(random_model(tmp_path / "model")))  # trained by other rules
    experiment, out = tmp_path / "e.toml", tmp_path / "out"
    experiment.write_text(to_toml(tiny_value()))
    given = ("--opponents", f"{who}=0.2,latest=0.8") if setting == "opponents" else ("--exploit", who)
    line = run("train", "--experiment", str(experiment), *given, "--out", str(out), status=1).stderr
    assert ("expected a frozen agent" if (setting, who) == ("exploit", "past") else words) in line
    assert not out.exists()


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
    assert {path.relative_to(out).parts[0] for path in files_of(out)} <= {
        ".lock", "experiment.toml", "checkpoints", "best", "progress.csv", "curve.png", "learning.png", 
        "tensorboard", "report.html", "state.safetensors", "warnings.txt", "model",
    }  # fmt: skip
    done = trainer.resume(out, {"steps": 1024, "opponents": "random=1"})
    assert done.steps == 1024 and (out / "model").is_dir()


# ------------------------------------------------------------ exploiters


def exploiter(target: str, **changes: Any) -> Settings:
    return tiny_value(exploit=target, opponents=None, **{"final_games": 60, **changes})


@pytest.fixture(scope="module")
def against_greedy(tmp_path_factory: pytest.TempPathFactory) -> TdRun:
    out = tmp_path_factory.mktemp("exploiter") / "out"
    done = trainer.start(exploiter("greedy", players=(3,)), out, "spacemission train --exploit greedy")
    assert isinstance(done, TdRun)
    return done


def target_model(folder: Path, **more: Any) -> str:
    """A value of other weights than those that a run begins with."""
    return f"policy:{random_model(folder, rules=RULES, **more)}"


def test_its_result_is_what_an_independent_evaluation_finds(against_greedy: TdRun) -> None:
    out = against_greedy.out
    found = json.loads((out / "exploit.json").read_text())
    assert found == against_greedy.exploit
    measured = win_share(PolicyAgent(str(out / "model")), "greedy", 3, 60, 0, RULES, None).to_json()
    del measured["opponent"]
    assert measured.items() <= found.items()
    assert (found["target"], found["target_sha256"], found["fair_share"]) == ("greedy", None, 1 / 3)
    assert found["exploitability_lower_bound"] == pytest.approx(found["share"] - 1 / 3, abs=1e-4)
    assert (found["steps"], found["start"]) == (512, None)
    assert found["command"] == "spacemission train --exploit greedy"


def test_its_rows_and_best_checkpoint_are_about_the_target(against_greedy: TdRun) -> None:
    with open(against_greedy.out / "progress.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["steps"] for row in rows] == ["256", "512"]
    assert float(rows[-1]["win_target"]) == against_greedy.exploit["share"]
    for row in rows:
        assert float(row["score"]) == pytest.approx(3 * float(row["win_target"]), abs=1e-3)
    assert against_greedy.best is not None
    assert against_greedy.best["score"] == max(float(row["score"]) for row in rows)


class Spy(Agent):
    """Plays as greedy; counts its decisions."""

    decided = 0

    def __init__(self, parameter: str | None = None) -> None:
        self._greedy = make_agent("greedy")

    def act(self, decisions: Decisions) -> np.ndarray:
        Spy.decided += len(decisions)
        return self._greedy.act(decisions)


def test_every_other_seat_is_the_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, act = [], Pool.act

    def watched(others: Pool, who: np.ndarray, decisions: Decisions) -> np.ndarray:
        before = Spy.decided
        actions = act(others, who, decisions)
        asked.append((others.names, len(who), Spy.decided - before))
        return actions

    monkeypatch.setattr(Pool, "act", watched)
    done = trainer.start(exploiter(f"{HERE}:Spy", players=(4,), final_games=4), tmp_path / "out")
    assert isinstance(done, TdRun)
    assert sum(count for _, count, _ in asked) > 512
    assert all(names == [f"{HERE}:Spy"] and count == by_spy for names, count, by_spy in asked)
    for table in done.learner.games.tables:  # type: ignore[attr-defined]
        assert ((table.memory.who[:, :4] == 0).sum(1) == 1).all(), "one seat is the learner's"


@pytest.mark.parametrize("kind", ["afterstate", "afterstate_rated"])
def test_it_may_start_from_the_targets_weights(kind: str, tmp_path: Path) -> None:
    target = target_model(tmp_path / "target", form={**FORM, "input": kind})
    still = {"start": "same", "input": kind, "learning_rate": 0.0, "last_learning_rate": 0.0, "steps": 128}
    done = trainer.start(exploiter(target, **still), tmp_path / "still")
    assert same(weights(done.out / "model"), weights(tmp_path / "target"))
    assert done.exploit["share"] == 0.5, "it plays as the target does, from both seats of each set-up"
    assert done.exploit["target_sha256"] == load_model(tmp_path / "target")[0]["weights_sha256"]
    assert (done.exploit["target"], done.exploit["start"]) == (target, "same")
    moved = trainer.start(exploiter(target, start="same", input=kind, steps=384), tmp_path / "moved")
    after, before = weights(moved.out / "model"), weights(tmp_path / "target")
    assert not same(after, before)
    assert max(np.abs(after[name] - before[name]).max() for name in before) < 0.3


def test_one_that_reads_ratings_may_start_from_a_target_that_does_not(tmp_path: Path) -> None:
    target = target_model(tmp_path / "target")
    still = {"start": "same", "learning_rate": 0.0, "last_learning_rate": 0.0, "steps": 128}
    done = trainer.start(exploiter(target, **still, input="afterstate_rated"), tmp_path / "out")
    assert done.exploit["share"] == 0.5, "at first it plays alike"
    rated = weights(done.out / "model").pop("afterstate.rated.weight")
    assert not rated.any()
    back = {**still, "start": f"policy:{done.out / 'model'}"}
    with pytest.raises(SpaceMissionError, match="input: is 'afterstate_rated'"):
        trainer.start(exploiter(target, **back), tmp_path / "back")
    assert not (tmp_path / "back").exists()


@pytest.mark.parametrize(
    ("target", "changes", "words"),
    [
        ("greedy", {}, "'greedy': expected policy:PATH"),
        ("MODEL", {"hidden": (6, 8)}, "hidden: is"),
        ("MODEL", {"planets": 4}, "planets: is"),
    ],
)
def test_other_targets_are_no_start(target: str, changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    target = target_model(tmp_path / "target") if target == "MODEL" else target
    with pytest.raises(SpaceMissionError, match=words) as refused:
        trainer.start(exploiter(target, start="same", **changes), tmp_path / "out")
    assert "\n" not in str(refused.value) and not (tmp_path / "out").exists()


def test_it_goes_on_against_the_same_target_alone(tmp_path: Path) -> None:
    target = target_model(tmp_path / "target")
    trainer.start(exploiter(target, start="same", steps=256), tmp_path / "out")
    copies = [Path(shutil.copytree(tmp_path / "out", tmp_path / name)) for name in ("again", "refused")]
    first = weights(tmp_path / "out" / "model")
    done = trainer.resume(tmp_path / "out", {"steps": 512})
    assert done.exploit["steps"] == 512 and "resumed with steps 512" in done.exploit["command"]
    assert json.loads((done.out / "exploit.json").read_text()) == done.exploit
    assert done.target is not None and done.exploit["target_sha256"] == weights_digest(done.target)
    end = weights(done.out / "model")
    assert 0 < max(np.abs(end[name] - first[name]).max() for name in first) < 0.3, "it began anew"
    assert same(end, weights(trainer.resume(copies[0], {"steps": 512}).out / "model"))
    before = files_of(copies[1])
    with pytest.raises(ResumeError, match="an exploiter meets its target alone"):
        trainer.resume(copies[1], {"steps": 512, "opponents": "greedy=1"})
    card, arrays = load_model(tmp_path / "target")
    save_model(tmp_path / "target", {name: array + 1 for name, array in arrays.items()}, card)
    with pytest.raises(ResumeError, match="another model by now"):
        trainer.resume(copies[1], {"steps": 512})
    assert files_of(copies[1]) == before


def test_one_that_is_stopped_is_measured_in_full_where_it_ends(tmp_path: Path) -> None:
    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.start(exploiter("greedy"), tmp_path / "out", report=stop)
    assert not (tmp_path / "out" / "exploit.json").exists()
    done = trainer.resume(tmp_path / "out", {"steps": 256})
    assert (done.steps, done.exploit["games"]) == (256, 60)


def test_the_command_says_what_it_found(tmp_path: Path) -> None:
    experiment, out = tmp_path / "e.toml", tmp_path / "out"
    experiment.write_text(to_toml(tiny_value(steps=128)))
    given = ("train", "--experiment", str(experiment), "--exploit", "random", "--out", str(out))
    said = run(*given, "--set", "final_games=20").stdout
    assert "exploitability of random" in said and "a lower bound" in said
    assert json.loads((out / "exploit.json").read_text())["games"] == 20
