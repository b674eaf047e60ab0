"""Removes the past from a state sampled for a seat without memory (`observation="table"`).

The table does not show who took which tile of a developed planet, which cards are older than a shuffle, or
when each seat looked. `forget` samples a past that may have led to the present table. Then tiles and cards
are dealt anew, and `recall_looks` adds the looks.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.rng import below
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.layout import OLDEST

TRIES = 200  # random assignments to try; if all fail, `STIRS` small steps shuffle the true assignment
STIRS = 400


@njit
def forget(s, w, t, seat):
    """Remove from `w`, a copy of `s`, all that the table does not show this seat.

    The seat's `looked` keeps only the pile that the seat is looking through and, with
    `reserved_tiles_visible`, its last visits; for all other piles it is NOWHERE.
    """
    w.forgotten = 1
    forget_cards(w, t)
    for p in range(c.RING):
        if picks_here(s, seat, p):
            w.looked[seat, p] = s.taken[p]
        elif not t.reserved_tiles_visible:
            w.looked[seat, p] = c.NOWHERE
    own = np.empty(c.TILES, np.int8)
    others = np.empty(c.TILES, np.int8)
    forget_takers(s, w, t, seat, own, others)


@njit
def forget_cards(w, t):
    """Forget which card came from which draw pile and, if the table hides them, the last actions."""
    w.shuffles = 0
    w.epochs = 0
    for epoch in range(c.EPOCHS):
        w.epoch_size[epoch] = 0
        for j in range(w.num_players):
            w.epoch_cards[epoch, j] = 0
    for j in range(w.num_players):
        for i in range(c.SLOTS):
            if w.hand_epoch[j, i] != c.NOWHERE:
                w.hand_epoch[j, i] = c.NEW
        w.older[j] = 0
        if not t.reserved_tiles_visible:
            w.last_from[j] = c.NOWHERE
            for i in range(c.LAST_ACTIONS):
                w.last_kind[j, i] = c.NOWHERE
                w.last_cards[j, i] = 0


@njit
def picks_here(s, j, p):
    """Whether the seat is looking through the pile and will take a tile."""
    return s.player == j and s.phase != c.ACTION and s.phase != c.OVER and s.ship[j] == p


@njit
def must_have(s, j, p):
    """Whether the seat must have taken a tile of this pile: it looked and saw a point tile (SM-34)."""
    return s.looked[j, p] != c.NOWHERE and s.taken[p] > 0 and not picks_here(s, j, p)


@njit
def may_take(s, w, seat, p, i, j):
    """Whether, judged by the table, seat j may have taken tile i of pile p."""
    looked = int(w.looked[seat, p])
    if looked != c.NOWHERE and not picks_here(s, seat, p):
        if i == looked - 1:  # the seat's own pick just before its last look
            return j == seat
        if i >= looked and j == seat:
            return False
    return s.looked[j, p] != c.NOWHERE


@njit
def forget_takers(s, w, t, seat, own, others):
    """Sample which seat took which tile: for all developed planets together, for each other planet alone.

    The seat keeps the kinds of its own tiles; the kinds of all other tiles are dealt anew later.
    """
    place = np.empty((c.TILES, 2), np.int8)
    owners = np.empty(c.TILES, np.int8)
    for only in range(-1, c.RING):  # -1: all developed planets together
        count = 0
        for p in range(c.RING):
            if (w.station[p] != c.NOWHERE) == (only < 0) and (only < 0 or p == only):
                for i in range(w.taken[p]):
                    place[count, 0] = p
                    place[count, 1] = i
                    owners[count] = s.taken_by[p, i]
                    count += 1
        if count > 0:
            draw_takers(s, w, seat, place, owners, count)
            lay_kinds(s, w, seat, place, owners, count, own, others)


@njit
def draw_takers(s, w, seat, place, owners, count):
    """Shuffle the owners of these tiles within what the table allows."""
    drawn = owners.copy()
    for a in range(count):  # sorted, so that the result depends only on how many tiles each seat has
        for b in range(a, 0, -1):
            if drawn[b - 1] > drawn[b]:
                drawn[b - 1], drawn[b] = drawn[b], drawn[b - 1]
    for _ in range(TRIES):
        for i in range(count - 1, 0, -1):
            j = below(w, i + 1)
            drawn[i], drawn[j] = drawn[j], drawn[i]
        if agrees(s, w, seat, place, drawn, count):
            for i in range(count):
                owners[i] = drawn[i]
            return
    for _ in range(STIRS):
        i, j = below(w, count), below(w, count)
        owners[i], owners[j] = owners[j], owners[i]
        if not agrees(s, w, seat, place, owners, count):
            owners[i], owners[j] = owners[j], owners[i]


@njit
def agrees(s, w, seat, place, owners, count):
    """Whether these owners agree with the looks of all seats."""
    for i in range(count):
        if not may_take(s, w, seat, place[i, 0], place[i, 1], owners[i]):
            return False
    for p in range(c.RING):
        for j in range(s.num_players):
            needed = False
            found = False
            for i in range(count):
                if place[i, 0] == p:
                    needed = True
                    found |= owners[i] == j
            if needed and not found and must_have(s, j, p):
                return False
    return True


@njit
def lay_kinds(s, w, seat, place, owners, count, own, others):
    """Write the owners; give the kinds `own` to the seat's own tiles, and `others` to the rest."""
    own_count = 0
    other_count = 0
    for k in range(c.KINDS):
        for i in range(count):
            p, at = place[i, 0], place[i, 1]
            if s.taken_kind[p, at] != k or gone_since(w, seat, p, at):
                continue
            if s.taken_by[p, at] == seat:
                own[own_count] = k
                own_count += 1
            else:
                others[other_count] = k
                other_count += 1
    for i in range(count):
        p, at = place[i, 0], place[i, 1]
        w.took[s.taken_by[p, at], p] -= 1
        w.took[owners[i], p] += 1
        w.taken_by[p, at] = owners[i]
        if gone_since(w, seat, p, at):
            continue
        if owners[i] == seat:
            own_count -= 1
            w.taken_kind[p, at] = own[own_count]
        else:
            other_count -= 1
            w.taken_kind[p, at] = others[other_count]


@njit
def gone_since(w, seat, p, i):
    """Whether a tile was taken after the seat's last look, if the table still shows that look."""
    return w.looked[seat, p] != c.NOWHERE and i >= w.looked[seat, p]


@njit
def recall_looks(s, w, t, seat):
    """Write each seat's looks, which are public, as if it looked just after the last tile that it took."""
    for j in range(s.num_players):
        for p in range(c.RING):
            if s.looked[j, p] == c.NOWHERE or (j == seat and w.looked[seat, p] != c.NOWHERE):
                continue
            w.looked[j, p] = s.taken[p] if picks_here(s, j, p) else 0
            w.looked_round[j, p] = s.round_number
            w.looked_by[j, p] = c.NOWHERE
            for i in range(w.taken[p]):
                if w.taken_by[p, i] == j and not picks_here(s, j, p):
                    w.looked[j, p] = i + 1
    for p in range(c.RING):
        if t.reserved_tiles_visible and w.looked[seat, p] != c.NOWHERE:
            w.looked_round[seat, p] = max(int(s.looked_round[seat, p]), int(s.round_number) - OLDEST)
