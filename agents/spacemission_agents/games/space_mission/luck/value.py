"""The value of positions: which share of the win each seat may expect, the shares adding up to 1.

The same network for every seat: planets by shared weights, then the seat's own side, then what the others
have. Seats are told apart by nothing but that, so the value of a position turns with its seats.
"""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load as load_tensors

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.luck.features import PLANET, SIDE, seat_features
from spacemission_agents.games.space_mission.search.light import new_view
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS, OVER, RING, SCORES
from spacemission_env.games.space_mission.engine.scoring import better, score

WEIGHTS_FILE = "data/luck.safetensors"
LAYERS = ("planet", "side", "others", "last")


class Value(NamedTuple):
    """The network as compiled code takes it, with the scratch that it works with."""

    planet: np.ndarray  # float32 (PLANET + 1, a): weights, the bias in the last row
    side: np.ndarray  # (SIDE + a + 1, b)
    others: np.ndarray  # (3 b + 1, c): own side, mean and highest of the others
    last: np.ndarray  # (c + 1, 1)
    x: np.ndarray  # float32 (SIDE + a,)
    planets: np.ndarray  # float32 (RING, PLANET)
    sides: np.ndarray  # float32 (MAX_PLAYERS, b): what the network makes of each seat's side
    joined: np.ndarray  # float32 (3 b,)
    hidden: np.ndarray  # float32 (max(a, c),)
    scores: np.ndarray  # int64 (MAX_PLAYERS, SCORES)
    views: np.ndarray  # one `light.VIEW`


def shipped_weights() -> bytes:
    """The file of weights that ships."""
    folder = files("spacemission_agents.games.space_mission")
    return folder.joinpath(WEIGHTS_FILE).read_bytes()


def new_value(weights: bytes) -> Value:
    """The network of a safetensors file: `LAYER.weight` (out, in) and `LAYER.bias` for each of `LAYERS`."""
    arrays = load_tensors(weights)
    planet, side, others, last = (
        np.ascontiguousarray(
            np.concatenate([arrays[f"{name}.weight"].T, arrays[f"{name}.bias"][None]]), np.float32
        )
        for name in LAYERS
    )
    width = side.shape[1]
    return Value(
        planet, side, others, last,
        x=np.zeros(SIDE + planet.shape[1], np.float32),
        planets=np.zeros((RING, PLANET), np.float32),
        sides=np.zeros((MAX_PLAYERS, width), np.float32),
        joined=np.zeros(3 * width, np.float32),
        hidden=np.zeros(max(planet.shape[1], others.shape[1]), np.float32),
        scores=np.zeros((MAX_PLAYERS, SCORES), np.int64),
        views=new_view(),
    )  # fmt: skip


@njit
def layer(x, weights, out):
    """Out = relu(x W + b), the bias in the last row of `weights`."""
    rows, width = len(x), weights.shape[1]
    for j in range(width):
        out[j] = weights[rows, j]
    for i in range(rows):
        value = x[i]
        if value != 0:
            row = weights[i]
            for j in range(width):
                out[j] += value * row[j]
    for j in range(width):
        out[j] = max(out[j], np.float32(0))


@njit
def read_side(s, t, seat, pending, net):
    """What the network makes of a seat's side, into `net.sides[seat]`; `net.scores` are of the state."""
    pooled = net.x[SIDE:]
    seat_features(s, t, seat, pending, net.views[0], net.scores, net.x[:SIDE], net.planets)
    width = len(pooled)
    for j in range(width):
        pooled[j] = 0.0
    for p in range(RING):
        layer(net.planets[p], net.planet, net.hidden[:width])
        for j in range(width):
            pooled[j] += net.hidden[j] * np.float32(0.25)
    layer(net.x, net.side, net.sides[seat])


@njit
def shares_of(net, num_players, out):
    """The shares of the win by the seats' sides, float64 (seats,); they add up to 1."""
    width = net.sides.shape[1]
    rows = net.others.shape[1]
    most = -np.inf
    for seat in range(num_players):
        for j in range(width):
            mean = np.float32(0)
            high = np.float32(0)
            for k in range(num_players):
                if k != seat:
                    mean += net.sides[k, j]
                    high = max(high, net.sides[k, j])
            net.joined[j] = net.sides[seat, j]
            net.joined[width + j] = mean / np.float32(num_players - 1)
            net.joined[2 * width + j] = high
        layer(net.joined, net.others, net.hidden[:rows])
        told = float(net.last[rows, 0])
        for j in range(rows):
            told += net.hidden[j] * net.last[j, 0]
        out[seat] = told
        most = max(most, told)
    total = 0.0
    for seat in range(num_players):
        out[seat] = np.exp(out[seat] - most)
        total += out[seat]
    for seat in range(num_players):
        out[seat] /= total


@njit
def final_shares(s, t, net, out):
    """The shares of the win in a game that is over (SM-67)."""
    n = int(s.num_players)
    score(s, t, net.scores)
    winners = 0
    for seat in range(n):
        out[seat] = 1.0
        for j in range(n):
            if better(net.scores, j, seat):
                out[seat] = 0.0
        winners += out[seat] > 0
    for seat in range(n):
        out[seat] /= winners


@njit
def value_of(s, t, pending, net, out):
    """The share of the win that each seat may expect, float64 (seats,); `pending` as for `seat_features`."""
    if s.phase == OVER:
        final_shares(s, t, net, out)
        return
    n = int(s.num_players)
    score(s, t, net.scores)
    for seat in range(n):
        read_side(s, t, seat, pending, net)
    shares_of(net, n, out)
