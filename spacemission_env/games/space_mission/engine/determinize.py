"""Samples a full state that a seat cannot tell from the true one (SM-73, SM-75).

Tiles and cards that the seat does not know are dealt anew. All deals that agree with its knowledge are
equally likely; tiles or cards that look alike count as different pieces. The seat knows:

- Tiles that were taken between two of its looks, or after its last look, were among the tiles that it had
  seen, and belong to the seats that took tiles in that time (SM-71).
- A tile that others took is a point tile, unless `space_tile_penalty` allows space tiles (SM-66). The last
  tile taken from a closed pile, where no tile is face down, is always a point tile (SM-46).
- A face-down pile holds a point tile if a seat took a tile from it or is looking through it (SM-46).
- Cards from an older draw pile are in the hands of the seats that drew from it (SM-74).

The rules restrict the places of space tiles only, so these places are sampled first, by counting deals.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.rng import below, next32, seed_rng, shuffle
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import knowledge
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.knowledge import WAYS, ways_gone
from spacemission_env.games.space_mission.engine.rules import is_closed

# Groups of unseen places: one for each pile that must hold a point tile, and one for all other places.
FREE = c.RING
GROUPS = FREE + 1


@njit
def determinize(s, t, seat, seed, out):
    """Write into `out` a state that the seat cannot tell from `s`, sampled with the given seed.

    The state gets new random numbers too, so it does not reveal future shuffles of the true game.
    """
    out[0] = s
    w = out[0]
    seed_rng(w, seed)
    redeal_tiles(w, t, seat)
    redeal_cards(w, t, seat)
    seed_rng(w, (np.int64(next32(w)) << 31) | np.int64(next32(w) >> 1))


# ---------------------------------------------------------------- tiles


@njit
def redeal_tiles(w, t, seat):
    """Deal the unseen tiles anew; shuffle which seat took which of the tiles that this seat had seen."""
    left = np.empty(c.KINDS, np.int64)
    knowledge.unseen_tiles(w, t, seat, left)
    for p in range(c.RING):
        shuffle_seen(w, t, seat, p)
    deal_unseen(w, t, seat, left)
    recount_tiles(w, seat)


@njit
def shuffle_seen(w, t, seat, p):
    """Shuffle tiles that were taken after the seat had seen them, among the seats that took them."""
    start = knowledge.first_look(w, seat, p)
    if start == c.NOWHERE:
        return
    for i in range(start, w.taken[p]):
        if w.taken_by[p, i] == seat:
            shuffle_taken(w, p, start, i)
            start = i + 1
    looked = int(w.looked[seat, p])
    if looked > start:  # the seat is looking through the pile now
        shuffle_taken(w, p, start, looked)
    elif is_closed(w, t, p):
        shuffle_last(w, t, p, start)
    elif w.taken[p] > start:
        split_open(w, t, p, start)


@njit
def sort_taken(w, p, start, stop):
    """Sort the kinds of some taken tiles, so that sampling depends only on the count of each kind."""
    for a in range(start, stop):
        for b in range(a, start, -1):
            kind, before = w.taken_kind[p, b], w.taken_kind[p, b - 1]
            if before > kind:
                w.taken_kind[p, b], w.taken_kind[p, b - 1] = before, kind


@njit
def shuffle_taken(w, p, start, stop):
    """Shuffle the kinds of the tiles taken from `start` to before `stop`."""
    sort_taken(w, p, start, stop)
    shuffle(w, w.taken_kind[p, start:stop], stop - start)


@njit
def shuffle_last(w, t, p, start):
    """Shuffle the tiles taken from a closed pile since the last look; the last one is a point tile."""
    stop = int(w.taken[p])
    if stop == start:
        return
    sort_taken(w, p, start, stop)
    points = 0
    for i in range(start, stop):
        points += w.taken_kind[p, i] != c.SPACE
    kinds = w.taken_kind[p, start:stop]
    last = below(w, points)  # space tiles are sorted last
    kinds[stop - start - 1], kinds[last] = kinds[last], kinds[stop - start - 1]
    shuffle_taken(w, p, start, stop - 1)


@njit
def split_open(w, t, p, start):
    """Sample which tiles, seen in the last look at a face-down pile, are gone and which are left (SM-46)."""
    gone = int(w.taken[p]) - start
    for i in range(start, w.taken[p]):
        w.pile[p, w.taken_kind[p, i]] += 1
    spaces = int(w.pile[p, c.SPACE])
    points = int(t.pile_size) - start - spaces
    gone_spaces = 0
    if t.space_tile_penalty == 1 and spaces > 0:
        total = np.int64(0)
        for j in range(spaces + 1):
            total += ways_gone(spaces, points, gone, j)
        rest = below64(w, total)
        while gone_spaces < spaces and rest >= ways_gone(spaces, points, gone, gone_spaces):
            rest -= ways_gone(spaces, points, gone, gone_spaces)
            gone_spaces += 1
    for i in range(gone):
        if i < gone_spaces:
            kind = c.SPACE
        else:
            kind = draw_point(w, p, points)
            points -= 1
        w.pile[p, kind] -= 1
        w.taken_kind[p, start + i] = kind
    shuffle_taken(w, p, start, int(w.taken[p]))


@njit
def draw_point(w, p, points):
    """Sample the kind of one of the point tiles of a pile."""
    rest = below(w, points)
    kind = 0
    while rest >= w.pile[p, kind]:
        rest -= w.pile[p, kind]
        kind += 1
    return kind


@njit
def is_unseen(w, seat, p, i):
    """Whether a taken tile is one that the seat has never seen."""
    first = knowledge.first_look(w, seat, p)
    return first == c.NOWHERE or i < first


@njit
def deal_unseen(w, t, seat, left):
    """Deal the unseen tiles: first sample the places of space tiles, then deal point tiles to the others."""
    size = np.zeros(GROUPS, np.int64)  # number of places in each group
    for p in range(t.ring_size):
        for i in range(w.taken[p]):
            if is_unseen(w, seat, p, i) and may_be_space(w, t, p, i):
                size[FREE] += 1
        if knowledge.first_look(w, seat, p) == c.NOWHERE and w.face_up[p] == 0:
            size[p if knowledge.needs_point(w, t, p) else FREE] += t.pile_size - w.taken[p]
    spaces = np.zeros(GROUPS, np.int64)
    draw_spaces(w, size, left[c.SPACE], spaces)
    points = np.empty(c.TILES, np.int8)
    count = 0
    for k in range(c.POINT_KINDS):
        for _ in range(left[k]):
            points[count] = k
            count += 1
    shuffle(w, points, count)
    for p in range(t.ring_size):
        for i in range(w.taken[p]):
            if is_unseen(w, seat, p, i):
                if may_be_space(w, t, p, i) and draw_free(w, size, spaces):
                    w.taken_kind[p, i] = c.SPACE
                else:
                    count -= 1
                    w.taken_kind[p, i] = points[count]
        if knowledge.first_look(w, seat, p) == c.NOWHERE and w.face_up[p] == 0:
            count = deal_pile(w, t, p, size, spaces, points, count)


@njit
def may_be_space(w, t, p, i):
    """Whether a taken tile may be a space tile (SM-66)."""
    return t.space_tile_penalty == 1 and not knowledge.last_was_point(w, t, p, i)


@njit
def deal_pile(w, t, p, size, spaces, points, count):
    """Deal the tiles of an unseen face-down pile; return how many point tiles are left."""
    for k in range(c.KINDS):
        w.pile[p, k] = 0
    for _ in range(t.pile_size - w.taken[p]):
        if knowledge.needs_point(w, t, p):
            is_space = w.pile[p, c.SPACE] < spaces[p]
        else:
            is_space = draw_free(w, size, spaces)
        if is_space:
            w.pile[p, c.SPACE] += 1
        else:
            count -= 1
            w.pile[p, points[count]] += 1
    return count


@njit
def draw_free(w, size, spaces):
    """Sample whether the next place of the group `FREE` gets a space tile."""
    hit = below(w, size[FREE]) < spaces[FREE]
    size[FREE] -= 1
    spaces[FREE] -= hit
    return hit


@njit
def draw_spaces(w, size, total, spaces):
    """Sample how many of `total` space tiles each group of places gets; every deal is equally likely."""
    ways = np.zeros((GROUPS + 1, total + 1), np.int64)  # [g, n]: ways to put n tiles into groups g and later
    ways[GROUPS, 0] = 1
    for g in range(GROUPS - 1, -1, -1):
        for n in range(total + 1):
            for k in range(min(n, most_spaces(g, size)) + 1):
                ways[g, n] += WAYS[size[g], k] * ways[g + 1, n - k]
    n = int(total)
    for g in range(GROUPS):
        rest = below64(w, ways[g, n])
        k = 0
        while k < min(n, most_spaces(g, size)) and rest >= WAYS[size[g], k] * ways[g + 1, n - k]:
            rest -= WAYS[size[g], k] * ways[g + 1, n - k]
            k += 1
        spaces[g] = k
        n -= k


@njit
def below64(s, n):
    """A uniform random integer from 0 to n - 1; n is at most 2**49."""
    limit = (np.int64(1) << 62) - (np.int64(1) << 62) % n
    while True:
        x = (np.int64(next32(s) & 0x3FFFFFFF) << 32) | np.int64(next32(s))
        if x < limit:
            return x % n


@njit
def most_spaces(g, size):
    """The maximum number of space tiles in a group of places."""
    return size[g] if g == FREE else max(size[g] - 1, 0)


@njit
def recount_tiles(w, seat):
    """Count the collected tiles of the other seats: those that they took from developed planets (SM-41)."""
    for j in range(w.num_players):
        if j != seat:
            for k in range(c.KINDS):
                w.tiles[j, k] = 0
    for p in range(c.RING):
        if w.station[p] != c.NOWHERE:
            for i in range(w.taken[p]):
                j = w.taken_by[p, i]
                if j != seat:
                    w.tiles[j, w.taken_kind[p, i]] += 1


# ---------------------------------------------------------------- cards


@njit
def redeal_cards(w, t, seat):
    """Deal the unseen cards to the other hands and the draw pile, epoch by epoch (SM-74)."""
    cards = np.empty(c.CARDS, np.int8)
    hidden = np.empty(c.CARDS, np.int64)  # hidden cards of the present draw pile, by face
    for card in range(c.CARDS):
        hidden[card] = t.copies[card] - w.discard[card]
    for i in range(w.hand_size[seat]):
        hidden[w.hand[seat, i]] -= 1
    for epoch in range(w.epochs):
        count = 0
        for card in range(c.CARDS):
            for j in range(w.num_players):
                if j != seat:
                    for i in range(w.hand_size[j]):
                        if w.hand[j, i] == card and w.hand_epoch[j, i] == epoch:
                            cards[count] = card
                            count += 1
                            hidden[card] -= 1
        deal_epoch(w, seat, epoch, cards, count)
    count = 0
    for card in range(c.CARDS):
        for _ in range(hidden[card]):
            cards[count] = card
            count += 1
    count = deal_epoch(w, seat, c.NEW, cards, count)
    for i in range(c.CARDS):  # the copied array of the true pile still has cards that others drew
        w.draw[i] = cards[i] if i < count else 0
    for j in range(w.num_players):
        if j != seat:
            sort_hand(w, j)


@njit
def deal_epoch(w, seat, epoch, cards, count):
    """Deal the hidden cards of an epoch at random to the other seats; return how many are left."""
    shuffle(w, cards, count)
    for j in range(w.num_players):
        if j == seat:
            continue
        for i in range(w.hand_size[j]):
            if w.hand_epoch[j, i] == epoch:
                count -= 1
                w.hand[j, i] = cards[count]
    return count


@njit
def sort_hand(w, j):
    """Sort a hand by the order of the components file; of identical cards, the older comes first."""
    for a in range(w.hand_size[j]):
        for b in range(a, 0, -1):
            before, card = w.hand[j, b - 1], w.hand[j, b]
            if before < card or (before == card and w.hand_epoch[j, b - 1] <= w.hand_epoch[j, b]):
                break
            w.hand[j, b - 1], w.hand[j, b] = card, before
            epoch = w.hand_epoch[j, b - 1]
            w.hand_epoch[j, b - 1] = w.hand_epoch[j, b]
            w.hand_epoch[j, b] = epoch
    w.older[j] = 0
    for i in range(w.hand_size[j]):
        w.older[j] |= (w.hand_epoch[j, i] != c.NEW) << i
