"""Defines the network of afterstate values in torch, and joins networks to an ensemble.

An ensemble is one network that contains its members and returns their mean. The errors of independent runs
differ, so the mean has a smaller error (Hansen and Salamon, "Neural Network Ensembles", 1990).
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import torch
from torch import nn

from spacemission_agents.games.space_mission.value import features as f
from spacemission_agents.games.space_mission.value.network import INPUT, POOLS, RATED_INPUT, TOLD
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_train.settings.settings import Form
from spacemission_train.td.learner import Arrays, ValueNetwork

TABLES = ("table.weight", "table.bias", "rated.weight")  # rows: first for the planets, then for the table


def pools(planets: torch.Tensor, each: torch.Tensor) -> list[torch.Tensor]:
    """Pool planets as `network.pool`: features (…, RING, PLANET), `each` (…, RING, width)."""
    here = planets[..., f.P_HERE : f.P_HERE + 1]
    beside = torch.roll(here, 1, -2) + torch.roll(here, -1, -2)
    return [each.sum(-2), each.amax(-2), (each * here).sum(-2), (each * beside).sum(-2)]


class Value(ValueNetwork):
    """The network of `value/network.py` in torch, with the outputs `TOLD`."""

    def __init__(self, form: Form) -> None:
        """`form` has `planets` and two widths in `hidden`."""
        super().__init__()
        self.wide, (table, joined) = form.planets, form.hidden
        self.planet = nn.Linear(f.PLANET, self.wide, bias=False)
        self.table = nn.Linear(f.TABLE, self.wide + table)
        both = self.wide + table
        self.rated = nn.Linear(f.RATED, both, bias=False) if form.input == RATED_INPUT else None
        self.joined = nn.Linear(POOLS * self.wide + table, joined)
        self.told = nn.Linear(joined, len(TOLD))
        nn.init.zeros_(self.told.weight)
        nn.init.zeros_(self.told.bias)
        self.scales = [torch.from_numpy(of) for of in (f.PLANET_SCALES, f.TABLE_SCALES, f.RATED_SCALES)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Outputs float32 (n, TOLD) of features uint8 (n, FEATURES)."""
        planets = x[:, : c.RING * f.PLANET].view(len(x), c.RING, f.PLANET).float()
        table = self.table(x[:, c.RING * f.PLANET : f.RATINGS].float() * self.scales[1])
        if self.rated is not None:
            table = table + self.rated(x[:, f.RATINGS :].float() * self.scales[2])
        each = torch.relu(self.planet(planets * self.scales[0]) + table[:, None, : self.wide])
        joined = self.joined(torch.cat([*pools(planets, each), torch.relu(table[:, self.wide :])], 1))
        told: torch.Tensor = self.told(torch.relu(joined))
        return told

    def arrays(self) -> Arrays:
        """The weights under the names of a model folder."""
        return {f"{INPUT}.{k}": v.detach().cpu().numpy().copy() for k, v in self.state_dict().items()}

    def set_arrays(self, arrays: Arrays) -> None:
        """Load the weights of a model folder; if it has none for the ratings, they become 0."""
        new = {k.removeprefix(f"{INPUT}."): torch.from_numpy(v) for k, v in arrays.items()}
        if self.rated is not None:
            new.setdefault("rated.weight", torch.zeros_like(self.rated.weight))
        self.load_state_dict(new)

    def set_ensemble(self, values: list[Arrays]) -> None:
        """Load several models whose widths sum to those of this network."""
        self.set_arrays(ensemble_arrays(values))


def kind_turns(tile_count: np.ndarray) -> list[np.ndarray]:
    """Feature permutations by symmetries of the kinds (`kind_places`); `tile_count`: tiles by kind."""
    # The rules treat all colours of minerals, of aliens and of matter alike (SM-63, SM-64).
    turns = []
    for minerals in permutations(range(c.MINERAL, c.ALIEN)):
        for aliens in permutations(range(c.ALIEN, c.MATTER_GREEN)):
            for matter in permutations(range(c.MATTER_GREEN, c.WATER)):
                order = [*minerals, *aliens, *matter, *range(c.WATER, c.KINDS)]
                if (tile_count[order] == tile_count).all():
                    turns.append(f.kind_places(np.array(order)))
    return turns


def ensemble_arrays(values: list[Arrays]) -> Arrays:
    """Join networks to one ensemble."""
    rated = any(f"{INPUT}.rated.weight" in value for value in values)
    values = [_named(value, rated) for value in values]
    wide = [len(value["planet.weight"]) for value in values]
    joined = {"planet.weight": np.concatenate([value["planet.weight"] for value in values])}
    for name in TABLES if rated else TABLES[:2]:
        both = [(value[name][:w], value[name][w:]) for value, w in zip(values, wide, strict=True)]
        joined[name] = np.concatenate([part[0] for part in both] + [part[1] for part in both])
    joined["joined.weight"] = _blocks([_pooled(value) for value in values])
    joined["joined.bias"] = np.concatenate([value["joined.bias"] for value in values])
    joined["told.weight"] = np.concatenate([value["told.weight"] for value in values], 1) / len(values)
    joined["told.bias"] = np.mean([value["told.bias"] for value in values], axis=0)
    return {f"{INPUT}.{name}": array.astype(np.float32) for name, array in joined.items()}


def _named(value: Arrays, rated: bool) -> Arrays:
    short = {name.removeprefix(f"{INPUT}."): array for name, array in value.items()}
    if rated:
        short.setdefault("rated.weight", np.zeros((len(short["table.bias"]), f.RATED), np.float32))
    return short


def _pooled(value: Arrays) -> list[np.ndarray]:
    # Splits the columns of the joined layer by their input: each pool of the planets, and the table.
    wide = len(value["planet.weight"])
    return np.split(value["joined.weight"], [wide * pool for pool in range(1, POOLS + 1)], 1)


def _blocks(values: list[list[np.ndarray]]) -> np.ndarray:
    # Block-diagonal weights: each member reads only its own part of the input.
    parts = [torch.block_diag(*map(torch.from_numpy, of)) for of in zip(*values, strict=True)]
    return torch.cat(parts, 1).numpy()
