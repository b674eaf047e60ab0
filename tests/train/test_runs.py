"""Every preset of every game keeps the contract of runs: files, resumption to the byte, stops, refusals."""

import csv
import json
import re
import tomllib
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from spacemission_agents.models.folder import load_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.cli import app
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import game_names
from spacemission_train import run as runs
from spacemission_train.evaluation import WinShare, score, win_share
from spacemission_train.folder import OutputError
from spacemission_train.presets import make_settings, presets_of, settings_of
from spacemission_train.run import DivergedError, Run, resume, start
from spacemission_train.settings import Settings
from spacemission_train.state import ResumeError, read_state, state_bytes
from tests.support import take_stones
from tests.support.paths import ROOT
from tests.support.small_runs import files_of, same, stop, stopped, tiny, weights

PRESETS = [(game, name) for game in game_names() for name in presets_of(game)]
TIMED = {"seconds", "training", "rows"}  # entries of a state that depend on the clock
CLOCKS = {"seconds", "steps_per_second"}


def small(game: str, preset: str, **changes: object) -> Settings:
    target = {"exploit": "random"} if preset == "exploit" else {}
    return tiny(preset, game, **{"players": 2, "average": 0.5, **target, **changes})


def rows_of(run: Run) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in CLOCKS} for row in run.rows]


# ------------------------------------------------------------ the contract


