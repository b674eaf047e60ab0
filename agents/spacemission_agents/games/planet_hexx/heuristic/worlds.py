"""Worlds that are the same for all that a seat holds possible, and dice of every face.

A judgement that looks ahead in a sampled world must not play better where the sample happens to be good. So
hidden cards are dealt anew by a fixed number: all worlds that the seat cannot tell apart become one. In it
the cards of the own hand are marked as known, so that those which it draws later are told apart from them.
"""

from __future__ import annotations

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_env.core.rng import below, seed_rng
from spacemission_env.games.planet_hexx.engine.determinize import redeal

SHUFFLE = 0x1EAF  # seed of the order of hidden cards
FACES = 6


@njit
def level(s, seat, places, counts):
    """Make the world the same for all that the seat holds possible; mark its own cards as known."""
    seed_rng(s, SHUFFLE)
    redeal(s, seat, places, counts)
    for i in range(s.hand_size[seat]):
        s.known[seat, i] = 1


@njit
def fill_dice(s, dice):
    """Write random numbers of a game, uint32 (6, 6), by which the next die shows 1, 2, … 6; `s`: scratch."""
    for face in range(FACES):
        seed = 0
        while True:
            seed_rng(s, 1000 * face + seed)
            for i in range(FACES):
                dice[face, i] = s.rng[i]
            if below(s, FACES) == face:
                break
            seed += 1


@njit
def set_dice(s, dice, face):
    """The next die of this game shows face + 1."""
    for i in range(FACES):
        s.rng[i] = dice[face, i]
