"""Tells a search which moves look alike, and which a rollout may leave out."""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.core.rng import next32
from spacemission_env.games.space_mission.engine import constants as c

LEFT_OUT = 0.7  # share of top-ups with discards that a rollout ignores
FACES = 64  # more than there are kinds of cards


@njit
def edge_key(s, action, own):
    """The number of a move: own moves differ by card faces, those of others by what the table sees."""
    seat = s.player
    if action >= c.TAKE:
        return np.int64(action) if own else np.int64(c.TAKE)
    if action < c.JUMP:
        key = np.int64(1)
        for i in range(c.SLOTS):
            if action >> i & 1:
                key = key * FACES + (1 + np.int64(s.hand[seat, i]) if own else 0)
        return c.ACTION_COUNT + key
    if action < c.FLY_NEXT:
        slot, p = (action - c.JUMP) // c.RING, (action - c.JUMP) % c.RING
        return -1 - (p * FACES + (1 + np.int64(s.hand[seat, slot]) if own else 0))
    if c.SCAN <= action < c.DEVELOP:
        return -1 - (c.RING * FACES + (1 + np.int64(s.hand[seat, action - c.SCAN]) if own else 0))
    if c.DEVELOP <= action < c.DISCOVER:
        i, j = c.DEVELOP_PAIRS[action - c.DEVELOP]
        pair = 1 + np.int64(s.hand[seat, i]) * FACES + np.int64(s.hand[seat, j]) if own else 0
        return -1 - ((c.RING + 1) * FACES + pair)
    return np.int64(action)


@njit
def prune_moves(s, mask):
    """Leave most top-ups out of a decision, to save time, by the random numbers of the world."""
    if s.phase != c.ACTION:
        return
    stay = 0
    for action in range(c.ACTION_COUNT):
        stay += mask[action]
    for action in range(c.TOP_UP + 1, c.JUMP):
        if mask[action] and stay > 1 and next32(s) < LEFT_OUT * 4294967296.0:
            mask[action] = 0
            stay -= 1