@pytest.mark.parametrize(
    ("game", "preset"),
    [
        one if one == ("space_mission", "demo") else pytest.param(*one, marks=pytest.mark.slow)
        for one in PRESETS
    ],
)
def test_a_run_writes_its_files_resumes_to_the_byte_and_refuses_what_does_not_fit(
    game: str, preset: str, tmp_path: Path
) -> None:
    settings, out = small(game, preset), tmp_path / "whole"
    whole = start(settings, out, "spacemission train")
    # It writes a model that plays, and the figures of its evaluations.
    assert whole.steps == 512 and whole.learner.updates > 0
    checkpoints = [out / "checkpoints" / f"step_{steps:09d}" for steps in (256, 512)]
    assert sorted((out / "checkpoints").iterdir()) == checkpoints
    card, arrays = load_model(out / "model")
    assert (card["training"]["steps"], card["training"]["command"]) == (512, "spacemission train")
    assert card["network"] == settings.network and {one.games for one in whole.results} == {20}
    assert same(arrays, weights(checkpoints[1])) and not same(arrays, weights(checkpoints[0]))
    assert whole.best is not None
    assert same(weights(out / "best"), weights(checkpoints[whole.best["steps"] // 256 - 1]))
    with open(out / "progress.csv", newline="") as file:
        assert [row["steps"] for row in csv.DictReader(file)] == ["256", "512"]
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    # `make demo` hands these to the arena, which writes the report.
    handed = set(re.findall(r"\$\(DEMO_OUT\)/([\w.]+)", (ROOT / "Makefile").read_text())) - {"report"}
    assert handed == {"model", "curves.png"} and all((out / name).exists() for name in handed)
    assert tomllib.loads((out / "experiment.toml").read_text())["input"] == settings.input
    assert not [path for path in out.rglob("*") if path.suffix in (".zip", ".pkl", ".pt", ".pth")]
    agent = make_agent(f"policy:{out / 'model'}", game)
    prepare_agents([agent], settings.info)
    table = make_game(game, 2, settings.rules)
    table.reset(1)
    while not table.over:
        table.step(agent.play(table))
    table.reset(1)
    asked = table.ask().part(agent, np.zeros(1, np.int64))
    assert (agent.action_probabilities(asked) is not None) == settings.mixed
    # Stopped at its first checkpoint, it ends in the same bytes.
    run = resume(stopped(settings, tmp_path / "stopped"))
    (before, first), (after, second) = (read_state(one.out / "state.safetensors") for one in (whole, run))
    assert first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    assert all(before[name] == after[name] for name in before.keys() - TIMED)
    assert rows_of(run) == rows_of(whole)
    assert same(weights(run.out / "model"), arrays) and same(weights(run.out / "best"), weights(out / "best"))
    # Finished, it goes on for more steps only; a folder with a run takes no other.
    kept = files_of(out)
    with pytest.raises(ResumeError, match="finished after 512 steps"):
        resume(out, {"steps": 100})
    with pytest.raises(ResumeError, match="seed: cannot be changed"):
        resume(out, {"seed": 3})
    with pytest.raises(OutputError, match="not an empty folder"):
        start(settings, out)
    assert files_of(out) == kept
    assert resume(out, {"steps": 640}).steps == 640
    card = load_model(out / "model")[0]
    assert card["training"]["steps"] == 640 and "resumed with steps 640" in card["training"]["command"]


def test_another_seed_is_another_run_and_threads_change_nothing(tmp_path: Path) -> None:
    ends = [
        weights(start(tiny(steps=256, **changes), tmp_path / str(n)).out / "model")
        for n, changes in enumerate(({}, {"threads": 2}, {"seed": 1}))
    ]
    assert same(ends[0], ends[1]) and not same(ends[0], ends[2])


def test_training_leaves_global_random_numbers_and_torch_alone(tmp_path: Path) -> None:
    np.random.seed(5)
    torch.manual_seed(5)
    threads = torch.get_num_threads()
    start(tiny(steps=128), tmp_path / "out")
    after = np.random.rand(), float(torch.rand(1))
    np.random.seed(5)
    torch.manual_seed(5)
    assert after == (np.random.rand(), float(torch.rand(1))) and torch.get_num_threads() == threads


def test_a_time_limit_ends_a_run(tmp_path: Path) -> None:
    settings = tiny(steps=None, minutes=0.005, checkpoint_steps=1, evaluation_games=2)
    assert settings.steps is None
    run = start(settings, tmp_path / "out")
    assert run.steps > 0 and run.fraction == 1.0
    assert {result.games for result in run.results} == {10}, "the last evaluation is whole"


@pytest.mark.slow  # compiles the learning of every game
@pytest.mark.parametrize("game", [*game_names(), take_stones.NAME])
def test_every_game_trains_its_demo_by_default(game: str, tmp_path: Path) -> None:
    few = ["n_steps=8", "batch_size=32", "evaluation_games=4"]
    with take_stones.installed(tmp_path) if game == take_stones.NAME else nullcontext():
        settings = settings_of(None, None, few, {"game": game, "minutes": 0.01, "envs": 8, "threads": 1})
        assert (settings.preset, settings.minutes, settings.steps) == ("demo", 0.01, None)
        assert make_settings(game=game) == settings_of("demo", None, [], {"game": game})
        assert start(settings, tmp_path / "out").steps > 0


def test_a_run_stopped_before_its_first_checkpoint_begins_again(tmp_path: Path) -> None:
    settings = tiny(steps=256)
    out = stopped(settings, tmp_path / "out", "advance")
    assert not (out / "checkpoints").exists()
    run = resume(out)
    assert run.command == "spacemission train" and run.steps == 256
    assert same(weights(out / "model"), weights(start(settings, tmp_path / "alone").out / "model"))


def test_a_stopped_run_leaves_a_model(tmp_path: Path) -> None:
    """The model has the networks of the moment of the stop, between checkpoints; the run is not finished."""

    def advance(run: Run) -> None:
        if run.steps >= 896:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as ended:
        start(tiny(steps=2048, checkpoint_steps=512), out := tmp_path / "out", advance=advance)
    card, arrays = load_model(out / "model")
    assert (
        card["training"]["steps"] == 896 and card["results"] == {} and not same(arrays, weights(out / "best"))
    )
    told = f"{out}/model is the model so far; resume with: spacemission train --resume {out}"
    assert ended.value.__notes__ == [told]
    with pytest.raises(KeyboardInterrupt) as early:
        start(tiny(), tmp_path / "early", advance=stop)
    assert early.value.__notes__[0].startswith("there is no model yet; resume with: ")


def test_a_run_goes_on_against_others(tmp_path: Path) -> None:
    out = start(tiny("scratch"), tmp_path / "out").out
    run = resume(out, {"steps": 640, "opponents": "greedy=1"})
    assert run.settings.mixture == {"greedy": 1.0}
    assert tomllib.loads((out / "experiment.toml").read_text())["opponents"] == "greedy=1"
    with pytest.raises(SpaceMissionError, match="'nobody'"):
        resume(out, {"steps": 768, "opponents": "nobody=1"})


def test_a_run_that_diverges_ends_in_one_line_and_keeps_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance, out = runs.Learner.advance, tmp_path / "out"

    def spoil(learner: runs.Learner, fraction: float) -> None:
        advance(learner, fraction)
        if learner.steps > 256:
            learner.network.outputs.bias.data[0] = np.nan

    with monkeypatch.context() as patched:
        patched.setattr(runs.Learner, "advance", spoil)
        with pytest.raises(DivergedError, match="out: weights not finite after 512 steps") as refused:
            start(tiny(), out)
    assert "\n" not in str(refused.value) and not (out / "model").exists()
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["step_000000256"]
    assert resume(out).steps == 512


def test_a_state_of_another_layout_or_box_or_width_is_refused(tmp_path: Path) -> None:
    path = start(tiny(), tmp_path / "out").out / "state.safetensors"
    text, tensors = read_state(path)
    for change, words in (
        ({"layout": 1}, "began with observation layout 1"),
        ({"components_sha256": "0" * 64}, "another table of components"),
        ({"settings": {**text["settings"], "hidden": [5, 6, 8]}}, "does not fit these settings"),
        ({"settings": {**text["settings"], "components": 5}}, "components: input should be a valid string"),
        ({"settings": {**text["settings"], "colour": 5}}, "colour: extra inputs"),
    ):
        path.write_bytes(state_bytes({**text, **change}, tensors))
        with pytest.raises(ResumeError, match=words) as refused:
            resume(path.parent, {"steps": 640})
        assert str(path) in str(refused.value) and "\n" not in str(refused.value)
    path.write_bytes(b"nonsense")
    with pytest.raises(ResumeError, match="not a state file"):
        resume(path.parent)
    with pytest.raises(ResumeError, match="no such file"):
        resume(tmp_path)


# ------------------------------------------------------------ what the best checkpoint is


def measured(opponent: str, share: float, players: int = 2) -> WinShare:
    return WinShare(opponent, share, share, share, 4, 0.0, 0.0, players)


def give_shares(monkeypatch: pytest.MonkeyPatch, against: str, shares: list[float], others: float) -> None:
    """Make the evaluations of a run give these shares against one opponent in turn."""
    left = iter(shares)
    monkeypatch.setattr(
        runs, "win_share", lambda *given: measured(given[7], next(left) if given[7] == against else others)
    )


def test_the_score_is_the_mean_share_in_terms_of_an_equal_share() -> None:
    results = [measured("random", 1.0), measured("heuristic", 0.5), measured("heuristic", 0.5, 4)]
    assert score(results, "heuristic") == pytest.approx((1.0 + 2.0) / 2)
    assert score([*results, measured("greedy", 0.25)], "greedy") == pytest.approx(0.5)


def test_the_best_checkpoint_is_kept_and_survives_a_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_shares(monkeypatch, "heuristic", [0.3, 0.6, 0.5, 0.55], others=1.0)
    out = tmp_path / "out"
    seen: list[float] = []

    def report(row: dict[str, Any]) -> None:
        seen.append(row["score"])
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start(tiny(checkpoint_steps=128), out, report=report)
    (out / "best" / "weights.safetensors").unlink()  # as if killed while it was replaced
    run = resume(out)
    assert seen == [0.6, 1.2, 1.0] and run.rows[-1]["score"] == 1.1
    assert run.best == {"steps": 256, "score": 1.2, "low": 1.2}
    assert same(weights(out / "best"), weights(out / "checkpoints" / "step_000000256"))
    assert same(weights(out / "model"), weights(out / "checkpoints" / "step_000000512"))


@pytest.mark.slow
def test_without_a_strong_yardstick_the_best_checkpoint_beats_the_best_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_shares(monkeypatch, "best", [0.6, 0.4, 0.5, 0.3], others=0.9)
    run = start(tiny("scratch", "kuhn_poker", checkpoint_steps=128), tmp_path / "out")
    assert [row["win_best"] for row in run.rows] == [0.6, 0.4, 0.5, 0.3]
    assert run.best == {"steps": 384, "score": 1.0, "low": 1.0}


def test_a_lucky_evaluation_of_few_games_makes_no_best_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter([(0.5, 0.01), (0.3, 0.25), (0.28, 0.24)])  # share and lower end: the first of two games

    def evaluated(*given: Any) -> WinShare:
        share, low = next(found) if given[7] == "heuristic" else (1.0, 0.9)
        return WinShare(given[7], share, low, 1.0, 4, 0.0, 0.0)

    monkeypatch.setattr(runs, "win_share", evaluated)
    run = start(tiny(checkpoint_steps=128, steps=384), tmp_path / "out")
    assert run.best == {"steps": 256, "score": 0.6, "low": 0.5}


def test_evaluation_is_fair_and_repeatable() -> None:
    rules = "printed,max_rounds=30"
    strong = win_share(make_agent("greedy"), "random", 3, 60, 1, rules, None)
    assert strong.share > 0.9 and strong.low < strong.share <= strong.high <= 1
    parts = win_share(make_agent("greedy"), "random", 3, 60, 1, rules, None, deadline=1e300)
    assert parts == strong, "the games do not depend on the parts in which they are played"
    even = win_share(make_agent("greedy"), "greedy", 2, 200, 1, "printed", None)
    assert even.share == 0.5  # every set-up is played from both seats, and greedy has no chance in it


# ------------------------------------------------------------ the command


def test_the_command_trains_and_resumes(tmp_path: Path) -> None:
    few = [f"--set={name}={json.dumps(value)}" for name, value in {
        "n_steps": 16, "batch_size": 8, "evaluation_games": 4, "hidden": [5, 6, 7],
    }.items()]  # fmt: skip
    out = tmp_path / "out"
    given = ["--out", str(out), "--players", "3", "--steps", "128", "--envs", "8", "--threads", "1", *few]
    result = CliRunner().invoke(app, ["train", *given, "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["steps"] == 128 and summary["settings"]["players"] == [3]
    names = ("random", "greedy", "heuristic")
    assert list(summary["results"]) == [f"win_share_against_{name}_3p" for name in names]
    again = CliRunner().invoke(app, ["train", "--out", str(out)])
    assert again.exit_code == 1 and "not an empty folder" in again.stderr
    more = CliRunner().invoke(app, ["train", "--resume", str(out), "--steps", "256"])
    assert more.exit_code == 0 and " 256 steps" in more.stdout
    assert PolicyAgent(str(out / "model")).card["training"]["steps"] == 256
