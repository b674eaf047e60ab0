"""From an observation to a belief: the table, the cards and their odds, the gate and the time left.

`o` is one observation (float32, shape (OBSERVATION_SIZE,)), `t` the box and options that it is of (a `BOX`
record), `b` a `BELIEF` record, `w` a `WEIGHTS` record.
"""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.belief import DRAWS, PROBES
from spacemission_agents.games.space_mission.observed import (
    ACTIONS_LEFT,
    DISCARD,
    FACE_UP,
    GATE_AT,
    HAND_SIZE,
    JOKER_PLACE,
    JUMPS,
    KEPT_CARDS,
    LANDINGS,
    NUM_PLAYERS,
    PLANET_LANDING,
    PLANET_SCAN,
    PLANETS_AT,
    SCANNED,
    SCANS,
    SHIPS,
    START,
    STATIONS_AT,
    SUPPLY,
    TILES_LEFT,
    count,
    servers,
)
from spacemission_env.games.space_mission.engine.constants import (
    CARDS,
    JOKER,
    MAX_PLAYERS,
    NOWHERE,
    NUMBERS,
    PLANET_FEATURES,
    RING,
    SLOTS,
)
from spacemission_env.games.space_mission.engine.scoring import gate_points

LEAD = 2  # probes ahead that are worth something
USUAL_ACTIONS = 2.0  # actions in a turn for which the weights are tuned (SM-20)


@njit
def read_table(o, t, w, b):
    """Seats, ships, chips, planets."""
    b.num_players = 2
    for n in range(4):
        if o[NUM_PLAYERS + n] > 0:
            b.num_players = n + 2
    b.actions_left = count(o[ACTIONS_LEFT], 4)
    b.tile_rate = w.tile_rate * (t.actions_per_turn / USUAL_ACTIONS)
    b.here = NOWHERE
    b.developed = 0
    b.scanned = 0
    b.closed = 0
    for p in range(RING):
        if o[SHIPS + p] > 0:
            b.here = p
        if o[SCANNED + p] > 0:
            b.scanned |= 1 << p
        if o[FACE_UP + p] > 0 or o[TILES_LEFT + p] <= 0:
            b.closed |= 1 << p
        for k in range(MAX_PLAYERS):
            if o[STATIONS_AT + k * RING + p] > 0:
                b.developed |= 1 << p
    read_pressure(o, w, b)
    read_gate(o, t, w, b)
    start = 0
    for k in range(MAX_PLAYERS):
        if o[START + k] > 0:
            start = k
    b.after = b.num_players - 1 if start == 0 else start - 1


@njit
def read_pressure(o, w, b):
    """How much the opponents' ships endanger what lies open at each ring position."""
    for p in range(RING):
        b.pressure[p] = 0.0
    for k in range(1, b.num_players):
        ship = NOWHERE
        for p in range(RING):
            if o[SHIPS + k * RING + p] > 0:
                ship = p
        for p in range(RING):
            steps = flight(ship, p)
            if steps == 0:
                b.pressure[p] += w.pressure_here
            elif steps == 1:
                b.pressure[p] += w.pressure_near
            else:
                b.pressure[p] += w.pressure_far


@njit
def flight(here, p):
    """Flights from one ring position to another (SM-25); more than any of them from the gate."""
    if here == NOWHERE:
        return RING
    steps = (p - here) % RING
    return min(steps, RING - steps)


@njit
def read_gate(o, t, w, b):
    """SM-60: what 0 to 4 own probes more are worth."""
    chips = int(t.chips_per_player)
    b.without_probe = t.gate_points_without_probe
    b.chips = count(o[SUPPLY], chips)
    best = 0
    for k in range(MAX_PLAYERS):
        b.gate[k] = count(o[GATE_AT + k], chips)
        if k > 0:
            best = max(best, b.gate[k])
    for n in range(PROBES):
        others = 0
        together = 0
        for k in range(1, b.num_players):
            points = gate_points(b.gate, b.num_players, k, b.without_probe)
            together += points
            others = max(others, points)
        b.gate_points[n] = gate_points(b.gate, b.num_players, 0, b.without_probe)
        b.gate_margin[n] = b.gate_points[n] - together / (b.num_players - 1)
        lead = min(LEAD, max(-LEAD, b.gate[0] - best))
        b.gate_value[n] = w.gate_share * b.gate_points[n] - w.gate_others * others + w.gate_lead * lead
        b.gate[0] += 1
    b.gate[0] -= PROBES


@njit
def read_cards(o, t, b):
    """The own hand: which card serves where, and the odds of cards to come."""
    b.hand_size = count(o[HAND_SIZE], SLOTS)
    b.hand = (1 << b.hand_size) - 1
    largest = 0
    for k in range(b.num_players):
        largest = max(largest, count(o[HAND_SIZE + k], SLOTS))
    b.most_cards = t.hand_size
    b.full_hand = b.hand_size == largest
    b.jokers = 0
    for colour in (JUMPS, SCANS, LANDINGS):
        b.jokers |= servers(o, colour, JOKER_PLACE)
    count_cards(o, t, b)
    for p in range(RING):
        planet = PLANETS_AT + p * PLANET_FEATURES
        first = True
        for place in range(NUMBERS):
            if o[planet + place] > 0:
                b.jumpers[p] = servers(o, JUMPS, place)
                powers(b.odds[0, place], b.jump_odds[p])
            if o[planet + PLANET_SCAN + place] > 0:
                b.scanners[p] = servers(o, SCANS, place)
                powers(b.odds[1, place], b.scan_odds[p])
            if o[planet + PLANET_LANDING + place] > 0:
                b.second_landers[p] = servers(o, LANDINGS, place)
                powers(b.odds[2, place], b.second_odds[p])
                if first:
                    first = False
                    b.first_landers[p] = b.second_landers[p]
                    powers(b.odds[2, place], b.first_odds[p])


@njit
def count_cards(o, t, b):
    """Odds that a card to be drawn serves each number, by what is neither discarded nor seen in hands."""
    unseen = 0.0
    for colour in range(3):
        for place in range(NUMBERS):
            b.odds[colour, place] = 0.0
    for c in range(CARDS):
        copies = int(t.copies[c])  # 0 where an earlier card has the same face
        if copies == 0:
            continue
        left = float(copies)
        if o[DISCARD + c] > 0 or o[KEPT_CARDS + c] > 0:
            left -= count(o[DISCARD + c], copies) + count(o[KEPT_CARDS + c], copies)
            if left <= 0.0:
                continue
        unseen += left
        for colour in range(3):
            serves = (t.card_jump[c], t.card_scan[c], t.card_landing[c])[colour]
            for place in range(NUMBERS):
                if serves >> (place + 1) & 1:
                    b.odds[colour, place] += left
    unseen = max(unseen - b.hand_size, 1.0)
    for colour in range(3):
        for place in range(NUMBERS):
            own = bits_set(servers(o, colour * JOKER, place))
            b.odds[colour, place] = min(1.0, max(0.0, b.odds[colour, place] - own) / unseen)


@njit
def bits_set(bits):
    """Number of bits that are set."""
    n = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


@njit
def powers(odds, out):
    """Odds that one of 0 to 5 cards serves, where each does with these odds."""
    none = 1.0
    for n in range(DRAWS):
        out[n] = 1.0 - none
        none *= 1.0 - odds
