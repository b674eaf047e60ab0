"""Trains by self-play with RLlib's PPO (new API stack) on the PettingZoo environment.

`python examples/rllib_ppo.py --out runs/rllib`
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from torch import nn

from spacemission_env import make_agent, space_mission_v0
from spacemission_train.export import save_policy


class SeatsEnv(MultiAgentEnv):
    """Both seats learn; in a share of the games greedy plays one of them.

    Only the seat to act gets an observation, with its reward since its last decision (`last()`). At the end
    every learning seat gets a last observation, with its own final reward.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        # `shaping` pays each change of the score margin at once.
        self.env = space_mission_v0.env(num_players=2, reward="score_margin", shaping=1.0)
        self.agents = self.possible_agents = list(self.env.possible_agents)
        self.observation_spaces = {agent: self.env.observation_space(agent) for agent in self.agents}
        self.action_spaces = {agent: self.env.action_space(agent) for agent in self.agents}
        self.greedy, self.share = make_agent("greedy"), config["greedy"]
        self.rng, self.runner = random.Random(), getattr(config, "worker_index", 0)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        if seed is not None:  # RLlib gives the games of its env runners overlapping seeds
            self.rng.seed(1_000_000 * self.runner + seed)
        self.env.reset(self.rng.getrandbits(32))
        self.opponent = self.rng.choice(self.agents) if self.rng.random() < self.share else None
        return self.until_a_learner_is_to_act()[0], {}

    def step(self, actions: dict[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        self.env.step(actions[self.env.agent_selection])
        return self.until_a_learner_is_to_act()

    def until_a_learner_is_to_act(self) -> tuple[dict, dict, dict, dict, dict]:
        seen, rewards, ended, env = {}, {}, False, self.env
        while env.agents:  # after the end this visits every seat once
            agent = env.agent_selection
            observation, reward, ended, _, _ = env.last()
            if agent != self.opponent:
                seen[agent], rewards[agent] = observation, reward
                if not ended:
                    break
            env.step(None if ended else self.greedy.play(env.unwrapped.game))
        ends = {**dict.fromkeys(seen, ended), "__all__": ended}
        return seen, rewards, ends, dict.fromkeys(ends, False), {}


def mlp(size: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(size, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, out))


class MaskedNetworks(TorchRLModule, ValueFunctionAPI):
    def setup(self) -> None:
        size = self.observation_space["observation"].shape[0]
        self.actor, self.critic = mlp(size, self.action_space.n), mlp(size, 1)
        nn.init.orthogonal_(self.actor[-1].weight, 0.01)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.actor(seen["observation"])
        # Not -inf: PPO multiplies log probabilities by 0.
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, -1e8)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        return self.critic(batch[Columns.OBS]["observation"]).squeeze(-1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="runs/rllib", help="the model folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--greedy", type=float, default=0.75, help="share of the games against greedy")
    parser.add_argument("--total-timesteps", type=int, default=250_000, help="decisions of learning seats")
    parser.add_argument("--address", default="local", help="a running cluster; local: start one here")
    parser.add_argument("--workers", type=int, default=2, help="processes that play")
    parser.add_argument("--num-envs", type=int, default=32, help="games of each process")
    parser.add_argument("--num-steps", type=int, default=64, help="decisions in each game between updates")
    parser.add_argument("--games", type=int, default=4000, help="against greedy, at the end")
    args = parser.parse_args()
    env, seat = space_mission_v0.env(), "player_0"
    module = RLModuleSpec(
        module_class=MaskedNetworks,
        observation_space=env.observation_space(seat),
        action_space=env.action_space(seat),
    )
    config = (
        PPOConfig()
        # RLlib's check of the environment plays at random, without the mask.
        .environment(SeatsEnv, env_config={"greedy": args.greedy}, disable_env_checking=True)
        .env_runners(
            num_env_runners=args.workers,
            num_envs_per_env_runner=args.num_envs,
            rollout_fragment_length=args.num_steps,
            sample_timeout_s=600,  # the first decisions may compile
        )
        .fault_tolerance(restart_failed_env_runners=False, ignore_env_runner_failures=True)
        .multi_agent(policies={"learner"}, policy_mapping_fn=lambda *_, **__: "learner")
        .rl_module(rl_module_spec=module)
        .training(
            train_batch_size_per_learner=args.workers * args.num_envs * args.num_steps,
            minibatch_size=min(512, args.workers * args.num_envs * args.num_steps),
            num_epochs=2,
            lr=[[0, 2e-3], [args.total_timesteps, 1e-4]],
            gamma=0.999,
            lambda_=0.9,
            clip_param=0.2,
            entropy_coeff=0.02,
            vf_loss_coeff=0.5,
            vf_clip_param=float("inf"),
            grad_clip=0.5,
            use_kl_loss=False,
        )
        .debugging(seed=args.seed, log_level="ERROR")
    )
    own = {"num_cpus": args.workers, "include_dashboard": False} if args.address == "local" else {}
    ray.init(args.address, log_to_driver=False, **own)
    algo, steps, start = config.build_algo(), 0, time.time()
    while steps < args.total_timesteps:
        steps = int(algo.train()["env_runners"]["num_env_steps_sampled_lifetime"])
        print(f"{steps=}, SPS={steps / (time.time() - start):.0f}", flush=True)
    networks = module.build()
    networks.set_state(algo.learner_group.get_weights(["learner"])["learner"])
    algo.stop()
    ray.shutdown()
    save_policy(args.out, networks.actor, players=2, command=" ".join(sys.argv))
    arena = ["arena", "--agents", f"policy:{args.out},greedy", "--players", "2", "--games", str(args.games)]
    subprocess.run([sys.executable, "-m", "spacemission_env", *arena], check=True)
