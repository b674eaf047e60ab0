"""Reads a compact observation into the heuristic's belief: known facts and expected numbers.

A pile that this seat has looked through is known, except for tiles that others have taken since. Any other
pile is expected to hold an average share of the unseen tiles. `o` is a `COMPACT` record, `t` the parameters,
`b` a `BELIEF` and `w` a record of the weights. Sets of hand slots and of ring positions are bits.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.core.layout import aligned_record
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.scoring import STATION_POINTS, gate_points
from spacemission_env.games.space_mission.facts import (
    FACES,
    FACTS,
    bits_set,
    order_best_first,
    read_facts,
    set_value,
    write_gains,
)

DRAWS = c.SLOTS + 1  # length of tables by number of unknown cards drawn, 0 to 5
DEEPEST = 2  # maximum number of the seat's actions that are searched, even if a turn has more
PROBES = 5  # length of tables by number of additional probes, 0 to 4
SERIES = 5  # maximum number of tiles of a pile that are valued

BELIEF = aligned_record(
    ("facts", FACTS),
    # The seat's tiles.
    ("ahead", "f8", (c.KINDS,)),  # `FACTS.held` plus expected tiles; gains are counted from this set
    ("lean", "f8", (c.POINT_KINDS,)),  # bonus for a tile of the kind
    ("gains", "f8", (c.POINT_KINDS,)),  # points that one more tile of the kind adds to `ahead`, with bonus
    ("reserved", "f8", (c.RING,)),  # points of the seat's reserved tiles on a planet
    # Piles.
    ("present", "f8", (c.RING, c.POINT_KINDS)),  # probability that the pile has a tile of the kind
    ("number", "f8", (c.RING, c.POINT_KINDS)),  # expected number of tiles of the kind in the pile
    ("points", "f8", (c.RING,)),  # expected number of point tiles
    ("spaces", "f8", (c.RING,)),  # expected number of space tiles that lie face down
    ("series", "f8", (c.RING, SERIES)),  # expected gain of the best tile, the next one, …; 0 beyond the pile
    ("gift", "f8", (c.RING,)),  # cost of the tiles that development delivers to others
    # Cards.
    ("hand", "i8"),  # all slots, as bits
    ("most_cards", "i8"),  # hand size of a top-up (SM-21)
    ("full_hand", "i8"),  # 1 if nobody holds more cards; then a top-up without a discard gains nothing
    # The probability that at least one of 0 to 5 drawn cards has this number of the planet, or a joker.
    ("jump_chance", "f8", (c.RING, DRAWS)),
    ("scan_chance", "f8", (c.RING, DRAWS)),
    ("first_chance", "f8", (c.RING, DRAWS)),
    ("second_chance", "f8", (c.RING, DRAWS)),
    ("keep", "f8", (c.SLOTS,)),  # value of a card in hand
    # The table.
    ("ring", "i8"),  # planets in the ring
    ("chips", "i8"),
    ("pressure", "f8", (c.RING,)),  # how much the opponents' ships threaten the planet
    ("gate_value", "f8", (PROBES,)),  # value of 0, 1, … additional probes
    ("gate_margin", "f8", (PROBES,)),  # the seat's gate points with these probes minus the others' mean
    ("own_points", "f8", (PROBES,)),  # the seat's gate points with these probes
    # Time.
    ("actions_left", "i8"),
    ("last", "i8"),  # 1 in the seat's last turn
    ("space_gap", "f8"),  # space tiles to reveal until the end
    ("tile_rate", "f8"),  # tiles that each player takes in a round
    ("rounds", "f8"),  # expected remaining rounds
    ("youth", "f8"),  # 1 in the first half of the game, down to 0 at its end
    ("action_cost", "f8"),  # value of an action elsewhere, in points
    ("patience", "f8"),  # 1, but falls to 0 in a very long game
    ("hurry", "f8"),  # value of revealing a space tile
    ("survival", "f8"),  # probability that the seat gets another turn
    ("lead", "f8"),  # the seat's score now minus the highest estimate of another seat
    ("after", "i8"),  # opponents with a turn left in this round
    # Scratch memory of the reading.
    ("work", "f8", (c.POINT_KINDS,)),
    ("order", "i8", (c.POINT_KINDS,)),
    ("line", "f8", (c.KINDS,)),
    ("chance", "f8", (len(c.COLOURS), FACES)),  # probability that one card has a number, 1 to 4, or a joker
    # Scratch memory of the choice.
    ("top_ups", "f8", (c.JUMP,)),  # value of each discard
)

# A position of the search, after some moves of the seat.
POSITION = aligned_record(
    ("here", "i8"),  # ring position, or NOWHERE
    ("bits", "i8"),  # hand slots left
    ("fresh", "i8"),  # unknown cards drawn by these moves
    ("chips", "i8"),
    ("probes", "i8"),  # probes laid by these moves
    ("developed", "i8"),  # bits of ring positions
    ("scanned", "i8"),
    ("gap", "f8"),  # space tiles to reveal until the end
    ("made", "f8"),  # points gained, those of reserved tiles included
    ("used", "i8", (c.RING,)),  # tiles taken from each pile
    ("promised", "f8", (c.RING,)),  # points reserved on each planet
)


LEAD = 2  # leads and deficits of more probes than this count as this many
USUAL_ACTIONS = 2.0  # actions in a turn when the weights were tuned (SM-20)


@njit
def believe(o, t, w, b):
    """Fill in the belief."""
    read_facts(o, t, b.facts)
    read_table(o, t, w, b)
    read_cards(o, t, b)
    read_piles(o, t, b)
    read_time(o, t, w, b)
    if b.last:
        for n in range(PROBES):
            b.gate_value[n] = b.gate_margin[n]
    read_gifts(o, w, b)
    look_ahead(w, b)


@njit
def read_table(o, t, w, b):
    """Read the turn, the chips, and the threat by opponents."""
    f = b.facts
    b.ring = t.ring_size
    b.chips = o.supply[0]
    b.actions_left = o.actions_left[0]
    b.tile_rate = w.tile_rate * (t.actions_per_turn / USUAL_ACTIONS)
    b.after = f.num_players - 1 if f.start == 0 else f.start - 1
    read_pressure(w, b)
    read_gate(t, w, b)


@njit
def read_pressure(w, b):
    """Read how much the opponents' ships threaten each ring position."""
    for p in range(c.RING):
        b.pressure[p] = 0.0
        for k in range(1, b.facts.num_players):
            steps = flight(b.facts.ship[k], p)
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
def read_gate(t, w, b):
    """SM-60: write the values of 0 to 4 additional probes."""
    f, without_probe = b.facts, t.gate_points_without_probe
    best = 0
    for k in range(1, c.MAX_PLAYERS):
        best = max(best, f.gate[k])
    for n in range(PROBES):
        others = 0
        together = 0
        for k in range(1, f.num_players):
            points = gate_points(f.gate, f.num_players, k, without_probe)
            together += points
            others = max(others, points)
        b.own_points[n] = gate_points(f.gate, f.num_players, 0, without_probe)
        b.gate_margin[n] = b.own_points[n] - together / (f.num_players - 1)
        lead = min(LEAD, max(-LEAD, f.gate[0] - best))
        b.gate_value[n] = w.gate_share * b.own_points[n] - w.gate_others * others + w.gate_lead * lead
        f.gate[0] += 1
    f.gate[0] -= PROBES


