"""Writes keys of information sets, and computes the random keys of decisions."""

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import M32, mix32, mul32
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.grid import CELLS

SEAT_SIZE = 13 + c.POINTS + 2 * c.HAND
FRAMES = 4  # numbers of the key that hold the hash of the frames
HEAD = 14 + c.ACTIONS + c.HAND
OLD = (c.MAX_PLAYERS - 1) * c.HAND  # maximum number of hidden cards drawn before the latest shuffle
KEY_SIZE = HEAD + c.MAX_PLAYERS * SEAT_SIZE + CELLS + 2 * c.KINDS + OLD + 4 * c.DEEDS + FRAMES


@njit
def write_key(s, t, seat, key):
    """Write what a seat knows as int32 (KEY_SIZE,); equal keys mean equal sets of possible states.

    The key has all public facts, the seat's own hand, and which cards are hidden, but not where: those of the
    current epoch by kind, older cards in other hands by epoch and kind.
    """
    for i in range(KEY_SIZE):
        key[i] = 0
    asked = s.over == RUNNING and s.player == seat
    key[0], key[1], key[2], key[3] = s.num_players, seat, s.start_player, s.active
    key[4], key[5], key[6], key[7] = s.over, s.turn, s.phase, s.actions_left
    key[8], key[9], key[10], key[11] = s.begun, s.latest, s.shuffles, s.deck_size
    key[12], key[13] = s.deck_known, s.asked if asked else c.NOTHING
    for kind in range(c.ACTIONS):
        key[14 + kind] = s.gained[kind]
    for i in range(min(int(s.deck_known), c.HAND)):
        key[14 + c.ACTIONS + i] = 1 + int(s.deck[s.deck_size - 1 - i])
    for j in range(s.num_players):
        write_seat(s, j, j == seat, key[HEAD + j * SEAT_SIZE : HEAD + (j + 1) * SEAT_SIZE])
    at = HEAD + c.MAX_PLAYERS * SEAT_SIZE
    for cell in range(CELLS):
        if s.hex[cell] != c.NOTHING:
            key[at + cell] = 1 + int(s.hex[cell]) | int(s.hex_data[cell]) << 8 | int(s.turned[cell]) << 16
    at += CELLS
    for card in range(c.KINDS):
        key[at + card] = s.discard[card]
    at += c.KINDS
    write_hidden(s, seat, key, at)
    at += c.KINDS + OLD
    for i in range(c.DEEDS):
        for v in range(4):
            key[at + 4 * i + v] = s.deeds[i, v]
    hash_frames(s, seat, key[at + 4 * c.DEEDS :])


@njit
def write_seat(s, j, own, key):
    """Write the public facts of a seat, and its cards as far as the observer knows them."""
    key[0], key[1], key[2] = s.ship[j], s.landed[j], s.store[j]
    key[3], key[4], key[5] = s.counters[j], s.gained_ever[j], s.banned[j]
    key[6], key[7], key[8] = s.bonus[j], s.surprised[j], s.hand_size[j]
    key[9], key[10], key[11], key[12] = s.file[j], s.side[j], s.collect_bonus[j], s.once[j]
    for p in range(c.POINTS):
        key[13 + p] = s.filled[j, p]
    at = 13 + c.POINTS
    known = 0
    hidden = 0
    for i in range(s.hand_size[j]):
        card = 1 + int(s.hand[j, i]) | int(s.known[j, i]) << 8 | int(s.epoch[j, i]) << 9
        if own:
            key[at + known] = card
            known += 1
        elif s.known[j, i]:  # sorted, because the order of copies in another hand is hidden
            insert(key, at, at + known, card)
            known += 1
        else:  # of a hidden card the seat knows the epoch
            insert(key, at + c.HAND, at + c.HAND + hidden, 1 + int(s.epoch[j, i]))
            hidden += 1


@njit
def insert(key, start, end, value):
    """Insert a value into the sorted numbers key[start:end]."""
    while end > start and key[end - 1] > value:
        key[end] = key[end - 1]
        end -= 1
    key[end] = value


@njit
def write_hidden(s, seat, key, at):
    """Count the hidden cards of the current epoch by kind; list older hidden cards by epoch and kind."""
    for i in range(int(s.deck_size) - int(s.deck_known)):
        key[at + int(s.deck[i])] += 1
    end = at + c.KINDS
    for j in range(s.num_players):
        for i in range(s.hand_size[j]):
            if j == seat or s.known[j, i]:
                continue
            if s.epoch[j, i] == s.shuffles:
                key[at + int(s.hand[j, i])] += 1
            else:
                insert(key, at + c.KINDS, end, (1 + int(s.epoch[j, i])) * c.KINDS + int(s.hand[j, i]))
                end += 1


@njit
def hash_frames(s, seat, out):
    """Hash the frames without the passes of other seats in windows."""
    a = 0x9E3779B9
    b = 0x5BD1E995
    for d in range(s.depth):
        f = s.stack[d]
        taken = int(f.taken)
        if f.kind == c.ANSWERING:  # only the pass of the seat itself is known
            taken = taken >> seat & 1
        for value in (
            f.kind, f.step, f.mode, f.seat, f.card, f.epoch, f.branch, f.cell, f.turned, f.cancelled, f.gone,
            f.about, f.before, f.home, f.pc, f.target, f.hex, f.roll, f.left, f.came, f.more, f.held,
            f.held_epoch,
        ):  # fmt: skip
            a = stir(a, value)
            b = stir(b ^ a, value)
        for number in (np.int64(taken), np.int64(f.queue)):
            a = stir(a, number)
            b = stir(b ^ a, number)
    out[0], out[1], out[2], out[3] = a & 0xFFFF, a >> 16, b & 0xFFFF, b >> 16  # halves fit into int32


@njit
def stir(h, value):
    """Mix a number into a hash of 32 bits."""
    return mix32((mul32(h, 0x9E3779B1) + (np.int64(value) & M32)) & M32)


@njit
def decision_key(s):
    """The key for an agent's random choice: a hash of facts that the seat to act knows and of the salt."""
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
