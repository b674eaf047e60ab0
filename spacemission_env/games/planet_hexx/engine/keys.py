"""What a seat knows, exactly: the key of its information set, and of its decision."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import M32, mix32, mul32
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import (
    ACTIONS,
    ANSWERING,
    HAND,
    KINDS,
    MAX_PLAYERS,
    NOTHING,
    POINTS,
)
from spacemission_env.games.planet_hexx.engine.grid import CELLS

SEAT_SIZE = 11 + POINTS + 2 * HAND
FRAMES = 4  # numbers that the frames are hashed to
HEAD = 14 + ACTIONS + HAND
KEY_SIZE = HEAD + MAX_PLAYERS * SEAT_SIZE + CELLS + KINDS + FRAMES


@njit
def write_key(s, seat, key):
    """Write what a seat knows, int32 (KEY_SIZE,): equal keys mean equal sets of possible states."""
    for i in range(KEY_SIZE):
        key[i] = 0
    asked = s.over == RUNNING and s.player == seat
    key[0], key[1], key[2], key[3] = s.num_players, seat, s.start_player, s.active
    key[4], key[5], key[6], key[7] = s.over, s.turn, s.phase, s.actions_left
    key[8], key[9], key[10], key[11] = s.started, s.latest, s.shuffles, s.deck_size
    key[12], key[13] = s.deck_known, s.asked if asked else NOTHING
    for kind in range(ACTIONS):
        key[14 + kind] = s.gained[kind]
    for i in range(min(int(s.deck_known), HAND)):
        key[14 + ACTIONS + i] = 1 + int(s.deck[s.deck_size - 1 - i])
    for j in range(s.num_players):
        write_seat(s, j, j == seat, key[HEAD + j * SEAT_SIZE : HEAD + (j + 1) * SEAT_SIZE])
    at = HEAD + MAX_PLAYERS * SEAT_SIZE
    for cell in range(CELLS):
        if s.hex[cell] != NOTHING:
            key[at + cell] = 1 + int(s.hex[cell]) | int(s.hex_data[cell]) << 8 | int(s.turned[cell]) << 16
    at += CELLS
    for card in range(KINDS):
        key[at + card] = s.discard[card]
    hash_frames(s, asked, key[at + KINDS :])


@njit
def write_seat(s, j, own, key):
    """What is known of a seat: all but the cards in another's hand that nobody has seen."""
    key[0], key[1], key[2] = s.ship[j], s.landed[j], s.store[j]
    key[3], key[4], key[5] = s.counters[j], s.gained_ever[j], s.banned[j]
    key[6], key[7], key[8] = s.bonus[j], s.surprised[j], s.hand_size[j]
    key[9], key[10] = s.file[j], s.side[j]
    for p in range(POINTS):
        key[11 + p] = s.filled[j, p]
    at = 11 + POINTS
    known = 0
    hidden = 0
    for i in range(s.hand_size[j]):
        if own or s.known[j, i]:
            key[at + known] = 1 + int(s.hand[j, i]) | int(s.known[j, i]) << 8 | int(s.epoch[j, i]) << 9
            known += 1
        else:  # of the others the epochs, in their order
            place = hidden
            while place > 0 and key[at + HAND + place - 1] > 1 + s.epoch[j, i]:
                key[at + HAND + place] = key[at + HAND + place - 1]
                place -= 1
            key[at + HAND + place] = 1 + s.epoch[j, i]
            hidden += 1


@njit
def hash_frames(s, asked, out):
    """What is under way, but for who has been asked in windows: hashed to a few numbers."""
    a = 0x9E3779B9
    b = 0x5BD1E995
    for d in range(s.depth):
        f = s.stack[d]
        if f.kind == ANSWERING:
            if asked:
                a = stir(stir(stir(a, 1), f.mode), f.seat)
            continue
        for value in (
            f.kind, f.step, f.mode, f.seat, f.card, f.epoch, f.branch, f.cell, f.turned, f.cancelled, f.gone,
            f.about, f.home, f.pc, f.target, f.hex, f.roll, f.left, f.taken, f.came, f.start, f.held,
            f.held_epoch,
        ):  # fmt: skip
            a = stir(a, value)
            b = stir(b ^ a, value)
        a = stir(a, f.queue)
    out[0], out[1], out[2], out[3] = a & 0xFFFF, a >> 16, b & 0xFFFF, b >> 16  # halves fit into int32


@njit
def stir(h, value):
    """Mix a number into a hash of 32 bits."""
    return mix32((mul32(h, 0x9E3779B1) + (np.int64(value) & M32)) & M32)


@njit
def decision_key(s):
    """The random key an agent gets for the decision at hand: the same in every front end.

    It is a hash of what the seat to act knows (so it is the same in all worlds that the seat holds possible)
    and of the game's salt.
    """
    seat = s.player
    h = stir(0x2545F491, seat)
    h = stir(stir(stir(h, s.asked), s.seen_decisions), s.turn)
    for i in range(s.hand_size[seat]):
        h = stir(h, s.hand[seat, i])
    for i in range(s.hexes):
        h = stir(h, int(s.placed[i]) << 8 | int(s.hex[s.placed[i]]))
    for j in range(s.num_players):
        h = stir(h, int(s.ship[j]) << 8 | int(s.store[j]))
        h = stir(h, int(s.file[j]) << 8 | int(s.hand_size[j]))
    for d in range(s.depth):
        h = stir(h, int(s.stack[d].kind) << 8 | int(s.stack[d].mode))
    h = stir(h, s.salt & M32)
    low = mix32(stir(h ^ 0x5BD1E995, s.deck_size) ^ ((s.salt >> 32) & M32))
    return ((h & 0x7FFFFFFF) << 32) | low
