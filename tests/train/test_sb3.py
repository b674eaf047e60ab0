"""Tests of the environment of Stable-Baselines3, of replaced opponents, and of the preset sb3."""

import json
from pathlib import Path

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.core.agents import Agent, Decisions, make_agent
from spacemission_env.core.errors import AgentError, SetupError
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_train import sb3
from spacemission_train.export import network_of, save_policy
from spacemission_train.sb3_env import MaskedVecEnv

RULES = "printed,max_rounds=4"


def environment(**options: object) -> MaskedVecEnv:
    return MaskedVecEnv(LearnerVectorEnv(6, 2, "random", rules=RULES, **options))  # type: ignore[arg-type]


def test_it_shows_what_the_vector_environment_does() -> None:
    adapted, plain = environment(), LearnerVectorEnv(6, 2, "random", rules=RULES)
    adapted.seed(3)
    observations, infos = adapted.reset(), plain.reset(seed=3)[1]
    rng, ends = np.random.default_rng(0), 0
    assert is_masking_supported(adapted)
    for _ in range(120):
        masks = get_action_masks(adapted)
        assert (masks == infos["action_mask"]).all() and masks.any(1).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        before, copy = observations, observations.copy()
        observations, rewards, dones, told = adapted.step(actions)
        seen, paid, terminated, _, infos = plain.step(actions)
        assert (before == copy).all(), "SB3 stores what it was given after the step"
        assert (observations == seen).all() and (rewards == paid).all() and (dones == terminated).all()
        assert rewards.dtype == np.float32 and [bool(info) for info in told] == dones.tolist()
        for i in np.flatnonzero(dones):
            ends += 1
            assert (told[i]["terminal_observation"] == infos["final_obs"][i]).all()
            assert told[i]["reason"] and not told[i]["TimeLimit.truncated"]
    assert ends > 5
    assert len(adapted.env_method("action_masks", indices=[1, 3])) == 2
    assert adapted.get_attr("render_mode", 2) == [None] and adapted.env_is_wrapped(object) == [False] * 6
    with pytest.raises(SetupError, match="same_step"):
        environment(autoreset_mode="next_step")


@pytest.mark.slow
def test_maskable_ppo_learns_in_it_with_the_wrappers_of_sb3(tmp_path: Path) -> None:
    check_env(LearnerEnv(2, rules=RULES, illegal="lose"))
    options = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "policy_kwargs": {"net_arch": [8]}, "seed": 1}
    env = VecNormalize(VecMonitor(environment()), norm_obs=False)
    model = MaskablePPO("MlpPolicy", env, **options)
    model.learn(6 * 8 * 20)
    assert len(model.ep_info_buffer) > 3 and {"r", "l"} <= model.ep_info_buffer[0].keys()
    model.save(tmp_path / "model")
    again = MaskablePPO.load(tmp_path / "model", env=env)
    observations, masks = env.reset(), get_action_masks(env)
    moves = model.predict(observations, action_masks=masks, deterministic=True)[0]
    assert (again.predict(observations, action_masks=masks, deterministic=True)[0] == moves).all()
    assert masks[np.arange(6), moves].all()
    again.learn(6 * 8)
    save_policy(tmp_path / "policy", model, rules=RULES)
    assert make_agent(f"policy:{tmp_path / 'policy'}").card["network"]["hidden"] == [8]


class First(Agent):
    """Plays the first legal move, and counts its decisions."""

    def __init__(self) -> None:
        self.decided = 0

    def act(self, decisions: Decisions) -> np.ndarray:
        self.decided += len(decisions)
        return decisions.masks.argmax(1)


def play(env: LearnerVectorEnv, steps: int) -> None:
    for _ in range(steps):
        env.step(env.action_masks().argmax(1))


@pytest.mark.parametrize("threads", [1, 2])
def test_games_dealt_later_have_the_opponents_that_replace_others(threads: int) -> None:
    one, other = First(), First()
    env = LearnerVectorEnv(128, 3, {one: 0.75, "random": 0.25}, rules=RULES, threads=threads)
    env.reset(seed=1)
    play(env, 5)
    numbers = env._turns.who[env._turns.who >= 0]
    assert numbers.mean() == pytest.approx(0.25, abs=0.1) and one.decided
    env.replace_opponents({other: 1})
    play(env, 1)
    before, seeds = one.decided, env.games.states["seed"].copy()
    assert before and (env._turns.who[env.games.states["seed"] == seeds] < 2).any(), "games changed hands"
    while (env.games.states["seed"] == seeds).any():
        play(env, 1)
    before = one.decided
    play(env, 20)
    assert one.decided == before and other.decided > 0
    for wrong in ({one: -1}, {one: 0.0}, {}, {one: "1"}, {"nobody": 1}):
        with pytest.raises(AgentError):
            env.replace_opponents(wrong)
    play(env, 5)
    assert one.decided == before, "a refusal changed the opponents"


@pytest.mark.slow
def test_the_policy_plays_itself_as_it_is_and_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sb3, "SNAPSHOT_STEPS", 96)
    env = LearnerVectorEnv(6, 2, "random", rules=RULES)
    callback = sb3.SelfPlay(env, {"random": 0.5}, 1e9, 10**9)
    model = MaskablePPO("MlpPolicy", MaskedVecEnv(env), n_steps=8, policy_kwargs={"net_arch": [8]}, seed=1)
    model.learn(6 * 8 * 6, callback)
    assert len(callback.past) == 3
    asked = env.games.ask(env.games.everyone)
    logits = network_of(model.policy)[0]
    assert all(np.isfinite(array).all() for array in logits.values())
    callback.latest.load(network_of(model.policy)[0])
    own, old = (agent.act(asked) for agent in (callback.latest, callback.past[0]))
    assert asked.masks[np.arange(6), own].all() and asked.masks[np.arange(6), old].all()


@pytest.mark.slow
def test_the_preset_writes_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sb3, "FINAL_GAMES", 4)
    out = tmp_path / "out"
    given = ["train", "--preset", "sb3", "--steps", "5000", "--rules", RULES, "--out", str(out)]
    result = CliRunner().invoke(app, [*given, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["steps"] >= 5000 and "win_share_against_greedy_2p" in found["results"]
    assert make_agent(found["model"].join(("policy:", ""))).card["training"]["preset"] == "sb3"
    for more, words in ((["--envs", "4"], "takes no envs"), ([], "not an empty folder")):
        refused = CliRunner().invoke(app, [*given, *more])
        assert refused.exit_code == 1 and words in refused.stderr
