"""Plays whole games with masks in TorchRL's wrapper of PettingZoo."""

import pettingzoo
from pettingzoo.utils import BaseWrapper
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import check_env_specs

import spacemission_env  # noqa: F401  (registers the games)


class Bare(BaseWrapper):
    """Has empty infos: TorchRL takes nothing but numbers there."""

    infos = property(lambda self: {agent: {} for agent in self.possible_agents}, lambda self, _: None)


bare = Bare(pettingzoo.make("aec", "spacemission/space_mission-v0", num_players=2))
env = PettingZooWrapper(bare, use_mask=True)
env.set_seed(1)
check_env_specs(env)
group = next(iter(env.group_map))
for _ in range(3):
    games = env.rollout(1000)
    assert games["next", "done"].sum() == 1
    assert games["next", group, "reward"][-1].abs().sum() > 0
