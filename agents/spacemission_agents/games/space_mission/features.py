"""Computes features of hand, tiles, piles and planets from an observation.

`greedy` and `heuristic` read these features. `o`: one observation, float32 (OBSERVATION_SIZE,). `t`: the
parameters of the game. `w`: a `PLAN` record.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.engine.scoring import gate_points, tile_points


def _start(name: str) -> int:
    return LAYOUT[name].start


# The first indices of the pieces of an observation, as compile-time constants.
NUM_PLAYERS, START, ACTIONS_LEFT = _start("num_players"), _start("start_player"), _start("actions_left")
ROUND, MAX_ROUNDS, LAST_ROUND = _start("round"), _start("max_rounds"), _start("last_round")
REVEALED, TO_END, DISCARD = _start("revealed"), _start("space_tiles_to_end"), _start("discard")
HAND, HAND_SIZE, KEPT_CARDS = _start("hand"), _start("hand_size"), _start("kept_cards")
PLANETS_AT, SHIPS, STATIONS_AT = _start("planets"), _start("ships"), _start("stations")
SCANNED, RESERVED, RESERVED_KINDS = _start("scanned"), _start("reserved"), _start("reserved_kinds")
TILES_LEFT, FACE_UP, IN_VIEW = _start("tiles_left"), _start("face_up"), _start("pile_in_view")
REMEMBERED, GONE_SINCE = _start("remembered"), _start("gone_since")
SUPPLY, GATE_AT = _start("supply"), _start("gate")
TILES_AT, TILE_TOTAL = _start("tiles"), _start("tile_total")

JUMPS, SCANS, LANDINGS = 0, 5, 10  # first index of a colour's one-hot in a card's features
JOKER_PLACE = 4  # index in a colour's one-hot
PLANET_SCAN, PLANET_LANDING = 4, 8  # first indices in a planet's features


@njit
def count(value, scale):
    """The whole number of which `value` is the scaled form."""
    return int(np.round(value * scale))


@njit
def player_count(o):
    """The number of players."""
    players = 2
    for n in range(4):
        if o[NUM_PLAYERS + n] > 0:
            players = n + 2
    return players


@njit
def servers(o, colour, place):
    """The slots, as bits, whose card serves a number (index 0 to 3) of a colour (SM-10)."""
    bits = 0
    for i in range(c.SLOTS):
        card = HAND + i * c.CARD_FEATURES + colour
        if o[card + place] > 0 or o[card + JOKER_PLACE] > 0:
            bits |= 1 << i
    return bits


@njit
def order_best_first(values, order):
    """Write the indices of values into `order`, highest value first, ties by index."""
    for k in range(len(order)):
        i = k
        while i > 0 and values[order[i - 1]] < values[k]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = k


@njit
def pair_left(first, second):
    """Whether two different slots serve the two landing numbers."""
    either = first | second
    return first != 0 and second != 0 and (either & (either - 1)) != 0


PLAN = np.dtype(
    (
        np.record,
        [
            ("tiles", "i8", (c.KINDS,)),  # tiles that the seat has collected
            ("held", "i8", (c.KINDS,)),  # tiles that it has collected or reserved
            ("gain", "f8", (c.POINT_KINDS,)),  # points for one more tile of the kind
            ("order", "i8", (c.POINT_KINDS,)),  # kinds, best gain first
            ("best", "f8", (c.RING,)),  # expected gain of the best tile in each pile, or 0
            ("develop", "f8", (c.RING,)),  # expected points for developing there
            ("developed", "i8", (c.RING,)),
            ("scanned", "i8", (c.RING,)),  # 1 where this seat has scanned
            ("scanners", "i8", (c.RING,)),  # hand slots that serve the scan number, as bits
            ("first_landers", "i8", (c.RING,)),  # likewise for one landing number
            ("second_landers", "i8", (c.RING,)),  # likewise for the other
            ("jokers", "i8"),  # slots whose card has a joker, as bits
            ("hand_size", "i8"),
            ("chips", "i8"),  # chips in the seat's supply
            ("ring", "i8"),  # planets in the ring
            ("here", "i8"),  # ring position of the seat's ship, or NOWHERE
            ("probe", "f8"),  # gate points that one more probe gives
        ],
    )
)


@njit
def read(o, t, w):
    """Fill the plan from an observation."""
    w.ring = t.ring_size
    read_hand(o, w)
    w.here = c.NOWHERE
    for p in range(c.RING):
        if o[SHIPS + p] > 0:
            w.here = p
    w.chips = count(o[SUPPLY], int(t.chips_per_player))
    w.probe = probe_gain(o, t)
    read_tiles(o, t, w)
    for p in range(c.RING):
        read_planet(o, t, w, p)


@njit
def probe_gain(o, t):
    """SM-60: the gate points that one more probe of the seat adds."""
    players = player_count(o)
    gate = np.empty(c.MAX_PLAYERS, np.int64)
    for k in range(c.MAX_PLAYERS):
        gate[k] = count(o[GATE_AT + k], int(t.chips_per_player))
    before = gate_points(gate, players, 0, t.gate_points_without_probe)
    gate[0] += 1
    return gate_points(gate, players, 0, t.gate_points_without_probe) - before


@njit
def read_tiles(o, t, w):
    """Read the seat's tiles and the points for one more tile of each kind."""
    for k in range(c.KINDS):
        w.tiles[k] = count(o[TILES_AT + k], int(t.tile_count[k]))
        w.held[k] = w.tiles[k]
        for p in range(c.RING):
            w.held[k] += count(o[RESERVED_KINDS + p * c.KINDS + k], c.PILE)
    base = tile_points(w.held)
    for k in range(c.POINT_KINDS):
        w.held[k] += 1
        w.gain[k] = tile_points(w.held) - base
        w.held[k] -= 1
    order_best_first(w.gain, w.order)


