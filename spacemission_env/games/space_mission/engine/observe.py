"""Writes the observation of a seat, from which all other views derive.

`layout.LAYOUT` declares the pieces. The compact observation has whole numbers, one byte each. The float
observation is the compact one times `PARAMETERS.scale`, except that its means and rounds are exact.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.extending import intrinsic

from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import layout
from spacemission_env.games.space_mission.engine.card_memory import BIT_COUNT, LOWEST_BIT
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.knowledge import mean_spaces_gone
from spacemission_env.games.space_mission.engine.rules import is_closed
from spacemission_env.games.space_mission.engine.state import STATE

# Eight bytes, one for each ring position, are read as one number. `ONES` has a 1 in each byte.
ONES = np.uint64(0x0101010101010101)
LAST, SEVEN = np.uint64(255), np.uint64(7)

PER_ROUND = np.float32(1 / layout.MOST_ROUNDS)
ROUND = layout.LAYOUT["round"].start
KEPT_BY = layout.LAYOUT["kept_by"].start

# Fields of `STATE` whose last axis has one byte for each ring position.
BY_PLACE = ("face_up", "scanned", "taken", "took", "looked", "reserved")
_FIELDS = {name: STATE.fields[name][1] for name in BY_PLACE}  # type: ignore[index]
# A view of a `STATE` in which each row of these fields is one number of eight bytes.
ROWS = np.dtype(
    (
        np.record,
        {
            "names": list(_FIELDS),
            "formats": [("<u8", STATE[name].shape[:-1]) for name in _FIELDS],
            "offsets": list(_FIELDS.values()),
            "itemsize": STATE.itemsize,
        },
    )
)

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def ring_rows(s: Any) -> Any:
        """View a state as `ROWS`."""
        return s.view(ROWS)

else:
    _ROWS = numba.from_dtype(ROWS)

    @intrinsic
    def ring_rows(typing_context: Any, s: Any) -> Any:
        """View a state as `ROWS`: numba passes a record as its address, which stays the same."""

        def same_place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(_ROWS))

        return _ROWS(s), same_place


@njit
def observe(s, t, seat, recall, o):
    """Write a seat's observation into one `layout.OBSERVATION` record: float32 in [0, 1].

    `recall`: 1 for perfect recall, 0 for what the table shows now (SM-70, SM-71).
    """
    observe_floats(s, t, seat, recall, o, np.zeros(1, layout.COMPACT))


@njit
def observe_floats(s, t, seat, recall, o, scratch):
    """Write the same as `observe`; `scratch`: an array of one `layout.COMPACT` record, overwritten."""
    w = scratch[0]
    observe_whole(s, t, seat, recall, w)
    for i in range(layout.OBSERVATION_SIZE):  # one pass over all numbers, which sets the means to zero
        o.numbers[i] = np.float32(w.numbers[i]) * t.scale[i]
    o.round_number[0] = s.round_number * t.scale[ROUND]
    o.max_rounds[0] = t.max_rounds * PER_ROUND
    if recall:
        observe_means(s, t, seat, piles_others_took_from(s, seat), w, o)
        for i in range(KEPT_CARDS, KEPT_BY):  # the kept cards, which `observe_means` wrote into `w`
            o.numbers[i] = np.float32(w.numbers[i]) * t.scale[i]


@njit
def observe_compact(s, t, seat, recall, w, scratch):
    """Write a seat's observation into one `layout.COMPACT` record: whole numbers, the means in 255ths.

    `scratch`: an array of one `layout.OBSERVATION` record; its means of tiles are zero before and
    after the call.
    """
    observe_whole(s, t, seat, recall, w)
    if recall:
        piles = piles_others_took_from(s, seat)
        observe_means(s, t, seat, piles, w, scratch[0])
        round_taken(s, piles, w, scratch[0])


@njit
def observe_whole(s, t, seat, recall, o):
    """Write all pieces of a `layout.COMPACT` record; kept cards and means become zero."""
    o.numbers[:] = 0
    observe_game(s, t, seat, o)
    observe_ring(s, t, seat, o)
    for k in range(s.num_players):
        observe_seat(s, seat_after(seat, k, int(s.num_players)), k, o)
    observe_own(s, t, seat, o)
    if recall or t.reserved_tiles_visible:
        piles = piles_seen(s, seat)
        while piles > 0:
            observe_memory(s, seat, LOWEST_BIT[piles], o)
            piles &= piles - 1
        for k in range(s.num_players):
            observe_last_actions(s, seat_after(seat, k, int(s.num_players)), k, o)
    if recall:
        observe_takers(s, seat, o)


@njit
def in_steps(number, most):
    """A number up to `most` as a byte: unchanged if `most` fits into a byte, else in 255ths of `most`."""
    return number if most <= 255 else (2 * 255 * number + most) // (2 * most)


@njit
def piles_seen(s, seat):
    """The piles that a seat has looked through, as bits, because a loop over bits is fast."""
    piles = 0
    for p in range(c.RING):
        piles |= (s.looked[seat, p] != c.NOWHERE) << p
    return piles


@njit
def piles_others_took_from(s, seat):
    """The piles that a seat has looked through and others have taken tiles from, as bits."""
    piles = 0
    for p in range(c.RING):
        piles |= ((s.looked[seat, p] != c.NOWHERE) & (s.taken[p] > s.took[seat, p])) << p
    return piles


@njit
def observe_game(s, t, seat, o):
    """Write the state of play, which differs between seats only in the order of the seats."""
    n = int(s.num_players)
    o.num_players[n - 2] = 1
    o.phase[s.phase] = 1
    if s.phase != c.OVER:
        o.player_to_act[places_from(seat, int(s.player), n)] = 1
    o.start_player[places_from(seat, int(s.start_player), n)] = 1
    o.actions_left[0] = s.actions_left
    o.round_number[0] = in_steps(int(s.round_number), int(t.max_rounds))
    o.max_rounds[0] = in_steps(int(t.max_rounds), int(t.max_rounds))
    o.last_round[0] = s.last_round
    o.revealed[0] = s.revealed
    o.space_tiles_to_end[0] = t.space_tiles_to_end[n]
    o.draw_pile_size[0] = s.draw_size
    for card in range(c.CARDS):
        o.discard[card] = s.discard[card]


@njit
def observe_ring(s, t, seat, o):
    """Write the public planets, piles and stations."""
    n = int(s.num_players)
    rows = ring_rows(s)
    left = t.pile_row - rows.taken
    o.tiles_left_row = left
    o.face_up_row = left & rows.face_up * LAST  # `face_up * LAST` has 0 or 255 in each byte
    for p in range(t.ring_size):
        planet = s.ring[p]
        o.planets[p, t.planet_jump[planet] - 1] = 2
        o.planets[p, c.NUMBERS + t.planet_scan[planet] - 1] = 2
        o.planets[p, 2 * c.NUMBERS + t.planet_landing[planet, 0] - 1] = 1
        o.planets[p, 2 * c.NUMBERS + t.planet_landing[planet, 1] - 1] += 1
        if s.station[p] != c.NOWHERE:
            o.stations[places_from(seat, int(s.station[p]), n), p] = 1


@njit
def observe_seat(s, j, k, o):
    """Write the public pieces of seat j, who sits k places clockwise from the observer."""
    if s.ship[j] != c.NOWHERE:
        o.ships[k, s.ship[j]] = 1
    rows = ring_rows(s)
    o.scanned_row[k] = rows.scanned[j]
    o.seen_row[k] = ~rows.looked[j] >> SEVEN & ONES  # 1 where the seat has looked: only NOWHERE is negative
    o.reserved_row[k] = rows.reserved[j]
    o.supply[k] = s.supply[j]
    o.gate[k] = s.gate[j]
    o.hand_size[k] = s.hand_size[j]
    total = 0
    for kind in range(c.KINDS):
        total += s.tiles[j, kind]
    o.tile_total[k] = total


@njit
def observe_own(s, t, seat, o):
    """SM-71: write the seat's hand, its tiles and, while it picks a tile, the pile."""
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        for v in range(c.CARD_FEATURES):
            o.hand[i, v] = t.card_shown[card, v]
    for k in range(c.KINDS):
        o.tiles[k] = s.tiles[seat, k]
    if s.player == seat and s.phase != c.ACTION and s.phase != c.OVER:
        p = s.ship[seat]
        for k in range(c.KINDS):
            o.pile_in_view[k] = s.pile[p, k]


