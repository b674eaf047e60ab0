"""Lets AgileRL's DQN play Space Mission with masks in our vector environment, and learn."""

import gymnasium
import numpy as np
from agilerl.algorithms import DQN
from agilerl.components.data import Transition
from agilerl.components.replay_buffer import ReplayBuffer

import spacemission_env  # noqa: F401  (registers the games)

envs = gymnasium.make_vec("SpaceMission-v0", num_envs=4, opponents="random")
agent = DQN(envs.single_observation_space, envs.single_action_space, batch_size=32)
memory = ReplayBuffer(10_000)
observation, info = envs.reset(seed=1)
ends, losses = 0, []
for step in range(300):
    action = agent.get_action(observation, epsilon=0.3, action_mask=info["action_mask"])
    following, reward, terminated, truncated, info = envs.step(action)
    done = terminated | truncated
    batch = Transition(obs=observation, action=action, reward=reward, next_obs=following, done=done)
    batch.batch_size = [envs.num_envs]
    memory.add(batch.to_tensordict())
    ends += int(done.sum())
    observation = following
    if step % 50 == 49:
        losses.append(agent.learn(memory.sample(32)))
assert ends >= 4 and np.isfinite(losses).all(), (ends, losses)