@njit
def read_hand(o, w):
    """Read the size and the jokers of the hand."""
    w.hand_size = count(o[HAND_SIZE], c.SLOTS)
    w.jokers = 0
    for colour in (JUMPS, SCANS, LANDINGS):
        w.jokers |= servers(o, colour, JOKER_PLACE)


@njit
def planet_numbers(o, p):
    """The indices (0 to 3) of a planet's jump number, scan number and two landing numbers."""
    planet = PLANETS_AT + p * c.PLANET_FEATURES
    jump, scan, first, second = 0, 0, -1, 0
    for place in range(c.NUMBERS):
        if o[planet + place] > 0:
            jump = place
        if o[planet + PLANET_SCAN + place] > 0:
            scan = place
        if o[planet + PLANET_LANDING + place] > 0:
            second = place
            if first < 0:
                first = place
    return jump, scan, max(first, 0), second


@njit
def read_planet(o, t, w, p):
    """Read the possible actions and the serving cards at a ring position."""
    w.developed[p] = 0
    for k in range(c.MAX_PLAYERS):
        w.developed[p] |= o[STATIONS_AT + k * c.RING + p] > 0
    w.scanned[p] = o[SCANNED + p] > 0
    _, scan, first, second = planet_numbers(o, p)
    w.scanners[p] = servers(o, SCANS, scan)
    w.first_landers[p], w.second_landers[p] = servers(o, LANDINGS, first), servers(o, LANDINGS, second)
    w.best[p] = 0.0 if o[FACE_UP + p] > 0 else expected_best(o, t, w, p)


@njit
def expected_best(o, t, w, p):
    """The expected gain of the best tile in a face-down pile, with independent kinds."""
    left = count(o[TILES_LEFT + p], c.PILE)
    gone = count(o[GONE_SINCE + p], c.PILE)
    known = 0
    for k in range(c.POINT_KINDS):
        known += count(o[REMEMBERED + p * c.KINDS + k], c.PILE)
    if left == 0:
        return 0.0
    none_better = 1.0
    value = 0.0
    for i in range(c.POINT_KINDS):
        k = w.order[i]
        if known > 0:  # an opened face-down pile holds a point tile (SM-46)
            absent = (min(gone, known - 1) / known) ** count(o[REMEMBERED + p * c.KINDS + k], c.PILE)
        else:
            absent = (1.0 - t.tile_count[k] / c.TILES) ** left
        value += none_better * (1.0 - absent) * w.gain[k]
        none_better *= absent
    return value


@njit
def reserved_points(o, w, p):
    """The points of the seat's reserved tiles on a planet (SM-41)."""
    before = tile_points(w.tiles)
    for k in range(c.KINDS):
        w.tiles[k] += count(o[RESERVED_KINDS + p * c.KINDS + k], c.PILE)
    after = tile_points(w.tiles)
    for k in range(c.KINDS):
        w.tiles[k] -= count(o[RESERVED_KINDS + p * c.KINDS + k], c.PILE)
    return after - before
