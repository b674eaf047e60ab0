"""Lists sensible moves with quick values, for states of sampled worlds.

The values serve as priors below the root of a search, and as the policy of rollouts. Sampled worlds are full
states, so the values use the contents of piles. A value is the points gained at once, or a share of the gain
of the next move.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.core.layout import aligned_record
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import scoring
from spacemission_env.games.space_mission.engine.legal import lowest_form, matches, may_scan_here, twins
from spacemission_env.games.space_mission.engine.rules import tiles_left
from spacemission_env.games.space_mission.facts import order_best_first, pair_left, probe_points, write_gains

MOVES = 128  # maximum number of moves of a decision

# The weights: name, value, meaning. Tuned in games against `greedy`, then in games of the search.
WEIGHTS = (
    ("next", 0.23, "share of what the next action could gain, for the move that leads there"),
    ("reserve", -0.71, "share of a reserved tile's gain where the planet cannot be developed at once"),
    ("landing", 1.67, "share of a scan's station and tiles where the landing cards are at hand"),
    ("drawn", 0.23, "for each card that a top-up brings"),
    ("keep", 0.04, "what any card is worth in the hand"),
    ("keep_joker", 0.41, "a joker, on top"),
    ("keep_landing", -0.21, "a card that lands on a planet that this seat has scanned, on top"),
    ("keep_scan", -0.76, "a card that scans the planet that the ship is on, on top"),
    ("probe", 0.64, "share of the gate points that a probe gains now; others will answer"),
    ("probe_later", 0.43, "for any probe"),
    ("station", 0.53, "for developing, on top of the points"),
    ("ahead", 0.97, "minerals and aliens still to come that a gain looks ahead to"),
)
(
    NEXT,
    RESERVE,
    LANDING,
    DRAWN,
    KEEP,
    KEEP_JOKER,
    KEEP_LANDING,
    KEEP_SCAN,
    PROBE,
    PROBE_LATER,
    STATION,
    AHEAD,
) = range(len(WEIGHTS))

VIEW = aligned_record(
    ("w", "f8", (len(WEIGHTS),)),  # the weights
    ("held", "i8", (c.KINDS,)),  # the seat's collected and reserved tiles
    ("gain", "f8", (c.KINDS,)),  # points for one more tile of the kind (SM-66: may be below 0)
    ("best", "f8", (c.RING,)),  # gain of the best tile in each pile
    ("second", "f8", (c.RING,)),  # gain of the next best tile in each pile
    ("absent", "f8", (c.PILE + 1, c.POINT_KINDS)),  # probability of no such tile in n unseen tiles
    ("unseen", "f8", (c.PILE + 1, 2)),  # expected best and second gain of n unseen tiles
    ("kinds", "i8", (c.POINT_KINDS,)),  # point kinds, best gain first
    ("jumpers", "i8", (5,)),  # slots that serve jump number 1 to 4, as bits
    ("scanners", "i8", (5,)),
    ("landers", "i8", (5,)),
    ("keep", "f8", (c.SLOTS,)),  # value of the card in a slot
    ("order", "i8", (c.SLOTS,)),  # slots, lowest value first
    ("pairs", "i8", (c.RING,)),  # 1 if the hand has a pair of landing cards
)


def new_view() -> np.ndarray:
    """Make an array of one `VIEW` record with the weights."""
    view = np.zeros(1, VIEW)
    view["w"][0] = [value for _, value, _ in WEIGHTS]
    return view


@njit
def prepare(t, v):
    """Fill in the probabilities for unseen piles, which depend on the components only."""
    for k in range(c.POINT_KINDS):
        chance = 1.0
        for n in range(c.PILE + 1):
            v.absent[n, k] = chance
            chance *= 1.0 - t.tile_count[k] / c.TILES


@njit
def rollout_moves(s, t, v, wide, actions, values):
    """Write the sensible moves of the player to act and their values; return how many.

    `v`: a `VIEW` record (`new_view`, `prepare`). `wide`: consider all sets of discards, not only nested ones.
    """
    seat = int(s.player)
    own_gains(s, seat, v)
    if s.phase != c.ACTION:
        return picks(s, t, seat, v, actions, values)
    read_hand(s, t, seat, v)
    expect_unseen(v)
    for p in range(c.RING):
        if s.looked[seat, p] == c.NOWHERE and s.face_up[p] == 0:
            left = tiles_left(s, p)
            v.best[p] = v.unseen[left, 0]
            v.second[p] = v.unseen[left, 1]
        else:
            best_tiles(s, v, p)
    keep_values(s, t, seat, v)
    left = int(s.actions_left) - 1 if s.last_round else 2  # actions after this one, at most 2
    n = moves_here(s, t, seat, v, left, actions, values)
    n = moves_away(s, t, seat, v, left, actions, values, n)
    return top_ups(s, t, seat, v, left, wide, actions, values, n)


@njit
def own_gains(s, seat, v):
    """Write the points for one more tile of each kind (SM-63 to SM-65)."""
    for k in range(c.KINDS):
        v.held[k] = s.tiles[seat, k]
    for p in range(c.RING):
        if s.reserved[seat, p] > 0:
            for i in range(s.taken[p]):
                if s.taken_by[p, i] == seat:
                    v.held[s.taken_kind[p, i]] += 1
    write_gains(v.held, v.w[AHEAD] if s.last_round == 0 else 0.0, v.gain)
    v.gain[c.SPACE] = scoring.SPACE_POINTS


@njit
def picks(s, t, seat, v, actions, values):
    p = s.ship[seat]
    n = 0
    for k in range(c.POINT_KINDS):
        if s.pile[p, k] > 0:
            actions[n] = c.TAKE + k
            values[n] = v.gain[k]
            n += 1
    if t.space_tile_penalty == 1 and s.pile[p, c.SPACE] > 0:
        actions[n] = c.TAKE + c.SPACE
        values[n] = v.gain[c.SPACE]
        n += 1
    return n


@njit
def read_hand(s, t, seat, v):
    """Read which slots serve which numbers (SM-10)."""
    for number in range(5):
        v.jumpers[number] = 0
        v.scanners[number] = 0
        v.landers[number] = 0
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        serve(v.jumpers, t.card_jump[card], i)
        serve(v.scanners, t.card_scan[card], i)
        serve(v.landers, t.card_landing[card], i)


@njit
def serve(servers, coordinate, slot):
    """Enter the slot of a card for each number that a coordinate serves."""
    for number in range(1, 5):
        if matches(coordinate, number):
            servers[number] |= 1 << slot


@njit
def has_joker(t, card):
    """Whether a card has a joker."""
    jump, scan, landing = t.card_jump[card], t.card_scan[card], t.card_landing[card]
    return jump == c.JOKER_MASK or scan == c.JOKER_MASK or landing == c.JOKER_MASK


@njit
def expect_unseen(v):
    """Write the expected best and second gain in unseen piles of each size."""
    order = v.kinds
    order_best_first(v.gain, order)
    for n in range(1, c.PILE + 1):
        none = 1.0  # probability that no kind so far is there
        one = 0.0  # probability that exactly one is there
        best = 0.0
        second = 0.0
        for i in range(c.POINT_KINDS):
            k = order[i]
            there = 1.0 - v.absent[n, k]
            best += none * there * v.gain[k]
            second += one * there * v.gain[k]
            one += (none - one) * there
            none *= 1.0 - there
        v.unseen[n, 0] = best
        v.unseen[n, 1] = second


@njit
def best_tiles(s, v, p):
    """The two best gains in a pile; two equal tiles count as two."""
    v.best[p] = 0.0
    v.second[p] = 0.0
    for k in range(c.POINT_KINDS):
        count = s.pile[p, k]
        if count > 0:
            gain = v.gain[k]
            if gain > v.best[p]:
                v.second[p] = gain if count > 1 else v.best[p]
                v.best[p] = gain
            elif gain > v.second[p]:
                v.second[p] = gain


@njit
def can_land(s, t, v, p, spent):
    """Whether the hand without the slots of `spent` has a pair of landing cards for a planet."""
    planet = s.ring[p]
    first = v.landers[t.planet_landing[planet, 0]] & ~spent
    return pair_left(first, v.landers[t.planet_landing[planet, 1]] & ~spent)


@njit
def keep_values(s, t, seat, v):
    """Write the values of the cards in hand, and the order in which to discard them."""
    here = int(s.ship[seat])
    wanted = 0  # slots that land on a planet that this seat has scanned, as bits
    for p in range(c.RING):
        v.pairs[p] = 0
        if s.station[p] == c.NOWHERE and (s.scanned[seat, p] or p == here):
            planet = s.ring[p]
            wanted |= v.landers[t.planet_landing[planet, 0]] | v.landers[t.planet_landing[planet, 1]]
    scans = 0
    if here != c.NOWHERE and s.station[here] == c.NOWHERE:
        scans = v.scanners[t.planet_scan[s.ring[here]]]
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        value = v.w[KEEP] + v.w[KEEP_JOKER] * has_joker(t, card)
        value += v.w[KEEP_LANDING] * (wanted >> i & 1) + v.w[KEEP_SCAN] * (scans >> i & 1)
        v.keep[i] = value
        at = i
        while at > 0 and v.keep[v.order[at - 1]] > value:
            v.order[at] = v.order[at - 1]
            at -= 1
        v.order[at] = i


@njit
def develop_value(s, seat, v, p):
    """SM-41: the value of the station, the seat's reserved tiles and the best tile of the pile."""
    value = scoring.STATION_POINTS + v.w[STATION] + v.best[p]
    if s.reserved[seat, p] > 0:
        for i in range(s.taken[p]):
            if s.taken_by[p, i] == seat:
                value += v.gain[s.taken_kind[p, i]]
    return value


