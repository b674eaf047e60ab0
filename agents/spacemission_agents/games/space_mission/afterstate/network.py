"""The value of an afterstate: one network that reads every planet by the same weights.

Each planet and the table together give `WIDE` numbers; their sum and their maximum over planets, those of the own
planet and of its two neighbours, and `TABLE_WIDE` numbers of the table alone go through `JOINED` numbers to the
outputs: the logit of the own share of the win, and, to learn by, own points and the lead over the best other.

Within one decision the first layer is kept: a move changes few numbers, and only these are added anew
(efficiently updatable, Nasu 2018).
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.afterstate.features import (
    FEATURES,
    P_HERE,
    PLANET,
    SCALES,
    TABLE,
)
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.games.space_mission.engine.constants import RING

WIDE, TABLE_WIDE, JOINED, OUTPUTS = 64, 128, 128, 3
POOLED = 4 * WIDE + TABLE_WIDE
NAMES = ("planet", "table", "start", "joined", "joined_bias", "told", "told_bias")
SHAPES = (
    (PLANET, WIDE),
    (TABLE, WIDE + TABLE_WIDE),
    (WIDE + TABLE_WIDE,),
    (POOLED, JOINED),
    (JOINED,),
    (JOINED, OUTPUTS),
    (OUTPUTS,),
)


def compiled_form(weights: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """The weights as the compiled functions take them: the scales of the features are multiplied in."""
    arrays = [np.ascontiguousarray(weights[name], np.float32) for name in NAMES]
    arrays[0] = arrays[0] * SCALES[:PLANET, None]
    arrays[1] = arrays[1] * SCALES[-TABLE:, None]
    return tuple(arrays)


def new_sums() -> tuple[np.ndarray, ...]:
    """Scratch: first-layer sums of planets and table, the features that they are of, the same of a move."""
    return (
        np.zeros((RING, WIDE), np.float32),
        np.zeros(WIDE + TABLE_WIDE, np.float32),
        np.zeros(FEATURES, np.uint8),
        np.zeros((RING, WIDE), np.float32),
        np.zeros(WIDE + TABLE_WIDE, np.float32),
        np.zeros(POOLED, np.float32),
        np.zeros(JOINED, np.float32),
    )


@njit
def begin_sums(net, x, sums):
    """First-layer sums of features x: the start for the moves of one decision."""
    planets, table, of = sums[0], sums[1], sums[2]
    planets[:] = 0.0
    table[:] = net[2]
    of[:] = 0
    add_changes(net, x, of, planets, table)
    of[:] = x


@njit
def add_changes(net, x, of, planets, table):
    """Add to the sums what differs between features `of`, which they are of, and `x`."""
    per_planet, per_table = net[0], net[1]
    for p in range(RING):
        for f in range(PLANET):
            i = p * PLANET + f
            if x[i] != of[i]:
                change = np.float32(np.int64(x[i]) - np.int64(of[i]))
                for v in range(WIDE):
                    planets[p, v] += change * per_planet[f, v]
    for f in range(TABLE):
        i = RING * PLANET + f
        if x[i] != of[i]:
            change = np.float32(np.int64(x[i]) - np.int64(of[i]))
            for v in range(WIDE + TABLE_WIDE):
                table[v] += change * per_table[f, v]


@njit
def logit_of(net, x, sums):
    """The logit of the own share of the win behind a move whose features are x."""
    planets, table, pooled, joined = sums[3], sums[4], sums[5], sums[6]
    planets[:] = sums[0]
    table[:] = sums[1]
    add_changes(net, x, sums[2], planets, table)
    pool(x, planets, table, pooled)
    joined[:] = net[4]
    layer = net[3]
    for i in range(POOLED):
        h = pooled[i]
        if h != 0:
            for v in range(JOINED):
                joined[v] += h * layer[i, v]
    logit = net[6][0]
    for v in range(JOINED):
        if joined[v] > 0:
            logit += joined[v] * net[5][v, 0]
    return logit


@njit
def pool(x, planets, table, pooled):
    """Planets to one row: sum, maximum, the own one, its neighbours; and the table behind."""
    pooled[:] = 0.0
    zero = np.float32(0)
    for p in range(RING):
        here = x[p * PLANET + P_HERE]
        beside = x[(p + 1) % RING * PLANET + P_HERE] | x[(p + RING - 1) % RING * PLANET + P_HERE]
        for v in range(WIDE):
            h = max(zero, planets[p, v] + table[v])
            pooled[v] += h
            pooled[WIDE + v] = max(pooled[WIDE + v], h)
            pooled[2 * WIDE + v] += h * here
            pooled[3 * WIDE + v] += h * beside
    for v in range(TABLE_WIDE):
        pooled[4 * WIDE + v] = max(zero, table[WIDE + v])
