"""Reads the facts of a position from a seat's compact observation, once for all code that uses them.

The agents `greedy` and `heuristic`, the features of afterstates and the views for people read these facts.
`o` is a `COMPACT` record, `t` the parameters, `f` a `FACTS` record. Sets of hand slots and of ring positions
are bits. Seats are relative: 0 is the observer. A card serves a planet's number if it shows that number, or a
joker, in the same colour (SM-10).
"""

from __future__ import annotations

from math import floor
from pathlib import Path

import numpy as np

from spacemission_env.core.compiling import make_njit
from spacemission_env.core.layout import aligned_record
from spacemission_env.games.space_mission.engine import compiled, scoring
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.card_memory import BIT_COUNT
from spacemission_env.games.space_mission.engine.layout import COMPACT

njit = make_njit(compiled.njit, Path(__file__))

JUMPS, SCANS, LANDINGS = range(len(c.COLOURS))
FACES = c.NUMBERS + 1  # number of values that a card may show in a colour: 1, 2, 3, 4 and joker

FACTS = aligned_record(
    ("num_players", "i8"),
    ("start", "i8"),  # seat that began
    ("ship", "i8", (c.MAX_PLAYERS,)),  # ring position, or NOWHERE
    ("here", "i8"),  # ring position of the observer, or NOWHERE
    # Planets; beyond a smaller ring the fields have 0, NOWHERE or no bit.
    ("jump", "i8", (c.RING,)),  # jump number, 1 to 4
    ("scan", "i8", (c.RING,)),  # scan number
    ("landing", "i8", (c.RING, 2)),  # the two landing numbers
    ("owner", "i8", (c.RING,)),  # seat whose station is there, or NOWHERE
    ("developed", "i8"),  # set of developed planets
    ("scanned", "i8"),  # set of planets that the observer has scanned
    ("closed", "i8"),  # set of planets without a face-down tile
    # Cards: sets of hand slots.
    ("hand_size", "i8"),
    ("jokers", "i8"),  # slots whose card has a joker
    ("servers", "i8", (len(c.COLOURS), FACES)),  # [colour, number 1 to 4]: cards that serve it
    ("jumpers", "i8", (c.RING,)),  # cards that serve the planet's jump number
    ("scanners", "i8", (c.RING,)),  # cards that serve the planet's scan number
    ("first_landers", "i8", (c.RING,)),  # cards that serve the planet's first landing number
    ("second_landers", "i8", (c.RING,)),  # cards that serve the planet's second landing number
    # Tiles.
    ("tiles", "i8", (c.KINDS,)),  # tiles that the observer has collected
    ("held", "i8", (c.KINDS,)),  # tiles that the observer has collected or reserved
    ("gains", "f8", (c.POINT_KINDS,)),  # points that one more tile of the kind adds to `held`
    ("remembered", "i8", (c.RING,)),  # point tiles that the observer's last look left in the pile
    # Chips.
    ("gate", "i8", (c.MAX_PLAYERS,)),
    ("gate_points", "i8", (c.MAX_PLAYERS,)),
)


@njit
def write_facts(observations, parameters, facts):
    """Write the facts of each row: observations uint8 (n, size), `FACTS` records (n,)."""
    seen = observations.view(COMPACT)
    for n in range(len(facts)):
        read_facts(seen[n, 0], parameters[0], facts[n])


@njit
def read_facts(o, t, f):
    """Fill in all facts."""
    read_seats(o, t, f)
    read_hand(o, f)
    f.closed = 0
    for p in range(c.RING):
        read_planet(o, f, p)
    read_tiles(o, f)


@njit
def read_seats(o, t, f):
    """Read the number of players, ships, stations, scanned planets, probes and gate points."""
    f.num_players, f.start = c.MIN_PLAYERS, 0
    for n in range(len(o.num_players)):
        if o.num_players[n]:
            f.num_players = n + c.MIN_PLAYERS
    f.developed = 0
    f.scanned = 0
    for p in range(c.RING):
        f.owner[p] = c.NOWHERE
        f.scanned |= (o.scanned[0, p] > 0) << p
    for k in range(c.MAX_PLAYERS):
        f.ship[k] = c.NOWHERE
        for p in range(c.RING):
            if o.ships[k, p]:
                f.ship[k] = p
            if o.stations[k, p]:
                f.owner[p] = k
                f.developed |= 1 << p
        if o.start_player[k]:
            f.start = k
        f.gate[k] = o.gate[k]
    f.here = f.ship[0]
    for k in range(c.MAX_PLAYERS):
        f.gate_points[k] = 0
        if k < f.num_players:
            f.gate_points[k] = scoring.gate_points(f.gate, f.num_players, k, t.gate_points_without_probe)


@njit
def read_hand(o, f):
    """SM-10: read which slots serve which numbers."""
    f.hand_size = min(np.int64(o.hand_size[0]), c.SLOTS)
    f.jokers = 0
    for colour in range(len(c.COLOURS)):
        first = colour * FACES
        jokers = 0
        for i in range(c.SLOTS):
            jokers |= (o.hand[i, first + c.NUMBERS] > 0) << i
        f.jokers |= jokers
        f.servers[colour, 0] = 0
        for number in range(1, FACES):
            slots = jokers
            for i in range(c.SLOTS):
                slots |= (o.hand[i, first + number - 1] > 0) << i
            f.servers[colour, number] = slots