@njit
def scan_value(s, t, seat, v, p, spent, left):
    """The value of a reserved tile, higher with the landing cards in hand."""
    if left > 0 and s.supply[seat] > 1 and can_land(s, t, v, p, spent):
        return v.w[LANDING] * (scoring.STATION_POINTS + v.best[p] + v.second[p])
    return v.w[RESERVE] * v.best[p] if left > 1 else 0.0


@njit
def moves_here(s, t, seat, v, left, actions, values):
    """Add discover, scan and develop on the planet of the ship."""
    n = 0
    p = int(s.ship[seat])
    if p == c.NOWHERE or (s.face_up[p] and s.station[p] != c.NOWHERE):
        return n
    if s.station[p] != c.NOWHERE:
        if tiles_left(s, p) > 0:
            actions[n] = c.DISCOVER
            values[n] = v.best[p]
            n += 1
        return n
    if s.supply[seat] == 0:
        return n
    size = int(s.hand_size[seat])
    twin_bits = twins(s, seat)
    planet = s.ring[p]
    if may_scan_here(s, t):
        slots = v.scanners[t.planet_scan[planet]] & ~twin_bits
        for i in range(size):
            if slots >> i & 1:
                actions[n] = c.SCAN + i
                values[n] = scan_value(s, t, seat, v, p, 1 << i, left) - v.keep[i]
                n += 1
    if s.scanned[seat, p] == 1:
        worth = develop_value(s, seat, v, p)
        first = v.landers[t.planet_landing[planet, 0]]
        second = v.landers[t.planet_landing[planet, 1]]
        for pair in range(len(c.DEVELOP_PAIRS)):
            i, j = c.DEVELOP_PAIRS[pair]
            if j >= size or not lowest_form((1 << i) | (1 << j), twin_bits):
                continue
            if (first >> i & 1 and second >> j & 1) or (first >> j & 1 and second >> i & 1):
                actions[n] = c.DEVELOP + pair
                values[n] = worth - v.keep[i] - v.keep[j]
                n += 1
    return n


