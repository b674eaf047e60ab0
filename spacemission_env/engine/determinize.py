"""Information-set sampling: a full state that a seat cannot tell from the true one (SM-73).

The sampler reads from the true state only what the seat may know: public facts, the seat's own
hand, tiles and reservations, and what it saw in the piles. It works out which tiles and cards are
unknown by elimination and deals them anew. Consistency that it keeps:

- every own look at a pile stays true; tiles gone between two looks, or since the last one, were
  taken by those who took tiles there then, and were among those seen (SM-71);
- a tile taken by others is a point tile, unless `space_tile_penalty` allows space tiles (SM-66);
- a face-down pile somebody took from, or is looking through, holds a point tile (SM-46);
- cards kept in hands since before the last shuffle stay in those hands (SM-27).

Uniform over deals up to a small bias where a dealt pile has to be repaired. With components that
repeat a card id, cards kept over a shuffle are matched by face, which is approximate.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.engine.constants import (
    ACTION,
    CARDS,
    KINDS,
    NOWHERE,
    OVER,
    PILE,
    POINT_KINDS,
    RING,
    SPACE,
    TILES,
)
from spacemission_env.engine.jit import njit
from spacemission_env.engine.observe import kept_by_others
from spacemission_env.engine.rng import below, next32, seed_rng, shuffle

HIDDEN = -1  # a place whose tile is not known to the seat
TRIES = 20  # deals of the unseen tiles before the last one is repaired


@njit
def determinize(s, t, seat, seed, out):
    """Write into `out` a state that the seat cannot tell from `s`, drawn by the given seed.

    The sample's own random numbers are new too: what the true game would shuffle stays hidden.
    """
    out[0] = s
    w = out[0]
    seed_rng(w, seed)
    redeal_tiles(s, w, t, seat)
    redeal_cards(s, w, t, seat)
    seed_rng(w, (np.int64(next32(w)) << 31) | np.int64(next32(w) >> 1))


# ---------------------------------------------------------------- tiles


@njit
def first_look(s, seat, p):
    """Taken tiles before the seat's first known look at the pile; NOWHERE if it never looked."""
    for i in range(s.taken[p]):
        if s.taken_by[p, i] == seat:
            return i
    return s.looked[seat, p]


@njit
def redeal_tiles(s, w, t, seat):
    """Deal the tiles the seat has not seen anew, and shuffle who took which of those it has seen."""
    pool = np.empty(TILES, np.int8)
    count = unseen_tiles(s, t, seat, pool)
    for p in range(RING):
        shuffle_seen(s, w, t, seat, p)
    place = np.empty((TILES, 2), np.int8)
    slots, firm = unseen_places(s, t, seat, place)
    for _ in range(TRIES):
        deal_unseen(w, pool, count, place, slots, firm)
        if not repair(s, w, seat, place, slots, firm, False):
            break
    else:
        repair(s, w, seat, place, slots, firm, True)
    recount_tiles(s, w, seat)


@njit
def unseen_tiles(s, t, seat, pool):
    """The tiles that the seat has never seen, by elimination from the tiles of the game."""
    left = np.empty(KINDS, np.int64)
    for k in range(KINDS):
        left[k] = t.tile_count[k]
    for p in range(RING):
        first = first_look(s, seat, p)
        if first != NOWHERE:  # everything in the pile at the first look is known: now there, or taken since
            for k in range(KINDS):
                left[k] -= s.pile[p, k]
            for i in range(first, s.taken[p]):
                left[s.taken_kind[p, i]] -= 1
        elif s.face_up[p]:
            left[SPACE] -= s.pile[p, SPACE]
    count = 0
    for k in range(KINDS):
        for _ in range(left[k]):
            pool[count] = k
            count += 1
    return count


