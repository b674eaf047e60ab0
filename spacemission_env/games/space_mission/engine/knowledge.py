"""Works out what a seat knows of tiles and cards (SM-71, SM-74).

A seat remembers all that it has seen, in every observation mode. So there are three kinds of taken tiles. The
seat took the tile itself. Or another took it before the seat's first look, so the seat never saw it. Or
another took it later, and the seat knows which kinds were taken between two looks.
"""

from __future__ import annotations

from math import comb

import numpy as np

from spacemission_env.core.rng import M32, mix32, mul32
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.rules import is_closed

UNSEEN, GONE = -2, -3  # codes in a key: a tile never seen, and a tile gone since the last look


@njit
def first_look(s, seat, p):
    """How many tiles were taken from the pile before the seat's first look; NOWHERE without one."""
    for i in range(s.taken[p]):
        if s.taken_by[p, i] == seat:
            return i
    return int(s.looked[seat, p])


@njit
def looked_through_now(s, p):
    """Whether a seat is looking through the pile and will take a tile."""
    return s.phase != c.ACTION and s.phase != c.OVER and s.ship[s.player] == p


@njit
def needs_point(s, t, p):
    """SM-34, SM-46: a face-down pile holds a point tile if a seat took from it or is looking through it."""
    return not is_closed(s, t, p) and (s.taken[p] > 0 or looked_through_now(s, p))


@njit
def last_was_point(s, t, p, i):
    """SM-46, SM-66: whether the tile is the last one taken from a closed pile, hence a point tile."""
    return t.space_tile_penalty == 1 and is_closed(s, t, p) and i == s.taken[p] - 1


@njit
def unseen_tiles(s, t, seat, left):
    """Write the number of unseen tiles of each kind: integers (KINDS,)."""
    for k in range(c.KINDS):
        left[k] = t.tile_count[k]
    for p in range(c.RING):
        first = first_look(s, seat, p)
        if first != c.NOWHERE:  # the seat knows all tiles that the pile had at that look
            for k in range(c.KINDS):
                left[k] -= s.pile[p, k]
            for i in range(first, s.taken[p]):
                left[s.taken_kind[p, i]] -= 1
        elif s.face_up[p]:
            left[c.SPACE] -= s.pile[p, c.SPACE]


# ---------------------------------------------------------------- the key of an information set

PILE_KEY = 5 + 2 * c.PILE + c.KINDS  # planet, face up, station; taken, looked; takers, kinds; tiles left
SEAT_KEY = 5 * c.RING + 6 + 2 * c.LAST_ACTIONS
CARDS_KEY = (
    c.CARDS + c.SLOTS + 2 * c.SLOTS * c.MAX_PLAYERS
)  # discard; the seat's hand; epochs; cards of older epochs
KEY_SIZE = 13 + c.RING * PILE_KEY + c.MAX_PLAYERS * SEAT_KEY + 2 * c.KINDS + CARDS_KEY


@njit
def write_key(s, t, seat, key):
    """Write a key of the information set of a seat (SM-74), int32 (KEY_SIZE,).

    Equal keys mean equal sets of possible states.
    """
    for i in range(len(key)):
        key[i] = 0
    n = int(s.num_players)
    key[0], key[1], key[2], key[3] = n, seat, s.start_player, s.player
    key[4], key[5], key[6], key[7] = s.phase, s.actions_left, s.over, s.last_round
    key[8], key[9], key[10] = s.revealed, s.round_number, s.decisions
    key[11], key[12] = s.draw_size, s.shuffles
    at = 13
    for p in range(c.RING):
        key[at], key[at + 1], key[at + 2] = s.ring[p], s.face_up[p], s.station[p]
        at = write_pile(s, t, seat, p, key, at + 3)
    for j in range(n):
        at = write_seat(s, j, key, at)
    for k in range(c.KINDS):
        key[at + k] = s.tiles[seat, k]
        if looked_through_now(s, s.ship[seat]) and s.player == seat:
            key[at + c.KINDS + k] = s.pile[s.ship[seat], k]
    at += 2 * c.KINDS
    for card in range(c.CARDS):
        key[at + card] = s.discard[card]
    write_cards(s, seat, key, at + c.CARDS)