@njit
def read_cards(o, t, b):
    """Read the seat's hand and the probabilities of draws."""
    f = b.facts
    b.hand = (1 << f.hand_size) - 1
    b.most_cards = t.hand_size
    b.full_hand = 1
    for k in range(1, f.num_players):
        if o.hand_size[k] > f.hand_size:
            b.full_hand = 0
    count_cards(o, t, b)
    for p in range(c.RING):
        powers(b.chance[0, f.jump[p]], b.jump_chance[p])
        powers(b.chance[1, f.scan[p]], b.scan_chance[p])
        powers(b.chance[2, f.landing[p, 0]], b.first_chance[p])
        powers(b.chance[2, f.landing[p, 1]], b.second_chance[p])


@njit
def count_cards(o, t, b):
    """Write for each number the probability that the next card has it, from the counts of unseen cards."""
    unseen = 0.0
    b.chance[:] = 0.0
    for card in range(c.CARDS):
        # `copies` is 0 if an earlier card has the same face.
        left = float(t.copies[card]) - o.discard[card] - o.kept_cards[card]
        if left <= 0.0:
            continue
        unseen += left
        for colour in range(len(c.COLOURS)):
            serves = (t.card_jump[card], t.card_scan[card], t.card_landing[card])[colour]
            for number in range(1, FACES):
                if serves >> number & 1:
                    b.chance[colour, number] += left
    unseen = max(unseen - b.facts.hand_size, 1.0)
    for colour in range(len(c.COLOURS)):
        for number in range(1, FACES):
            own = bits_set(b.facts.servers[colour, number])
            b.chance[colour, number] = min(1.0, max(0.0, b.chance[colour, number] - own) / unseen)


