"""Trains by self-play with TorchRL's PPO on the PettingZoo environment, through TorchRL's wrapper.

`python examples/torchrl_ppo.py --out runs/torchrl`
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from functools import partial

import torch
from pettingzoo.utils import BaseWrapper
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import MultiSyncCollector
from torchrl.envs import EnvBase, PettingZooWrapper, SerialEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss

from spacemission_env import make_agent, space_mission_v0
from spacemission_train.export import save_policy

SEATS = ["player_0", "player_1"]
GREEDY = 0.9  # share of the games in which greedy plays one seat
GAMMA, LAMBDA, LEARNING_RATE, MINIBATCH, EPOCHS = 0.999, 0.9, 2e-3, 512, 4


class Opponent(BaseWrapper):
    """In some games greedy plays one seat. Its moves belong to the other seat's step."""

    def __init__(self, env: BaseWrapper, seed: int) -> None:
        super().__init__(env)
        self.greedy, self.rng = make_agent("greedy"), random.Random(seed)
        self.infos = {agent: {} for agent in SEATS}  # TorchRL needs the same entries after every step

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        super().reset(seed, options)
        self.seat = self.rng.choice(SEATS) if self.rng.random() < GREEDY else None
        self.greedy_plays()

    def step(self, action: int) -> None:
        super().step(action)
        self.greedy_plays()

    def greedy_plays(self) -> None:
        self.rewards, game = dict(self.env.rewards), self.unwrapped.game
        while self.agent_selection == self.seat and not game.over:
            super().step(self.greedy.play(game))
            self.rewards = {agent: self.rewards[agent] + self.env.rewards[agent] for agent in SEATS}


# TorchRL finds these three by dir(), many times in each step. Properties make it about 1.4 times as fast.
class Wrapper(PettingZooWrapper):
    possible_agents = property(lambda self: SEATS)
    agents = property(lambda self: self._env.agents)
    agent_selection = property(lambda self: self._env.agent_selection)


def make_env(seed: int) -> EnvBase:
    env = space_mission_v0.env(num_players=2, reward="score_margin", shaping=1.0)  # pays each change at once
    return Wrapper(Opponent(env, seed), use_mask=True, group_map={"seats": SEATS}, seed=seed)


def make_envs(worker: int, args: argparse.Namespace) -> EnvBase:
    # Not collector.set_seed: it deals new games, while the collector goes on with the old observations.
    seed = 1_000_000 * args.seed + 1000 * worker
    torch.manual_seed(seed)
    return SerialEnv(args.num_envs, [partial(make_env, seed + i) for i in range(args.num_envs)])


def mlp(out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(1554, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, out))


@torch.no_grad()
def decisions(batch: TensorDict, critic: TensorDictModule) -> TensorDict:
    """Make a flat batch of a rollout (games, moves, seats), in which each move is of one seat (`mask`).

    The reward of a decision is the sum over all moves up to the same seat's next decision.
    """
    seats, acting, after = batch["seats"], batch["seats", "mask"], batch["next", "seats"]
    value, next_value = (critic(td)["seats", "state_value"][..., 0] for td in (batch, batch["next"][:, -1]))
    advantage, reward, lastgaelam = torch.zeros_like(value), *torch.zeros(2, *next_value.shape)
    for t in reversed(range(batch.shape[1])):
        alive = 1.0 - batch["next", "done"][:, t].float()
        reward, next_value, lastgaelam = reward * alive, next_value * alive, lastgaelam * alive
        reward = reward + after["reward"][:, t, :, 0]
        advantage[:, t] = reward + GAMMA * (next_value + LAMBDA * lastgaelam) - value[:, t]
        lastgaelam = torch.where(acting[:, t], advantage[:, t], lastgaelam)
        next_value = torch.where(acting[:, t], value[:, t], next_value)
        reward = torch.where(acting[:, t], 0.0, reward)
    own, mean, std = seats[acting], advantage[acting].mean(), advantage[acting].std()
    own["value_target"] = (advantage + value)[acting][:, None]
    own["advantage"] = ((advantage[acting] - mean) / (std + 1e-8))[:, None]
    return TensorDict({"seats": own}, [len(own)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="runs/torchrl", help="the model folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--total-frames", type=int, default=294_912, help="decisions of the learning seats")
    parser.add_argument("--num-envs", type=int, default=32, help="games of each process that plays")
    parser.add_argument("--num-steps", type=int, default=64, help="decisions in each game between updates")
    parser.add_argument("--games", type=int, default=4000, help="against greedy, at the end")
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    # Policy and value of each seat, from its own observation. Both seats share the networks.
    keys = {name: ("seats", name) for name in ("action", "advantage", "value_target")}
    seen, logits = ("seats", "observation", "observation"), ("seats", "logits")
    net, critic = mlp(101), TensorDictModule(mlp(1), [seen], [("seats", "state_value")])
    nn.init.orthogonal_(net[-1].weight, 0.01)
    actor = ProbabilisticActor(
        TensorDictModule(net, [seen], [logits]),
        in_keys={"logits": logits, "mask": ("seats", "action_mask")},
        out_keys=[keys["action"]],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    losses = ClipPPOLoss(actor, critic, entropy_coeff=0.02, critic_coeff=0.25, loss_critic_type="l2")
    losses.set_keys(**keys, value=("seats", "state_value"), sample_log_prob=("seats", "action_log_prob"))
    optimizer = torch.optim.Adam(losses.parameters(), lr=LEARNING_RATE, eps=1e-5)
    workers, size = [partial(make_envs, i, args) for i in range(2)], 2 * args.num_envs * args.num_steps
    total = -(-args.total_frames // size) * size  # whole updates
    collector = MultiSyncCollector(workers, actor, frames_per_batch=size, total_frames=total, cat_results=0)
    torch.set_num_threads(2)  # for the updates; the collector has set it to 1
    start = time.time()
    for update, batch in enumerate(collector):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update * size / total)
        data = decisions(batch, critic)
        for rows in torch.cat([torch.randperm(len(data)) for _ in range(EPOCHS)]).split(MINIBATCH):
            terms = losses(data[rows])
            optimizer.zero_grad()
            (terms["loss_objective"] + terms["loss_critic"] + terms["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(losses.parameters(), 0.5)
            optimizer.step()
        collector.update_policy_weights_()
        frames = (update + 1) * size
        print(f"{frames=}, SPS={frames / (time.time() - start):.0f}", flush=True)
    collector.shutdown()

    save_policy(args.out, net, players=2, command=" ".join(sys.argv))
    arena = ["arena", "--agents", f"policy:{args.out},greedy", "--players", "2", "--games", str(args.games)]
    subprocess.run([sys.executable, "-m", "spacemission_env", *arena], check=True)
