"""The network of `luck/value.py` in torch, and how it is fitted."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from spacemission_agents.games.space_mission.afterstate.features import (
    PLANET,
    PLANET_SCALES,
    RATINGS,
    TABLE,
    TABLE_SCALES,
)
from spacemission_agents.games.space_mission.afterstate.network import INPUT, POOLS, TOLD
from spacemission_agents.games.space_mission.luck.value import TURNS
from spacemission_env.games.space_mission.engine.constants import RING
from spacemission_train.games.space_mission.afterstate.self_play import pools

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
        joined = self.joined(torch.cat([*pools(planets, each), torch.relu(table[:, :, self.wide :])], 2))
        told: torch.Tensor = self.told(torch.relu(joined))
        return told

    @staticmethod
    def with_others(sums: torch.Tensor) -> torch.Tensor:
        """The own half of sums (n, seats, …, 2 k) and the mean of the others' other half."""
        own, rival = sums.chunk(2, -1)
        return own + (rival.sum(1, keepdim=True) - rival) / (sums.shape[1] - 1)

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights under the names that `luck.value.new_value` reads."""
        return {name: tensor.detach().half().numpy().copy() for name, tensor in self.state_dict().items()}


def begun_from(arrays: dict[str, np.ndarray]) -> ValueNetwork:
    """The network of a value of afterstates: at first each seat is judged by its own knowledge alone."""
    given = {name.removeprefix(f"{INPUT}."): torch.from_numpy(a) for name, a in arrays.items()}
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
        network.told.bias.copy_(given["told.bias"])
    return network


def loss_of(network: ValueNetwork, x: torch.Tensor, turns: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
    """What is wrong with the shares of positions that came, and with what chance was worth.

    x (n, worlds, seats, FEATURES), of which the first came; told (n, seats, TOLD).
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
