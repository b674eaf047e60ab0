"""Tests of the trainer: the files of a run, exact resumption, and refusals of bad input."""

from __future__ import annotations

import csv
import json
import shutil
import tomllib
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from typer.testing import CliRunner

from spacemission_agents.models.folder import load_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.cli import app
from spacemission_env.core.agents import Agent, Decisions, make_agent, parse_mixture
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import game_names
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.engine.layout import LAYOUT_VERSION, OBSERVATION_SIZE
from spacemission_env.games.space_mission.game import Game
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.run import trainer
from spacemission_train.run.evaluation import win_share
from spacemission_train.run.folder import OutputError
from spacemission_train.run.state import ResumeError, read_state, state_bytes
from spacemission_train.self_play import league as opponents_module
from spacemission_train.self_play.league import NetworkPlayer, Pool
from spacemission_train.self_play.vec_env import make_env
from spacemission_train.settings.experiment import settings_from_json, settings_of
from spacemission_train.settings.presets import PRESETS, make_settings
from spacemission_train.settings.settings import Settings
from tests.support import take_stones
from tests.support.small_runs import (
    RUNS,
    TINY,
    files_of,
    keys,
    new_model,
    one_opponent,
    same,
    some_decisions,
    stopped,
    tiny,
    weights,
)

NAMES = ("random", "greedy", "heuristic")


@pytest.fixture
def finished(run_of: Callable[[str], trainer.Run]) -> trainer.Run:
    return run_of("plain")


@pytest.fixture
def copied(finished: trainer.Run, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished.out, tmp_path / "out"))


# ------------------------------------------------------------ a run


NETWORKS: dict[str, Json] = {
    "plain": {"hidden": [16, 8], "activation": "relu", "input": "observation", "planets": 0},
    "td": {"hidden": [6, 7], "activation": "relu", "input": "afterstate", "planets": 5},
}
FIGURES = {"plain": {"entropy", "win_greedy"}, "td": {"value_loss", "rounds", "win_greedy", "win_greedy_3p"}}


