"""What method td has of Space Mission: games side by side, and the network in torch."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
import torch
from torch import nn

from spacemission_agents.games.space_mission.afterstate.features import (
    P_HERE,
    PLANET,
    PLANET_SCALES,
    RATINGS,
    TABLE,
    TABLE_SCALES,
    kind_places,
)
from spacemission_agents.games.space_mission.afterstate.network import (
    INPUT,
    POOLS,
    RATED_INPUT,
    TOLD,
    new_network,
)
from spacemission_agents.games.space_mission.afterstate.ratings import RATED, RATED_SCALES
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.engine.constants import (
    ALIEN,
    KINDS,
    MATTER_GREEN,
    MINERAL,
    RING,
    WATER,
)
from spacemission_train.games.space_mission.afterstate.play import Tables
from spacemission_train.games.space_mission.afterstate.side_by_side import side_by_side
from spacemission_train.settings.settings import Form, Settings
from spacemission_train.td.outsiders import Outsiders

PARTS = 4  # of the games: what is played does not depend on how many threads play them
KEPT = 200_000  # positions in all that are learnt from, the newest
LEFT_OUT = 0.7  # of the top-ups that discard, in each decision of a training game: they are most of the moves


def pools(planets: torch.Tensor, each: torch.Tensor) -> list[torch.Tensor]:
    """The planets as rows, as `network.pool`: of features (…, RING, PLANET), each (…, RING, width)."""
    here = planets[..., P_HERE : P_HERE + 1]
    beside = torch.roll(here, 1, -2) + torch.roll(here, -1, -2)
    return [each.sum(-2), each.amax(-2), (each * here).sum(-2), (each * beside).sum(-2)]


class Value(nn.Module):
    """The network of `afterstate/network.py` as torch learns it; the outputs are `TOLD`."""

    def __init__(self, form: Form) -> None:
        """`form`: `planets`, and `hidden` two widths."""
        super().__init__()
        self.wide, (table, joined) = form.planets, form.hidden
        self.planet = nn.Linear(PLANET, self.wide, bias=False)
        self.table = nn.Linear(TABLE, self.wide + table)
        both = self.wide + table
        self.rated = nn.Linear(RATED, both, bias=False) if form.input == RATED_INPUT else None
        self.joined = nn.Linear(POOLS * self.wide + table, joined)
        self.told = nn.Linear(joined, len(TOLD))
        nn.init.zeros_(self.told.weight)
        nn.init.zeros_(self.told.bias)
        scales = PLANET_SCALES, TABLE_SCALES, RATED_SCALES
        self.scales = [torch.from_numpy(of) for of in scales]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Outputs float32 (n, TOLD) of features uint8 (n, FEATURES)."""
        planets = x[:, : RING * PLANET].view(len(x), RING, PLANET).float()
        table = self.table(x[:, RING * PLANET : RATINGS].float() * self.scales[1])
        if self.rated is not None:
            table = table + self.rated(x[:, RATINGS:].float() * self.scales[2])
        each = torch.relu(self.planet(planets * self.scales[0]) + table[:, None, : self.wide])
        joined = self.joined(torch.cat([*pools(planets, each), torch.relu(table[:, self.wide :])], 1))
        told: torch.Tensor = self.told(torch.relu(joined))
        return told

    def arrays(self) -> dict[str, np.ndarray]:
        """The tensors under the names of a model folder."""
        return {f"{INPUT}.{k}": v.detach().cpu().numpy().copy() for k, v in self.state_dict().items()}

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over the tensors of a model folder of the same form, or of one that reads no ratings."""
        new = {k.removeprefix(f"{INPUT}."): torch.from_numpy(v) for k, v in arrays.items()}
        if self.rated is not None:
            new.setdefault("rated.weight", torch.zeros_like(self.rated.weight))
        self.load_state_dict(new)

    def set_side_by_side(self, values: list[dict[str, np.ndarray]]) -> None:
        """Take over several values whose widths add up to this one's (side_by_side.py)."""
        self.set_arrays(side_by_side(values))


def kind_turns(tile_count: np.ndarray) -> list[np.ndarray]:
    """Where each feature comes from in each way to exchange kinds that a box treats alike (`kind_places`).

    `tile_count`: tiles of each kind in the box.
    """
    # Colours of minerals, of aliens, of matter may be exchanged: the rules treat them alike (SM-63, SM-64).
    turns = []
    for minerals in permutations(range(MINERAL, ALIEN)):
        for aliens in permutations(range(ALIEN, MATTER_GREEN)):
            for matter in permutations(range(MATTER_GREEN, WATER)):
                order = [*minerals, *aliens, *matter, *range(WATER, KINDS)]
                if (tile_count[order] == tile_count).all():
                    turns.append(kind_places(np.array(order)))
    return turns


class SelfPlay:
    """Games of the value against itself (`values.learner.ValueGames`)."""

    def __init__(self, settings: Settings, begun: int = 0) -> None:
        """`begun`: learner steps of the run so far; games that go on later are others."""
        spec, of = settings.spec, settings
        self._settings = settings
        self.boxes = spec.make_box(spec.load_components(of.components), spec.make_rules(of.rules))
        self.players = np.array(of.players, np.int64)
        self.settings = np.array([of.temperature, of.random_moves, of.gae_lambda, LEFT_OUT])
        self.steps = of.n_steps
        self.tables = [
            Tables(self._new_games(), KEPT // PARTS, hash63(of.seed, begun, part), Outsiders(of))
            for part in range(PARTS)
        ]
        self.threads = ThreadPoolExecutor(of.threads or 1)
        self.turns = kind_turns(self.boxes[0]["tile_count"])
        self.games = 0
        self.rounds = 0.0  # of the games that ended in the last `play`, the mean

    def _new_games(self) -> BatchedGames:
        of = self._settings
        count = max(1, of.envs // PARTS)
        return BatchedGames(count, max(of.players), of.rules, of.components, game=of.game)

    def network(self, form: Form) -> Value:
        """A network that has learnt nothing."""
        return Value(form)

    def play(self, arrays: dict[str, np.ndarray]) -> tuple[int, int]:
        """Play on with these weights; how many decisions, and how many positions have got their target."""

        def part(table: Tables) -> int:
            return table.play(self.boxes, new_network(arrays), self.players, self.steps, self.settings)

        new = sum(self.threads.map(part, self.tables))
        told = np.sum([table.told for table in self.tables], 0)
        for table in self.tables:
            table.told = np.zeros_like(table.told)
        self.games += int(told[2])
        if told[2]:
            self.rounds = float(told[3] / told[2])
        return int(told[1]), new

    @property
    def filled(self) -> int:
        """Positions that can be learnt from."""
        return sum(table.filled for table in self.tables)

    def sample(self, rng: np.random.Generator, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Features uint8 (size, FEATURES) and targets float32 (size, TOLD) of positions drawn at random."""
        places = rng.integers(self.filled, size=size)
        x, y, first = [], [], 0
        for table in self.tables:
            own = places[(places >= first) & (places < first + table.filled)] - first
            x.append(table.x[own])
            y.append(table.y[own])
            first += table.filled
        joined = np.concatenate(x)[:, self.turns[rng.integers(len(self.turns))]]
        return torch.from_numpy(joined), torch.from_numpy(np.concatenate(y))

    def close(self) -> None:
        """End the threads."""
        self.threads.shutdown()
