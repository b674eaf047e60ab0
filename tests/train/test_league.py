"""Tests of PPO and its additions: past selves, mean weights, several numbers of players."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from spacemission_agents.models.folder import load_model
from spacemission_env.core.agents import act_alone, make_agent, parse_mixture
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.run import trainer
from spacemission_train.run.torch_settings import torch_settings
from spacemission_train.self_play.league import NetworkPlayer, Pool
from tests.support.small_runs import (
    FULL,
    RUNS,
    new_model,
    same,
    some_decisions,
    some_table,
    tiny,
    weights,
)

pytestmark = pytest.mark.slow

# ------------------------------------------------------------ past selves


def league(results: list[float]) -> Pool:
    pool = Pool(parse_mixture("random=1,past=3"), tiny().form)
    arrays = policy_arrays(new_model(tiny()).policy)
    pool.set_latest(arrays)
    for steps, result in enumerate(results):
        pool.add_snapshot(steps, arrays, result)
    return pool


def test_results_are_noted_of_past_selves_alone() -> None:
    pool = league([0.5, 0.5])
    pool.note(np.array([0, 1, 2]), np.array([1.0, 1.0, 1.0]))
    assert pool.results[0] > 0.5 and pool.results[1] == 0.5
    for _ in range(3000):
        pool.note(np.array([3]), np.array([0.0]))
    assert pool.results[1] < 0.01


# ------------------------------------------------------------ the update


def test_an_update_without_additions_is_that_of_maskable_ppo(monkeypatch: pytest.MonkeyPatch) -> None:
    # The two shuffle rows in different orders, so all rows are one batch.
    size = {"envs": 8, "n_steps": 16, "batch_size": 128}
    settings = tiny(**size, epochs=6, learning_rate=1e-2, clip_range=0.05)
    with torch_settings(1):
        model = new_model(settings)
        with monkeypatch.context() as patch:
            patch.setattr(model, "train", lambda: None)
            model.learn(128)
        first = {name: weights.clone() for name, weights in model.policy.state_dict().items()}
        before, after = policy_arrays(model.policy), []
        for update in (LeaguePPO.train, MaskablePPO.train):
            model.policy.load_state_dict(first)
            model.policy.optimizer.state.clear()
            update(model)
            after.append(policy_arrays(model.policy))
    ours, theirs = after
    assert model.logger.name_to_value["train/clip_fraction"] > 0.02, "the old probabilities must matter"
    for name, array in before.items():
        assert np.abs(ours[name] - array).max() > 5e-3, name
        assert np.abs(ours[name] - theirs[name]).max() < 1e-4, name


# ------------------------------------------------------------ the mean of the weights


def selves(average: float, updates: int) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The weights of one layer after each update, and the mean weights at that time."""
    settings = tiny(average=average)
    live, mean = [], []
    with torch_settings(1):
        model = new_model(settings)
        for k in range(updates):
            model.learn(settings.envs * settings.n_steps, reset_num_timesteps=k == 0)
            live.append(model.policy.action_net.weight.detach().clone())
            mean.append(model.outcome.action_net.weight.detach().clone())
    return live, mean


def test_the_mean_looks_back_on_its_share_of_the_updates() -> None:
    live, mean = selves(1.0, 5)
    for k in range(5):
        torch.testing.assert_close(mean[k], torch.stack(live[: k + 1]).mean(0))
    assert not torch.equal(mean[-1], live[-1])
    live, mean = selves(0.5, 4)
    torch.testing.assert_close(mean[1], live[1])  # half of two updates is the last
    expected = live[1] + (live[2] - live[1]) * 2 / 3
    torch.testing.assert_close(mean[2], expected)
    torch.testing.assert_close(mean[3], expected + (live[3] - expected) / 2)
    live, mean = selves(0.0, 2)
    assert torch.equal(mean[1], live[1])


def test_a_run_leaves_the_mean_and_plays_on_without(tmp_path: Path) -> None:
    run = trainer.start(tiny(average=0.8, steps=512, checkpoint_steps=256), tmp_path / "run")
    left, live = policy_arrays(run.model.outcome), policy_arrays(run.model.policy)
    assert not same(left, live)
    assert same(weights(run.out / "model"), left)
    last = run.pool.player(len(run.pool.names) + len(run.pool.snapshots) - 1)
    asked = some_decisions()
    assert (last.logits(asked) == NetworkPlayer(run.settings.form, left).logits(asked)).all()
    run.model.on_rollout()
    latest = run.pool.fixed[run.pool.names.index("latest")]
    assert (latest.logits(asked) == NetworkPlayer(run.settings.form, live).logits(asked)).all()


# ------------------------------------------------------------ several numbers of players


def test_a_full_run_leaves_a_model_for_every_number_of_players(run_of: Callable[[str], trainer.Run]) -> None:
    whole = run_of("everything")
    card = load_model(whole.out / "model")[0]
    names = ("random", "greedy", "heuristic")
    assert set(card["results"]) == {f"win_share_against_{name}_{n}p" for name in names for n in (2, 3, 5)}
    agent = make_agent(f"policy:{whole.out / 'model'}")
    for players in (2, 3, 5):
        table = some_table(20, players, moves=0, rules=FULL["rules"])
        asked = table.ask(table.everyone)
        assert asked.masks[np.arange(20), act_alone(agent, asked)].all()
    columns = {f"win_{name}{tail}" for name in names for tail in ("", "_3p", "_5p")}
    assert columns <= set(whole.rows[-1])
    assert card["training"]["players"] == [2, 3, 5]


def test_every_layer_learns(run_of: Callable[[str], trainer.Run]) -> None:
    fresh = new_model(RUNS["everything"]).policy.state_dict()
    learnt = run_of("everything").model.policy.state_dict()
    assert not [name for name, weight in learnt.items() if torch.equal(weight, fresh[name])]


def test_a_number_of_players_named_twice_is_played_twice_as_often() -> None:
    table = some_table(1200, (2, 2, 4), moves=0)
    twos = np.count_nonzero(table.seats == 2)
    assert np.count_nonzero(table.seats == 4) == 1200 - twos
    assert abs(twos - 800) < 5 * 16.4, "800 and five standard deviations"
