"""Random numbers that live in the state: xorwow (Marsaglia 2003, "Xorshift RNGs"), 32-bit words.

Only shifts, xors and sums of masked 64-bit integers are used, so the numbers are the same with
and without the JIT, on every machine. Seeds and the keys that agents get are made by the
32-bit finalizer of MurmurHash3.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.constants import ACTION, KINDS, OVER, RING, SLOTS

M32 = 0xFFFFFFFF


@njit
def mul32(a, b):
    """Low 32 bits of a product, by halves: no 64-bit overflow."""
    return ((((a * (b >> 16)) & 0xFFFF) << 16) + a * (b & 0xFFFF)) & M32


@njit
def mix32(x):
    """Scramble 32 bits (a bijection)."""
    x ^= x >> 16
    x = mul32(x, 0x85EBCA6B)
    x ^= x >> 13
    x = mul32(x, 0xC2B2AE35)
    return x ^ (x >> 16)


@njit
def hash63(a, b, c):
    """A 63-bit number from three integers: next seeds and decision keys are made of it."""
    h = mix32((a & M32) ^ 0x9E3779B9)
    h = mix32(h ^ ((a >> 32) & M32))
    h = mix32((h + mul32(b & M32, 0x9E3779B1)) & M32)
    h = mix32((h + mul32(c & M32, 0x85EBCA77)) & M32)
    low = mix32(h ^ 0x5BD1E995)
    return ((h & 0x7FFFFFFF) << 32) | low


@njit
def seed_rng(s, seed):
    """Start the game's random numbers from a seed of 0 to 2**63 - 1."""
    s.seed = seed
    low = seed & M32
    high = (seed >> 32) & M32
    h = 0x2545F491
    for i in range(6):
        h = mix32((h + low + mul32(high, 0x9E3779B1) + i * 0x632BE5AB) & M32)
        s.rng[i] = h
        low, high = high, low
    s.rng[0] = np.int64(s.rng[0]) | 1  # the five shift words must not all be zero
    for _ in range(8):
        next32(s)


@njit
def next32(s):
    """The next 32 random bits."""
    x = np.int64(s.rng[4])
    t = x ^ (x >> 2)
    v = np.int64(s.rng[0])
    s.rng[4] = s.rng[3]
    s.rng[3] = s.rng[2]
    s.rng[2] = s.rng[1]
    s.rng[1] = s.rng[0]
    v = (v ^ ((v << 4) & M32)) ^ (t ^ ((t << 1) & M32))
    s.rng[0] = v
    d = (np.int64(s.rng[5]) + 362437) & M32
    s.rng[5] = d
    return (d + v) & M32


@njit
def below(s, n):
    """A random integer from 0 to n - 1."""
    return (next32(s) * n) >> 32


@njit
def shuffle(s, items, count):
    """Shuffle the first `count` entries in place (Fisher and Yates)."""
    for i in range(count - 1, 0, -1):
        j = below(s, i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


@njit
def next_seed(seed):
    """The seed of the game after this one, where a front end goes on without a new seed."""
    return hash63(seed, 0x5EED, 1)


@njit
def decision_key(s):
    """The random key an agent gets for the decision at hand: the same in every front end.

    It is a hash of what the seat to act knows (its hand, its tiles, the ring, the pile in its view, the
    course of the game in numbers), so it tells the seat nothing that it does not know: neither the seed nor
    a hidden tile or card. `salt` sets apart games laid from the same set-up (`setup.lay`).
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
