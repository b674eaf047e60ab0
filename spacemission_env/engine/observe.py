"""`observe(s, t, seat, recall, …)`: the only function that reads a state for a seat.

Every other view (text, records for people, adapters) derives from what this function writes, so
what it does not write is hidden. It writes by `layout.LAYOUT`.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.engine.constants import (
    ACTION,
    CARD_FEATURES,
    CARDS,
    KINDS,
    LAST_ACTIONS,
    NOWHERE,
    OVER,
    PILE,
    PLANET_FEATURES,
    POINT_KINDS,
    RING,
    SLOTS,
    SPACE,
)
from spacemission_env.engine.counting import mean_spaces_gone
from spacemission_env.engine.jit import njit
from spacemission_env.engine.layout import LAYOUT, OLDEST


def _per(name: str) -> np.float32:
    unit = LAYOUT[name].unit
    assert isinstance(unit, int)
    return np.float32(1 / unit)


# One over the unit of pieces; float32 keeps the compiled products in float32.
PER_ACTION = _per("actions_left")
PER_ROUND = _per("max_rounds")
PER_CARD = _per("draw_pile_size")
PER_SPACE = _per("revealed")
PER_PILE = _per("tiles_left")
PER_SLOT = _per("hand_size")
PER_TILE = _per("tile_total")
PER_AGE = _per("remembered_age")

# Where the units that depend on box or rules stand in `BOX.scale`.
ROUND = LAYOUT["round"].start
DISCARD = LAYOUT["discard"].start
PLANETS, BEHIND_PLANETS = LAYOUT["planets"].start, LAYOUT["planets"].slice.stop
SUPPLY = LAYOUT["supply"].start
TILES_AT = LAYOUT["tiles"].start
KEPT_CARDS = LAYOUT["kept_cards"].start


@njit
def observe(s, t, seat, recall, flat, o):
    """Write what the seat may know: float32 in [0, 1].

    `flat`, shape (OBSERVATION_SIZE,), and `o`, one `layout.OBSERVATION` record, are the same memory: the
    names are in the record, the zeros are written flat. `recall`: 1 perfect recall, 0 only what could be
    looked at on the table now (SM-70, SM-71).
    """
    flat[:PLANETS] = 0  # the planets are written in any case
    flat[BEHIND_PLANETS:] = 0
    observe_game(s, t, seat, o)
    observe_ring(s, t, seat, o)
    for k in range(s.num_players):
        observe_seat(s, t, seat_after(seat, k, int(s.num_players)), k, o)
    observe_own(s, t, seat, o)
    if recall or t.reserved_tiles_visible:
        for p in range(RING):
            observe_memory(s, seat, p, o)
        for k in range(s.num_players):
            observe_last_actions(s, seat_after(seat, k, int(s.num_players)), k, o)
    if recall:
        observe_takers(s, seat, o)
        for p in range(RING):
            if s.looked[seat, p] != NOWHERE and s.taken[p] > s.took[seat, p]:
                observe_taken(s, t, seat, p, o)
        observe_kept_cards(s, t, seat, o)


@njit
def seat_after(seat, k, n):
    """The seat k places clockwise (a division would cost more than all the rest of a short loop)."""
    j = int(seat) + k
    return j - n if j >= n else j


@njit
def places_from(seat, j, n):
    """How many places clockwise from a seat another one sits."""
    k = int(j) - int(seat)
    return k + n if k < 0 else k


@njit
def observe_game(s, t, seat, o):
    """The state of play, the same for all but the turn of the table."""
    n = int(s.num_players)
    o.num_players[n - 2] = 1
    o.phase[s.phase] = 1
    if s.phase != OVER:
        o.player_to_act[places_from(seat, int(s.player), n)] = 1
    o.start_player[places_from(seat, int(s.start_player), n)] = 1
    o.actions_left[0] = s.actions_left * PER_ACTION
    o.round_number[0] = s.round_number * t.scale[ROUND]
    o.max_rounds[0] = t.max_rounds * PER_ROUND
    o.last_round[0] = s.last_round
    o.revealed[0] = s.revealed * PER_SPACE
    o.space_tiles_to_end[0] = t.space_tiles_to_end[n] * PER_SPACE
    o.draw_pile_size[0] = s.draw_size * PER_CARD
    for c in range(CARDS):
        o.discard[c] = s.discard[c] * t.scale[DISCARD + c]


@njit
def observe_ring(s, t, seat, o):
    """Planets, piles and stations, as all see them."""
    n = int(s.num_players)
    for p in range(RING):
        planet = s.ring[p]
        for i in range(PLANET_FEATURES):
            o.planets[p, i] = t.planet_row[planet, i]
        left = PILE - s.taken[p]
        o.tiles_left[p] = left * PER_PILE
        if s.face_up[p]:
            o.face_up[p] = left * PER_PILE
        if s.station[p] != NOWHERE:
            o.stations[places_from(seat, int(s.station[p]), n), p] = 1


@njit
def observe_seat(s, t, j, k, o):
    """Seat j, k places clockwise from the observer: what lies open before it."""
    if s.ship[j] != NOWHERE:
        o.ships[k, s.ship[j]] = 1
    for p in range(RING):
        o.scanned[k, p] = s.scanned[j, p]
    for p in range(RING):
        o.seen[k, p] = s.looked[j, p] != NOWHERE
    for p in range(RING):
        o.reserved[k, p] = s.reserved[j, p] * PER_PILE
    o.supply[k] = s.supply[j] * t.scale[SUPPLY]
    o.gate[k] = s.gate[j] * t.scale[SUPPLY]
    o.hand_size[k] = s.hand_size[j] * PER_SLOT
    total = 0
    for kind in range(KINDS):
        total += s.tiles[j, kind]
    o.tile_total[k] = total * PER_TILE


@njit
def observe_own(s, t, seat, o):
    """SM-71: own hand and tiles, and the pile under the eyes at an own tile pick."""
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        for f in range(CARD_FEATURES):
            o.hand[i, f] = t.card_row[card, f]
    for k in range(KINDS):
        o.tiles[k] = s.tiles[seat, k] * t.scale[TILES_AT + k]
    if s.player == seat and s.phase != ACTION and s.phase != OVER:
        p = s.ship[seat]
        for k in range(KINDS):
            o.pile_in_view[k] = s.pile[p, k] * PER_PILE


@njit
def observe_memory(s, seat, p, o):
    """SM-71: the own reserved tiles and what was left when this seat last looked through the pile."""
    looked = s.looked[seat, p]
    if looked == NOWHERE:
        return
    for k in range(KINDS):
        o.remembered[p, k] = s.pile[p, k] * PER_PILE
    for i in range(looked, s.taken[p]):
        o.remembered[p, s.taken_kind[p, i]] += PER_PILE
    if s.station[p] == NOWHERE:
        for i in range(looked):
            if s.taken_by[p, i] == seat:
                o.reserved_kinds[p, s.taken_kind[p, i]] += PER_PILE
    o.remembered_age[p] = min(OLDEST, int(s.round_number) - int(s.looked_round[seat, p])) * PER_AGE
    o.gone_since[p] = (s.taken[p] - looked) * PER_PILE


@njit
def observe_last_actions(s, j, k, o):
    """SM-70: what seat j, k places from the observer, did last."""
    for i in range(LAST_ACTIONS):
        if s.last_kind[j, i] == NOWHERE:
            return
        o.last_actions[k, i, s.last_kind[j, i]] = 1
        o.last_cards[k, i] = s.last_cards[j, i] * PER_SLOT
    if s.last_from[j] != NOWHERE:
        o.last_from[k, s.last_from[j]] = 1


@njit
def observe_takers(s, seat, o):
    """SM-74: who took how many tiles from each planet, and who the last."""
    n = int(s.num_players)
    for k in range(n):
        j = seat_after(seat, k, n)
        for p in range(RING):
            o.taken[k, p] = s.took[j, p] * PER_PILE
    for p in range(RING):
        last = max(int(s.taken[p]) - 1, 0)
        o.last_taken[places_from(seat, int(s.taken_by[p, last]), n), p] = s.taken[p] > 0


@njit
def observe_taken(s, t, seat, p, o):
    """SM-74: of which kinds the tiles are that others took from a pile after the seat had looked through it.

    Between two own looks the kinds that went are known together, not who took which: each taker of the
    segment has an even share of each. After the last look (`since`) they are a part of what was left.
    """
    start = NOWHERE
    for i in range(s.taken[p]):
        if s.taken_by[p, i] == seat:
            if start != NOWHERE and i > start:
                observe_segment(s, seat, p, start, i, False, o)
            start = i + 1
    looked = int(s.looked[seat, p])
    if looked == NOWHERE or looked == s.taken[p]:
        if start != NOWHERE and start < s.taken[p]:  # it is looking through the pile right now
            observe_segment(s, seat, p, start, int(s.taken[p]), False, o)
    elif s.face_up[p] or s.taken[p] == PILE:
        observe_segment(s, seat, p, looked, int(s.taken[p]), t.space_tile_penalty == 1, o)
    else:
        observe_since(s, t, seat, p, looked, o)


@njit
def observe_segment(s, seat, p, start, stop, closing, o):
    """Tiles from `start` to before `stop`, their kinds known; `closing`: a point tile went last (SM-46)."""
    n = int(s.num_players)
    spaces = 0
    if closing:
        for i in range(start, stop):
            spaces += s.taken_kind[p, i] == SPACE
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
                share = np.float32(kind != SPACE) / np.float32(points)
            elif kind == SPACE:
                share = np.float32(1.0) / np.float32(length - 1)
            else:
                share = np.float32(points - 1) / np.float32(points * (length - 1))
            o.taken_kinds[k, p, kind] += share * PER_PILE


@njit
def observe_since(s, t, seat, p, looked, o):
    """The tiles gone from a face-down pile since the last look: which of those seen then is not known."""
    n = int(s.num_players)
    gone = int(s.taken[p]) - looked
    spaces = int(s.pile[p, SPACE])
    points = int(PILE) - looked - spaces
    for i in range(looked, s.taken[p]):
        if s.taken_kind[p, i] == SPACE:
            spaces += 1
            points -= 1
    gone_spaces = np.float32(0.0)
    if t.space_tile_penalty == 1:
        gone_spaces = np.float32(mean_spaces_gone(spaces, points, gone))
    per_space = gone_spaces / np.float32(max(gone * spaces, 1)) * PER_PILE
    per_point = (np.float32(gone) - gone_spaces) / np.float32(gone * points) * PER_PILE
    for i in range(looked, s.taken[p]):
        k = places_from(seat, int(s.taken_by[p, i]), n) - 1
        for kind in range(POINT_KINDS):
            if o.remembered[p, kind] > 0:
                o.taken_kinds[k, p, kind] += np.round(o.remembered[p, kind] * np.float32(PILE)) * per_point
        o.taken_kinds[k, p, SPACE] += np.float32(spaces) * per_space


@njit
def observe_kept_cards(s, t, seat, o):
    """SM-27 with perfect recall: at a shuffle all see which cards are in the hands.

    Which of the cards of one epoch a seat holds is not known, but how many of them it holds is (SM-74). In
    the order of the epochs, so that sums over identical cards do not depend on who holds which.
    """
    n = int(s.num_players)
    older = 0
    for k in range(n):
        j = seat_after(seat, k, n)
        o.kept_count[k] = s.older[j] * PER_SLOT
        older += s.older[j]
    if older == s.older[seat]:
        return
    epoch = next_older(s, seat, -1)
    while epoch < s.shuffles:
        observe_epoch(s, t, seat, epoch, o)
        epoch = next_older(s, seat, epoch)


@njit
def observe_epoch(s, t, seat, epoch, o):
    """Of each card of an older epoch that others hold, the part that each of them holds in the mean."""
    n = int(s.num_players)
    first = cards_of(s, seat_after(seat, 1, n), epoch)
    second = cards_of(s, seat_after(seat, 2, n), epoch) if n > 2 else 0
    third = cards_of(s, seat_after(seat, 3, n), epoch) if n > 3 else 0
    fourth = cards_of(s, seat_after(seat, 4, n), epoch) if n > 4 else 0
    each = np.float32(1.0) / np.float32(first + second + third + fourth)
    for k in range(1, n):
        j = seat_after(seat, k, n)
        for i in range(SLOTS):
            # Without a branch: which slots are of the epoch cannot be foreseen.
            card = max(int(s.hand[j, i]), 0)
            copies = (s.hand_epoch[j, i] == epoch) * t.scale[KEPT_CARDS + card]
            part = each * copies
            o.kept_cards[card] += copies
            o.kept_by[0, card] += first * part
            if n > 2:
                o.kept_by[1, card] += second * part
            if n > 3:
                o.kept_by[2, card] += third * part
            if n > 4:
                o.kept_by[3, card] += fourth * part


@njit
def cards_of(s, j, epoch):
    """How many cards of an epoch a seat holds: public (`state.py`, `hand_epoch`)."""
    number = 0
    for i in range(SLOTS):
        number += s.hand_epoch[j, i] == epoch
    return number


@njit
def next_older(s, seat, epoch):
    """The next epoch of which another seat holds a card; at last that of the present draw pile."""
    following = int(s.shuffles)
    for j in range(s.num_players):
        if j != seat:
            for i in range(SLOTS):
                found = int(s.hand_epoch[j, i])
                following = min(following, found if found > epoch else following)
    return following
