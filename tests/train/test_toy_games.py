"""Tests that MaskablePPO on `SelfPlayVecEnv` solves toy games, and does not with wrong rewards.

Training is against the latest and past selves, as in the league. In a zero-sum game the latest policy cycles,
but the average of the selves comes near the equilibrium. `gains` measures its distance exactly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from spacemission_env.core.agents import Decisions
from spacemission_train.run.torch_settings import torch_settings
from spacemission_train.self_play.vec_env import SelfPlayVecEnv
from tests.support.toy_games import (
    DOMINANT,
    HARM,
    OWN_GAIN,
    TablePlayers,
    Tree,
    TreeTable,
    average,
    dilemma,
    gains,
    kuhn,
    kuhn_equilibrium,
    uniform,
    values,
)

pytestmark = pytest.mark.slow

ENVS, STEPS = 128, 4
KUHN_VALUE = np.array([-1, 1]) / 18


class NextSeatPaid(TreeTable):
    """Wrong on purpose: each seat gets the reward of the seat before it."""

    def final_rewards(self, index: np.ndarray) -> np.ndarray:
        return np.roll(super().final_rewards(index), 1, axis=1)


class OrderPaid(TreeTable):
    """Wrong on purpose: rewards in the order of play, not of the seats."""

    def final_rewards(self, index: np.ndarray) -> np.ndarray:
        return self.tree.payoff[self.dealt[index], self.node[index]].astype(np.float32)


class MeanPaid(TreeTable):
    """Wrong on purpose: all seats share what the table got."""

    def final_rewards(self, index: np.ndarray) -> np.ndarray:
        rewards = super().final_rewards(index)
        return np.broadcast_to(rewards.mean(1, keepdims=True), rewards.shape)


def train(table: TreeTable, updates: int, shaping: float = 0.0) -> np.ndarray:
    """Self-play on a table; probabilities (sets, actions) of the average of the last three quarters of all
    selves.

    Advantages are not scaled, so the entropy's weight, which falls from 1/2 to 1/20, is a temperature in
    units of reward. It keeps the probability of each move above zero while the policy cycles.
    """
    tree = table.tree
    players = TablePlayers(uniform(tree), latest=0.5, seed=1)
    env = SelfPlayVecEnv(table, players, seed=1, shaping=shaping, final_lead=False, gamma=1.0)
    with torch_settings(1):
        model = MaskablePPO(
            "MlpPolicy",
            env,
            learning_rate=0.02,
            n_steps=STEPS,
            batch_size=ENVS * STEPS,
            n_epochs=4,
            gamma=1.0,
            policy_kwargs={"net_arch": [16]},
            normalize_advantage=False,
            seed=1,
            device="cpu",
        )
        model.set_logger(Logger(None, []))  # else each call of learn() makes a folder
        for k in range(updates):
            model.ent_coef = 0.5 * 0.1 ** (k / updates)
            model.learn(ENVS * STEPS, reset_num_timesteps=k == 0)
            players.add(odds_of(model, tree))
    return average(tree, players.pool[updates // 4 :])


def odds_of(model: MaskablePPO, tree: Tree) -> np.ndarray:
    with torch.no_grad():
        seen = torch.eye(len(tree.owner))
        dist = model.policy.get_distribution(seen, tree.legal).distribution
    return dist.probs.numpy().astype(float)


# ------------------------------------------------------------ the toy games


def test_known_solutions_of_the_toys() -> None:
    tree = kuhn()
    assert len(tree.owner) == 12
    for alpha in (0.0, 0.1, 1 / 3):
        assert values(tree, kuhn_equilibrium(alpha)) == pytest.approx(KUHN_VALUE)
        assert gains(tree, kuhn_equilibrium(alpha)) == pytest.approx([0, 0], abs=1e-12)
    tree, dominant = dilemma(), np.eye(4)[list(DOMINANT)]
    assert gains(tree, dominant) == pytest.approx([0, 0, 0])
    assert values(tree, dominant) == pytest.approx(np.array(OWN_GAIN) - 2 * HARM)


def test_an_average_of_selves_plays_as_one_drawn_for_each_game() -> None:
    # A self that seldom passes seldom comes to the first player's second decision, so it counts for less
    # there; the plain mean of the probabilities is worth something else.
    tree, rng = kuhn(), np.random.default_rng(5)
    pool = rng.dirichlet([0.3, 0.3], (3, 12))
    other = rng.dirichlet([1.0, 1.0], 12)
    for role in range(2):
        own = (tree.owner == role)[:, None]
        drawn = np.mean([values(tree, np.where(own, probabilities, other)) for probabilities in pool], 0)
        assert values(tree, np.where(own, average(tree, pool), other)) == pytest.approx(drawn)
        plain = values(tree, np.where(own, pool.mean(0), other))
        assert (np.abs(plain - drawn).max() > 1e-3) == (role == 0)  # the second player decides but once


# ------------------------------------------------------------ the right rewards, before any learning


def mean_rewards(table: TreeTable, probabilities: np.ndarray) -> np.ndarray:
    """The learner's mean final reward in each role (roles,), where all play by `probabilities`."""
    learner = TablePlayers(probabilities, seed=3)
    env = SelfPlayVecEnv(table, TablePlayers(probabilities, seed=4), seed=5)
    sums = np.zeros((2, table.num_players))
    observations = env.reset()
    nobody = np.zeros(env.num_envs, np.int64)
    for _ in range(300):
        roles = table.tree.owner[observations.argmax(1)]
        actions = learner.act(nobody, Decisions(observations, env.action_masks(), nobody))
        observations, rewards, dones, _ = env.step(actions)
        assert not rewards[~dones].any(), "paid before the end"
        np.add.at(sums[0], roles[dones], rewards[dones])
        np.add.at(sums[1], roles[dones], 1)
    return sums[0] / sums[1]


