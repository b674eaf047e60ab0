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
    (OUTPUTS, JOINED),
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
    eights, eights_of = x.view(np.uint64), of.view(np.uint64)
    for n in range(len(eights)):
        if eights[n] != eights_of[n]:
            p = 8 * n // PLANET
            for i in range(8 * n, 8 * n + 8):
                if x[i] != of[i]:
                    change = np.float32(x[i]) - np.float32(of[i])
                    if p < RING:
                        add_row(change, net[0][i - p * PLANET], planets[p])
                    else:
                        add_row(change, net[1][i - RING * PLANET], table)


@njit
def add_row(by, row, out):
    """Add `by` times a row."""
    for v in range(len(out)):
        out[v] += by * row[v]


@njit
def read_move(net, x, sums, pooled):
    """What the later layers read of a move whose features are x, into pooled (POOLED,)."""
    planets, table = sums[3], sums[4]
    planets[:] = sums[0]
    table[:] = sums[1]
    add_changes(net, x, sums[2], planets, table)
    pool(x, planets, table, pooled)


@njit
def write_logits(net, pooled, count, joined, logits):
    """The logits of the own share of the win behind `count` moves, all side by side: a row is read once."""
    for n in range(count):
        joined[n] = net[4]
    for i in range(POOLED):
        row = net[3][i]
        for n in range(count):
            if pooled[n, i] != 0:  # behind the relu many are
                add_row(pooled[n, i], row, joined[n])
    last = net[5][0]
    for n in range(count):
        logit = net[6][0]
        for v in range(JOINED):
            logit += max(joined[n, v], np.float32(0)) * last[v]
        logits[n] = logit


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
