"""What a position is worth at the end of the own turn: points made, and the best plan from there.

`b` is a `BELIEF`, `w` a `WEIGHTS`, `x` a `POSITION` record.
"""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.belief import PROBES, SERIES
from spacemission_agents.games.space_mission.heuristic.table import bits_set, flight
from spacemission_agents.games.space_mission.observed import pair_left
from spacemission_env.games.space_mission.engine.constants import RING, SLOTS
from spacemission_env.games.space_mission.engine.scoring import STATION_POINTS

SPARE_CHIPS = 3
DISCOVERIES = 3  # in a row, at most, that a plan looks at
SURE_LEAD = 10.0
SOON = 0.01  # of a space tile: less is none


@njit
def cheapest(b, bits):
    """The slot of these that is worth least in hand."""
    best = 0
    lowest = 1e9
    for i in range(SLOTS):
        if bits >> i & 1 and b.keep[i] < lowest:
            best = i
            lowest = b.keep[i]
    return best


@njit
def landing_odds(b, p, bits, fresh):
    """Odds that the cards in hand and those not seen yet serve both landing numbers (SM-40)."""
    first = b.first_landers[p] & bits
    second = b.second_landers[p] & bits
    if pair_left(first, second):
        return 1.0
    if first and second:  # the same card
        return max(b.first_odds[p, fresh], b.second_odds[p, fresh])
    if first:
        return b.second_odds[p, fresh]
    if second:
        return b.first_odds[p, fresh]
    return b.first_odds[p, fresh] * b.second_odds[p, max(fresh - 1, 0)]


@njit
def delivery(b, w, x, p):
    """Odds that the tiles reserved on an undeveloped planet are received (SM-41, SM-52)."""
    steps = min(flight(x.here, p), 3)
    ready = landing_odds(b, p, x.bits, x.fresh)
    odds = w.delivery + w.delivery_ready * ready - w.delivery_far * steps
    return b.survival * min(1.0, max(0.0, odds))


@njit
def next_gain(b, p, n):
    """Expected gain of the n-th tile to come from a pile; 0 beyond what is looked ahead."""
    return b.series[p, n] if n < SERIES else 0.0


@njit
def card_spent(b, bits, servers, others):
    """`bits` without the cheapest of the servers, rather one that serves nothing among `others`."""
    spare = servers & ~others
    return bits & ~(1 << cheapest(b, spare if spare else servers))


@njit
def surplus(b, w, x, p, odds):
    """What the best plan at a planet gains beyond what its actions are worth elsewhere; at least 0.

    `odds`: of delivery of what is reserved there.
    """
    landers = b.first_landers[p] | b.second_landers[p]
    left = x.bits
    travel = float(flight(x.here, p))
    if travel > 1.0:
        if b.jumpers[p] & left:
            left = card_spent(b, left, b.jumpers[p] & left, b.scanners[p] | landers)
            travel = 1.0
        else:
            travel = min(travel, 1.0 + (1.0 - b.jump_odds[p, x.fresh]) * w.missing_jump)
    n = x.used[p]
    share = 1.0 / (1.0 + b.pressure[p])
    if x.developed >> p & 1:
        return max(0.0, discoveries(b, w, p, n, share) - b.action_cost * travel)
    actions = travel + 1.0
    gain = STATION_POINTS + (b.reserved[p] + x.promised[p]) * (1.0 - odds)
    if not x.scanned >> p & 1:
        if b.closed >> p & 1 or x.chips < 2:
            return 0.0
        actions += 1.0
        if b.scanners[p] & left:
            left = card_spent(b, left, b.scanners[p] & left, landers)
        else:
            actions += w.missing_scan * (1.0 - b.scan_odds[p, x.fresh])
        gain += w.scan_share * next_gain(b, p, n)
        n += 1
    elif x.chips < 1:
        return 0.0
    gain += next_gain(b, p, n)
    actions += w.missing_landing * (1.0 - landing_odds(b, p, left, x.fresh))
    return max(0.0, gain - b.action_cost * actions + discoveries(b, w, p, n + 1, share))


@njit
def discoveries(b, w, p, n, share):
    """Surplus of the discoveries in a row that are worth their actions."""
    value = 0.0
    for i in range(n, n + DISCOVERIES):
        gain = next_gain(b, p, i) * share - b.action_cost
        if gain <= 0.0:
            break
        value += gain
    return value


@njit
def value(b, w, x):
    """The value of a position at the end of the own turn, in points; only differences mean anything."""
    if b.last or x.gap <= SOON:
        return final_value(b, w, x)
    return open_value(b, w, x)


@njit
def open_value(b, w, x):
    """The value where the game goes on."""
    points = x.made + b.gate_value[min(x.probes, PROBES - 1)]
    points += w.card * bits_set(x.bits) + w.joker * bits_set(x.bits & b.jokers) + w.fresh_card * x.fresh
    points -= w.spare_chips * max(0, SPARE_CHIPS - x.chips)
    best = 0.0
    second = 0.0
    for p in range(RING):
        odds = 0.0
        if not x.developed >> p & 1:
            reserved = b.reserved[p] + x.promised[p]
            if reserved > 0.0:
                odds = delivery(b, w, x, p)
                points -= (1.0 - odds) * reserved
        else:
            points -= w.exposed * b.pressure[p] * next_gain(b, p, x.used[p])
        plan = surplus(b, w, x, p, odds)
        if plan > best:
            second = best
            best = plan
        elif plan > second:
            second = plan
    return points + b.survival * (w.plan * best + w.second_plan * second)


@njit
def final_value(b, w, x):
    """The value of a position that is final for this seat: what is still reserved is lost (SM-52)."""
    probes = min(x.probes, PROBES - 1)
    points = x.made + b.gate_value[probes]
    lead = b.lead + x.made + b.gate_points[probes] - b.gate_points[0]
    for p in range(RING):
        if not x.developed >> p & 1:
            points -= b.reserved[p] + x.promised[p]
            lead -= x.promised[p]
        elif not b.developed >> p & 1:
            lead += b.reserved[p]
    if b.last:
        return points
    if b.after > 0:
        lead -= w.last_turn
    lead = max(-SURE_LEAD, min(SURE_LEAD, lead))
    return points + w.end_ahead * (lead if lead > 0.0 else lead * b.patience)