@njit
def read_planet(o, f, p):
    """Read the numbers and the pile of a planet, and which slots hold cards that serve it."""
    f.jump[p], f.scan[p], first, second = 0, 0, 0, 0
    for v in range(c.NUMBERS):
        if o.planets[p, v]:
            f.jump[p] = v + 1
        if o.planets[p, c.NUMBERS + v]:
            f.scan[p] = v + 1
        if o.planets[p, 2 * c.NUMBERS + v]:
            second = v + 1
            if first == 0:
                first = v + 1
    f.landing[p, 0], f.landing[p, 1] = first, second
    f.jumpers[p] = f.servers[JUMPS, f.jump[p]]
    f.scanners[p] = f.servers[SCANS, f.scan[p]]
    f.first_landers[p], f.second_landers[p] = f.servers[LANDINGS, first], f.servers[LANDINGS, second]
    f.closed |= ((o.tiles_left[p] == 0) | (o.face_up[p] > 0)) << p
    f.remembered[p] = 0
    for k in range(c.POINT_KINDS):
        f.remembered[p] += o.remembered[p, k]


@njit
def read_tiles(o, f):
    """Read the observer's tiles and the points for one more of each kind."""
    for k in range(c.KINDS):
        f.tiles[k] = o.tiles[k]
        f.held[k] = o.tiles[k]
        for p in range(c.RING):
            f.held[k] += o.reserved_kinds[p, k]
    write_gains(f.held, 0.0, f.gains)


# ---------------------------------------------------------------- what follows from the facts


@njit
def bits_set(bits):
    """The size of a set of at most eight members."""
    return int(BIT_COUNT[bits & 255])


@njit
def pair_left(first, second):
    """SM-40: whether two different slots of these sets serve the first and the second landing number."""
    either = first | second
    return first != 0 and second != 0 and (either & (either - 1)) != 0


@njit
def probe_points(gate, num_players, seat, without_probe):
    """SM-60: the gate points that one more probe of a seat adds."""
    before = scoring.gate_points(gate, num_players, seat, without_probe)
    gate[seat] += 1
    after = scoring.gate_points(gate, num_players, seat, without_probe)
    gate[seat] -= 1
    return after - before


@njit
def reserved_points(o, tiles, p):
    """SM-41: the points that the seat's reserved tiles on a planet add to `tiles`."""
    before = scoring.tile_points(tiles)
    for k in range(c.KINDS):
        tiles[k] += o.reserved_kinds[p, k]
    after = scoring.tile_points(tiles)
    for k in range(c.KINDS):
        tiles[k] -= o.reserved_kinds[p, k]
    return after - before


@njit
def order_best_first(values, order):
    """Write the indices of values into `order`, highest value first, ties by index."""
    for k in range(len(order)):
        i = k
        while i > 0 and values[order[i - 1]] < values[k]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = k


# ---------------------------------------------------------------- points of tiles; counts may be fractions


@njit
def most(held, first, colours):
    """The number of tiles of the most frequent colour."""
    highest = 0.0
    for k in range(first, first + colours):
        highest = max(highest, held[k])
    return highest


@njit
def total(held, first, colours):
    """The number of tiles of all colours."""
    number = 0.0
    for k in range(first, first + colours):
        number += held[k]
    return number


@njit
def water_value(number):
    """SM-65: the points of water, interpolated linearly between whole numbers."""
    fours = floor(number / 4.0)
    rest = number - 4.0 * fours
    i = min(int(rest), 3)
    step = scoring.WATER_POINTS[i + 1] - scoring.WATER_POINTS[i]
    return scoring.WATER_POINTS[4] * fours + scoring.WATER_POINTS[i] + step * (rest - i)


@njit
def matter_value(green, blue):
    """SM-64: the points of matter."""
    return scoring.PAIR_POINTS * min(green, blue) + scoring.SINGLE_POINTS * abs(green - blue)


@njit
def set_value(held):
    """The points of a set of tiles; equal to `scoring.tile_points` for whole numbers."""
    return (
        total(held, c.MINERAL, 4) * most(held, c.MINERAL, 4)
        + total(held, c.ALIEN, 2) * most(held, c.ALIEN, 2)
        + matter_value(held[c.MATTER_GREEN], held[c.MATTER_BLUE])
        + water_value(held[c.WATER])
        + scoring.MEDAL_POINTS * held[c.MEDAL]
        + scoring.SPACE_POINTS * held[c.SPACE]
    )


@njit
def write_gains(held, ahead, gains):
    """Write the points for one more tile of each point kind.

    `ahead`: how many minerals or aliens of the best colour are expected to follow.
    """
    square_gains(held, c.MINERAL, 4, ahead, gains)
    square_gains(held, c.ALIEN, 2, ahead, gains)
    green, blue = held[c.MATTER_GREEN], held[c.MATTER_BLUE]
    matter = matter_value(green, blue)
    gains[c.MATTER_GREEN] = matter_value(green + 1, blue) - matter
    gains[c.MATTER_BLUE] = matter_value(green, blue + 1) - matter
    gains[c.WATER] = water_value(held[c.WATER] + 1) - water_value(held[c.WATER])
    gains[c.MEDAL] = scoring.MEDAL_POINTS


@njit
def square_gains(held, first, colours, ahead, gains):
    """SM-63: write the points for one more tile of each colour."""
    number = total(held, first, colours)
    highest = most(held, first, colours)
    for k in range(first, first + colours):
        grown = max(highest, held[k] + 1.0)
        gains[k] = (number + 1.0 + ahead) * grown - (number + ahead) * highest + ahead
