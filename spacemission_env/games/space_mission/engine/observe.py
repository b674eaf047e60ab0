"""`observe(s, t, seat, recall, …)`: the only function that reads a state for a seat.

Every other view (text, records for people, adapters) derives from what this function writes, so
what it does not write is hidden. It writes by `layout.LAYOUT`.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.constants import (
    ACTION,
    CARDS,
    JOKER,
    JOKER_MASK,
    KINDS,
    LAST_ACTIONS,
    NOWHERE,
    NUMBERS,
    OVER,
    PILE,
    POINT_KINDS,
    RING,
    SPACE,
)
from spacemission_env.games.space_mission.engine.counting import mean_spaces_gone
from spacemission_env.games.space_mission.engine.kept import BIT_COUNT, LOWEST_BIT
from spacemission_env.games.space_mission.engine.layout import LAYOUT, OLDEST
from spacemission_env.games.space_mission.engine.rules import is_closed


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
PER_LANDING = _per("planets")
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

# Coordinates as the observation has them: that of a planet, by its number, and those of a card, by their bits
# (`BOX`) without bit 0.
ONE_HOT = np.array([[i + 1 == number for i in range(NUMBERS)] for number in range(NUMBERS + 1)], np.float32)
SHOWN = np.array(
    [
        [0, 0, 0, 0, 1] if 2 * mask == JOKER_MASK else [mask >> v & 1 for v in range(JOKER)]
        for mask in range(1 << NUMBERS)
    ],
    np.float32,
)

ONE = np.float32(1)
ROUNDING = np.float32(2)  # float32 from 2 to 4 has steps of 2 ** -22


@njit
def observe(s, t, seat, recall, o):
    """Write what the seat may know into one `layout.OBSERVATION` record: float32 in [0, 1].

    `recall`: 1 perfect recall, 0 only what could be looked at on the table now (SM-70, SM-71).
    """
    o.numbers[:PLANETS] = 0  # the planets are written in any case
    o.numbers[BEHIND_PLANETS:] = 0
    observe_game(s, t, seat, o)
    observe_ring(s, t, seat, o)
    for k in range(s.num_players):
        observe_seat(s, t, seat_after(seat, k, int(s.num_players)), k, o)
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
        piles = piles_others_took_from(s, seat)
        while piles > 0:
            observe_taken(s, t, seat, LOWEST_BIT[piles], o)
            piles &= piles - 1
        observe_kept_cards(s, t, seat, o)


@njit
def piles_seen(s, seat):
    """The piles that a seat has looked through, as bits.

    A processor cannot foresee which they are, so to go through the bits is faster than to ask of each pile.
    """
    piles = 0
    for p in range(RING):
        piles |= (s.looked[seat, p] != NOWHERE) << p
    return piles


@njit
def piles_others_took_from(s, seat):
    """Those of them that others have taken tiles from, as bits."""
    piles = 0
    for p in range(RING):
        piles |= ((s.looked[seat, p] != NOWHERE) & (s.taken[p] > s.took[seat, p])) << p
    return piles


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
        jump, scan = t.planet_jump[planet], t.planet_scan[planet]
        first, second = t.planet_landing[planet, 0], t.planet_landing[planet, 1]
        for i in range(NUMBERS):
            o.planets[p, i] = ONE_HOT[jump, i]
            o.planets[p, NUMBERS + i] = ONE_HOT[scan, i]
            o.planets[p, 2 * NUMBERS + i] = (ONE_HOT[first, i] + ONE_HOT[second, i]) * PER_LANDING
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
        jump, scan, landing = t.card_jump[card] >> 1, t.card_scan[card] >> 1, t.card_landing[card] >> 1
        for v in range(JOKER):
            o.hand[i, v] = SHOWN[jump, v]
            o.hand[i, JOKER + v] = SHOWN[scan, v]
            o.hand[i, 2 * JOKER + v] = SHOWN[landing, v]
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
    for k in range(KINDS):
        o.remembered[p, k] = s.pile[p, k] * PER_PILE
    for i in range(looked, s.taken[p]):
        o.remembered[p, s.taken_kind[p, i]] += PER_PILE
    if s.reserved[seat, p] > 0:
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
    looked, taken = int(s.looked[seat, p]), int(s.taken[p])
    if looked == taken or s.took[seat, p] > 1:  # else there is no own look before the last
        start = NOWHERE
        for i in range(taken):
            if s.taken_by[p, i] == seat:
                if start != NOWHERE and i > start:
                    observe_segment(s, seat, p, start, i, False, o)
                start = i + 1
        if looked == taken and start != NOWHERE and start < taken:  # it is looking through the pile right now
            observe_segment(s, seat, p, start, taken, False, o)
    if looked < taken:
        if is_closed(s, p):
            observe_segment(s, seat, p, looked, taken, t.space_tile_penalty == 1, o)
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
    spaces = int(o.remembered[p, SPACE] * np.float32(PILE))
    points = int(PILE) - looked - spaces
    gone_spaces = np.float32(0.0)
    if t.space_tile_penalty == 1:
        gone_spaces = np.float32(mean_spaces_gone(spaces, points, gone))
    per_space = gone_spaces / np.float32(max(gone * spaces, 1))
    per_point = (np.float32(gone) - gone_spaces) / np.float32(gone * points)
    for i in range(looked, s.taken[p]):
        k = places_from(seat, int(s.taken_by[p, i]), n) - 1
        for kind in range(POINT_KINDS):
            o.taken_kinds[k, p, kind] += o.remembered[p, kind] * per_point
        o.taken_kinds[k, p, SPACE] += o.remembered[p, SPACE] * per_space


@njit
def observe_kept_cards(s, t, seat, o):
    """SM-27 with perfect recall: at a shuffle all see which cards are in the hands.

    Which of the cards of one epoch a seat holds is not known, but how many of them it holds is (SM-74).
    """
    n = int(s.num_players)
    for k in range(n):
        j = seat_after(seat, k, n)
        o.kept_count[k] = BIT_COUNT[s.older[j]] * PER_SLOT
        slots = int(s.older[j]) if k > 0 else 0
        while slots > 0:
            i = LOWEST_BIT[slots]
            slots &= slots - 1
            observe_kept_card(s, t, seat, int(s.hand[j, i]), int(s.hand_epoch[j, i]), o)


@njit
def observe_kept_card(s, t, seat, card, epoch, o):
    """A card of an older epoch that another seat holds: the part of it that each holds in the mean."""
    n = int(s.num_players)
    copies = t.scale[KEPT_CARDS + card]
    o.kept_cards[card] += copies
    others = s.epoch_size[epoch] - s.epoch_cards[epoch, seat]
    part = copies / np.float32(others)
    for k in range(1, n):
        mean = s.epoch_cards[epoch, seat_after(seat, k, n)] * part
        # In whole steps, which add up to the same in any order: a sum must not tell who holds which copy.
        mean = (mean + ROUNDING) - ROUNDING
        o.kept_by[k - 1, card] = min(o.kept_by[k - 1, card] + mean, ONE)
