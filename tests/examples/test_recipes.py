"""Tests of the recipes on docs/recipes.md: with few steps each ends in a model folder that plays."""

import importlib
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spacemission_env import Game, make_agent
from tests.support import ray_cluster
from tests.support.paths import DOCS, ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
PAGE = (DOCS / "recipes.md").read_text("utf-8")
FEW = {
    "cleanrl_ppo": ("--total-timesteps 256 --num-envs 16 --num-steps 8", "torch"),
    "rllib_ppo": ("--total-timesteps 32 --workers 1 --num-envs 2 --num-steps 16", "ray.rllib.algorithms.ppo"),
    "torchrl_ppo": ("--total-frames 64 --num-envs 2 --num-steps 16", "torchrl"),
}


def test_every_recipe_is_short_and_on_the_page() -> None:
    assert {file.stem for file in EXAMPLES.glob("*.py")} == set(FEW)
    for name in FEW:
        assert len((EXAMPLES / f"{name}.py").read_text("utf-8").splitlines()) <= 150, name
        assert re.search(rf"^python examples/{name}\.py --out runs/\w+$", PAGE, re.MULTILINE), name


@pytest.mark.parametrize("name", FEW)
def test_a_recipe_ends_in_a_model_that_plays(name: str, tmp_path: Path) -> None:
    few, needs = FEW[name]
    pytest.importorskip(needs)
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--out", "model", *few.split(), "--games", "4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(r"SPS=\d+|\d steps/s", done.stdout)
    assert re.search(r"policy:model +greedy +[\d.]+ %", done.stdout)
    agent, game = make_agent(f"policy:{tmp_path}/model"), Game(num_players=2)
    game.reset(seed=1)
    while not game.over:
        game.step(agent.play(game))


def test_the_rllib_recipe_joins_a_cluster_and_survives_the_death_of_a_node(tmp_path: Path) -> None:
    pytest.importorskip(FEW["rllib_ppo"][1])

    def train(out: str, *options: str) -> subprocess.Popen:
        command = [sys.executable, str(EXAMPLES / "rllib_ppo.py"), "--out", out, "--num-envs", "2", *options]
        with open(tmp_path / f"{out}.log", "w") as log:
            environment = {**nodes.environment, "RAY_AUTH_MODE": "token"}
            return subprocess.Popen([*command, "--games", "4"], cwd=tmp_path, env=environment, stdout=log)

    def weights(out: str) -> bytes:
        return (tmp_path / out / "weights.safetensors").read_bytes()

    with ray_cluster.cluster(tmp_path) as nodes:
        one = "--workers", "1", "--num-steps", "16", "--total-timesteps", "64"
        assert train("here", *one).wait() == train("there", *one, "--address", nodes.address).wait() == 0
        assert weights("here") == weights("there")
        two = "--workers", "2", "--num-steps", "64", "--total-timesteps", "2048"
        run = train("left", *two, "--address", nodes.address)
        while "steps=" not in (tmp_path / "left.log").read_text():
            assert run.poll() is None
            time.sleep(0.1)
        nodes.kill_second_node()
        assert "steps=2048" not in (tmp_path / "left.log").read_text()
        assert run.wait() == 0 and weights("left")


# ---------------------------------------------------------------- credit across turns


def recipe(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of a recipe."""
    pytest.importorskip(FEW[name][1])
    monkeypatch.syspath_prepend(str(EXAMPLES))
    module: ModuleType = importlib.import_module(name)
    return module


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_rllib_pays_each_seat_what_happens_until_its_next_decision(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = recipe("rllib_ppo", monkeypatch).SeatsEnv({"greedy": share})
    rng = np.random.default_rng(1)
    for seed in range(2):
        seen, _ = env.reset(seed=seed)
        margins: dict[str, float] = {}  # of each seat at its last observation
        ends: dict[str, bool] = {"__all__": False}
        while not ends["__all__"]:
            (agent,) = seen
            margins.setdefault(agent, float(env.env.unwrapped.game.margins()[int(agent[-1])]))
            action = int(rng.choice(np.flatnonzero(seen[agent]["action_mask"])))
            seen, rewards, ends, _, _ = env.step({agent: action})
            for name, reward in rewards.items():
                now = float(env.env.unwrapped.game.margins()[int(name[-1])])
                assert reward == pytest.approx(now - margins.get(name, now), abs=1e-5)
                margins[name] = now
        assert len(seen) == (2 if share == 0.0 else 1)


def test_torchrl_sums_the_rewards_of_a_seat_up_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    module = recipe("torchrl_ppo", monkeypatch)
    import torch
    from tensordict import TensorDict

    monkeypatch.setattr(module, "GAMMA", 1.0)
    monkeypatch.setattr(module, "LAMBDA", 1.0)
    monkeypatch.setattr(module, "GREEDY", 0.5)

    def at_random(td: TensorDict) -> TensorDict:
        masks = td["seats", "action_mask"].float()
        return td.set(("seats", "action"), torch.multinomial(masks.flatten(0, -2), 1).view(masks.shape[:-1]))

    def no_value(td: TensorDict) -> TensorDict:
        return TensorDict({"seats": {"state_value": torch.zeros(*td["seats", "mask"].shape, 1)}}, [])

    random.seed(1)
    envs = module.make_envs(0, SimpleNamespace(seed=1, num_envs=4))
    batch = envs.rollout(300, at_random, break_when_any_done=False)
    acting, done = batch["seats", "mask"], batch["next", "done"][..., 0]
    assert (acting.sum(-1) == 1).all() and done.any()
    targets = torch.zeros(acting.shape)
    targets[acting] = module.decisions(batch, no_value)["seats", "value_target"][:, 0]
    for i, t, seat in acting.nonzero().tolist():
        end = next((n for n in range(t, 300) if done[i, n]), 299)
        paid = batch["next", "seats", "reward"][i, t : end + 1, seat, 0].sum()
        assert targets[i, t, seat] == pytest.approx(float(paid), abs=1e-4)
