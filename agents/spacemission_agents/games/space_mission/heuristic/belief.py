"""Reads an observation into the heuristic's belief: known and expected numbers.

`o` is one observation, `t` the parameters of the game, `b` a `BELIEF` and `w` a `WEIGHTS` record. Sets of
hand slots and of ring positions are bits.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission import features as f
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.piles import SERIES, set_value
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import MOST_ROUNDS
from spacemission_env.games.space_mission.engine.scoring import STATION_POINTS, gate_points

DRAWS = c.SLOTS + 1  # cards still to be drawn: 0 to 5
DEEPEST = 2  # maximum number of the seat's actions that are searched, even if a turn has more
PROBES = 5  # numbers of additional probes in a plan: 0 to 4

BELIEF = np.dtype(
    (
        np.record,
        [
            # The seat's tiles.
            ("tiles", "f8", (c.KINDS,)),  # collected
            ("held", "f8", (c.KINDS,)),  # collected and reserved tiles
            ("ahead", "f8", (c.KINDS,)),  # `held` plus expected tiles: the set to which gains are added
            ("lean", "f8", (c.POINT_KINDS,)),  # bonus for a tile of the kind
            ("gains", "f8", (c.POINT_KINDS,)),  # points for one more tile of the kind at `ahead`, with bonus
            ("reserved", "f8", (c.RING,)),  # points of the seat's reserved tiles on a planet
            ("ring", "i8"),  # planets in the ring
            # Piles.
            ("present", "f8", (c.RING, c.POINT_KINDS)),  # probability that the pile has a tile of the kind
            ("number", "f8", (c.RING, c.POINT_KINDS)),  # expected number
            ("points", "f8", (c.RING,)),  # expected number of point tiles
            ("spaces", "f8", (c.RING,)),  # expected number of space tiles that lie face down
            ("series", "f8", (c.RING, SERIES)),  # expected gain of the best tile, the next one, …, or 0
            # Planets, as bits of ring positions.
            ("developed", "i8"),
            ("scanned", "i8"),  # planets that this seat has scanned
            ("closed", "i8"),  # closed piles: no tile is face down
            ("gift", "f8", (c.RING,)),  # cost of the tiles that development delivers to others
            # Cards, as bits of hand slots.
            ("jumpers", "i8", (c.RING,)),
            ("scanners", "i8", (c.RING,)),
            ("first_landers", "i8", (c.RING,)),
            ("second_landers", "i8", (c.RING,)),
            ("jokers", "i8"),
            ("hand", "i8"),  # all slots
            ("hand_size", "i8"),
            ("most_cards", "i8"),  # hand size of a top-up (SM-21)
            ("full_hand", "i8"),  # 1 if nobody holds more cards: a top-up without a discard is worth nothing
            # The probability that one of 0 to 5 drawn cards serves.
            ("jump_chance", "f8", (c.RING, DRAWS)),
            ("scan_chance", "f8", (c.RING, DRAWS)),
            ("first_chance", "f8", (c.RING, DRAWS)),
            ("second_chance", "f8", (c.RING, DRAWS)),
            ("keep", "f8", (c.SLOTS,)),  # value of a card in hand
            # The table.
            ("num_players", "i8"),
            ("chips", "i8"),
            ("here", "i8"),  # ring position, or NOWHERE
            ("pressure", "f8", (c.RING,)),  # how much the opponents' ships threaten the planet
            ("gate", "i8", (c.MAX_PLAYERS,)),
            ("without_probe", "i8"),  # option gate_points_without_probe (SM-61)
            ("gate_value", "f8", (PROBES,)),  # value of 0, 1, … additional probes
            ("gate_margin", "f8", (PROBES,)),  # the seat's gate points minus the mean of the others
            ("gate_points", "f8", (PROBES,)),
            # Time.
            ("actions_left", "i8"),
            ("last", "i8"),  # 1 in the seat's last turn
            ("space_gap", "f8"),  # space tiles to reveal until the end
            ("tile_rate", "f8"),  # tiles that each player takes in a round
            ("rounds", "f8"),  # expected remaining rounds
            ("youth", "f8"),  # 1 in the first half of the game, down to 0 at its end
            ("action_cost", "f8"),  # value of an action elsewhere, in points
            ("patience", "f8"),  # 1, but towards 0 in a very long game
            ("hurry", "f8"),  # value of revealing a space tile
            ("survival", "f8"),  # probability that the seat gets another turn
            ("lead", "f8"),  # the seat's score now minus the highest estimate of another seat
            ("after", "i8"),  # opponents with a turn left in this round
            # Scratch memory of the reading.
            ("work", "f8", (c.POINT_KINDS,)),
            ("order", "i8", (c.POINT_KINDS,)),
            ("line", "f8", (c.KINDS,)),
            ("chance", "f8", (3, 4)),
            # Scratch memory of the choice.
            ("top_ups", "f8", (c.JUMP,)),  # value of each discard
        ],
    )
)

# A position of the search, after some moves of the seat.
POSITION = np.dtype(
    (
        np.record,
        [
            ("here", "i8"),  # ring position, or NOWHERE
            ("bits", "i8"),  # hand slots left
            ("fresh", "i8"),  # unknown cards drawn by these moves
            ("chips", "i8"),
            ("probes", "i8"),  # probes laid by these moves
            ("developed", "i8"),  # bits of ring positions
            ("scanned", "i8"),
            ("gap", "f8"),  # space tiles to reveal until the end
            ("made", "f8"),  # points gained, with those of reserved tiles
            ("used", "i8", (c.RING,)),  # tiles taken from each pile
            ("promised", "f8", (c.RING,)),  # points reserved on each planet
        ],
    )
)


LEAD = 2  # maximum number of probes ahead that have a value
USUAL_ACTIONS = 2.0  # actions in a turn when the weights were tuned (SM-20)


@njit
def read_table(o, t, w, b):
    """Read seats, ships, chips and planets."""
    b.num_players = f.player_count(o)
    b.ring = t.ring_size
    b.actions_left = f.count(o[f.ACTIONS_LEFT], 4)
    b.tile_rate = w.tile_rate * (t.actions_per_turn / USUAL_ACTIONS)
    b.here = c.NOWHERE
    b.developed = 0
    b.scanned = 0
    b.closed = 0
    for p in range(c.RING):
        if o[f.SHIPS + p] > 0:
            b.here = p
        if o[f.SCANNED + p] > 0:
            b.scanned |= 1 << p
        if o[f.FACE_UP + p] > 0 or o[f.TILES_LEFT + p] <= 0:
            b.closed |= 1 << p
        for k in range(c.MAX_PLAYERS):
            if o[f.STATIONS_AT + k * c.RING + p] > 0:
                b.developed |= 1 << p
    read_pressure(o, w, b)
    read_gate(o, t, w, b)
    start = 0
    for k in range(c.MAX_PLAYERS):
        if o[f.START + k] > 0:
            start = k
    b.after = b.num_players - 1 if start == 0 else start - 1


@njit
def read_pressure(o, w, b):
    """Read how much the opponents' ships threaten each ring position."""
    for p in range(c.RING):
        b.pressure[p] = 0.0
    for k in range(1, b.num_players):
        ship = c.NOWHERE
        for p in range(c.RING):
            if o[f.SHIPS + k * c.RING + p] > 0:
                ship = p
        for p in range(c.RING):
            steps = flight(ship, p)
            if steps == 0:
                b.pressure[p] += w.pressure_here
            elif steps == 1:
                b.pressure[p] += w.pressure_near
            else:
                b.pressure[p] += w.pressure_far