@njit
def shuffle_seen(s, w, t, seat, p):
    """Of the tiles seen and gone since, who took which is not known: shuffle them among the takers."""
    first = first_look(s, seat, p)
    if first == NOWHERE:
        return
    start = first
    for i in range(first, s.taken[p]):
        if s.taken_by[p, i] == seat:
            shuffle_taken(w, p, start, i)
            start = i + 1
    last = np.int64(s.looked[seat, p])  # after the last look the pile itself is not known either
    if last > start:
        shuffle_taken(w, p, start, last)
        start = last
    gone = s.taken[p] - start
    if gone == 0:
        return
    # The pile at the last look, split anew into gone and left.
    kinds = np.empty(PILE, np.int8)
    n = 0
    for k in range(KINDS):
        for _ in range(s.pile[p, k]):
            kinds[n] = k
            n += 1
    for i in range(start, s.taken[p]):
        kinds[n] = s.taken_kind[p, i]
        n += 1
    for i in range(1, n):  # in kind order, so that what is drawn depends on the multiset only
        kind = kinds[i]
        j = i
        while j > 0 and kinds[j - 1] > kind:
            kinds[j] = kinds[j - 1]
            j -= 1
        kinds[j] = kind
    shuffle(w, kinds, n)
    face_down = s.face_up[p] == 0 and n > gone
    if not face_down:  # all point tiles went; where spaces may be taken, a point tile went last (SM-46)
        split_closed(s, w, p, kinds, n, start, gone)
        return
    # Face down: a point tile stays (SM-46); without the penalty option only point tiles went.
    stays = 0
    while kinds[stays] == SPACE:
        stays += 1
    kinds[stays], kinds[n - 1] = kinds[n - 1], kinds[stays]
    i = 0
    for at in range(start, start + gone):
        while t.space_tile_penalty == 0 and kinds[i] == SPACE:
            i += 1
        w.taken_kind[p, at] = kinds[i]
        kinds[i] = HIDDEN
        i += 1
    for k in range(KINDS):
        w.pile[p, k] = 0
    for i in range(n):
        if kinds[i] != HIDDEN:
            w.pile[p, kinds[i]] += 1


@njit
def shuffle_taken(w, p, start, stop):
    """Shuffle the kinds of the tiles taken from `start` to before `stop`."""
    for a in range(start, stop):  # sorted first: the result depends on the multiset only
        for b in range(a, start, -1):
            if w.taken_kind[p, b - 1] > w.taken_kind[p, b]:
                kind = w.taken_kind[p, b]
                w.taken_kind[p, b] = w.taken_kind[p, b - 1]
                w.taken_kind[p, b - 1] = kind
    for i in range(stop - start - 1, 0, -1):
        j = below(w, i + 1)
        kind = w.taken_kind[p, start + i]
        w.taken_kind[p, start + i] = w.taken_kind[p, start + j]
        w.taken_kind[p, start + j] = kind


@njit
def split_closed(s, w, p, kinds, n, start, gone):
    """A pile that is used up or face up: all but the face-up space tiles are gone, a point tile last."""
    spaces = n - gone
    at = start
    for i in range(n):
        if kinds[i] == SPACE and spaces > 0:
            spaces -= 1
        else:
            w.taken_kind[p, at] = kinds[i]
            at += 1
    point = start
    while w.taken_kind[p, point] == SPACE:
        point += 1
    w.taken_kind[p, point], w.taken_kind[p, at - 1] = w.taken_kind[p, at - 1], w.taken_kind[p, point]


@njit
def unseen_places(s, t, seat, place):
    """List the places of unseen tiles: (ring position, index of the taken tile or HIDDEN for the pile).

    First those that must hold a point tile (`firm` of them), then all others. Returns both counts.
    """
    slots = 0
    for part in range(2):
        for p in range(RING):
            first = first_look(s, seat, p)
            unseen = s.taken[p] if first == NOWHERE else first
            closed = s.face_up[p] == 1 or s.taken[p] == PILE
            for i in range(unseen):
                is_last = closed and i == s.taken[p] - 1
                is_firm = t.space_tile_penalty == 0 or is_last
                if is_firm == (part == 0):
                    place[slots, 0] = p
                    place[slots, 1] = i
                    slots += 1
            if part == 1 and first == NOWHERE and s.face_up[p] == 0:
                for _ in range(PILE - s.taken[p]):
                    place[slots, 0] = p
                    place[slots, 1] = HIDDEN
                    slots += 1
        if part == 0:
            firm = slots
    return slots, firm


@njit
def deal_unseen(w, pool, count, place, slots, firm):
    """Deal the unseen tiles: point tiles to the firm places, the rest at random."""
    shuffle(w, pool, count)
    at = 0
    for i in range(firm):
        while pool[at] == SPACE:
            at += 1
        w.taken_kind[place[i, 0], place[i, 1]] = pool[at]
        # Used tiles move to the front; the order of the others stays random.
        kind = pool[at]
        pool[at] = pool[i]
        pool[i] = kind
        at = max(at, i + 1)
    for p in range(RING):
        cleared = False
        for i in range(firm, slots):
            if place[i, 0] == p and place[i, 1] == HIDDEN and not cleared:
                for k in range(KINDS):
                    w.pile[p, k] = 0
                cleared = True
    for i in range(firm, slots):
        if place[i, 1] == HIDDEN:
            w.pile[place[i, 0], pool[i]] += 1
        else:
            w.taken_kind[place[i, 0], place[i, 1]] = pool[i]


