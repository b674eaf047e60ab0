"""Trains the value by which the arena corrects for chance (`value/shared_network.py`).

`python -m studies.fit_chance_correction --out FILE`

The value starts from the weights of `policy:scratch`. It learns from the newest games between the agents of
`--agents` while the next games are played. Examples are moves that involve chance: the position after the
move, and other positions that chance could have given, from the view of each seat. The targets are each
seat's final share of the win, points and margin. The value is trained once and is part of the package: a
value trained on the games it corrects would be biased.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
import torch
from safetensors.numpy import save as save_tensors
from torch import nn

from spacemission_agents.afterstates.network import INPUT
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.afterstates import AFTERSTATES
from spacemission_agents.games.space_mission.value.chance_correction import (
    ChanceCorrection,
    exchange_tiles,
    has_chance,
    order_pile,
)
from spacemission_agents.games.space_mission.value.features import (
    FEATURES,
    PLANET,
    PLANET_SCALES,
    RATINGS,
    SIZES,
    TABLE,
    TABLE_SCALES,
    kind_turns,
)
from spacemission_agents.games.space_mission.value.shared_network import TURNS, read_seats, turn_of
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import Agent, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.rng import below, seed_rng
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS, RING, SCORES
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.space_mission.engine.rules import apply

POOLS, MARKS, TOLD = SIZES.pools, SIZES.marks, SIZES.outputs
write_outcome = AFTERSTATES.names["write_outcome"]
# What points and lead, and the worth of chance, count beside the share of the win.
AIDS, LUCK = 0.1, 4.0


class ValueNetwork(nn.Module):
    """Outputs are `TOLD` of each seat; the shares are the softmax over the seats of the first."""

    def __init__(self, wide: int, table: int, joined: int) -> None:
        """Widths: of a planet, of the table alone, of what joins them."""
        super().__init__()
        self.wide, self.both = wide, wide + table
        self.planet = nn.Linear(PLANET, 2 * wide, bias=False)
        self.table = nn.Linear(TABLE, 2 * self.both, bias=False)
        self.turn = nn.Embedding(TURNS, self.both)
        self.bias = nn.Parameter(torch.zeros(self.both))
        self.joined = nn.Linear(POOLS * wide + table, joined)
        self.told = nn.Linear(joined, len(TOLD))
        self.scales = torch.from_numpy(PLANET_SCALES), torch.from_numpy(TABLE_SCALES)

    def forward(self, x: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
        """Outputs (n, seats, TOLD) of features uint8 (n, seats, FEATURES) and turns (n, seats)."""
        n, seats = x.shape[:2]
        planets = x[:, :, : RING * PLANET].reshape(n, seats, RING, PLANET).float()
        planet = self.with_others(self.planet(planets * self.scales[0]))
        table = self.with_others(self.table(x[:, :, RING * PLANET : RATINGS].float() * self.scales[1]))
        table = table + self.turn(turns.long()) + self.bias
        each = torch.relu(planet + table[:, :, None, : self.wide])
        marked = [(each * planets[..., mark : mark + 1]).sum(-2) for mark in MARKS]
        pools = [each.sum(-2), each.amax(-2), *marked]
        joined = self.joined(torch.cat([*pools, torch.relu(table[:, :, self.wide :])], 2))
        told: torch.Tensor = self.told(torch.relu(joined))
        return told

    @staticmethod
    def with_others(sums: torch.Tensor) -> torch.Tensor:
        """The own half of sums (n, seats, …, 2 k) and the mean of the others' other half."""
        own, rival = sums.chunk(2, -1)
        return own + (rival.sum(1, keepdim=True) - rival) / (sums.shape[1] - 1)

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights under the names that `shared_network.new_value` reads."""
        return {name: tensor.detach().half().numpy().copy() for name, tensor in self.state_dict().items()}


def begun_from(arrays: dict[str, np.ndarray]) -> ValueNetwork:
    """The network of a value of afterstates: at first each seat is rated by its own knowledge alone."""
    given = {name.removeprefix(f"{INPUT}."): torch.from_numpy(a) for name, a in arrays.items()}
    given["planet.weight"], given["told.weight"] = given["row.weight"], given["outputs.weight"]
    wide, joined = len(given["planet.weight"]), len(given["joined.weight"])
    network = ValueNetwork(wide, len(given["table.weight"]) - wide, joined)
    with torch.no_grad():
        for name in ("planet", "table"):
            layer, weight = getattr(network, name), given[f"{name}.weight"]
            layer.weight.mul_(0.1)
            layer.weight[: len(weight)] = weight
        network.turn.weight.mul_(0.0)
        network.bias.copy_(given["table.bias"])
        network.joined.weight.copy_(given["joined.weight"])
        network.joined.bias.copy_(given["joined.bias"])
        network.told.weight.copy_(given["told.weight"])
        network.told.bias.copy_(given["outputs.bias"])
    return network


def loss_of(network: ValueNetwork, x: torch.Tensor, turns: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
    """The loss of the shares, points and leads of actual positions, and of the luck.

    x (n, worlds, seats, FEATURES), the first world is the actual one; told (n, seats, TOLD).
    """
    n, worlds, seats = turns.shape
    out = network(x.flatten(0, 1), turns.flatten(0, 1)).view(n, worlds, seats, -1).float()
    shares, points = out[..., 0], out[:, 0, :, 1:]
    level = -(told[..., 0] * torch.log_softmax(shares[:, 0], 1)).sum(1).mean()
    aids = ((points - told[..., 1:]) ** 2).mean()
    return level + AIDS * aids + LUCK * luck_loss(torch.softmax(shares, 2), told[..., 0])


def luck_loss(shares: torch.Tensor, won: torch.Tensor) -> torch.Tensor:
    """The mean square of what is left of the shares won when luck is taken out, for each move by itself.

    Luck is what came less the mean of what might have come, which counts as given in what is won above it.
    That the mean is of few worlds does not matter: of the gradient it takes and gives as much on average.
    Shares (n, worlds, seats), won (n, seats).
    """
    mean = shares[:, 1:].mean(1)
    left = won - mean.detach() - (shares[:, 0] - mean)
    return (left**2).mean()


def told_shares(network: ValueNetwork, x: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """The shares of the win that the network tells, float32 (n, …, seats)."""
    flat = x.reshape(-1, *x.shape[-2:]), turns.reshape(-1, turns.shape[-1])
    parts = zip(*(torch.from_numpy(a).split(4096) for a in flat), strict=True)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        told = [torch.softmax(network(a, b)[..., 0].float(), 1) for a, b in parts]
    return torch.cat(told).numpy().reshape(turns.shape)


def later_worth(shares: np.ndarray, won: np.ndarray, games: np.ndarray, lam: float) -> np.ndarray:
    """What the position behind each move turned out to be worth: TD(lambda) backwards over a game's moves.

    `shares` (n, worlds, seats) are told of what chance may bring at each move: their mean is worth what the
    position before it is, and so what the one behind the last move was, for between them all is the players'
    doing. `lam`: what comes later counts so much, that mean the rest.
    """
    before, targets = shares.mean(1), won.copy()
    following: dict[int, int] = {}
    for i in range(len(games) - 1, -1, -1):
        later = following.get(int(games[i]))
        if later is not None:
            targets[i] = (1 - lam) * before[later] + lam * targets[later]
        following[int(games[i])] = i
    return targets


def explained(network: ValueNetwork, x: np.ndarray, turns: np.ndarray, won: np.ndarray) -> float:
    """Share of the variance of the shares that the network explains, of positions that came."""
    told = told_shares(network, x[:, 0], turns[:, 0])
    return float(1 - ((told - won) ** 2).mean() / won.var())


TAKEN = 1.0  # share of those moves that are kept
WORLDS = 4  # positions of each: that which came, and others


class Examples(NamedTuple):
    """Moves in games of one number of players."""

    x: np.ndarray  # uint8 (n, WORLDS, seats, FEATURES)
    turns: np.ndarray  # uint8 (n, WORLDS, seats)
    told: np.ndarray  # float32 (n, seats, TOLD): share, points, lead, in the units of the afterstate network
    games: np.ndarray  # (n,): of which game each is; a game's moves stand in their order


@njit
def find_chances(states, parameters, index, actions, found):
    """Whether chance has a part in these moves, not made yet."""
    for n in range(len(index)):
        found[n] = has_chance(states[index[n]], parameters[0], int(actions[n]))


@njit
def write_chances(states, parameters, index, actions, dice, scratch, seen, means, x, turns, over):
    """Write what the value reads behind these moves, as it came and as it might have; where one is over."""
    t = parameters[0]
    for n in range(len(index)):
        for i in range(WORLDS):
            scratch[0] = states[index[n]]
            s, action = scratch[0], int(actions[n])
            if i > 0:
                exchange_tiles(s, dice[0])
                order_pile(s, below(dice[0], max(1, int(s.draw_size))), dice[0])
            apply(s, t, action, NO_ORDER)
            if s.over:
                over[n] = True
                break
            read_seats(s, t, seen, means, x[n, i])
            for seat in range(s.num_players):
                turns[n, i, seat] = turn_of(s, seat)


@njit
def write_ends(states, parameters, scores, told):
    """Write the targets of each seat in finished games."""
    for n in range(len(states)):
        write_outcome(states[n], parameters[0], scores, told[n])


def moves(
    table: BatchedGames, agents: list[Agent], seated: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Games played to their ends: which go on and their actions, each time before these are made.

    `seated`: who sits where, (games, seats).
    """
    index = table.everyone
    while len(index):
        asked = table.ask(index)
        actions = np.zeros(len(index), np.int64)
        to_act = seated[index, table.players[index]]
        for a in np.unique(to_act):
            rows = np.flatnonzero(to_act == a)
            actions[rows] = agents[a].act(asked.part(agents[a], rows))
        yield index, actions
        table.step(index, actions)
        index = index[table.states["over"][index] == 0]


