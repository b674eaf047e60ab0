"""Writes the means of an observation (`layout.EXPECTED`): float32, or 255ths if compact."""

from __future__ import annotations

import numpy as np

from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.card_memory import BIT_COUNT, LOWEST_BIT
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.counting import mean_spaces_gone
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.engine.rules import is_closed

PER_PILE = np.float32(1 / c.PILE)
KEPT_CARDS = LAYOUT["kept_cards"].start  # first index of the piece `kept_cards` in `PARAMETERS.scale`
ONE = np.float32(1)
ROUNDING = np.float32(2)  # the step of float32 between 2 and 4
HALF, STEPS = np.float32(0.5), np.float32(255)


@njit
def seat_after(seat, k, n):
    """The seat k places clockwise, without a slow division."""
    j = int(seat) + k
    return j - n if j >= n else j


@njit
def places_from(seat, j, n):
    """How many places clockwise the other seat sits."""
    k = int(j) - int(seat)
    return k + n if k < 0 else k


@njit
def in_255ths(mean):
    """A mean from 0 to 1 as the nearest number of 255ths."""
    return np.uint8(np.int32(mean * STEPS + HALF))


@njit
def observe_means(s, t, seat, piles, w, o):
    """Add the means of tiles to `o`, write the means of cards into `o` and the kept cards into `w`.

    `piles`: the piles from which others took tiles after a look of the seat, as bits.
    """
    while piles > 0:
        observe_taken(s, t, seat, LOWEST_BIT[piles], w, o)
        piles &= piles - 1
    observe_kept_cards(s, t, seat, w, o)


@njit
def round_taken(s, piles, w, o):
    """Move the means of `observe_taken` from `o` to `w` in 255ths, and set them to zero in `o`."""
    others = int(s.num_players) - 1
    while piles > 0:
        p = LOWEST_BIT[piles]
        piles &= piles - 1
        for k in range(others):
            for kind in range(c.KINDS):
                w.taken_kinds[k, p, kind] = in_255ths(o.taken_kinds[k, p, kind])
                o.taken_kinds[k, p, kind] = 0


@njit
def observe_taken(s, t, seat, p, w, o):
    """SM-74: add the kinds that others took from a pile after a look of the seat.

    Each taker has an even share of the kinds that went between two looks of the seat. `w`: whole numbers,
    `o`: means.
    """
    looked, taken = int(s.looked[seat, p]), int(s.taken[p])
    if looked == taken or s.took[seat, p] > 1:  # otherwise the seat's last look is its only one
        start = c.NOWHERE
        for i in range(taken):
            if s.taken_by[p, i] == seat:
                if start != c.NOWHERE and i > start:
                    observe_segment(s, seat, p, start, i, False, o)
                start = i + 1
        if (
            looked == taken and start != c.NOWHERE and start < taken
        ):  # the seat is looking through the pile now
            observe_segment(s, seat, p, start, taken, False, o)
    if looked < taken:
        if is_closed(s, t, p):
            observe_segment(s, seat, p, looked, taken, t.space_tile_penalty == 1, o)
        else:
            observe_since(s, t, seat, p, looked, w, o)


@njit
def observe_segment(s, seat, p, start, stop, closing, o):
    """Share the known kinds of tiles `start` to before `stop`; `closing`: a point tile went last (SM-46)."""
    n = int(s.num_players)
    spaces = 0
    if closing:
        for i in range(start, stop):
            spaces += s.taken_kind[p, i] == c.SPACE
    length = stop - start
    points = length - spaces
    for i in range(start, stop):
        j = int(s.taken_by[p, i])
        if j == seat:
            continue
        k = places_from(seat, j, n) - 1
        for h in range(start, stop):
            kind = s.taken_kind[p, h]
            if spaces == 0:
                share = np.float32(1.0) / np.float32(length)
            elif i == stop - 1:
                share = np.float32(kind != c.SPACE) / np.float32(points)
            elif kind == c.SPACE:
                share = np.float32(1.0) / np.float32(length - 1)
            else:
                share = np.float32(points - 1) / np.float32(points * (length - 1))
            o.taken_kinds[k, p, kind] += share * PER_PILE


@njit
def observe_since(s, t, seat, p, looked, w, o):
    """Share the tiles that went from a face-down pile since the last look; their kinds are not known."""
    n = int(s.num_players)
    gone = int(s.taken[p]) - looked
    spaces = int(w.remembered[p, c.SPACE])
    points = int(t.pile_size) - looked - spaces
    gone_spaces = np.float32(0.0)
    if t.space_tile_penalty == 1:
        gone_spaces = np.float32(mean_spaces_gone(spaces, points, gone))
    per_space = gone_spaces / np.float32(max(gone * spaces, 1))
    per_point = (np.float32(gone) - gone_spaces) / np.float32(gone * points)
    for i in range(looked, s.taken[p]):
        k = places_from(seat, int(s.taken_by[p, i]), n) - 1
        for kind in range(c.POINT_KINDS):
            o.taken_kinds[k, p, kind] += w.remembered[p, kind] * PER_PILE * per_point
        o.taken_kinds[k, p, c.SPACE] += w.remembered[p, c.SPACE] * PER_PILE * per_space


@njit
def observe_kept_cards(s, t, seat, w, o):
    """SM-27: write the cards in the hands of others that perfect recall knows from the last shuffle.

    It is known how many cards of an epoch a seat holds, but not which of them (SM-74).
    """
    n = int(s.num_players)
    for k in range(n):
        j = seat_after(seat, k, n)
        w.kept_count[k] = BIT_COUNT[s.older[j]]
        slots = int(s.older[j]) if k > 0 else 0
        while slots > 0:
            i = LOWEST_BIT[slots]
            slots &= slots - 1
            observe_kept_card(s, t, seat, int(s.hand[j, i]), int(s.hand_epoch[j, i]), w, o)


@njit
def observe_kept_card(s, t, seat, card, epoch, w, o):
    """Share a card of an older epoch among the other seats by the mean number that each holds."""
    n = int(s.num_players)
    others = s.epoch_size[epoch] - s.epoch_cards[epoch, seat]
    part = t.scale[KEPT_CARDS + card] / np.float32(others)
    first = w.kept_cards[card] == 0
    w.kept_cards[card] += 1
    for k in range(1, n):
        mean = s.epoch_cards[epoch, seat_after(seat, k, n)] * part
        # Whole steps add up to the same in any order, so the sum does not reveal who holds which copy.
        mean = (mean + ROUNDING) - ROUNDING
        if not first:
            mean = min(o.kept_by[k - 1, card] + mean, ONE)
        o.kept_by[k - 1, card] = mean
        w.kept_by[k - 1, card] = in_255ths(mean)
