"""Makes the random key of a decision from what the seat knows."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.rng import M32, mix32, mul32
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.constants import ACTION, KINDS, OVER, RING, SLOTS


@njit
def decision_key(s):
    """The random key of the present decision: a hash of what the seat to act knows.

    It reveals neither the seed nor a hidden tile or card. `salt` distinguishes games that start from the same
    set-up (`setup.lay`).
    """
    seat = s.player
    ring = np.int64(0)
    for p in range(RING):
        ring = ring << 4 | np.int64(s.ring[p])
    hand = np.int64(0)
    for i in range(SLOTS):
        hand = hand << 6 | (np.int64(s.hand[seat, i]) & 63)
    tiles = np.int64(0)
    for k in range(KINDS):
        tiles = (tiles * 9 + np.int64(s.tiles[seat, k])) & M32
    if s.phase != ACTION and s.phase != OVER:
        p = s.ship[seat]
        for k in range(KINDS):
            tiles = (tiles * 9 + np.int64(s.pile[p, k])) & M32
    course = (np.int64(s.decisions) << 3 | np.int64(seat)) & M32
    h = mix32(ring ^ 0x9E3779B9)
    h = mix32(h ^ hand)
    h = mix32(h ^ tiles)
    h = mix32((h + mul32(course, 0x9E3779B1)) & M32)
    low = mix32((h ^ 0x5BD1E995) + (np.int64(s.draw_size) << 8) & M32)
    if s.salt != 0:
        h = mix32(h ^ (s.salt & M32))
        low = mix32(low ^ ((s.salt >> 32) & M32))
    return ((h & 0x7FFFFFFF) << 32) | low