@njit
def powers(chance, out):
    """Write the probability that at least one of 0 to 5 cards is of use; `chance`: that of a single card."""
    none = 1.0
    for n in range(DRAWS):
        out[n] = 1.0 - none
        none *= 1.0 - chance


HALF_GAME = 5.0  # rounds
LONG, LONGEST = 20, 40  # `patience` falls between these rounds
TILE_WORTH = 3.0  # value of a tile for another seat
MOST = 255  # if the round limit is higher, the compact observation counts rounds in 255ths of the limit


@njit
def read_time(o, t, w, b):
    """SM-50, SM-51, SM-53: estimate the remaining rounds, and the probability that the seat moves again."""
    this_round = float(o.round_number[0])
    if t.max_rounds > MOST:  # the observation counts in 255ths of the limit
        this_round *= t.max_rounds / MOST
    rounds_left = t.max_rounds - this_round
    b.patience = max(0.0, min(1.0, (LONGEST - this_round) / LONG))
    b.space_gap = float(o.space_tiles_to_end[0]) - o.revealed[0]
    b.last = o.last_round[0] > 0 or rounds_left <= 0
    if b.last:
        b.rounds = 0.0
        b.survival = 0.0
        b.youth = 0.0
        b.action_cost = w.action_cost
        return
    b.rounds = min(rounds_left, tiles_to_end(w, b) / (b.facts.num_players * b.tile_rate))
    b.survival = b.rounds / (b.rounds + w.hazard)
    b.youth = min(1.0, b.rounds / HALF_GAME)
    b.action_cost = w.action_cost + w.action_late * (1.0 - b.youth)


@njit
def tiles_to_end(w, b):
    """Estimate how many point tiles will be taken until enough space tiles are revealed."""
    gap = b.space_gap
    tiles = 0.0
    done = b.facts.closed
    while gap > 0.0 and done != (1 << c.RING) - 1:
        nearest = -1
        shortest = 1e9
        for p in range(c.RING):
            if not done >> p & 1:
                length = b.points[p] * (1.0 if b.facts.developed >> p & 1 else w.closed_pile)
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
        for k in range(1, b.facts.num_players):
            b.gift[p] += each * o.reserved[k, p] / (b.facts.num_players - 1)


@njit
def read_lead(o, w, b):
    """Read the seat's score minus the highest estimate of another seat's score."""
    best = -1e9
    for k in range(1, b.facts.num_players):
        tiles = float(o.tile_total[k])
        value = w.tile_points * tiles + w.tile_growth * tiles * tiles + open_points(b.facts, k)
        best = max(best, value)
    b.lead = set_value(b.facts.tiles) + open_points(b.facts, 0) - best - w.end_margin
    b.hurry = w.hurry * max(-1.0, min(1.0, b.lead / 10.0))


@njit
def open_points(f, k):
    """SM-60, SM-62: the gate and station points of the seat k places clockwise; 0 is the own seat."""
    points = f.gate_points[k]
    for p in range(c.RING):
        if f.owner[p] == k:
            points += STATION_POINTS
    return points


# ---------------------------------------------------------------- piles


ENOUGH = 0.02  # an expected rest of less than this fraction of a tile is ignored


@njit
def read_piles(o, t, b):
    """Estimate the contents of each pile."""
    f = b.facts
    for k in range(c.KINDS):  # count unseen tiles
        b.line[k] = t.tile_count[k] - f.held[k]
        for p in range(c.RING):
            b.line[k] -= o.remembered[p, k]
        b.line[k] = max(b.line[k], 0.0)
    for p in range(c.RING):  # face-up space tiles in piles never looked through are seen too
        if f.remembered[p] == 0 and o.remembered[p, c.SPACE] == 0:
            b.line[c.SPACE] = max(b.line[c.SPACE] - o.face_up[p], 0.0)
    unseen = max(b.line.sum(), 1.0)
    for p in range(c.RING):
        if f.closed >> p & 1:
            b.points[p] = 0.0
            b.spaces[p] = 0.0
            for k in range(c.POINT_KINDS):
                b.number[p, k] = 0.0
                b.present[p, k] = 0.0
        elif f.remembered[p] > 0:
            read_seen_pile(o, b, p)
        else:
            guess_pile(b, p, float(o.tiles_left[p]), unseen)


