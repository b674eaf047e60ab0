"""What hand, tiles, piles and planets come to for a seat, computed from its observation.

`greedy` decides by it, and the inputs `ring` and `rated` of networks hold it as aids (inputs.py): whoever
changes a number here changes what networks read. `o` is one observation (float32, shape (OBSERVATION_SIZE,)),
`t` the box and options that it is of (a `BOX` record: public facts, and some of the scales), `w` a `PLAN`
record that is filled anew for each decision. Nothing here sees a state.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.observed import (
    FACE_UP,
    GATE_AT,
    GONE_SINCE,
    HAND_SIZE,
    JOKER_PLACE,
    JUMPS,
    LANDINGS,
    NUM_PLAYERS,
    PLANET_LANDING,
    PLANET_SCAN,
    PLANETS_AT,
    REMEMBERED,
    RESERVED_KINDS,
    SCANNED,
    SCANS,
    SHIPS,
    STATIONS_AT,
    SUPPLY,
    TILES_AT,
    TILES_LEFT,
    count,
    servers,
)
from spacemission_env.games.space_mission.engine.constants import (
    KINDS,
    MAX_PLAYERS,
    NOWHERE,
    NUMBERS,
    PILE,
    PLANET_FEATURES,
    POINT_KINDS,
    RING,
    SLOTS,
    TILES,
)
from spacemission_env.games.space_mission.engine.scoring import gate_points, tile_points

PLAN = np.dtype(
    (
        np.record,
        [
            ("tiles", "i8", (KINDS,)),  # own collected tiles
            ("held", "i8", (KINDS,)),  # those and the own reserved ones
            ("gain", "f8", (POINT_KINDS,)),  # points that one more tile of the kind adds to `held`
            ("order", "i8", (POINT_KINDS,)),  # kinds, best gain first
            ("best", "f8", (RING,)),  # expected gain of the best tile in each pile; 0 where none can be taken
            ("develop", "f8", (RING,)),  # expected points for developing there
            ("developed", "i8", (RING,)),
            ("scanned", "i8", (RING,)),  # by this seat
            ("scanners", "i8", (RING,)),  # bits of the hand slots that serve the scan number
            ("first_landers", "i8", (RING,)),  # likewise the one landing number,
            ("second_landers", "i8", (RING,)),  # and the other
            ("jokers", "i8"),  # bits of the slots whose card has a joker
            ("hand_size", "i8"),
            ("chips", "i8"),  # own supply
            ("here", "i8"),  # ring position of the own ship, or NOWHERE
            ("probe", "f8"),  # gate points that one more probe gives
        ],
    )
)


@njit
def read(o, t, w):
    """Fill the plan from an observation and its box."""
    read_hand(o, w)
    w.here = NOWHERE
    for p in range(RING):
        if o[SHIPS + p] > 0:
            w.here = p
    w.chips = count(o[SUPPLY], int(t.chips_per_player))
    w.probe = probe_gain(o, t)
    read_tiles(o, t, w)
    for p in range(RING):
        read_planet(o, t, w, p)


@njit
def probe_gain(o, t):
    """SM-60: what one more own probe on the jump gate adds to the own gate points."""
    players = 2
    for n in range(4):
        if o[NUM_PLAYERS + n] > 0:
            players = n + 2
    gate = np.empty(MAX_PLAYERS, np.int64)
    for k in range(MAX_PLAYERS):
        gate[k] = count(o[GATE_AT + k], int(t.chips_per_player))
    before = gate_points(gate, players, 0, t.gate_points_without_probe)
    gate[0] += 1
    return gate_points(gate, players, 0, t.gate_points_without_probe) - before


@njit
def read_tiles(o, t, w):
    """Own tiles, and what one more of each kind is worth on top of them."""
    for k in range(KINDS):
        w.tiles[k] = count(o[TILES_AT + k], int(t.tile_count[k]))
        w.held[k] = w.tiles[k]
        for p in range(RING):
            w.held[k] += count(o[RESERVED_KINDS + p * KINDS + k], PILE)
    base = tile_points(w.held)
    for k in range(POINT_KINDS):
        w.held[k] += 1
        w.gain[k] = tile_points(w.held) - base
        w.held[k] -= 1
        i = k
        while i > 0 and w.gain[w.order[i - 1]] < w.gain[k]:
            w.order[i] = w.order[i - 1]
            i -= 1
        w.order[i] = k


@njit
def read_hand(o, w):
    """Size of the hand and where its jokers are."""
    w.hand_size = count(o[HAND_SIZE], SLOTS)
    w.jokers = 0
    for colour in (JUMPS, SCANS, LANDINGS):
        w.jokers |= servers(o, colour, JOKER_PLACE)


@njit
def read_planet(o, t, w, p):
    """What can be done at a ring position, and which cards serve there."""
    w.developed[p] = 0
    for k in range(MAX_PLAYERS):
        w.developed[p] |= o[STATIONS_AT + k * RING + p] > 0
    w.scanned[p] = o[SCANNED + p] > 0
    planet = PLANETS_AT + p * PLANET_FEATURES
    first = -1
    for place in range(NUMBERS):
        if o[planet + PLANET_SCAN + place] > 0:
            w.scanners[p] = servers(o, SCANS, place)
        if o[planet + PLANET_LANDING + place] > 0:
            w.second_landers[p] = servers(o, LANDINGS, place)
            if first < 0:
                first = place
                w.first_landers[p] = w.second_landers[p]
    w.best[p] = 0.0 if o[FACE_UP + p] > 0 else expected_best(o, t, w, p)


@njit
def expected_best(o, t, w, p):
    """Expected gain of the best tile in a face-down pile, taking the kinds for independent."""
    left = count(o[TILES_LEFT + p], PILE)
    gone = count(o[GONE_SINCE + p], PILE)
    known = 0
    for k in range(POINT_KINDS):
        known += count(o[REMEMBERED + p * KINDS + k], PILE)
    if left == 0:
        return 0.0
    none_better = 1.0
    value = 0.0
    for i in range(POINT_KINDS):
        k = w.order[i]
        if known > 0:  # a face-down pile that somebody took from still holds a point tile (SM-46)
            absent = (min(gone, known - 1) / known) ** count(o[REMEMBERED + p * KINDS + k], PILE)
        else:
            absent = (1.0 - t.tile_count[k] / TILES) ** left
        value += none_better * (1.0 - absent) * w.gain[k]
        none_better *= absent
    return value


@njit
def reserved_points(o, w, p):
    """Points for receiving the own reserved tiles of a planet (SM-41)."""
    before = tile_points(w.tiles)
    for k in range(KINDS):
        w.tiles[k] += count(o[RESERVED_KINDS + p * KINDS + k], PILE)
    after = tile_points(w.tiles)
    for k in range(KINDS):
        w.tiles[k] -= count(o[RESERVED_KINDS + p * KINDS + k], PILE)
    return after - before