def begin(
    names: list[str], players: int, games: int, rng: np.random.Generator
) -> tuple[BatchedGames, list[Agent]]:
    """New games, and the agents."""
    agents = [make_agent(name) for name in names]
    table = BatchedGames(games, players)
    prepare_agents(agents, table.info)
    for i in range(games):
        table.deal(i, int(rng.integers(2**62)))
    return table, agents


def ends(table: BatchedGames) -> np.ndarray:
    """The targets of each seat in finished games, float32 (games, seats, TOLD)."""
    told = np.zeros((table.count, table.num_players, len(TOLD)), np.float32)
    write_ends(table.states, table.template.parameters, np.zeros((MAX_PLAYERS, SCORES), np.int64), told)
    return told


def gather(names: list[str], players: int, games: int, seed: int, taken: float = TAKEN) -> Examples:
    """Moves of games in which every seat is drawn anew; half of them have one agent in all seats."""
    rng = np.random.default_rng(seed)
    table, agents = begin(names, players, games, rng)
    seated = rng.integers(len(agents), size=(games, players))
    same = rng.random(games) < 0.5  # near-equal players are what the value is for
    seated[same] = seated[same, :1]
    dice, scratch = table.spec.new_states(1), table.spec.new_states(1)
    seed_rng(dice[0], seed)
    room = dice, scratch, np.zeros(1, COMPACT), np.zeros(1, OBSERVATION)
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for index, actions in moves(table, agents, seated):
        found = np.zeros(len(index), np.bool_)
        find_chances(table.states, table.template.parameters, index, actions, found)
        rows = np.flatnonzero(found & (rng.random(len(index)) < taken))
        x = np.zeros((len(rows), WORLDS, players, FEATURES), np.uint8)
        turns, over = np.zeros((len(rows), WORLDS, players), np.uint8), np.zeros(len(rows), np.bool_)
        some = index[rows], actions[rows]
        write_chances(table.states, table.template.parameters, *some, *room, x, turns, over)
        parts.append((x[~over], turns[~over], index[rows][~over]))
    x, turns, sources = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Examples(x, turns, ends(table)[sources], sources)


def luck_of_games(
    names: list[str], weights: bytes, players: int, games: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Games of one agent in all seats: shares of the win, luck by the value; each (games, seats)."""
    rng, judge = np.random.default_rng(seed), ChanceCorrection(weights)
    table, agents = begin(names, players, games, rng)
    seated = np.repeat(rng.integers(len(agents), size=games)[:, None], players, 1)
    luck = np.zeros((games, players))
    for index, actions in moves(table, agents, seated):
        luck[index] += judge.of_draws(table, index, actions)
    return ends(table)[:, :, 0], luck


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
        t = spec.make_parameters(spec.load_components(None), spec.make_rules(None))
        self.turns = kind_turns(t)

    def learn(self, examples: Examples) -> float:
        """Add a round and train; return the mean loss."""
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