@njit
def prospect(s, t, seat, v, p, spent, chips, left):
    """The gain of the next action at a ring position without the cards of `spent`."""
    if left == 0:
        return 0.0
    if s.station[p] != c.NOWHERE:
        return v.best[p]
    if chips == 0:
        return 0.0
    if s.scanned[seat, p] and can_land(s, t, v, p, spent):
        return develop_value(s, seat, v, p)
    if s.face_up[p] == 0 and v.scanners[t.planet_scan[s.ring[p]]] & ~spent:
        return scan_value(s, t, seat, v, p, spent, left - 1 if left == 1 else left)
    return 0.0


@njit
def moves_away(s, t, seat, v, left, actions, values, n):
    """Add flights and jumps."""
    here = int(s.ship[seat])
    chips = int(s.supply[seat])
    if here != c.NOWHERE:
        actions[n] = c.FLY_NEXT
        values[n] = v.w[NEXT] * prospect(s, t, seat, v, (here + 1) % t.ring_size, 0, chips, left)
        n += 1
        if t.ring_size > 2:
            last = (here + t.ring_size - 1) % t.ring_size
            actions[n] = c.FLY_PREVIOUS
            values[n] = v.w[NEXT] * prospect(s, t, seat, v, last, 0, chips, left)
            n += 1
    if chips == 0:
        return n
    points = probe_points(s.gate, s.num_players, seat, t.gate_points_without_probe)
    probe = v.w[PROBE] * points + v.w[PROBE_LATER]
    twin_bits = twins(s, seat)
    for p in range(c.RING):
        slots = v.jumpers[t.planet_jump[s.ring[p]]] & ~twin_bits
        if p == here or slots == 0:
            continue
        for i in range(s.hand_size[seat]):
            if slots >> i & 1:
                actions[n] = c.JUMP + c.RING * i + p
                gain = prospect(s, t, seat, v, p, 1 << i, chips - 1, left)
                values[n] = probe + v.w[NEXT] * gain - v.keep[i]
                n += 1
    return n


@njit
def top_ups(s, t, seat, v, left, wide, actions, values, n):
    """Add top-ups: all sets of discards if `wide`, else nested ones that begin with the cheapest card."""
    size = int(s.hand_size[seat])
    missing = int(t.hand_size) - size
    worth = v.w[DRAWN] if left > 0 else 0.0
    fewest = 1 if t.empty_top_up == 0 and missing == 0 else 0  # SM-22
    if wide:
        twin_bits = twins(s, seat)
        for bits in range(fewest, 1 << size):
            if lowest_form(bits, twin_bits):
                value = worth * missing
                for i in range(size):
                    if bits >> i & 1:
                        value += worth - v.keep[i]
                actions[n] = bits
                values[n] = value
                n += 1
        return n
    bits = 0
    value = worth * missing
    twin_bits = twins(s, seat)
    for i in range(size + 1):
        if bits >= fewest and lowest_form(bits, twin_bits):
            actions[n] = bits
            values[n] = value
            n += 1
        if i < size:
            bits |= 1 << v.order[i]
            value += worth - v.keep[v.order[i]]
    return n