@njit
def needs_point(s, p):
    """A face-down pile that somebody took from, or is looking through now, holds a point tile."""
    if s.face_up[p] or s.taken[p] == PILE:
        return False
    return s.taken[p] > 0 or (s.phase != ACTION and s.phase != OVER and s.ship[s.player] == p)


@njit
def pile_points(w, p):
    """Point tiles in a pile of the sample."""
    count = 0
    for k in range(POINT_KINDS):
        count += w.pile[p, k]
    return count


@njit
def repair(s, w, seat, place, slots, firm, mend):
    """Whether some unseen pile lacks the point tile it must have; with `mend`, give it one.

    The point tile comes from a place that can spare it: one exists, because the true state is
    one way to deal the same tiles.
    """
    wrong = False
    for p in range(RING):
        if first_look(s, seat, p) != NOWHERE or not needs_point(s, p) or pile_points(w, p) > 0:
            continue
        wrong = True
        if not mend:
            return True
        offset = below(w, slots - firm)
        for step in range(slots - firm):
            i = firm + (offset + step) % (slots - firm)
            q = place[i, 0]
            if place[i, 1] != HIDDEN:
                kind = int(w.taken_kind[q, place[i, 1]])
                if kind == SPACE:
                    continue
                w.taken_kind[q, place[i, 1]] = SPACE
            else:
                if q == p or pile_points(w, q) <= (1 if needs_point(s, q) else 0):
                    continue
                kind = 0
                while w.pile[q, kind] == 0:
                    kind += 1
                w.pile[q, kind] -= 1
                w.pile[q, SPACE] += 1
            w.pile[p, kind] += 1
            w.pile[p, SPACE] -= 1
            break
    return wrong


@njit
def recount_tiles(s, w, seat):
    """Collected tiles of the others follow from what they took where a planet is developed (SM-41)."""
    for j in range(s.num_players):
        if j != seat:
            for k in range(KINDS):
                w.tiles[j, k] = 0
    for p in range(RING):
        if s.station[p] != NOWHERE:
            for i in range(s.taken[p]):
                j = s.taken_by[p, i]
                if j != seat:
                    w.tiles[j, w.taken_kind[p, i]] += 1


# ---------------------------------------------------------------- cards


@njit
def redeal_cards(s, w, t, seat):
    """Deal the cards that the seat does not see to the other hands and the draw pile."""
    kept = np.empty(CARDS, np.int8)
    fresh = np.empty(CARDS, np.int8)
    kept_count = 0
    fresh_count = 0
    for c in range(CARDS):
        known = np.int64(s.discard[c])
        for i in range(s.hand_size[seat]):
            known += s.hand[seat, i] == c
        held = kept_by_others(s, seat, c)
        for i in range(t.copies[c] - known):
            if i < held:
                kept[kept_count] = c
                kept_count += 1
            else:
                fresh[fresh_count] = c
                fresh_count += 1
    shuffle(w, kept, kept_count)
    shuffle(w, fresh, fresh_count)
    for j in range(s.num_players):
        if j == seat:
            continue
        size = int(s.hand_size[j])
        old = min(int(s.kept_by[j]), kept_count)
        for i in range(size):
            if i < old or fresh_count == 0:
                kept_count -= 1
                card = kept[kept_count]
            else:
                fresh_count -= 1
                card = fresh[fresh_count]
            at = i
            while at > 0 and w.hand[j, at - 1] > card:
                w.hand[j, at] = w.hand[j, at - 1]
                at -= 1
            w.hand[j, at] = card
    n = 0
    for i in range(fresh_count):
        w.draw[n] = fresh[i]
        n += 1
    for i in range(kept_count):  # only where repeated card ids made the match approximate
        w.draw[n] = kept[i]
        n += 1
    shuffle(w, w.draw, n)
    for i in range(n, CARDS):  # used-up places name the cards that others drew
        w.draw[i] = 0
