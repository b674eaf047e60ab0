"""`observe(s, t, seat, recall, out)`: the only function that reads a state for a seat.

Every other view (text, records for people, adapters) derives from what this function writes, so
what it does not write is hidden. It writes by `layout.LAYOUT`.
"""

from __future__ import annotations

from spacemission_env.engine.constants import (
    ACTION,
    CARDS,
    KINDS,
    NOWHERE,
    OVER,
    PILE,
    RING,
    SLOTS,
    SPACE_TILES,
    TILES,
)
from spacemission_env.engine.jit import njit
from spacemission_env.engine.layout import AGE_SCALE, LAYOUT, OBSERVATION_SIZE
from spacemission_env.engine.state import CARD_FEATURES, PLANET_FEATURES

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
    out[:OBSERVATION_SIZE] = 0.0
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
    n = s.num_players
    out[NUM_PLAYERS + n - 2] = 1.0
    out[PHASE + s.phase] = 1.0
    if s.phase != OVER:
        out[PLAYER_TO_ACT + (s.player - seat + n) % n] = 1.0
    out[START_PLAYER + (s.start_player - seat + n) % n] = 1.0
    out[ACTIONS_LEFT] = s.actions_left * 0.25
    out[ROUND] = s.round_number / t.max_rounds
    out[MAX_ROUNDS] = t.max_rounds / 10000.0
    out[LAST_ROUND] = s.last_round
    out[REVEALED] = s.revealed * (1.0 / SPACE_TILES)
    out[TO_END] = t.space_tiles_to_end[n] * (1.0 / SPACE_TILES)
    out[DRAW_SIZE] = s.draw_size / CARDS
    for c in range(CARDS):
        out[DISCARD + c] = s.discard[c] * t.inverse_copies[c]


@njit
def observe_ring(s, t, out):
    """Planets and piles, as all see them."""
    for p in range(RING):
        planet = s.ring[p]
        at = PLANETS_AT + p * PLANET_FEATURES
        for i in range(PLANET_FEATURES):
            out[at + i] = t.planet_features[planet, i]
        left = PILE - s.taken[p]
        out[TILES_LEFT + p] = left * (1.0 / PILE)
        if s.face_up[p]:
            out[FACE_UP + p] = left * (1.0 / PILE)


@njit
def observe_seat(s, t, j, k, out):
    """Seat j, k places clockwise from the observer: what lies open before it."""
    if s.ship[j] != NOWHERE:
        out[SHIPS + k * RING + s.ship[j]] = 1.0
    at = k * RING
    for p in range(RING):
        out[STATIONS_AT + at + p] = s.station[p] == j
        out[SCANNED + at + p] = s.scanned[p, j]
        out[SEEN + at + p] = s.looked[j, p] != NOWHERE
        out[RESERVED + at + p] = s.reserved[p, j] * (1.0 / PILE)
    out[SUPPLY + k] = s.supply[j] / t.chips_per_player
    out[GATE_AT + k] = s.gate[j] / t.chips_per_player
    out[HAND_SIZE + k] = s.hand_size[j] * (1.0 / SLOTS)
    total = 0
    for kind in range(KINDS):
        total += s.tiles[j, kind]
    out[TILE_TOTAL + k] = total * (1.0 / TILES)


@njit
def observe_own(s, t, seat, out):
    """SM-71: own hand and tiles, and the pile under the eyes at an own tile pick."""
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        at = HAND + i * CARD_FEATURES
        for f in range(CARD_FEATURES):
            out[at + f] = t.card_features[card, f]
    for k in range(KINDS):
        out[TILES_AT + k] = s.tiles[seat, k] * t.inverse_tile_count[k]
    if s.player == seat and s.phase != ACTION and s.phase != OVER:
        p = s.ship[seat]
        for k in range(KINDS):
            out[PILE_IN_VIEW + k] = s.pile[p, k] * (1.0 / PILE)


@njit
def observe_memory(s, seat, p, out):
    """SM-71: the own reserved tiles and what was left when this seat last looked through the pile."""
    looked = s.looked[seat, p]
    if looked == NOWHERE:
        return
    at = REMEMBERED + p * KINDS
    for k in range(KINDS):
        out[at + k] = s.pile[p, k] * (1.0 / PILE)
    for i in range(looked, s.taken[p]):
        out[at + s.taken_kind[p, i]] += 1.0 / PILE
    if s.station[p] == NOWHERE:
        for i in range(looked):
            if s.taken_by[p, i] == seat:
                out[RESERVED_KINDS + p * KINDS + s.taken_kind[p, i]] += 1.0 / PILE
    out[REMEMBERED_AGE + p] = min(1.0, (s.round_number - s.looked_round[seat, p]) * (1.0 / AGE_SCALE))
    out[GONE_SINCE + p] = (s.taken[p] - looked) * (1.0 / PILE)


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
    for c in range(CARDS):
        if s.kept[c] > 0:
            out[KEPT_CARDS + c] = kept_by_others(s, seat, c) * t.inverse_copies[c]
    for k in range(s.num_players):
        j = (seat + k) % s.num_players
        out[KEPT_COUNT + k] = s.kept_by[j] * (1.0 / SLOTS)