@njit
def observe_memory(s, seat, p, o):
    """SM-71: write the seat's reserved tiles, and the tiles that were left at its last look."""
    looked = s.looked[seat, p]
    for k in range(c.KINDS):
        o.remembered[p, k] = s.pile[p, k]
    for i in range(looked, s.taken[p]):
        o.remembered[p, s.taken_kind[p, i]] += 1
    if s.reserved[seat, p] > 0:
        for i in range(looked):
            if s.taken_by[p, i] == seat:
                o.reserved_kinds[p, s.taken_kind[p, i]] += 1
    o.remembered_age[p] = min(layout.OLDEST, int(s.round_number) - int(s.looked_round[seat, p]))
    o.gone_since[p] = s.taken[p] - looked


@njit
def observe_last_actions(s, j, k, o):
    """SM-70: write the last actions of seat j, who sits k places from the observer."""
    for i in range(c.LAST_ACTIONS):
        if s.last_kind[j, i] == c.NOWHERE:
            return
        o.last_actions[k, i, s.last_kind[j, i]] = 1
        o.last_cards[k, i] = s.last_cards[j, i]
    if s.last_from[j] != c.NOWHERE:
        o.last_from[k, s.last_from[j]] = 1


@njit
def observe_takers(s, seat, o):
    """SM-74: write how many tiles each seat took from each planet, and who took the last one."""
    n = int(s.num_players)
    for k in range(n):
        o.taken_row[k] = ring_rows(s).took[seat_after(seat, k, n)]
    for p in range(c.RING):
        last = max(int(s.taken[p]) - 1, 0)
        o.last_taken[places_from(seat, int(s.taken_by[p, last]), n), p] = s.taken[p] > 0


