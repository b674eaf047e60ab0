"""Turns observations and actions by the 16 symmetries of the ring (SM-02, SM-25).

A `turn` is `origin + 8 * mirrored`: position `origin` becomes position 0; if `mirrored`, the ring runs in the
other direction. Turn 0 changes nothing.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.layout import LAYOUT, OBSERVATION_SIZE

TURNS = 2 * c.RING


def place_before(turn: int, q: int) -> int:
    """The ring position that a turn moves to q."""
    origin, mirrored = turn % c.RING, turn // c.RING
    return (origin - q if mirrored else origin + q) % c.RING


def _observation_sources() -> np.ndarray:
    sources = np.tile(np.arange(OBSERVATION_SIZE, dtype=np.int16), (TURNS, 1))
    for turn in range(TURNS):
        ring = [place_before(turn, q) for q in range(c.RING)]
        for piece in LAYOUT.values():
            if piece.ring_axis is not None:
                places = np.arange(piece.start, piece.slice.stop).reshape(piece.shape)
                sources[turn, piece.slice] = places.take(ring, piece.ring_axis).ravel()
    return sources


def _action_sources() -> np.ndarray:
    sources = np.tile(np.arange(c.ACTION_COUNT, dtype=np.int16), (TURNS, 1))
    for turn in range(TURNS):
        for slot in range(c.SLOTS):
            for q in range(c.RING):
                sources[turn, c.JUMP + c.RING * slot + q] = c.JUMP + c.RING * slot + place_before(turn, q)
        if turn >= c.RING:
            sources[turn, [c.FLY_NEXT, c.FLY_PREVIOUS]] = c.FLY_PREVIOUS, c.FLY_NEXT
    return sources


# Number i of a turned observation is number OBSERVATION_SOURCES[turn, i] of the original; action a of a
# turned game is action ACTION_SOURCES[turn, a] of the original. int16 (16, size) and (16, 101).
OBSERVATION_SOURCES = _observation_sources()
ACTION_SOURCES = _action_sources()

SHIP = LAYOUT["ships"].start


@njit
def ship_turn(o, otherwise):
    """The turn that moves the observer's ship to position 0, or `otherwise` if it is on the jump gate."""
    for p in range(c.RING):
        if o[SHIP + p] > 0:
            return p + c.RING * (otherwise // c.RING)
    return otherwise
