"""Tests of studies/fit_critic.py: a critic is fitted to games of a policy and saved in its model folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from spacemission_agents.games.space_mission.policy.network import new_network, run_critic_after, run_network
from spacemission_agents.models.folder import load_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import act_alone, make_agent
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.game import Game
from spacemission_train.ppo.networks import critic_arrays
from spacemission_train.settings.settings import Form
from studies import fit_critic
from studies.fit_critic import Fit, gather, main

pytestmark = pytest.mark.slow

SHIPPED_FORM = Form((192, 128), "rated", 24)


@pytest.fixture(scope="module")
def examples() -> tuple[np.ndarray, np.ndarray]:
    return gather(PolicyAgent("ppo"), 2, 250, 7)


def test_examples_are_what_seats_know_and_what_they_were_paid(
    examples: tuple[np.ndarray, np.ndarray],
) -> None:
    inputs, returns = examples
    assert len(inputs) == len(returns) > 250 * 20
    assert inputs.shape[1] == len(shipped_input())
    assert returns.min() >= 0.0 and returns.max() <= 1.0
    assert returns.mean() == pytest.approx(0.5, abs=0.03), "two players share the return"
    again = gather(PolicyAgent("ppo"), 2, 3, 7)
    assert (again[0] == inputs[: len(again[0])]).all(), "the seed says which games"
    assert (gather(PolicyAgent("ppo"), 2, 3, 8)[1][:60] != again[1][:60]).any()


def test_it_learns_what_games_will_pay(
    examples: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit_critic, "BATCH", 256)
    fit = Fit(SHIPPED_FORM, rounds=4, seed=1)
    before = fit.explained(*examples)
    for seed in range(4):
        fit.learn(*gather(PolicyAgent("ppo"), 2, 250, 100 + seed))
    assert fit.explained(*examples) > max(0.05, before)


def load_shipped() -> tuple[Json, dict[str, np.ndarray]]:
    card, arrays = load_model(make_agent("policy:ppo").folder)
    return card["network"], arrays


def shipped_input() -> np.ndarray:
    network, arrays = load_shipped()
    return new_network(arrays, network).x


def test_compiled_code_tells_what_it_learnt() -> None:
    """The network of a model folder and the torch module give equal values for the policy's input."""
    fit = Fit(SHIPPED_FORM, rounds=1, seed=3)
    network, arrays = load_shipped()
    arrays = {name: array for name, array in arrays.items() if not name.startswith("value.")}
    arrays |= critic_arrays(fit.critic.networks, fit.critic.last)
    network = {**network, "value": {"hidden": [192, 128], "full": False}}
    policy, critic = new_network(arrays, network), new_network(arrays, network, "value")
    game, agent = Game(2), make_agent("greedy")
    game.reset(5)
    for _ in range(30):
        run_network(game.observe(), game.mask(), game.t, 0, policy)
        with torch.no_grad():
            told = float(fit.critic(torch.from_numpy(policy.x.copy())[None])[0])
        assert run_critic_after(policy, critic) == pytest.approx(told, abs=1e-4)
        game.step(int(act_alone(agent, game.ask())[0]))


def test_the_command_changes_the_critic_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fit_critic, "GAMES", 4)
    monkeypatch.setattr(fit_critic, "FRESH_GAMES", 4)
    asked = ["ppo", "--rounds", "2", "--players", "2,3", "--seed", "4"]
    main([*asked, "--workers", "1", "--out", str(tmp_path / "one")])
    assert "3 players: explains" in capsys.readouterr().out
    main([*asked, "--workers", "2", "--out", str(tmp_path / "two")])
    card, arrays = load_model(tmp_path / "one")
    shipped = load_shipped()[1]
    assert card["network"]["value"]["reward"] == "return"
    assert card["training"]["critic"]["rounds"] == 2
    for name, array in load_model(tmp_path / "two")[1].items():
        assert (array == arrays[name]).all(), f"{name}: the number of workers changes nothing"
        if name.startswith("policy."):
            assert (array == shipped[name]).all()
    assert not np.array_equal(arrays["value.0.weight"], shipped["value.0.weight"])
    agent = make_agent(f"ismcts-policy:{tmp_path / 'one'}:20")
    game = Game(3)
    game.reset(1)
    assert game.mask()[int(act_alone(agent, game.ask())[0])]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["nowhere"], "model folder 'nowhere': no such folder"),
        (["default"], "default: it judges moves by what they lead to; expected a policy"),
        (["ppo", "--players", "2,7"], "--players: expected numbers from 2 to 5, as in 2,2,3, not '2,7'"),
        (["ppo", "--players", "two"], "--players: expected numbers from 2 to 5, as in 2,2,3, not 'two'"),
        (["ppo", "--rounds", "0"], "--rounds: expected a whole number from 1, not '0'"),
        (["ppo", "--workers", "x"], "--workers: expected a whole number from 1, not 'x'"),
        (["ppo", "--out", "."], ".: exists and is not an empty folder; choose another --out"),
        (["ppo", "--out", "/proc/new"], "/proc/new: cannot be made: No such file or directory"),
    ],
)
def test_bad_input_is_one_clear_line(
    asked: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*asked, *([] if "--out" in asked else ["--out", str(tmp_path / "out")])])
    assert capsys.readouterr().err.splitlines()[-1].endswith(said)
    assert not list(tmp_path.iterdir())
