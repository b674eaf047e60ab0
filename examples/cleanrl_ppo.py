"""Trains by self-play with PPO in one file, in the manner of CleanRL's ppo.py.

`python examples/cleanrl_ppo.py --out runs/cleanrl`
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass, fields

import gymnasium as gym
import numpy as np
import torch
from torch import nn, optim
from torch.distributions import Categorical

from spacemission_env import Agent, Decisions
from spacemission_train.export import save_policy


@dataclass
class Args:
    """The options of the command line."""

    out: str = "runs/cleanrl"
    seed: int = 1
    total_timesteps: int = 800_000
    opponents: str = "greedy=0.75,__main__:Latest=0.25"  # drawn for each game
    num_envs: int = 256
    num_steps: int = 16
    learning_rate: float = 2e-3
    gamma: float = 0.999
    gae_lambda: float = 0.9
    minibatch_size: int = 512
    update_epochs: int = 2
    clip_coef: float = 0.2
    ent_coef: float = 0.02
    hidden: int = 256
    games: int = 4000  # against greedy, at the end


def parse_args() -> Args:
    parser = argparse.ArgumentParser(description=__doc__)
    for one in fields(Args):
        parser.add_argument(f"--{one.name.replace('_', '-')}", type=type(one.default), default=one.default)
    return Args(**vars(parser.parse_args()))


def mlp(size: int, hidden: int, out: int, std: float) -> nn.Sequential:
    first, second, last = nn.Linear(size, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, out)
    for layer in (first, second, last):
        nn.init.orthogonal_(layer.weight, std if layer is last else 2**0.5)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), last)


class Networks(nn.Module):
    def __init__(self, obs_size: int, num_actions: int, hidden: int) -> None:
        super().__init__()
        self.actor = mlp(obs_size, hidden, num_actions, std=0.01)
        self.critic = mlp(obs_size, hidden, 1, std=1.0)

    def probs(self, obs: torch.Tensor, mask: torch.Tensor) -> Categorical:
        return Categorical(logits=self.actor(obs).masked_fill(mask == 0, -1e8), validate_args=False)


class Latest(Agent):
    """The opponent in self-play: the present networks; it samples its moves."""

    networks: Networks

    @torch.no_grad()
    def act(self, decisions: Decisions) -> np.ndarray:
        obs, mask = torch.as_tensor(decisions.observations), torch.as_tensor(decisions.masks)
        return Latest.networks.probs(obs, mask).sample().numpy()


if __name__ == "__main__":
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # two are very slow where another program is busy

    # Env setup. The learner has one seat of each game. A step is one decision of the learner and all moves of
    # the others until its next decision; the reward covers all of them. So a game is one stream of GAE.
    options = {"reward": "score_margin", "shaping": 1.0}  # pays each change of the score margin at once
    vector = {"num_envs": args.num_envs, "vectorization_mode": "vector_entry_point"}
    envs = gym.make_vec("SpaceMission-v0", opponents=args.opponents, **options, **vector)
    obs_size, num_actions = envs.single_observation_space.shape[0], envs.single_action_space.n
    networks = Latest.networks = Networks(obs_size, num_actions, args.hidden)
    optimizer = optim.Adam(networks.parameters(), lr=args.learning_rate, eps=1e-5)

    # Storage setup
    shape, batch_size = (args.num_steps, args.num_envs), args.num_steps * args.num_envs
    obs, actions = torch.zeros((*shape, obs_size)), torch.zeros(shape, dtype=torch.long)
    masks = torch.zeros((*shape, num_actions), dtype=torch.int8)
    logprobs, rewards, dones, values = (torch.zeros(shape) for _ in range(4))
    num_iterations = max(1, args.total_timesteps // batch_size)

    # Start the games
    next_obs, infos = envs.reset(seed=args.seed)
    start_time = time.time()
    for iteration in range(1, num_iterations + 1):
        optimizer.param_groups[0]["lr"] = (1 - (iteration - 1) / num_iterations) * args.learning_rate
        for step in range(args.num_steps):
            obs[step], masks[step] = torch.as_tensor(next_obs), torch.as_tensor(infos["action_mask"])
            with torch.no_grad():
                probs = networks.probs(obs[step], masks[step])
                actions[step] = probs.sample()
                logprobs[step] = probs.log_prob(actions[step])
                values[step] = networks.critic(obs[step]).flatten()
            next_obs, reward, terminated, truncated, infos = envs.step(actions[step].numpy())
            rewards[step], dones[step] = torch.as_tensor(reward), torch.as_tensor(terminated | truncated)

        # GAE; after the end of a game next_obs is of a new game
        with torch.no_grad():
            next_value, lastgaelam = networks.critic(torch.as_tensor(next_obs)).flatten(), 0
            advantages = torch.zeros(shape)
            for t in reversed(range(args.num_steps)):
                nextnonterminal = 1 - dones[t]
                delta = rewards[t] + args.gamma * next_value * nextnonterminal - values[t]
                lastgaelam = delta + args.gamma * args.gae_lambda * nextnonterminal * lastgaelam
                advantages[t], next_value = lastgaelam, values[t]
            returns = advantages + values

        # Optimizing the policy and value network, with the masks of the rollout
        batch = [x.flatten(0, 1) for x in (obs, masks, actions, logprobs, advantages, returns)]
        for _ in range(args.update_epochs):
            for rows in torch.randperm(batch_size).split(args.minibatch_size):
                mb_obs, mb_masks, mb_actions, mb_logprobs, mb_adv, mb_returns = (x[rows] for x in batch)
                probs = networks.probs(mb_obs, mb_masks)
                ratio = (probs.log_prob(mb_actions) - mb_logprobs).exp()
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
                pg_loss = torch.max(-mb_adv * ratio, -mb_adv * clipped).mean()
                v_loss = 0.5 * (networks.critic(mb_obs).flatten() - mb_returns).square().mean()
                loss = pg_loss - args.ent_coef * probs.entropy().mean() + 0.5 * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(networks.parameters(), 0.5)
                optimizer.step()
        if iteration % max(1, num_iterations // 20) == 0:
            steps, sps = iteration * batch_size, iteration * batch_size / (time.time() - start_time)
            print(f"{steps=}, return={rewards.sum() / dones.sum():.3f}, SPS={sps:.0f}", flush=True)

    save_policy(args.out, networks.actor, players=2, command=" ".join(sys.argv))
    arena = ["arena", "--agents", f"policy:{args.out},greedy", "--players", "2", "--games", str(args.games)]
    subprocess.run([sys.executable, "-m", "spacemission_env", *arena], check=True)
