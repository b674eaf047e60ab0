"""Runs the value for chance correction, which gives each seat's share of the win.

It reads the joint knowledge of all seats, hence neither the order of the draw pile nor unseen piles. It is
the network of afterstates/network.py, whose first layer also reads the mean of the others' features and the
seat to act.
"""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load as load_tensors

from spacemission_agents.afterstates.network import add_changes, pool, write_outputs
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value import features
from spacemission_agents.games.space_mission.value.afterstates import win_shares
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS, OVER, RING, SCORES
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.space_mission.engine.observe import observe_compact
from spacemission_env.games.space_mission.engine.observe_means import places_from

WEIGHTS_FILE = "data/chance_correction.safetensors"
POOLS, MARKS = features.SIZES.pools, np.array(features.SIZES.marks)
TURNS = OVER * MAX_PLAYERS  # phase, and relative seat of the player to act


class Value(NamedTuple):
    """The network with scratch memory, for one thread."""

    planet: np.ndarray  # float32 (PLANET, 2 wide): for own features, then for those of the others
    table: np.ndarray  # (TABLE, 2 (wide + table)), likewise; the first `wide` are added to every planet
    turn: np.ndarray  # (TURNS, wide + table)
    bias: np.ndarray  # (wide + table,)
    joined: np.ndarray  # (POOLS * wide + table, joined)
    joined_bias: np.ndarray
    share: np.ndarray  # (joined,)
    share_bias: np.ndarray  # (1,)
    x: np.ndarray  # uint8 (MAX_PLAYERS, FEATURES): features of all seats
    base: np.ndarray  # features of the kept sums, by seat
    base_planets: np.ndarray  # (MAX_PLAYERS, RING, 2 wide)
    base_table: np.ndarray  # (MAX_PLAYERS, 2 (wide + table))
    planets: np.ndarray  # sums for the present position
    summed: np.ndarray
    mixed: np.ndarray  # sums of one seat with those of the others: (RING, wide)
    mixed_table: np.ndarray
    pooled: np.ndarray  # inputs of the joined layer for each seat, (MAX_PLAYERS, …)
    hidden: np.ndarray  # outputs of the joined layer
    scores: np.ndarray  # int64 (MAX_PLAYERS, SCORES)
    seen: np.ndarray  # one compact observation
    means: np.ndarray


def shipped_weights() -> bytes:
    """The shipped file of weights."""
    folder = files("spacemission_agents.games.space_mission")
    return folder.joinpath(WEIGHTS_FILE).read_bytes()


def new_value(weights: bytes) -> Value:
    """Load the network from a safetensors file with the tensors named as in `Value`, (out, in)."""
    arrays = load_tensors(weights)

    def of(name: str) -> np.ndarray:
        return np.ascontiguousarray(arrays[name], np.float32)

    def across(name: str) -> np.ndarray:
        return np.ascontiguousarray(of(name).T)

    turn, joined = of("turn.weight"), across("joined.weight")
    both = turn.shape[1]
    wide = (len(joined) - both) // (POOLS - 1)
    return Value(
        planet=across("planet.weight") * features.PLANET_SCALES[:, None],
        table=across("table.weight") * features.TABLE_SCALES[:, None],
        turn=turn,
        bias=of("bias"),
        joined=joined,
        joined_bias=of("joined.bias"),
        share=of("told.weight")[0].copy(),
        share_bias=of("told.bias")[:1].copy(),
        x=np.zeros((MAX_PLAYERS, features.FEATURES), np.uint8),
        base=np.zeros((MAX_PLAYERS, features.FEATURES), np.uint8),
        base_planets=np.zeros((MAX_PLAYERS, RING, 2 * wide), np.float32),
        base_table=np.zeros((MAX_PLAYERS, 2 * both), np.float32),
        planets=np.zeros((MAX_PLAYERS, RING, 2 * wide), np.float32),
        summed=np.zeros((MAX_PLAYERS, 2 * both), np.float32),
        mixed=np.zeros((RING, wide), np.float32),
        mixed_table=np.zeros(both, np.float32),
        pooled=np.zeros((MAX_PLAYERS, len(joined)), np.float32),
        hidden=np.zeros((MAX_PLAYERS, joined.shape[1]), np.float32),
        scores=np.zeros((MAX_PLAYERS, SCORES), np.int64),
        seen=np.zeros(1, COMPACT),
        means=np.zeros(1, OBSERVATION),
    )


@njit
def read_seats(s, t, seen, means, x):
    """Write each seat's features into x, uint8 (seats, FEATURES); `seen`, `means`: scratch memory."""
    n = int(s.num_players)
    for seat in range(n):
        observe_compact(s, t, seat, 1, seen[0], means)
        features.write_features(seen[0], t, n, 0, x[seat])


@njit
def turn_of(s, seat):
    return int(s.phase) * MAX_PLAYERS + places_from(seat, int(s.player), int(s.num_players))


@njit
def begin_values(s, t, net):
    """Write the sums of the first layer for a position, to which later positions add their changes."""
    read_seats(s, t, net.seen, net.means, net.x)
    for seat in range(s.num_players):
        net.base[seat] = 0
        net.base_planets[seat] = 0.0
        net.base_table[seat] = 0.0
        add_changes(
            net.x[seat], net.base[seat], net.planet, net.table, net.base_planets[seat], net.base_table[seat]
        )
        net.base[seat] = net.x[seat]


@njit
def value_of(s, t, net, out):
    """Write each seat's expected share of the win, float64 (seats,), after a call of `begin_values`."""
    if s.phase == OVER:
        win_shares(s, t, net.scores, out)
        return
    n = int(s.num_players)
    read_seats(s, t, net.seen, net.means, net.x)
    for seat in range(n):
        net.planets[seat] = net.base_planets[seat]
        net.summed[seat] = net.base_table[seat]
        add_changes(net.x[seat], net.base[seat], net.planet, net.table, net.planets[seat], net.summed[seat])
    for seat in range(n):
        mix(net, seat, n, turn_of(s, seat))
        pool(net.mixed, net.mixed_table, net.x[seat], MARKS, features.PLANET, net.pooled[seat])
    write_outputs(net, n, out)
    to_shares(out, n)


@njit
def mix(net, seat, n, turn):
    """Write the first layer of a seat: its own sums plus the mean of those of the others."""
    wide, both = net.mixed.shape[1], len(net.mixed_table)
    part = np.float32(1 / (n - 1))
    for v in range(both):
        net.mixed_table[v] = net.bias[v] + net.turn[turn, v] + net.summed[seat, v]
    for p in range(RING):
        for v in range(wide):
            net.mixed[p, v] = net.planets[seat, p, v]
    for k in range(n):
        if k != seat:
            for v in range(both):
                net.mixed_table[v] += part * net.summed[k, both + v]
            for p in range(RING):
                for v in range(wide):
                    net.mixed[p, v] += part * net.planets[k, p, wide + v]


@njit
def to_shares(out, n):
    """Turn logits into shares that add up to 1."""
    most = out[:n].max()
    total = 0.0
    for seat in range(n):
        out[seat] = np.exp(out[seat] - most)
        total += out[seat]
    for seat in range(n):
        out[seat] /= total
