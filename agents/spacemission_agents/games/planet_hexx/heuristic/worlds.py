"""Worlds that are the same for all that a seat holds possible, and dice of every face.

A judgement that looks ahead in a sampled world must not play better where the sample happens to be good. So
hidden cards are put in the order of their kinds and shuffled by a fixed number: all worlds that the seat
cannot tell apart become one. In it the cards of the own hand are marked as known, so that those which it
draws later are told apart from them.
"""

from __future__ import annotations

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_env.core.rng import below, seed_rng
from spacemission_env.games.planet_hexx.engine.determinize import card_at, hidden_places, put_at, redeal

SHUFFLE = 0x1EAF  # seed of the order of hidden cards
FACES = 6


@njit
def level(s, seat, places, counts):
    """Make the world the same for all that the seat holds possible; mark its own cards as known."""
    count = hidden_places(s, seat, places)
    begun = 0
    while begun < count:  # those of one epoch go to the front of the rest, in order of kind
        epoch = places[begun, 2]
        end = begun
        counts[:] = 0
        for i in range(begun, count):
            if places[i, 2] == epoch:
                counts[card_at(s, places[i])] += 1
                for v in range(3):
                    kept = places[end, v]
                    places[end, v] = places[i, v]
                    places[i, v] = kept
                end += 1
        card = 0
        for i in range(begun, end):
            while counts[card] == 0:
                card += 1
            put_at(s, places[i], card)
            counts[card] -= 1
        begun = end
    seed_rng(s, SHUFFLE)
    redeal(s, seat, places)
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