@njit
def flight(here, p):
    """The number of flights between two ring positions (SM-25); a large number from the gate."""
    if here == c.NOWHERE:
        return c.RING
    steps = (p - here) % c.RING
    return min(steps, c.RING - steps)


@njit
def read_gate(o, t, w, b):
    """SM-60: value 0 to 4 additional probes."""
    chips = int(t.chips_per_player)
    b.without_probe = t.gate_points_without_probe
    b.chips = f.count(o[f.SUPPLY], chips)
    best = 0
    for k in range(c.MAX_PLAYERS):
        b.gate[k] = f.count(o[f.GATE_AT + k], chips)
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
    """Read the seat's hand and the probabilities of draws."""
    b.hand_size = f.count(o[f.HAND_SIZE], c.SLOTS)
    b.hand = (1 << b.hand_size) - 1
    largest = 0
    for k in range(b.num_players):
        largest = max(largest, f.count(o[f.HAND_SIZE + k], c.SLOTS))
    b.most_cards = t.hand_size
    b.full_hand = b.hand_size == largest
    b.jokers = 0
    for colour in (f.JUMPS, f.SCANS, f.LANDINGS):
        b.jokers |= f.servers(o, colour, f.JOKER_PLACE)
    count_cards(o, t, b)
    for p in range(c.RING):
        jump, scan, first, second = f.planet_numbers(o, p)
        b.jumpers[p], b.scanners[p] = f.servers(o, f.JUMPS, jump), f.servers(o, f.SCANS, scan)
        b.first_landers[p], b.second_landers[p] = (
            f.servers(o, f.LANDINGS, first),
            f.servers(o, f.LANDINGS, second),
        )
        powers(b.chance[0, jump], b.jump_chance[p])
        powers(b.chance[1, scan], b.scan_chance[p])
        powers(b.chance[2, first], b.first_chance[p])
        powers(b.chance[2, second], b.second_chance[p])