@njit
def read_seen_pile(o, b, p):
    """Estimate a pile seen before, from which some but not all point tiles may have gone since (SM-46)."""
    points = b.facts.remembered[p]
    gone = min(np.int64(o.gone_since[p]), points - 1)
    b.points[p] = points - gone
    b.spaces[p] = o.remembered[p, c.SPACE]
    share = gone / points
    for k in range(c.POINT_KINDS):
        number = np.int64(o.remembered[p, k])
        b.number[p, k] = number * (1.0 - share)
        b.present[p, k] = 1.0 - share**number if number > 0 else 0.0


@njit
def guess_pile(b, p, left, unseen):
    """Estimate a pile never seen; its tiles come from the unseen ones, and only point tiles were taken."""
    spaces = c.PILE * b.line[c.SPACE] / unseen
    b.spaces[p] = max(0.0, min(spaces, left - 1.0))
    b.points[p] = left - b.spaces[p]
    points = max(unseen - b.line[c.SPACE], 1.0)
    for k in range(c.POINT_KINDS):
        share = b.line[k] / points
        b.number[p, k] = share * b.points[p]
        b.present[p, k] = 1.0 - (1.0 - share) ** b.points[p]


@njit
def look_ahead(w, b):
    """Estimate the seat's final tiles: of those in the piles, it will take mainly those that gain most."""
    for k in range(c.KINDS):
        b.ahead[k] = b.facts.held[k]
    for k in range(c.POINT_KINDS):
        b.gains[k] = b.facts.gains[k]
    takes = 0.0 if b.last else w.takes_ahead * b.tile_rate * b.rounds
    highest = 0.0
    for k in range(c.POINT_KINDS):
        highest = max(highest, b.gains[k])
    whole = 0.0
    for k in range(c.POINT_KINDS):
        out = 0.0
        for p in range(c.RING):
            out += b.number[p, k]
        b.work[k] = out
        b.line[k] = out * np.exp((b.gains[k] - highest) / w.focus)
        whole += b.line[k]
    if whole > 0.0:
        for k in range(c.POINT_KINDS):
            b.ahead[k] += min(takes * b.line[k] / whole, 0.6 * b.work[k])
    set_lean(w, b)


@njit
def set_lean(w, b):
    """Write the bonus of each kind, which falls in the last `HALF_GAME` rounds."""
    b.lean[c.MINERAL : c.ALIEN] = w.lean_mineral * b.youth
    b.lean[c.ALIEN : c.MATTER_GREEN] = w.lean_alien * b.youth
    b.lean[c.MATTER_GREEN : c.WATER] = w.lean_matter * b.youth
    b.lean[c.WATER] = w.lean_water * b.youth
    b.lean[c.MEDAL] = w.lean_medal * b.youth


@njit
def value_piles(o, b):
    """Value the best tiles of each pile in turn, and the seat's reserved tiles."""
    value = set_value(b.ahead)
    for p in range(c.RING):
        changed = False
        for k in range(c.KINDS):
            b.line[k] = b.ahead[k] - o.reserved_kinds[p, k]
            changed |= b.line[k] != b.ahead[k]
        b.reserved[p] = value - set_value(b.line) if changed else 0.0
        for i in range(SERIES):
            b.series[p, i] = 0.0
        if not b.facts.closed >> p & 1:
            value_pile(b, p)


@njit
def value_pile(b, p):
    """Write the expected gain of the best tile of a pile, of the next one, and so on."""
    for k in range(c.KINDS):
        b.line[k] = b.ahead[k]
    left = b.points[p]
    for i in range(SERIES):
        if left < 0.5:
            return
        write_gains(b.line, 0.0, b.gains)
        for k in range(c.POINT_KINDS):
            b.gains[k] += b.lean[k]
        share = min(left, 1.0)
        left -= 1.0
        order_best_first(b.gains, b.order)
        for n in range(c.POINT_KINDS):
            k = b.order[n]
            taken = share * min(b.present[p, k], b.number[p, k])
            b.series[p, i] += taken * b.gains[k]
            b.line[k] += taken
            b.number[p, k] -= taken
            share -= taken
            if share < ENOUGH:
                break