@njit
def write_pile(s, t, seat, p, key, at):
    """Write who took which tiles from a pile, as far as the seat knows, and what its last look left."""
    taken = int(s.taken[p])
    first = first_look(s, seat, p)
    looked = int(s.looked[seat, p])
    key[at], key[at + 1] = taken, looked
    at += 2
    start = first
    for i in range(taken):
        key[at + i] = s.taken_by[p, i]
        if first == c.NOWHERE or i < first:
            kind = UNSEEN
        elif i >= looked and not is_closed(s, t, p):
            kind = GONE
        else:
            kind = int(s.taken_kind[p, i])
            if s.taken_by[p, i] == seat:
                start = i + 1
        place = at + c.PILE + i
        if s.taken_by[p, i] != seat and kind >= 0:  # sort the tiles taken between two looks
            while place > at + c.PILE + start and key[place - 1] > kind:
                key[place] = key[place - 1]
                place -= 1
        key[place] = kind
    at += 2 * c.PILE
    if first != c.NOWHERE:
        for k in range(c.KINDS):
            key[at + k] = s.pile[p, k]
        for i in range(looked, taken):
            key[at + int(s.taken_kind[p, i])] += 1
    elif s.face_up[p]:
        key[at + c.SPACE] = s.pile[p, c.SPACE]
    return at + c.KINDS


@njit
def write_seat(s, j, key, at):
    """Write the public pieces of a seat, its last actions and its looks."""
    for p in range(c.RING):
        key[at] = s.scanned[j, p]
        key[at + 1] = s.reserved[j, p]
        key[at + 2] = s.looked[j, p]
        key[at + 3] = s.looked_round[j, p]
        key[at + 4] = s.looked_by[j, p]
        at += 5
    collected = 0
    for k in range(c.KINDS):
        collected += s.tiles[j, k]
    key[at], key[at + 1], key[at + 2] = s.ship[j], s.supply[j], s.gate[j]
    key[at + 3], key[at + 4], key[at + 5] = s.hand_size[j], s.last_from[j], collected
    at += 6
    for i in range(c.LAST_ACTIONS):
        key[at], key[at + 1] = s.last_kind[j, i], s.last_cards[j, i]
        at += 2
    return at


@njit
def write_cards(s, seat, key, at):
    """Write the seat's hand, how many cards of each epoch each seat holds, and the others' older cards."""
    n = int(s.num_players)
    for i in range(s.hand_size[seat]):
        key[at + i] = int(s.hand[seat, i]) + 1
    at += c.SLOTS
    for j in range(n):
        for i in range(s.hand_size[j]):
            insert(key, at, at + i, int(s.hand_epoch[j, i]) + 1)
        at += c.SLOTS
    end = at  # the end of sorted numbers, each made of an epoch and a card
    for j in range(n):
        for i in range(s.hand_size[j]):
            if j != seat and s.hand_epoch[j, i] != c.NEW:
                insert(key, at, end, (int(s.hand_epoch[j, i]) + 1) * c.CARDS + int(s.hand[j, i]))
                end += 1


@njit
def insert(key, start, end, value):
    """Insert a value into the sorted numbers from `start` to before `end`."""
    while end > start and key[end - 1] > value:
        key[end] = key[end - 1]
        end -= 1
    key[end] = value


@njit
def decision_key(s):
    """The key for an agent's random choice at this decision: a hash of what the seat to act knows.

    It reveals neither the seed nor a hidden tile or card. `salt` distinguishes games that start from the same
    set-up (`setup.lay`).
    """
    seat = s.player
    ring = np.int64(0)
    for p in range(c.RING):
        ring = ring << 4 | np.int64(s.ring[p])
    hand = np.int64(0)
    for i in range(c.SLOTS):
        hand = hand << 6 | (np.int64(s.hand[seat, i]) & 63)
    tiles = np.int64(0)
    for k in range(c.KINDS):
        tiles = (tiles * 9 + np.int64(s.tiles[seat, k])) & M32
    if s.phase != c.ACTION and s.phase != c.OVER:
        p = s.ship[seat]
        for k in range(c.KINDS):
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


# ---------------------------------------------------------------- counting (SM-75)

# The rules restrict the places of space tiles only (SM-46, SM-66). WAYS[n, k]: the number of ways to choose k
# of n places, int64 (65, 17); C(64, 16) < 2**49, so int64 is exact.
WAYS = np.array([[comb(n, k) for k in range(c.SPACE_TILES + 1)] for n in range(c.TILES + 1)], np.int64)


@njit
def ways_gone(spaces, points, gone, j):
    """The ways to take `gone` tiles, `j` of them space tiles, so that at least one point tile stays."""
    if j < 0 or j > spaces or gone - j < 0 or gone - j >= points:
        return np.int64(0)
    return WAYS[spaces, j] * WAYS[points, gone - j]


@njit
def mean_spaces_gone(spaces, points, gone):
    """The mean number of space tiles gone from a face-down pile if seats may take space tiles (SM-66)."""
    total = 0
    weighed = 0
    for j in range(spaces + 1):
        ways = ways_gone(spaces, points, gone, j)
        total += ways
        weighed += j * ways
    return weighed / total
