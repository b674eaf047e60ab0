"""Train the value by which the arena tells luck from skill (`luck/value.py`).

`python -m spacemission_train.games.space_mission.fit_luck --out FILE`

It begins with the weights of `policy:scratch` and learns from games between the agents of `--agents`: from
the newest ones, while the next are played. It is trained once and ships: a value that had seen the games
which it is to judge would not be fair to them.
"""

from __future__ import annotations

import argparse
from copy import deepcopy
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from safetensors.numpy import save as save_tensors
from torch import nn

from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.game_spec import find_game
from spacemission_train.games.space_mission.afterstate.self_play import kind_turns
from spacemission_train.games.space_mission.luck.games import Examples, gather, luck_of_games
from spacemission_train.games.space_mission.luck.network import (
    ValueNetwork,
    begun_from,
    explained,
    later_worth,
    loss_of,
    told_shares,
)

START = "scratch"  # a model folder with a value of afterstates
AGENTS = "policy:scratch,heuristic,policy:default"
PLAYERS = "2,2,2,2,3,2,2,2,2,4,2,2,2,2,2,5"
GAMES = 1000  # of two players in a round; of more so many fewer that there are as many seats
KEPT = 12  # rounds that are learnt from, the newest
BATCH, STEPS, RATE, DECAY = 384, 50, 5e-4, 1e-4
WARM = 100  # steps until the rate is full
AVERAGED = 0.995  # of the mean of the weights, which tells and ships
LATER = 0.85  # how much what a game comes to counts, by each move with chance in it


class Learner:
    """A network, and the rounds that it learns from."""

    def __init__(self, network: ValueNetwork, rounds: int, seed: int, steps: int = STEPS) -> None:
        """`rounds`: so many in all; `steps`: of the optimizer after each."""
        self.network, self.rng, self.steps = network, np.random.default_rng(seed), steps
        self.kept: list[Examples] = []
        self.mean = deepcopy(network)
        self.optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
        total = rounds * steps
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min((step + 1) / WARM, (total - step) / total)
        )
        spec = find_game("space_mission")
        box = spec.make_box(spec.load_components(None), spec.make_rules(None))
        self.turns = kind_turns(box[0]["tile_count"])

    def learn(self, examples: Examples) -> float:
        """Take in a round; the mean loss of the steps that follow."""
        shares = told_shares(self.mean, examples.x, examples.turns)
        examples.told[..., 0] = later_worth(shares, examples.told[..., 0], examples.games, LATER)
        self.kept = [*self.kept, examples][-KEPT:]
        total = 0.0
        for _ in range(self.steps):
            part = self.kept[self.rng.integers(len(self.kept))]
            rows = self.rng.integers(len(part.x), size=BATCH)
            x = part.x[rows][..., self.turns[self.rng.integers(len(self.turns))]]
            batch = [torch.from_numpy(a) for a in (x, part.turns[rows], part.told[rows])]
            with torch.autocast("cpu", torch.bfloat16):
                loss = loss_of(self.network, *batch)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimizer.step()
            self.schedule.step()
            with torch.no_grad():
                for mean, now in zip(self.mean.parameters(), self.network.parameters(), strict=True):
                    mean.lerp_(now, 1 - AVERAGED)
            total += float(loss.detach())
        return total / self.steps


def main() -> None:
    """Play and learn, report how well the shares of fresh games are told, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--agents", default=AGENTS)
    parser.add_argument("--players", default=PLAYERS, help="of one round each, again and again")
    parser.add_argument("--rounds", type=int, default=32)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    names, start = given.agents.split(","), perf_counter()
    counts = [int(n) for n in given.players.split(",")]
    learner = Learner(begun_from(PolicyAgent(START).arrays), given.rounds, given.seed, given.steps)
    for i in range(given.rounds):
        n = counts[i % len(counts)]
        loss = learner.learn(gather(names, n, 2 * GAMES // n, 1000 * given.seed + i))
        print(f"round {i + 1}, {n} players: loss {loss:.4f}, {perf_counter() - start:.0f} s", flush=True)
        given.out.write_bytes(save_tensors(learner.mean.arrays()))
    for n in sorted(set(counts)):
        fresh = gather(names, n, GAMES, 10**6 + n)
        share = explained(learner.mean, fresh.x, fresh.turns, fresh.told[..., 0])
        print(f"{n} players: explains {share:.1%} of the variance in fresh games")
        shares, luck = luck_of_games(names, given.out.read_bytes(), n, GAMES // 2, 2 * 10**6 + n)
        ratio = ((shares - luck).var() / shares.var()) if luck.any() else 1.0
        print(f"{n} players: variance less luck {ratio:.3f} of that of single games", flush=True)
    print(f"written: {given.out}, {perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
