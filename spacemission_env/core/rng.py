"""Draws random numbers from the state of a game by xorwow (Marsaglia 2003).

It uses only shifts, xors and sums of masked 64-bit integers, so the numbers are equal with and without the
JIT and on every machine. Seeds and agents' keys come from the 32-bit finalizer of MurmurHash3.

In a chance record (`core/chance.py`) `rng` is longer and has a tape of outcomes, which `below` returns first.
The length of `rng` is part of its type, so the code for ordinary records has no trace of the tape.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__))

M32 = 0xFFFFFFFF

GENERATOR = 6  # length of the generator's state; an ordinary `rng` holds nothing else
GIVEN, USED = 6, 7  # places in `rng` of the number of given outcomes and the number of draws
OUTCOMES, TAPE = 8, 1024  # place of the first outcome, and maximum number of outcomes
SIZES = OUTCOMES + TAPE  # place of the first size; a draw's size is its number of possible outcomes
CHANCE_WORDS = SIZES + TAPE


@njit
def mul32(a, b):
    """Low 32 bits of a product, computed in halves to avoid 64-bit overflow."""
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
    """A 63-bit hash of three integers, for seeds and decision keys.

    It uses all 64 bits of `a`, and the low 32 bits of `b` and `c`.
    """
    h = mix32((a & M32) ^ 0x9E3779B9)
    h = mix32(h ^ ((a >> 32) & M32))
    h = mix32((h + mul32(b & M32, 0x9E3779B1)) & M32)
    h = mix32((h + mul32(c & M32, 0x85EBCA77)) & M32)
    low = mix32(h ^ 0x5BD1E995)
    return ((h & 0x7FFFFFFF) << 32) | low


@njit
def seed_rng(s, seed):
    """Initialise the game's generator from a seed, 0 to 2**63 - 1."""
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
    """Draw an integer from 0 to n - 1; a chance record gives its next given outcome, if that is in range."""
    drawn = (next32(s) * n) >> 32
    if len(s.rng) > GENERATOR:
        used = np.int64(s.rng[USED])
        if used < TAPE:
            if used < s.rng[GIVEN] and s.rng[OUTCOMES + used] < n:
                drawn = np.int64(s.rng[OUTCOMES + used])
            s.rng[OUTCOMES + used] = drawn
            s.rng[SIZES + used] = n
        s.rng[USED] = used + 1
    return drawn


@njit
def shuffle(s, items, count):
    """Shuffle the first `count` entries in place (Fisher and Yates)."""
    for i in range(count - 1, 0, -1):
        j = below(s, i + 1)
        items[i], items[j] = items[j], items[i]


@njit
def next_seed(seed):
    """The seed of the game after this one, for a front end that gets no new seed."""
    return hash63(seed, 0x5EED, 1)
