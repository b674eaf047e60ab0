"""Plays Space Mission with masks in SuperSuit's vector environment, past the ends of games."""

import numpy as np
import pettingzoo
import supersuit
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import spacemission_env  # noqa: F401  (registers the games)

env = pettingzoo.make("aec", "spacemission/space_mission-v0", num_players=2)
env = supersuit.reward_lambda_v0(env, lambda reward: 10 * reward)
envs = supersuit.pettingzoo_env_to_vec_env_v1(turn_based_aec_to_parallel(env))
envs = supersuit.concat_vec_envs_v1(envs, 2, base_class="gymnasium")
observation, _ = envs.reset(seed=1)
rng = np.random.default_rng(1)
paid = []
for _ in range(2000):
    masks = observation["action_mask"].astype(bool)  # empty for the seat that does not move
    actions = [int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in masks]
    observation, rewards, terminations, truncations, _ = envs.step(np.array(actions))
    paid += rewards[rewards != 0].tolist()
assert len(paid) >= 4 and set(paid) <= {10, -10, 5}, paid  # a win, a loss, a shared win
