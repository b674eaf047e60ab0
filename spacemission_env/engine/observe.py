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
    NOWHERE,
    OVER,
    PILE,
    PLANET_FEATURES,
    RING,
)
from spacemission_env.engine.jit import njit
from spacemission_env.engine.layout import LAYOUT, OBSERVATION_SIZE, OLDEST


def _per(name: str) -> np.float32:
    unit = LAYOUT[name].unit
    assert isinstance(unit, int)
    return np.float32(1 / unit)


# One over the unit of pieces; float32 keeps the compiled products in float32.
PER_ACTION = _per("actions_left")
PER_ROUND = _per("max_rounds")
PER_CARD = _per("draw_pile_size")
PER_SPACE = _per("revealed")
PER_COORDINATE = _per("planets")
PER_PILE = _per("tiles_left")
PER_SLOT = _per("hand_size")
PER_TILE = _per("tile_total")
PER_AGE = _per("remembered_age")

# Where the units that depend on box or rules stand in `BOX.scale`.
ROUND = LAYOUT["round"].start
DISCARD = LAYOUT["discard"].start
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
    for i in range(OBSERVATION_SIZE):
        flat[i] = 0
    observe_game(s, t, seat, o)
    observe_ring(s, t, o)
    for k in range(s.num_players):
        observe_seat(s, t, (seat + k) % s.num_players, k, o)
    observe_own(s, t, seat, o)
    if recall or t.reserved_tiles_visible:
        for p in range(RING):
            observe_memory(s, seat, p, o)
    if recall:
        observe_kept_cards(s, t, seat, o)


@njit
def observe_game(s, t, seat, o):
    """The state of play, the same for all but the turn of the table."""
    n = int(s.num_players)
    o.num_players[n - 2] = 1
    o.phase[s.phase] = 1
    if s.phase != OVER:
        o.player_to_act[(int(s.player) - seat + n) % n] = 1
    o.start_player[(int(s.start_player) - seat + n) % n] = 1
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
def observe_ring(s, t, o):
    """Planets and piles, as all see them."""
    for p in range(RING):
        planet = s.ring[p]
        for i in range(PLANET_FEATURES):
            o.planets[p, i] = t.planet_features[planet, i] * PER_COORDINATE
        left = PILE - s.taken[p]
        o.tiles_left[p] = left * PER_PILE
        if s.face_up[p]:
            o.face_up[p] = left * PER_PILE


@njit
def observe_seat(s, t, j, k, o):
    """Seat j, k places clockwise from the observer: what lies open before it."""
    if s.ship[j] != NOWHERE:
        o.ships[k, s.ship[j]] = 1
    for p in range(RING):
        o.stations[k, p] = s.station[p] == j
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
            o.hand[i, f] = t.card_features[card, f]
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
def kept_by_others(s, seat, card):
    """Copies of a card that others have held since before the last shuffle (see `state.py`, `kept`)."""
    count = int(s.kept[card])
    if count == 0:
        return 0
    for i in range(s.hand_size[seat]):
        if s.hand[seat, i] == card:
            count -= 1
    return max(count, 0)


@njit
def observe_kept_cards(s, t, seat, o):
    """SM-27 with perfect recall: at a shuffle all see which cards are in the hands."""
    if s.shuffles == 0:
        return
    held = 0
    for k in range(s.num_players):
        j = (seat + k) % s.num_players
        o.kept_count[k] = s.kept_by[j] * PER_SLOT
        held += s.kept_by[j]
    if held == s.kept_by[seat]:
        return
    for c in range(CARDS):
        o.kept_cards[c] = s.kept[c] * t.scale[KEPT_CARDS + c]
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        o.kept_cards[card] = kept_by_others(s, seat, card) * t.scale[KEPT_CARDS + int(card)]