@pytest.mark.parametrize("kind", ["plain", pytest.param("td", marks=pytest.mark.slow)])
def test_a_run_writes_a_model_that_plays_and_what_it_came_to(
    kind: str, run_of: Callable[[str], trainer.Run]
) -> None:
    run = run_of(kind)
    out = run.out
    checkpoints = [out / "checkpoints" / f"step_{steps:09d}" for steps in (256, 512)]
    assert sorted((out / "checkpoints").iterdir()) == checkpoints
    card, arrays = load_model(out / "model")
    assert (card["training"]["steps"], card["training"]["command"]) == (512, "spacemission train")
    assert card["training"]["settings"]["method"] == run.settings.method and run.steps == 512
    assert card["network"] == NETWORKS[kind]
    names = [f"win_share_against_{name}_{n}p" for n in run.settings.players for name in NAMES]
    assert sorted(card["results"]) == sorted(names)
    assert {result["games"] for result in card["results"].values()} == {8}
    decisions = some_decisions()
    agent = make_agent(f"policy:{out / 'model'}")
    if not agent.wants_worlds:
        assert decisions.masks[np.arange(40), agent.act(decisions)].all()
    best = max(run.rows, key=lambda row: (row["score"], row["steps"]))
    assert same(weights(out / "best"), weights(checkpoints[best["steps"] // 256 - 1]))
    assert same(arrays, weights(checkpoints[1]))
    with open(out / "progress.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["steps"] for row in rows] == ["256", "512"] and FIGURES[kind] <= set(rows[0])
    assert int(rows[1]["games"]) > int(rows[0]["games"]) > 0
    for picture in ("curve.png", "learning.png"):
        assert (out / picture).read_bytes().startswith(b"\x89PNG")
    assert list((out / "tensorboard").iterdir())
    assert "512 learner steps" in (out / "report.html").read_text("utf-8")
    assert tomllib.loads((out / "experiment.toml").read_text())["method"] == run.settings.method
    assert not [path for path in out.rglob("*") if path.suffix in (".zip", ".pkl", ".pt", ".pth")]


def test_the_network_that_plays_is_the_one_that_was_trained(finished: trainer.Run) -> None:
    decisions = some_decisions()
    with torch.no_grad():
        observed = torch.from_numpy(decisions.observations)
        expected = finished.model.policy.get_distribution(observed).distribution.logits.numpy()
    agent = PolicyAgent(str(finished.out / "model"))
    player = NetworkPlayer(finished.settings.form, policy_arrays(finished.model.policy))
    for found in (agent.logits(decisions), player.logits(decisions)):
        normal = found - np.log(np.exp(found).sum(1, keepdims=True))
        assert normal == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected, 0).max() > 1e-3, "the logits do not depend on what is seen"
    sampled = make_agent(f"policy:{finished.out / 'model'}?sample")
    assert (sampled.act(decisions) == player.act(decisions)).all()


def test_same_seed_same_run_another_seed_another(finished: trainer.Run, tmp_path: Path) -> None:
    again = trainer.start(tiny(steps=256), tmp_path / "again")
    other = trainer.start(tiny(steps=128, seed=1), tmp_path / "other")
    first = weights(finished.out / "checkpoints" / "step_000000256")
    assert same(first, weights(again.out / "model"))
    assert not same(first, weights(other.out / "model"))


@pytest.mark.parametrize(
    "kind",
    ["plain", *(pytest.param(name, marks=pytest.mark.slow) for name in RUNS if name not in ("plain", "td"))],
)
def test_a_stopped_run_goes_on_exactly(
    kind: str, run_of: Callable[[str], trainer.Run], tmp_path: Path
) -> None:
    whole, out = run_of(kind), stopped(RUNS[kind], tmp_path / "out")
    reported: list[int] = []
    run = trainer.resume(out, report=lambda row: reported.append(row["steps"]))
    assert reported == [512]
    (before, first), (after, second) = (read_state(one.out / trainer.STATE_FILE) for one in (whole, run))
    assert first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    timed = {"seconds", "training", "env_seconds", "rows"}
    assert all(before[name] == after[name] for name in before.keys() - timed)
    clocks = {"seconds", "steps_per_second"}
    rows = [[{k: v for k, v in row.items() if k not in clocks} for row in of.rows] for of in (whole, run)]
    assert rows[0] == rows[1] and len(rows[0]) == 2
    assert same(weights(whole.out / "model"), weights(out / "model"))
    assert not same(weights(out / "checkpoints" / "step_000000256"), weights(out / "model"))
    if kind == "everything":
        assert before["pool_results"] != [0.5] * len(before["pool_results"])
        assert run.model.ent_coef == whole.model.ent_coef != whole.settings.entropy


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "td"])
def test_a_run_stopped_before_its_first_checkpoint_begins_again(kind: str, tmp_path: Path) -> None:
    settings = replace(RUNS[kind], steps=256)
    out = stopped(settings, tmp_path / "out", "advance")
    assert not (out / "state.safetensors").exists()
    run = trainer.resume(out)
    assert run.command == "spacemission train" and run.steps == 256
    alone = trainer.start(settings, tmp_path / "alone")
    assert same(weights(out / "model"), weights(alone.out / "model"))


@pytest.mark.parametrize("kind", ["plain", pytest.param("td", marks=pytest.mark.slow)])
def test_resuming_a_finished_run_is_refused_and_changes_nothing(
    kind: str, run_of: Callable[[str], trainer.Run], tmp_path: Path
) -> None:
    out = Path(shutil.copytree(run_of(kind).out, tmp_path / "out"))
    before = files_of(out)
    for changes in ({}, {"steps": 100}):
        with pytest.raises(ResumeError, match="finished after 512 steps"):
            trainer.resume(out, changes)
    assert files_of(out) == before


def test_a_run_resumed_with_more_steps_says_so(copied: Path) -> None:
    assert trainer.resume(copied, {"steps": 640}).steps == 640
    assert tomllib.loads((copied / "experiment.toml").read_text())["steps"] == 640
    card = json.loads((copied / "model" / "card.json").read_text())
    assert card["training"]["steps"] == 640
    assert "resumed with steps 640" in card["training"]["command"]


def test_a_run_may_go_on_with_other_opponents(copied: Path) -> None:
    run = trainer.resume(copied, {"steps": 640, "opponents": "greedy=1"})
    assert run.settings.mixture == {"greedy": 1.0} and run.pool.names == ["greedy"]
    assert tomllib.loads((copied / "experiment.toml").read_text())["opponents"] == "greedy=1"
    assert (run.env.seating.players <= len(run.pool.snapshots)).all()
    with pytest.raises(SpaceMissionError, match="'nobody'"):
        trainer.resume(copied, {"steps": 768, "opponents": "nobody=1"})


def test_training_leaves_global_random_numbers_and_torch_alone(tmp_path: Path) -> None:
    np.random.seed(5)
    torch.manual_seed(5)
    threads = torch.get_num_threads()
    trainer.start(tiny(steps=128), tmp_path / "out")
    after = np.random.rand(), float(torch.rand(1))
    np.random.seed(5)
    torch.manual_seed(5)
    assert after == (np.random.rand(), float(torch.rand(1)))
    assert torch.get_num_threads() == threads
    assert torch.distributions.Distribution._validate_args is True


def test_a_time_limit_ends_a_run(tmp_path: Path) -> None:
    settings = make_settings("quick", **{**TINY, "steps": None, "minutes": 0.005})
    assert settings.steps is None
    run = trainer.start(settings, tmp_path / "out")
    assert run.steps > 0 and run.fraction == 1.0


# ------------------------------------------------------------ refusals


def test_refused_folders(finished: trainer.Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (finished.out, tmp_path / "file"):
        with pytest.raises(OutputError, match="not an empty folder"):
            trainer.start(tiny(), out)
    with pytest.raises(ResumeError, match="no such file"):
        trainer.resume(tmp_path)
    (tmp_path / trainer.STATE_FILE).write_bytes(b"nonsense")
    with pytest.raises(ResumeError, match="not a state file"):
        trainer.resume(tmp_path)
    with pytest.raises(ResumeError, match="players"):
        trainer.resume(finished.out, {"players": 3})


def test_a_run_of_another_layout_is_not_gone_on_with(copied: Path) -> None:
    path = copied / trainer.STATE_FILE
    text, tensors = read_state(path)
    assert text["layout"] == LAYOUT_VERSION
    path.write_bytes(state_bytes({**text, "layout": 1}, tensors))
    with pytest.raises(ResumeError) as caught:
        trainer.resume(copied, {"steps": 640})
    assert f"began with observation layout 1, this version has {LAYOUT_VERSION};" in str(caught.value)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_settings_survive_json_and_presets_are_known() -> None:
    for settings in PRESETS.values():
        assert settings_from_json(json.loads(json.dumps(settings.to_json())), "here") == settings
    with pytest.raises(SpaceMissionError, match="slow"):
        make_settings("slow")
    with pytest.raises(SpaceMissionError, match="here: settings: unknown setting 'colour'"):
        settings_from_json({**tiny().to_json(), "colour": 3}, "here")


def test_a_checkpoint_without_a_newer_setting_resumes_with_its_default(tmp_path: Path) -> None:
    whole = trainer.start(tiny(), tmp_path / "whole")
    path = stopped(tiny(), tmp_path / "out") / trainer.STATE_FILE
    text, tensors = read_state(path)
    del text["settings"]["top_advantages"]
    path.write_bytes(state_bytes(text, tensors))
    run = trainer.resume(tmp_path / "out")
    assert run.settings.top_advantages == Settings().top_advantages
    assert same(weights(run.out / "model"), weights(whole.out / "model"))


@pytest.mark.parametrize("game", [*game_names(), take_stones.NAME])
def test_every_game_trains_its_demo_by_default(game: str, tmp_path: Path) -> None:
    few = ["n_steps=8", "batch_size=32", "evaluation_games=4", "final_games=4"]
    with take_stones.installed(tmp_path) if game == take_stones.NAME else nullcontext():
        settings = settings_of(None, None, few, {"game": game, "minutes": 0.01, "envs": 8, "threads": 1})
        assert (settings.preset, settings.minutes, settings.steps) == ("demo", 0.01, None)
        assert make_settings(game=game) == settings_of("demo", None, [], {"game": game})
        assert trainer.start(settings, tmp_path / "out").steps > 0


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "demo", tiny(steps=128))
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["train", "--out", str(out), "--players", "3", "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["steps"] == 128
    assert summary["settings"]["players"] == [3]
    assert list(summary["results"]) == [f"win_share_against_{name}_3p" for name in NAMES]
    again = CliRunner().invoke(app, ["train", "--out", str(out)])
    assert again.exit_code == 1
    assert "not an empty folder" in again.stderr
    more = CliRunner().invoke(app, ["train", "--resume", str(out), "--steps", "256"])
    assert more.exit_code == 0
    assert " 256 steps" in more.stdout
    assert load_model(out / "model")[0]["training"]["steps"] == 256


# ------------------------------------------------------------ the vector environment


def test_the_environment_is_what_sb3_expects() -> None:
    env = make_env(tiny(envs=6, players=3, reward="score_margin", shaping=0.0), one_opponent("random"))
    assert is_masking_supported(env)
    observations = env.reset()
    agent = make_agent("random")
    ends = 0
    for step in range(200):
        masks = get_action_masks(env)
        assert (observations.shape, observations.dtype) == ((6, OBSERVATION_SIZE), np.float32)
        assert all(env.observation_space.contains(row) for row in observations)
        assert masks.shape == (6, 101) and masks.any(1).all()
        for i in range(6):  # mask and observation are those of the learner's seat of that game
            game: Game = env.table.game(i)  # type: ignore[assignment]
            assert game.player == env.seating.seat[i]
            assert (game.mask() == masks[i]).all()
            assert (game.observe() == observations[i]).all()
        kept, copy = observations, observations.copy()
        actions = agent.act(Decisions(observations, masks, keys(6, step)))
        observations, rewards, dones, infos = env.step(actions)
        assert (kept == copy).all(), "SB3 stores what it was given after the step"
        assert (rewards.shape, rewards.dtype, dones.shape, dones.dtype) == ((6,), np.float32, (6,), np.bool_)
        assert len(infos) == 6
        for i in range(6):
            assert dones[i] == ("terminal_observation" in infos[i])
            assert dones[i] or (rewards[i] == 0 and infos[i] == {})
            if dones[i]:
                ends += 1
                assert env.observation_space.contains(infos[i]["terminal_observation"])
                assert infos[i]["TimeLimit.truncated"] is False
    assert ends > 10
    assert env.env_method("action_masks", indices=[1, 3]).shape == (2, 101)
    assert env.get_attr("render_mode", 2) == [None]
    assert env.env_is_wrapped(object) == [False] * 6


# ------------------------------------------------------------ opponents, evaluation


class Fixed(Agent):
    """Plays the first legal move and counts its decisions."""

    calls = 0

    def act(self, decisions: Decisions) -> np.ndarray:
        self.calls += 1
        return decisions.masks.argmax(1)


def test_opponents_are_drawn_by_their_shares_and_answer_in_batches() -> None:
    pool = Pool(parse_mixture("random=1,greedy=2,past=1"), tiny().form)
    rng = np.random.default_rng(0)
    arrays = policy_arrays(new_model(tiny()).policy)
    pool.set_latest(arrays)
    assert np.bincount(pool.draw(rng, 8000)) / 8000 == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    for steps in (100, 200):
        pool.add_snapshot(steps, arrays)
    numbers = pool.draw(rng, 8000)
    assert np.bincount(numbers, minlength=5) / 8000 == pytest.approx([0.25, 0.5, 0, 0.125, 0.125], abs=0.02)
    fixed = Fixed()
    pool.fixed[0] = fixed
    decisions = some_decisions(60)
    who = numbers[:60]
    actions = pool.act(who, decisions)
    assert decisions.masks[np.arange(60), actions].all()
    assert (actions[who == 0] == decisions.masks.argmax(1)[who == 0]).all()
    assert fixed.calls == 1


def test_the_pool_is_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents_module, "MAX_SNAPSHOTS", 4)
    pool, arrays = one_opponent("past"), policy_arrays(new_model(tiny()).policy)
    for steps in range(1, 6):
        pool.add_snapshot(steps, arrays)
    assert pool.snapshots == [2, 4, 5]
    assert pool.thinned == 1
    assert isinstance(pool.player(1 + 3), NetworkPlayer)  # a number given before: some snapshot answers


def test_evaluation_is_fair_and_repeatable() -> None:
    strong = win_share(make_agent("greedy"), "random", 3, 60, 1, "printed,max_rounds=30", None)
    assert strong.share > 0.9
    assert strong.low < strong.share <= strong.high <= 1
    labelled = win_share(make_agent("greedy"), "x=random", 3, 60, 1, "printed,max_rounds=30", None)
    assert labelled == replace(strong, opponent="x"), "the same games again: a label changes none"
    even = win_share(make_agent("greedy"), "greedy", 2, 200, 1, "printed", None)
    assert even.share == 0.5  # every set-up is played from both seats, and greedy has no chance in it
