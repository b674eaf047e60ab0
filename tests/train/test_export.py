"""Tests of exported SB3 and torch networks: equal logits in `policy:FOLDER`, or a one-line refusal."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn

from spacemission_agents.models.policy import PolicyAgent
from spacemission_env import act_alone, make_agent
from spacemission_env.core.agents import prepare_agents
from spacemission_env.core.errors import AgentError, RulesError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from spacemission_train.export import save_policy
from tests.support.paths import DOCS

pytestmark = pytest.mark.slow


def plain(*widths: int, activation: type[nn.Module] = nn.Tanh, game: str = "space_mission") -> nn.Sequential:
    """A network of a game with these hidden layers."""
    spec = find_game(game)
    sizes = [spec.observation_size, *widths, spec.action_count]
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), activation()]
    return nn.Sequential(*layers[:-1])


def check_same_logits(
    folder: Path, logits: Callable[[torch.Tensor], torch.Tensor], game: str = "space_mission", **options: Any
) -> None:
    """Check that folder and network have equal logits for real positions."""
    spec, agent = find_game(game), PolicyAgent(str(folder))
    table = make_game(spec, 3 if game == "space_mission" else 2, **options)
    prepare_agents([agent], table.info)
    rng = np.random.default_rng(1)
    for seed in range(3):
        table.reset(seed)
        for _ in range(30):
            if table.over:
                break
            decisions = table.ask()
            with torch.no_grad():
                expected = logits(torch.as_tensor(decisions.observations))[0].numpy()
            np.testing.assert_allclose(agent.logits(decisions)[0], expected, atol=2e-5)
            legal = np.flatnonzero(decisions.masks[0])
            assert act_alone(agent, decisions)[0] == legal[expected[legal].argmax()]
            table.step(int(rng.choice(legal)))


@pytest.mark.parametrize("kind", [MaskablePPO, PPO, A2C])
@pytest.mark.parametrize("activation", [nn.Tanh, nn.ReLU])
def test_models_of_sb3(
    kind: type[MaskablePPO | PPO | A2C], activation: type[nn.Module], tmp_path: Path
) -> None:
    torch.manual_seed(1)
    env = make_vec_env("SpaceMission-v0", n_envs=1, env_kwargs={"num_players": 3})
    own = {"net_arch": {"pi": [24, 12], "vf": [8]}, "activation_fn": activation}
    model = kind("MlpPolicy", env, policy_kwargs=own, seed=1, device="cpu")
    policy: Any = model.policy

    def actor(observations: torch.Tensor) -> torch.Tensor:
        return policy.action_net(policy.mlp_extractor.forward_actor(observations))

    for given in (model, policy):
        card = save_policy(tmp_path / "model", given, players=3, command="my script")
        assert card["network"] == {"hidden": [24, 12], "activation": activation.__name__.lower()}
        assert card["training"] == {"players": [3], "command": "my script"}
        check_same_logits(tmp_path / "model", actor)


@pytest.mark.parametrize("game", ["space_mission", "kuhn_poker"])
@pytest.mark.parametrize("activation", [nn.Tanh, nn.ReLU])
def test_networks_of_torch(game: str, activation: type[nn.Module], tmp_path: Path) -> None:
    torch.manual_seed(2)
    network = plain(16, 8, activation=activation, game=game)
    save_policy(tmp_path / "model", network, game=game)
    check_same_logits(tmp_path / "model", network, game)


def test_layers_without_bias_in_halves_and_boxes(tmp_path: Path) -> None:
    torch.manual_seed(3)
    network = nn.Sequential(
        nn.Flatten(), nn.Sequential(nn.Linear(1554, 16, bias=False), nn.ReLU()), nn.Linear(16, 101)
    )
    save_policy(tmp_path / "model", network.double(), players=(2, 3))
    check_same_logits(tmp_path / "model", network.float())


def test_it_plays_the_rules_that_it_was_trained_with(tmp_path: Path) -> None:
    network = plain(8)
    save_policy(tmp_path / "model", network, rules="yucata", observation="table")
    check_same_logits(tmp_path / "model", network, rules="yucata", observation="table")
    agent = make_agent(f"policy:{tmp_path / 'model'}")
    with pytest.raises(AgentError, match=r"rules: .*: trained with"):
        prepare_agents([agent], make_game("space_mission", 3, "printed").info)


def normalised() -> PPO:
    env = VecNormalize(make_vec_env("SpaceMission-v0", n_envs=1))
    return PPO("MlpPolicy", env, device="cpu")


REFUSED: dict[str, tuple[Any, str]] = {
    "not a network": (lambda: 3, "expected an SB3 model .* or a torch.nn.Sequential, not 3"),
    "a module of its own": (lambda: nn.Linear(1554, 101), "not Linear"),
    "a value network": (
        lambda: DQN("MlpPolicy", gymnasium.make("SpaceMission-v0"), buffer_size=10),
        "expected an SB3 model with an actor and a critic",
    ),
    "normalised": (normalised, "VecNormalize"),
    "one layer": (plain, "at least two, .* not Linear$"),
    "layers of another kind": (
        lambda: nn.Sequential(nn.Linear(1554, 8), nn.LayerNorm(8), nn.Linear(8, 101)),
        "not LayerNorm",
    ),
    "two activations": (
        lambda: nn.Sequential(*plain(8)[:-1], nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 101)),
        "not Linear, Tanh, Linear, ReLU, Linear",
    ),
    "none between": (lambda: nn.Sequential(nn.Linear(1554, 8), nn.Linear(8, 101)), "not Linear, Linear"),
    "one at the end": (lambda: nn.Sequential(*plain(8), nn.Tanh()), "not Linear, Tanh, Linear, Tanh"),
    "another observation": (
        lambda: nn.Sequential(nn.Linear(10, 8), nn.Tanh(), nn.Linear(8, 101)),
        "observation: space_mission has 1554, the network 10",
    ),
    "other actions": (
        lambda: nn.Sequential(nn.Linear(1554, 8), nn.Tanh(), nn.Linear(8, 7)),
        "actions: space_mission has 101, the network 7",
    ),
    "widths that do not meet": (
        lambda: nn.Sequential(nn.Linear(1554, 8), nn.Tanh(), nn.Linear(9, 101)),
        "a layer gives 8 numbers, the next takes 9",
    ),
}


@pytest.mark.parametrize(("make", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_such_network_is_refused_in_one_line(make: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=said) as refused:
        save_policy(tmp_path / "model", make())
    assert str(refused.value).startswith("save_policy: ") and "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_bad_options_write_nothing(tmp_path: Path) -> None:
    for options in ({"players": 9}, {"players": None}, {"players": []}, {"rules": "x"}, {"players": [2, ""]}):
        with pytest.raises(RulesError):
            save_policy(tmp_path / "model", plain(8), **options)  # type: ignore[arg-type]
    with pytest.raises(AgentError, match="observation: expected"):
        save_policy(tmp_path / "model", plain(8), observation="all")
    assert not list(tmp_path.iterdir())


def test_the_scripts_of_the_pages_end_with_a_folder_that_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()
    pages = "".join((DOCS / page).read_text("utf-8") for page in ("environments.md", "training.md"))
    blocks = re.findall(r"```python\n(.*?)```", pages, re.DOTALL)
    scripts = [block for block in blocks if "save_policy(" in block]
    assert len(scripts) == 2
    try:
        for script in scripts:
            names: dict[str, Any] = {}
            exec(script.replace("learn(50_000)", "learn(16 * 256)"), names)
            folder = re.findall(r'save_policy\("([^"]+)"', script)[0]
            game = make_game("space_mission", 2)
            game.reset(1)
            agent = make_agent(f"policy:{folder}")
            assert agent.play(game) in game.legal_actions()
    finally:
        torch.set_num_threads(threads)
