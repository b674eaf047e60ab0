"""`observe(s, t, seat, recall, out)`: the only function that reads a state for a seat.

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

# Compiled code freezes these starts; the layout table stays the one place that orders them.
NUM_PLAYERS = LAYOUT["num_players"].start
PHASE = LAYOUT["phase"].start
PLAYER_TO_ACT = LAYOUT["player_to_act"].start
START_PLAYER = LAYOUT["start_player"].start
ACTIONS_LEFT = LAYOUT["actions_left"].start
ROUND = LAYOUT["round"].start
MAX_ROUNDS = LAYOUT["max_rounds"].start
LAST_ROUND = LAYOUT["last_round"].start
REVEALED = LAYOUT["revealed"].start
TO_END = LAYOUT["space_tiles_to_end"].start
DRAW_SIZE = LAYOUT["draw_pile_size"].start
HAND = LAYOUT["hand"].start
PLANETS_AT = LAYOUT["planets"].start
SHIPS = LAYOUT["ships"].start
STATIONS_AT = LAYOUT["stations"].start
SCANNED = LAYOUT["scanned"].start
SEEN = LAYOUT["seen"].start
RESERVED = LAYOUT["reserved"].start
TILES_LEFT = LAYOUT["tiles_left"].start
FACE_UP = LAYOUT["face_up"].start
SUPPLY = LAYOUT["supply"].start
GATE_AT = LAYOUT["gate"].start
HAND_SIZE = LAYOUT["hand_size"].start
TILE_TOTAL = LAYOUT["tile_total"].start
DISCARD = LAYOUT["discard"].start
TILES_AT = LAYOUT["tiles"].start
PILE_IN_VIEW = LAYOUT["pile_in_view"].start
RESERVED_KINDS = LAYOUT["reserved_kinds"].start
REMEMBERED = LAYOUT["remembered"].start
REMEMBERED_AGE = LAYOUT["remembered_age"].start
GONE_SINCE = LAYOUT["gone_since"].start
KEPT_CARDS = LAYOUT["kept_cards"].start
KEPT_COUNT = LAYOUT["kept_count"].start


@njit
def observe(s, t, seat, recall, out):
    """Write what the seat may know: float32 in [0, 1], shape (OBSERVATION_SIZE,).

    `recall`: 1 perfect recall, 0 only what could be looked at on the table now (SM-70, SM-71).
    """
    out[:OBSERVATION_SIZE] = 0
    observe_game(s, t, seat, out)
    observe_ring(s, t, out)
    for k in range(s.num_players):
        observe_seat(s, t, (seat + k) % s.num_players, k, out)
    observe_own(s, t, seat, out)
    if recall or t.reserved_tiles_visible:
        for p in range(RING):
            observe_memory(s, seat, p, out)
    if recall:
        observe_kept_cards(s, t, seat, out)


@njit
def observe_game(s, t, seat, out):
    """The state of play, the same for all but the turn of the table."""
    n = int(s.num_players)
    out[NUM_PLAYERS + n - 2] = 1
    out[PHASE + int(s.phase)] = 1
    if s.phase != OVER:
        out[PLAYER_TO_ACT + (int(s.player) - seat + n) % n] = 1
    out[START_PLAYER + (int(s.start_player) - seat + n) % n] = 1
    out[ACTIONS_LEFT] = s.actions_left * PER_ACTION
    out[ROUND] = s.round_number * t.scale[ROUND]
    out[MAX_ROUNDS] = t.max_rounds * PER_ROUND
    out[LAST_ROUND] = s.last_round
    out[REVEALED] = s.revealed * PER_SPACE
    out[TO_END] = t.space_tiles_to_end[n] * PER_SPACE
    out[DRAW_SIZE] = s.draw_size * PER_CARD
    discard = out[DISCARD : DISCARD + CARDS]
    for c in range(CARDS):
        discard[c] = s.discard[c] * t.scale[DISCARD + c]


@njit
def observe_ring(s, t, out):
    """Planets and piles, as all see them."""
    for p in range(RING):
        planet = s.ring[p]
        features = out[PLANETS_AT + p * PLANET_FEATURES : PLANETS_AT + (p + 1) * PLANET_FEATURES]
        for i in range(PLANET_FEATURES):
            features[i] = t.planet_features[planet, i] * PER_COORDINATE
        left = PILE - s.taken[p]
        out[TILES_LEFT + p] = left * PER_PILE
        if s.face_up[p]:
            out[FACE_UP + p] = left * PER_PILE


@njit
def observe_seat(s, t, j, k, out):
    """Seat j, k places clockwise from the observer: what lies open before it."""
    if s.ship[j] != NOWHERE:
        out[SHIPS + k * RING + int(s.ship[j])] = 1
    # Slices first: an index that cannot be negative lets the compiler write eight at a time.
    stations = out[STATIONS_AT + k * RING : STATIONS_AT + (k + 1) * RING]
    scanned = out[SCANNED + k * RING : SCANNED + (k + 1) * RING]
    seen = out[SEEN + k * RING : SEEN + (k + 1) * RING]
    reserved = out[RESERVED + k * RING : RESERVED + (k + 1) * RING]
    for p in range(RING):
        stations[p] = s.station[p] == j
        scanned[p] = s.scanned[j, p]
        seen[p] = s.looked[j, p] != NOWHERE
        reserved[p] = s.reserved[j, p] * PER_PILE
    out[SUPPLY + k] = s.supply[j] * t.scale[SUPPLY]
    out[GATE_AT + k] = s.gate[j] * t.scale[SUPPLY]
    out[HAND_SIZE + k] = s.hand_size[j] * PER_SLOT
    total = 0
    for kind in range(KINDS):
        total += s.tiles[j, kind]
    out[TILE_TOTAL + k] = total * PER_TILE


@njit
def observe_own(s, t, seat, out):
    """SM-71: own hand and tiles, and the pile under the eyes at an own tile pick."""
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        features = out[HAND + i * CARD_FEATURES : HAND + (i + 1) * CARD_FEATURES]
        for f in range(CARD_FEATURES):
            features[f] = t.card_features[card, f]
    tiles = out[TILES_AT : TILES_AT + KINDS]
    for k in range(KINDS):
        tiles[k] = s.tiles[seat, k] * t.scale[TILES_AT + k]
    if s.player == seat and s.phase != ACTION and s.phase != OVER:
        p = s.ship[seat]
        for k in range(KINDS):
            out[PILE_IN_VIEW + k] = s.pile[p, k] * PER_PILE


@njit
def observe_memory(s, seat, p, out):
    """SM-71: the own reserved tiles and what was left when this seat last looked through the pile."""
    looked = s.looked[seat, p]
    if looked == NOWHERE:
        return
    remembered = out[REMEMBERED + p * KINDS : REMEMBERED + (p + 1) * KINDS]
    for k in range(KINDS):
        remembered[k] = s.pile[p, k] * PER_PILE
    for i in range(looked, s.taken[p]):
        remembered[s.taken_kind[p, i]] += PER_PILE
    if s.station[p] == NOWHERE:
        for i in range(looked):
            if s.taken_by[p, i] == seat:
                out[RESERVED_KINDS + p * KINDS + int(s.taken_kind[p, i])] += PER_PILE
    out[REMEMBERED_AGE + p] = min(OLDEST, int(s.round_number) - int(s.looked_round[seat, p])) * PER_AGE
    out[GONE_SINCE + p] = (s.taken[p] - looked) * PER_PILE


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
def observe_kept_cards(s, t, seat, out):
    """SM-27 with perfect recall: at a shuffle all see which cards are in the hands."""
    if s.shuffles == 0:
        return
    held = 0
    for k in range(s.num_players):
        j = (seat + k) % s.num_players
        out[KEPT_COUNT + k] = s.kept_by[j] * PER_SLOT
        held += s.kept_by[j]
    if held == s.kept_by[seat]:
        return
    kept = out[KEPT_CARDS : KEPT_CARDS + CARDS]
    for c in range(CARDS):
        kept[c] = s.kept[c] * t.scale[KEPT_CARDS + c]
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        kept[card] = kept_by_others(s, seat, card) * t.scale[KEPT_CARDS + int(card)]