# ---------------------------------------------------------------- means (`layout.EXPECTED`)

PER_PILE = np.float32(1 / c.PILE)
KEPT_CARDS = layout.LAYOUT["kept_cards"].start
ONE = np.float32(1)
ROUNDING = np.float32(2)  # adding and subtracting 2 rounds to the spacing of float32 between 2 and 4
HALF, STEPS = np.float32(0.5), np.float32(255)


@njit
def seat_after(seat, k, n):
    """The seat k places clockwise, without a slow division."""
    j = int(seat) + k
    return j - n if j >= n else j


@njit
def places_from(seat, j, n):
    """How many places clockwise from `seat` the seat `j` sits."""
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
    """SM-74: add the mean numbers of each kind that others took from a pile after a look of the seat.

    The seat knows which kinds were taken between two of its looks; each tile taken then has an equal share.
    `w`: the record with `remembered`; `o`: the record to whose `taken_kinds` the means are added.
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
    """Divide the known kinds of the tiles `start` to `stop` - 1 among the seats that took these tiles.

    `closing`: whether the last of these tiles must have been a point tile (SM-46).
    """
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
    """Add the mean kinds of the tiles that others took from a face-down pile after the seat's last look."""
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
    """SM-27: write the cards in other hands that a seat with perfect recall knows since the last shuffle.

    All seats know how many cards of an epoch each seat holds, but not which ones (SM-74).
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
    """Add a card of an older epoch: for each other seat, the mean number of copies that the seat holds."""
    n = int(s.num_players)
    others = s.epoch_size[epoch] - s.epoch_cards[epoch, seat]
    part = t.scale[KEPT_CARDS + card] / np.float32(others)
    first = w.kept_cards[card] == 0
    w.kept_cards[card] += 1
    for k in range(1, n):
        mean = s.epoch_cards[epoch, seat_after(seat, k, n)] * part
        # Rounded means have the same sum in any order, so that the sum does not reveal who holds which copy.
        mean = (mean + ROUNDING) - ROUNDING
        if not first:
            mean = min(o.kept_by[k - 1, card] + mean, ONE)
        o.kept_by[k - 1, card] = mean
        w.kept_by[k - 1, card] = in_255ths(mean)
