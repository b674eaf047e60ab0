"""Self-play with MaskablePPO on `SelfPlayVecEnv` finds the known solutions of toy games; miscredited, it does not.

Trained as the league is, against the latest and past selves. Play in a zero-sum game goes round in circles
then; what comes near the equilibrium is the average of the selves, and it is judged exactly (`gains`).
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from spacemission_train.parts import torch_settings
from spacemission_train.self_play_env import SelfPlayVecEnv
from tests.toy_games import (
    BARRED,
    BLANK,
    DOMINANT,
    HARM,
    OWN_GAIN,
    WEIGHTED_EQUILIBRIUM,
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
    weighted_rock_paper_scissors,
)

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


def train(table: TreeTable, updates: int, **shaping: float) -> np.ndarray:
    """Self-play on a table; odds (sets, actions) of the average of the last three quarters of all selves.

    Advantages are not scaled, so that the entropy's weight, which falls from 1/2 to 1/20, is a temperature in
    units of reward: it keeps every move alive while play still turns.
    """
    tree = table.tree
    players = TablePlayers(uniform(tree), latest=0.5, seed=1)
    env = SelfPlayVecEnv(table, players, seed=1, **shaping)
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


# ------------------------------------------------------------ the toys and their arithmetic


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1 / 3])
def test_known_solutions_of_kuhn_poker(alpha: float) -> None:
    tree = kuhn()
    assert len(tree.owner) == 12
    assert values(tree, kuhn_equilibrium(alpha)) == pytest.approx(KUHN_VALUE)
    assert gains(tree, kuhn_equilibrium(alpha)) == pytest.approx([0, 0], abs=1e-12)


def test_known_solutions_of_the_other_toys() -> None:
    tree = weighted_rock_paper_scissors()
    both = np.tile(WEIGHTED_EQUILIBRIUM, (2, 1))
    assert gains(tree, both) == pytest.approx([0, 0]) and values(tree, both) == pytest.approx([0, 0])
    tree = dilemma()
    dominant = np.eye(4)[list(DOMINANT)]
    assert gains(tree, dominant) == pytest.approx([0, 0, 0])
    assert values(tree, dominant) == pytest.approx(np.array(OWN_GAIN) - 2 * HARM)


def test_uniform_play_is_far_from_every_solution() -> None:
    assert gains(kuhn(), uniform(kuhn())).sum() == pytest.approx(11 / 12)
    assert gains(tree := weighted_rock_paper_scissors(), uniform(tree)).sum() == pytest.approx(2.5)
    assert (gains(tree := dilemma(), uniform(tree)) > 0.6).all()


def test_an_average_of_selves_plays_as_one_drawn_for_each_game() -> None:
    # In Kuhn poker a self that always bets never comes to the second decision of the first player, so the
    # average there is the other's alone; the plain mean of the odds would be worth something else.
    tree, rng = kuhn(), np.random.default_rng(5)
    pool = rng.dirichlet([0.3, 0.3], (3, 12))
    other = rng.dirichlet([1.0, 1.0], 12)
    for role in range(2):
        own = (tree.owner == role)[:, None]
        drawn = np.mean([values(tree, np.where(own, odds, other)) for odds in pool], 0)
        assert values(tree, np.where(own, average(tree, pool), other)) == pytest.approx(drawn)
    own = (tree.owner == 0)[:, None]
    plain = values(tree, np.where(own, pool.mean(0), other))
    assert np.abs(plain - np.mean([values(tree, np.where(own, odds, other)) for odds in pool], 0)).max() > 1e-3


# ------------------------------------------------------------ the right rewards, without learning


def played(table: TreeTable, odds: np.ndarray, steps: int) -> np.ndarray:
    """Learner's mean final reward by role, all seats playing by `odds`: (roles,)."""
    env = SelfPlayVecEnv(table, TablePlayers(odds, seed=3), seed=4)
    learner = TablePlayers(odds, seed=5)
    rewards: list[list[float]] = [[] for _ in range(table.num_players)]
    observations = env.reset()
    who = np.zeros(env.num_envs, np.int64)
    for _ in range(steps):
        sets = observations.argmax(1)
        edges = learner.pool[0, sets].cumsum(1)
        actions = (edges <= learner.rng.random(env.num_envs)[:, None] * edges[:, -1:]).sum(1)
        observations, paid, dones, _ = env.step(actions)
        for i in np.flatnonzero(dones):
            rewards[table.tree.owner[sets[i]]].append(paid[i])
        assert (paid[~dones] == 0).all()
    del who
    return np.array([np.mean(r) for r in rewards])