def test_equilibrium_play_is_paid_what_the_game_is_worth() -> None:
    # Some 15,000 games in each role: a standard error of about 0.01.
    probabilities = kuhn_equilibrium(0.2)
    assert mean_rewards(TreeTable(kuhn(), 128), probabilities) == pytest.approx(KUHN_VALUE, abs=0.035)
    assert mean_rewards(NextSeatPaid(kuhn(), 128), probabilities) == pytest.approx(-KUHN_VALUE, abs=0.035)
    tree, dominant = dilemma(), np.eye(4)[list(DOMINANT)]
    assert mean_rewards(TreeTable(tree, 8), dominant) == pytest.approx(values(tree, dominant))


# ------------------------------------------------------------ what is learned

# Updates, and the sum of the players' `gains` below which the averaged play has to be; uniform play has four
# times as much. With seeds 1 to 3 sums up to 0.07 and 0.05 were measured; 0.13 with shaping.
GAMES: dict[str, tuple[Callable[[], Tree], int, float]] = {
    "kuhn": (kuhn, 160, 0.2),
    "dilemma": (dilemma, 40, 0.15),
}


@pytest.mark.parametrize("name", GAMES)
def test_self_play_comes_near_the_equilibrium(name: str) -> None:
    make, updates, bound = GAMES[name]
    tree = make()
    assert gains(tree, uniform(tree)).sum() >= 4 * bound
    probabilities = train(TreeTable(tree, ENVS), updates)
    assert gains(tree, probabilities).sum() < bound
    if name == "kuhn":
        assert values(tree, probabilities) == pytest.approx(KUHN_VALUE, abs=0.04)
    if name == "dilemma":
        assert (probabilities[range(3), DOMINANT] > 0.95).all()


def test_potential_based_shaping_comes_to_the_same_equilibrium() -> None:
    # The lead favours betting, which is not good play here; the exact statement is in test_shaping.py.
    tree = kuhn()
    probabilities = train(TreeTable(tree, ENVS), GAMES["kuhn"][1], shaping=0.5)
    assert gains(tree, probabilities).sum() < GAMES["kuhn"][2]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("kuhn", NextSeatPaid),
        ("dilemma", NextSeatPaid),
        ("dilemma", OrderPaid),
        ("dilemma", MeanPaid),
    ],
)
def test_with_the_wrong_reward_it_stays_far_off(name: str, wrong: type[TreeTable]) -> None:
    make, updates, bound = GAMES[name]
    probabilities = train(wrong(make(), ENVS), updates)
    assert gains(make(), probabilities).sum() > 2 * bound
