"""Runs the network for values of positions, which shares weights between planets.

The first layer reads each planet with the table. The second layer reads the sum and the maximum of its
outputs over the planets, the outputs of the own planet and of its two neighbours, and outputs of the table.
The results are the logit of the own share of the win and, for training, own points and the score margin. A
move changes few features, so the sums of the first layer are kept and only changes are added ("efficiently
updatable" networks of shogi programs, Nasu 2018).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.features import (
    FEATURES,
    P_HERE,
    PLANET,
    PLANET_SCALES,
    RATED,
    RATED_SCALES,
    TABLE,
    TABLE_SCALES,
)
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, RING

INPUT = "afterstate"  # its name in a model's card and the prefix of its tensors
RATED_INPUT = "afterstate_rated"  # with the ratings by `heuristic`
INPUTS = (INPUT, RATED_INPUT)
POOLS = 4  # sum, maximum, own planet, its neighbours
TOLD = ("share", "points", "lead")  # the outputs: logit of the share of the win, own points, score margin
POINTS_UNIT, MARGIN_UNIT = 50.0, 30.0  # points for an output of 1 of the last two


class Network(NamedTuple):
    """The weights in the form for compiled code, and scratch memory, for one thread."""

    planet: np.ndarray  # (PLANET, wide), times the scales of the features
    table: np.ndarray  # (TABLE + RATED, wide + table), likewise; the first `wide` are added to every planet
    bias: np.ndarray  # (wide + table,)
    joined: np.ndarray  # (POOLS * wide + table, joined)
    joined_bias: np.ndarray
    share: np.ndarray  # (joined,)
    share_bias: np.ndarray  # (1,)
    reads_ratings: bool
    base: np.ndarray  # features of the kept sums, uint8 (FEATURES,)
    base_planets: np.ndarray  # kept sums of planets, (RING, wide)
    base_table: np.ndarray  # kept sums of the table
    planets: np.ndarray  # sums of planets and of the table after a move
    summed: np.ndarray
    features: np.ndarray  # features after each move of a decision, uint8 (ACTION_COUNT, FEATURES)
    pooled: np.ndarray  # inputs of the joined layer for each move, (ACTION_COUNT, …)
    hidden: np.ndarray  # outputs of the joined layer


def shapes(network: Json) -> dict[str, tuple[int, ...]]:
    """The name and shape of each tensor; `network`: the entry of a card, `hidden` its two widths.

    Raises:
        AgentError: a width is missing or invalid.
    """
    wide, widths = network.get("planets", 0), network["hidden"]
    relu = network.get("activation", "relu") == "relu"
    if not relu or wide < 1 or len(widths) != 2 or network.get("cards", 0) or "value" in network:
        raise AgentError(
            f"input {network['input']!r}: expected relu, planets, two widths in hidden, no cards, no value"
        )
    table, joined = widths
    ratings = {f"{INPUT}.rated.weight": (wide + table, RATED)} if network["input"] == RATED_INPUT else {}
    return ratings | {
        f"{INPUT}.planet.weight": (wide, PLANET),
        f"{INPUT}.table.weight": (wide + table, TABLE),
        f"{INPUT}.table.bias": (wide + table,),
        f"{INPUT}.joined.weight": (joined, POOLS * wide + table),
        f"{INPUT}.joined.bias": (joined,),
        f"{INPUT}.told.weight": (len(TOLD), joined),
        f"{INPUT}.told.bias": (len(TOLD),),
    }


def new_network(arrays: dict[str, np.ndarray]) -> Network:
    """Make the network from these tensors."""

    def of(name: str) -> np.ndarray:
        return np.asarray(arrays[f"{INPUT}.{name}"], np.float32)

    def across(weight: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(weight.T)

    planet, table, joined = (
        across(of("planet.weight")),
        across(of("table.weight")),
        across(of("joined.weight")),
    )
    wide, both = planet.shape[1], table.shape[1]
    reads_ratings = f"{INPUT}.rated.weight" in arrays
    rated = across(of("rated.weight")) if reads_ratings else np.zeros((RATED, both), np.float32)
    return Network(
        planet=planet * PLANET_SCALES[:, None],
        table=np.concatenate([table * TABLE_SCALES[:, None], rated * RATED_SCALES[:, None]]),
        bias=of("table.bias").copy(),
        joined=joined,
        joined_bias=of("joined.bias").copy(),
        share=of("told.weight")[0].copy(),
        share_bias=of("told.bias")[:1].copy(),
        reads_ratings=reads_ratings,
        base=np.zeros(FEATURES, np.uint8),
        base_planets=np.zeros((RING, wide), np.float32),
        base_table=np.zeros(both, np.float32),
        planets=np.zeros((RING, wide), np.float32),
        summed=np.zeros(both, np.float32),
        features=np.zeros((ACTION_COUNT, FEATURES), np.uint8),
        pooled=np.zeros((ACTION_COUNT, len(joined)), np.float32),
        hidden=np.zeros((ACTION_COUNT, joined.shape[1]), np.float32),
    )


@njit
def begin_sums(net, x):
    """Write the sums of the first layer for features x, to which moves add their changes."""
    net.base_planets[:] = 0.0
    net.base_table[:] = net.bias
    net.base[:] = 0
    add_changes(x, net.base, net.planet, net.table, net.base_planets, net.base_table)
    net.base[:] = x


@njit
def add_changes(x, base, planet, table, planets, summed):
    """Add the changes from features `base` to x, by rows of the first layer, to the sums."""
    eights, eights_of = x.view(np.uint64), base.view(np.uint64)
    for n in range(len(eights)):
        if eights[n] != eights_of[n]:
            p = 8 * n // PLANET
            for i in range(8 * n, 8 * n + 8):
                if x[i] != base[i]:
                    change = np.float32(x[i]) - np.float32(base[i])
                    if p < RING:
                        add_row(change, planet[i - p * PLANET], planets[p])
                    else:
                        add_row(change, table[i - RING * PLANET], summed)


@njit
def add_row(by, row, out):
    for v in range(len(out)):
        out[v] += by * row[v]


@njit
def read_move(net, n):
    """Write the input of the joined layer for move n from its features."""
    net.planets[:] = net.base_planets
    net.summed[:] = net.base_table
    add_changes(net.features[n], net.base, net.planet, net.table, net.planets, net.summed)
    pool(net.planets, net.summed, net.features[n], net.pooled[n])


@njit
def pool(planets, summed, x, pooled):
    """Write the planets as one row: sum, maximum, own planet, its neighbours; then the table.

    `planets`, `summed`: sums of the first layer; x: their features.
    """
    wide = planets.shape[1]
    pooled[:] = 0.0
    zero = np.float32(0)
    for p in range(RING):
        here = x[p * PLANET + P_HERE]
        beside = x[(p + 1) % RING * PLANET + P_HERE] | x[(p + RING - 1) % RING * PLANET + P_HERE]
        for v in range(wide):
            h = max(zero, planets[p, v] + summed[v])
            pooled[v] += h
            pooled[wide + v] = max(pooled[wide + v], h)
            pooled[2 * wide + v] += h * here
            pooled[3 * wide + v] += h * beside
    for v in range(len(summed) - wide):
        pooled[POOLS * wide + v] = max(zero, summed[wide + v])


@njit
def write_logits(net, count, logits):
    """Write the logits of the own share of the win after `count` moves, together, to read each row once."""
    for n in range(count):
        net.hidden[n] = net.joined_bias
    for i in range(len(net.joined)):
        row = net.joined[i]
        for n in range(count):
            if net.pooled[n, i] != 0:  # many are, after the relu
                add_row(net.pooled[n, i], row, net.hidden[n])
    for n in range(count):
        logit = net.share_bias[0]
        for v in range(len(net.share)):
            logit += max(net.hidden[n, v], np.float32(0)) * net.share[v]
        logits[n] = logit