@njit
def count_cards(o, t, b):
    """Count unseen cards: the probability that the next card serves each number."""
    unseen = 0.0
    for colour in range(3):
        for place in range(c.NUMBERS):
            b.chance[colour, place] = 0.0
    for card in range(c.CARDS):
        copies = int(t.copies[card])  # 0 if an earlier card has the same face
        if copies == 0:
            continue
        left = float(copies)
        if o[f.DISCARD + card] > 0 or o[f.KEPT_CARDS + card] > 0:
            left -= f.count(o[f.DISCARD + card], copies) + f.count(o[f.KEPT_CARDS + card], copies)
            if left <= 0.0:
                continue
        unseen += left
        for colour in range(3):
            serves = (t.card_jump[card], t.card_scan[card], t.card_landing[card])[colour]
            for place in range(c.NUMBERS):
                if serves >> (place + 1) & 1:
                    b.chance[colour, place] += left
    unseen = max(unseen - b.hand_size, 1.0)
    for colour in range(3):
        for place in range(c.NUMBERS):
            own = bits_set(f.servers(o, colour * c.JOKER, place))
            b.chance[colour, place] = min(1.0, max(0.0, b.chance[colour, place] - own) / unseen)


@njit
def bits_set(bits):
    n = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


@njit
def powers(chance, out):
    """Write the probability that one of 0 to 5 cards serves, given that of a single card."""
    none = 1.0
    for n in range(DRAWS):
        out[n] = 1.0 - none
        none *= 1.0 - chance


HALF_GAME = 5.0  # rounds
LONG, LONGEST = 20, 40  # `patience` falls between these rounds
TILE_WORTH = 3.0  # value of a tile for another seat


@njit
def read_time(o, w, b):
    """SM-50, SM-51, SM-53: estimate the remaining rounds, and the probability that the seat moves again."""
    limit = f.count(o[f.MAX_ROUNDS], MOST_ROUNDS)
    this_round = f.count(o[f.ROUND], limit)
    rounds_left = limit - this_round
    b.patience = max(0.0, min(1.0, (LONGEST - this_round) / LONG))
    b.space_gap = f.count(o[f.TO_END], c.SPACE_TILES) - f.count(o[f.REVEALED], c.SPACE_TILES)
    b.last = o[f.LAST_ROUND] > 0 or rounds_left <= 0
    if b.last:
        b.rounds = 0.0
        b.survival = 0.0
        b.youth = 0.0
        b.action_cost = w.action_cost
        return
    b.rounds = min(float(rounds_left), tiles_to_end(w, b) / (b.num_players * b.tile_rate))
    b.survival = b.rounds / (b.rounds + w.hazard)
    b.youth = min(1.0, b.rounds / HALF_GAME)
    b.action_cost = w.action_cost + w.action_late * (1.0 - b.youth)


@njit
def tiles_to_end(w, b):
    """Estimate how many point tiles will be taken until enough space tiles are revealed."""
    gap = b.space_gap
    tiles = 0.0
    done = b.closed
    while gap > 0.0 and done != (1 << c.RING) - 1:
        nearest = -1
        shortest = 1e9
        for p in range(c.RING):
            if not done >> p & 1:
                length = b.points[p] * (1.0 if b.developed >> p & 1 else w.closed_pile)
                if length < shortest:
                    nearest = p
                    shortest = length
        done |= 1 << nearest
        share = 1.0 if b.spaces[nearest] <= gap else gap / b.spaces[nearest]
        tiles += shortest * (0.5 + 0.5 * share)
        gap -= b.spaces[nearest]
    return tiles


@njit
def read_gifts(o, w, b):
    """SM-41: value the tiles that development delivers to others."""
    each = TILE_WORTH if b.last else w.gift
    for p in range(c.RING):
        b.gift[p] = 0.0
        for k in range(1, b.num_players):
            b.gift[p] += each * f.count(o[f.RESERVED + k * c.RING + p], c.PILE) / (b.num_players - 1)


@njit
def read_lead(o, w, b):
    """Read the seat's score minus the highest estimate of another seat's score."""
    best = -1e9
    for k in range(1, b.num_players):
        tiles = f.count(o[f.TILE_TOTAL + k], c.TILES)
        value = w.tile_points * tiles + w.tile_growth * tiles * tiles + open_points(o, b, k)
        best = max(best, value)
    b.lead = set_value(b.tiles) + open_points(o, b, 0) - best - w.end_margin
    b.hurry = w.hurry * max(-1.0, min(1.0, b.lead / 10.0))


@njit
def open_points(o, b, k):
    """SM-60, SM-62: the points for gate and stations of a relative seat."""
    points = gate_points(b.gate, b.num_players, k, b.without_probe)
    for p in range(c.RING):
        if o[f.STATIONS_AT + k * c.RING + p] > 0:
            points += STATION_POINTS
    return points
