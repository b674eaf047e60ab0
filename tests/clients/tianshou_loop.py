"""Collects games of two seats with Tianshou, past their ends, and lets DQN learn from its buffer."""

import numpy as np
import pettingzoo
from tianshou.algorithm import DQN
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

import spacemission_env  # noqa: F401  (registers the games)


def make_env() -> PettingZooEnv:
    return PettingZooEnv(pettingzoo.make("aec", "spacemission/space_mission-v0", num_players=2))


env = make_env()
space = env.env.observation_space("player_0")["observation"]
policy = DiscreteQLearningPolicy(
    model=Net(state_shape=space.shape, action_shape=env.action_space.n, hidden_sizes=[32]),
    action_space=env.action_space,
    observation_space=env.observation_space,
    eps_training=0.5,
)
learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=10)
both = MultiAgentOffPolicyAlgorithm(
    algorithms=[learner, MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space)], env=env
)
buffer = VectorReplayBuffer(10_000, 2)
collector = Collector(
    both, DummyVectorEnv([make_env, make_env]), buffer, exploration_noise=True, raise_on_nan_in_buffer=True
)
collector.reset()
for _ in range(2):
    collected = collector.collect(n_episode=3)
    assert collected.n_collected_episodes == 3
    with policy_within_training_step(both.policy):
        both.update(buffer, 32)
assert buffer.done.sum() == 6
assert np.abs(buffer.rew[buffer.done]).sum() > 0
