"""Tests of td runs: files, resumption, play by their models, and refusals."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from spacemission_agents.models.folder import load_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import act_alone, make_agent, prepare_agents
from spacemission_env.core.errors import AgentError
from spacemission_env.games.space_mission.game import Game
from spacemission_train.run import trainer
from spacemission_train.run.state import read_state
from spacemission_train.self_play.league import NetworkPlayer
from spacemission_train.settings.experiment import to_toml
from spacemission_train.settings.presets import make_settings
from spacemission_train.td.run import AfterstateRun
from tests.support.afterstates import random_model
from tests.support.command_line import run
from tests.support.random_components import box_data, file_text, random_box
from tests.support.small_runs import same, tiny_value, weights

pytestmark = pytest.mark.slow

RULES = "printed,max_rounds=3"


@pytest.fixture
def finished(run_of: Callable[[str], trainer.Run]) -> AfterstateRun:
    done = run_of("td")
    assert isinstance(done, AfterstateRun)
    return done


@pytest.fixture
def model(finished: AfterstateRun) -> str:
    return f"policy:{finished.out / 'model'}"


@pytest.fixture
def copied(finished: AfterstateRun, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished.out, tmp_path / "out"))


# ------------------------------------------------------------ a run


def test_on_a_preset_of_ppo_it_discounts_only_if_told() -> None:
    assert tiny_value().gamma == 1.0 > make_settings("quick").gamma
    assert tiny_value(gamma=0.9).gamma == 0.9


def test_it_warns_of_games_that_it_dropped(tmp_path: Path) -> None:
    own = AfterstateRun(tiny_value(), tmp_path, "")
    own.rows = [{"steps": 1}]
    assert not own._early_warnings()
    own.learner.games.dropped = 3
    assert own._early_warnings()["dropped"].startswith("3 games took over 1500 decisions")


# ------------------------------------------------------------ resumption


def test_what_it_goes_on_from_is_what_it_was(finished: AfterstateRun, copied: Path) -> None:
    """Weights, moments and counts are restored; the resumed run plays new games."""
    path = copied / trainer.STATE_FILE
    found = AfterstateRun(finished.settings, copied, "", 512)
    found.restore(path, *read_state(path))
    old, new = finished.learner, found.learner
    assert same(old.network.arrays(), new.network.arrays())
    assert (new.steps, new.updates, new.loss) == (old.steps, old.updates, old.loss)
    assert (found.games, found.best, found.rows) == (finished.games, finished.best, finished.rows)
    pairs = zip(old.network.parameters(), new.network.parameters(), strict=True)
    for a, b in pairs:
        one, other = old.optimizer.state[a], new.optimizer.state[b]
        assert all(torch.equal(torch.as_tensor(one[k]), torch.as_tensor(other[k])) for k in one)
    first = new.games.tables[0].memory.dice.tobytes()  # type: ignore[attr-defined]
    assert first != AfterstateRun(finished.settings, copied, "").learner.games.tables[0].memory.dice.tobytes()  # type: ignore[attr-defined]


def test_the_mean_of_the_weights_is_saved_restored_and_begun_by_a_start(model: str, tmp_path: Path) -> None:
    settings = tiny_value(average=0.5, learning_rate=0.01, start=model)
    done = trainer.start(settings, tmp_path / "out")
    assert isinstance(done, AfterstateRun)
    mean = done.learner.outcome.arrays()
    assert same(weights(done.out / "model"), mean) and not same(mean, done.learner.network.arrays())
    path = done.out / trainer.STATE_FILE
    found = AfterstateRun(settings, done.out, "", 512)
    found.load_start(settings)
    assert same(found.learner.outcome.arrays(), weights(Path(model.removeprefix("policy:"))))
    found.restore(path, *read_state(path))
    assert same(found.learner.outcome.arrays(), mean)
    found.learner.network.load_state_dict(done.learner.network.state_dict())
    for one in (done.learner, found.learner):
        assert one.mean is not None
        one.mean.update_parameters(one.network)
    assert same(found.learner.outcome.arrays(), done.learner.outcome.arrays())


def test_a_run_starts_from_the_weights_of_another(
    finished: AfterstateRun, model: str, tmp_path: Path
) -> None:
    settings = tiny_value(start=model, learning_rate=0.0, last_learning_rate=0.0, steps=128)
    done = trainer.start(settings, tmp_path / "out")
    assert same(weights(done.out / "model"), weights(finished.out / "model"))


# ------------------------------------------------------------ refusals


def test_a_folder_that_does_not_fit_its_card_is_refused(copied: Path) -> None:
    path = copied / "model" / "card.json"
    whole = json.loads(path.read_text("utf-8"))
    for changes, words in (
        ({"hidden": [6, 8]}, "afterstate"),
        ({"hidden": [6]}, "two widths"),
        ({"planets": 0}, "planets"),
        ({"planets": 6}, "afterstate"),
        ({"input": "observation", "planets": 0}, "missing"),
        ({"activation": "tanh"}, "relu"),
    ):
        path.write_text(json.dumps({**whole, "network": {**whole["network"], **changes}}), "utf-8")
        with pytest.raises(AgentError, match=words) as refused:
            make_agent(f"policy:{copied / 'model'}")
        assert "\n" not in str(refused.value) and str(copied) in str(refused.value)


# ------------------------------------------------------------ play by a model


def test_it_plays_the_best_move_or_draws_by_its_odds(finished: AfterstateRun, model: str) -> None:
    best, drawn = make_agent(model), make_agent(f"{model}?sample")
    assert best.wants_worlds and isinstance(best, PolicyAgent)
    as_trained = NetworkPlayer(finished.settings.form, finished.learner.network.arrays(), sample=False)
    game = Game(3, RULES)
    prepare_agents([best, drawn], game.info)
    played = 0
    for seed in range(3):
        game.reset(seed)
        while not game.over:
            asked = game.ask().part(best, np.zeros(1, np.int64))
            shares = best.probabilities(asked)
            assert shares is not None and shares.shape == asked.masks.shape
            assert shares.sum() == pytest.approx(1) and ((shares > 0) == (asked.masks > 0)).all()
            assert best.action_probabilities(asked) is None
            assert (drawn.action_probabilities(asked) == shares).all()
            action, other = (int(act_alone(agent, asked)[0]) for agent in (best, drawn))
            assert action == shares[0].argmax() == act_alone(as_trained, asked)[0] == best.play(game)
            assert asked.masks[0, other] and asked.masks[0, action]
            played += other != action
            game.step(action)
    assert played > 5, "drawn moves are never others"


def test_it_sits_among_the_opponents_of_ppo(model: str, tmp_path: Path) -> None:
    settings = tiny_value(
        method="ppo", input="observation", planets=0, opponents=f"{model}=1", steps=128, batch_size=64
    )
    (tmp_path / "e.toml").write_text(to_toml(settings))
    run("train", "--experiment", str(tmp_path / "e.toml"), "--out", str(tmp_path / "out"), "--json")
    assert (tmp_path / "out" / "model").is_dir()


def test_it_plays_in_the_box_and_by_the_options_that_it_was_made_for(tmp_path: Path) -> None:
    box = tmp_path / "box.toml"
    box.write_text(file_text(box_data(8)), "utf-8")
    rules = "printed,max_rounds=4,space_tile_penalty=true,hand_size=4,scan_face_up=true"
    settings = tiny_value(components=str(box), rules=rules, steps=128, players=(4,))
    out = trainer.start(settings, tmp_path / "out").out
    other = random_model(tmp_path / "other", rules=rules, box=random_box(3))
    record = str(tmp_path / "game.jsonl")
    play = ("play", "--rules", rules, "--components", str(box), "--record", record)
    run(*play, "--agents", f"policy:{out / 'model'},random,random,policy:{out / 'best'}")
    assert run("replay", record, "--check").stdout.startswith("1 game,")
    line = run(*play, "--agents", f"policy:{other},random", status=1).stderr
    assert "components: trained with" in line


def test_a_run_whose_time_is_up_in_an_evaluation_is_measured_in_full(tmp_path: Path) -> None:
    settings = tiny_value(steps=None, minutes=0.03, checkpoint_steps=1, evaluation_games=2, final_games=8)
    run = trainer.start(settings, tmp_path / "run")
    assert {result.games for result in run.results} == {8}
    card = load_model(tmp_path / "run" / "model")[0]
    assert {result["games"] for result in card["results"].values()} == {8}
