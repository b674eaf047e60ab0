"""Trains RLlib's PPO for one iteration in its own wrapper of PettingZoo's environments."""

from typing import Any

import pettingzoo
from pettingzoo.utils import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

import spacemission_env  # noqa: F401  (registers the games)


class Plain(BaseWrapper):
    """Leaves out the mask, for which RLlib has no default module."""

    def observation_space(self, agent: str) -> Any:
        return self.env.observation_space(agent)["observation"]

    def observe(self, agent: str) -> Any:
        return self.env.observe(agent)["observation"]


def make_env(_: dict[str, Any]) -> PettingZooEnv:
    name = "spacemission/space_mission-v0"
    return PettingZooEnv(Plain(pettingzoo.make("aec", name, num_players=2, illegal="lose")))


register_env("space_mission", make_env)
config = (
    PPOConfig()
    .environment("space_mission", disable_env_checking=True)
    .env_runners(num_env_runners=0)
    .training(train_batch_size=200, minibatch_size=50, num_epochs=1)
    .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, *_, **__: "shared")
)
results = config.build_algo().train()
assert results["env_runners"]["num_episodes"] > 0
