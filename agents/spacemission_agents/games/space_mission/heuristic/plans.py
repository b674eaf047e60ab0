"""Values positions at the end of a turn and makes the moves of the search.

`b` is a `BELIEF`, `w` a record of the weights and `x` a `POSITION`; path[i + 1] is the position after a move
from path[i]. Unknown cards count by the probability that they have the number of the planet that is needed.
"""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.belief import PROBES, SERIES, flight
from spacemission_env.games.space_mission.engine.constants import NOWHERE, RING, SLOTS
from spacemission_env.games.space_mission.engine.scoring import STATION_POINTS
from spacemission_env.games.space_mission.facts import bits_set, pair_left

SPARE_CHIPS = 3
DISCOVERIES = 3  # maximum number of discoveries in a row that a plan considers
SURE_LEAD = 10.0
SOON = 0.01  # a rest of less than this fraction of a space tile is ignored


@njit
def cheapest(b, bits):
    """The slot of the set `bits` whose card is worth least."""
    best = 0
    lowest = 1e9
    for i in range(SLOTS):
        if bits >> i & 1 and b.keep[i] < lowest:
            best = i
            lowest = b.keep[i]
    return best


@njit
def landing_chance(b, p, bits, fresh):
    """The probability that hand and unknown cards have both landing numbers (SM-40)."""
    first = b.facts.first_landers[p] & bits
    second = b.facts.second_landers[p] & bits
    if pair_left(first, second):
        return 1.0
    if first and second:  # the hand has one card for both numbers
        return max(b.first_chance[p, fresh], b.second_chance[p, fresh])
    if first:
        return b.second_chance[p, fresh]
    if second:
        return b.first_chance[p, fresh]
    return b.first_chance[p, fresh] * b.second_chance[p, max(fresh - 1, 0)]


@njit
def delivery(b, w, x, p):
    """The probability that the seat receives its reserved tiles of an undeveloped planet (SM-41, SM-52)."""
    steps = min(flight(x.here, p), 3)
    ready = landing_chance(b, p, x.bits, x.fresh)
    chance = w.delivery + w.delivery_ready * ready - w.delivery_far * steps
    return b.survival * min(1.0, max(0.0, chance))


@njit
def next_gain(b, p, n):
    """The expected gain of the n-th tile from a pile; 0 beyond the valued tiles."""
    return b.series[p, n] if n < SERIES else 0.0


@njit
def card_spent(b, bits, servers, others):
    """`bits` without the cheapest of the `servers`, if possible one that is not among the `others`."""
    spare = servers & ~others
    return bits & ~(1 << cheapest(b, spare if spare else servers))


@njit
def surplus(b, w, x, p, chance):
    """The gain of the best plan at a planet minus the value of its actions elsewhere; at least 0.

    `chance`: the probability that tiles reserved on the planet are delivered.
    """
    landers = b.facts.first_landers[p] | b.facts.second_landers[p]
    left = x.bits
    travel = float(flight(x.here, p))
    if travel > 1.0:
        if b.facts.jumpers[p] & left:
            left = card_spent(b, left, b.facts.jumpers[p] & left, b.facts.scanners[p] | landers)
            travel = 1.0
        else:
            travel = min(travel, 1.0 + (1.0 - b.jump_chance[p, x.fresh]) * w.missing_jump)
    n = x.used[p]
    share = 1.0 / (1.0 + b.pressure[p])
    if x.developed >> p & 1:
        return max(0.0, discoveries(b, w, p, n, share) - b.action_cost * travel)
    actions = travel + 1.0
    gain = STATION_POINTS + (b.reserved[p] + x.promised[p]) * (1.0 - chance)
    if not x.scanned >> p & 1:
        if b.facts.closed >> p & 1 or x.chips < 2:
            return 0.0
        actions += 1.0
        if b.facts.scanners[p] & left:
            left = card_spent(b, left, b.facts.scanners[p] & left, landers)
        else:
            actions += w.missing_scan * (1.0 - b.scan_chance[p, x.fresh])
        gain += w.scan_share * next_gain(b, p, n)
        n += 1
    elif x.chips < 1:
        return 0.0
    gain += next_gain(b, p, n)
    actions += w.missing_landing * (1.0 - landing_chance(b, p, left, x.fresh))
    return max(0.0, gain - b.action_cost * actions + discoveries(b, w, p, n + 1, share))


@njit
def discoveries(b, w, p, n, share):
    """The surplus of discoveries in a row, up to the first that is not worth its action."""
    value = 0.0
    for i in range(n, n + DISCOVERIES):
        gain = next_gain(b, p, i) * share - b.action_cost
        if gain <= 0.0:
            break
        value += gain
    return value


@njit
def value(b, w, x):
    """The value of a position at the end of the seat's turn, in points up to a constant."""
    if b.last or x.gap <= SOON:
        return final_value(b, w, x)
    return open_value(b, w, x)


@njit
def open_value(b, w, x):
    points = x.made + b.gate_value[min(x.probes, PROBES - 1)]
    points += w.card * bits_set(x.bits) + w.joker * bits_set(x.bits & b.facts.jokers) + w.fresh_card * x.fresh
    points -= w.spare_chips * max(0, SPARE_CHIPS - x.chips)
    best = 0.0
    second = 0.0
    for p in range(RING):
        chance = 0.0
        if not x.developed >> p & 1:
            reserved = b.reserved[p] + x.promised[p]
            if reserved > 0.0:
                chance = delivery(b, w, x, p)
                points -= (1.0 - chance) * reserved
        else:
            points -= w.exposed * b.pressure[p] * next_gain(b, p, x.used[p])
        plan = surplus(b, w, x, p, chance)
        if plan > best:
            second = best
            best = plan
        elif plan > second:
            second = plan
    return points + b.survival * (w.plan * best + w.second_plan * second)


@njit
def final_value(b, w, x):
    """The value of a position after the seat's last turn: its reserved tiles are lost (SM-52)."""
    probes = min(x.probes, PROBES - 1)
    points = x.made + b.gate_value[probes]
    lead = b.lead + x.made + b.own_points[probes] - b.own_points[0]
    for p in range(RING):
        if not x.developed >> p & 1:
            points -= b.reserved[p] + x.promised[p]
            lead -= x.promised[p]
        elif not b.facts.developed >> p & 1:
            lead += b.reserved[p]
    if b.last:
        return points
    if b.after > 0:
        lead -= w.last_turn
    lead = max(-SURE_LEAD, min(SURE_LEAD, lead))
    return points + w.end_ahead * (lead if lead > 0.0 else lead * b.patience)


HALF = 0.5  # a pile with fewer expected point tiles counts as used up


@njit
def stays(b, x, p):
    """Whether another point tile is expected in the pile."""
    return (b.facts.closed >> p & 1) == 0 and b.points[p] - x.used[p] > HALF


@njit
def take(b, x, p):
    """Take the best tile of a pile and return its points. SM-46: this may reveal space tiles."""
    gain = next_gain(b, p, x.used[p])
    x.used[p] += 1
    x.made += gain + b.hurry * b.spaces[p] / b.points[p]
    if not stays(b, x, p):
        x.gap -= b.spaces[p]
    return gain


@njit
def scan(b, path, i, bits):
    """SM-30, SM-31: scan here with the cards of `bits`."""
    path[i + 1] = path[i]
    x = path[i + 1]
    x.bits &= ~bits
    x.chips -= 1
    x.scanned |= 1 << x.here
    if not b.facts.closed >> x.here & 1:  # a scan of a closed pile gains no tile (SM-35, option scan_face_up)
        x.promised[x.here] += take(b, x, x.here)


@njit
def develop(b, path, i, bits):
    """SM-41: develop here with the cards of `bits`."""
    path[i + 1] = path[i]
    x = path[i + 1]
    x.bits &= ~bits
    x.chips -= 1
    x.developed |= 1 << x.here
    x.made += STATION_POINTS - b.gift[x.here]
    if stays(b, x, x.here):
        take(b, x, x.here)


@njit
def discover(b, path, i):
    path[i + 1] = path[i]
    x = path[i + 1]
    take(b, x, x.here)


@njit
def fly(b, path, i, step):
    path[i + 1] = path[i]
    path[i + 1].here = (path[i].here + step) % b.ring


@njit
def jump(path, i, p, bits):
    path[i + 1] = path[i]
    x = path[i + 1]
    x.bits &= ~bits
    x.chips -= 1
    x.probes += 1
    x.here = p


@njit
def top_up(path, i, bits, fresh):
    """SM-21: discard the cards of `bits`, draw `fresh` cards."""
    path[i + 1] = path[i]
    x = path[i + 1]
    x.bits &= ~bits
    x.fresh = fresh


@njit
def best_pair(b, p, bits):
    """The two slots with the cheapest cards for a landing, as bits; 0 if there are none."""
    best = 0
    lowest = 1e9
    for i in range(SLOTS):
        if (b.facts.first_landers[p] & bits) >> i & 1:
            for j in range(SLOTS):
                if i != j and (b.facts.second_landers[p] & bits) >> j & 1 and b.keep[i] + b.keep[j] < lowest:
                    lowest = b.keep[i] + b.keep[j]
                    best = (1 << i) | (1 << j)
    return best


@njit
def poor_cards(b, w, bits):
    """The slots of the set `bits` whose cards are worth little."""
    poor = 0
    for i in range(SLOTS):
        if bits >> i & 1 and b.keep[i] < w.drop:
            poor |= 1 << i
    return poor


@njit
def best_last_move(b, w, path, i):
    """The highest value after one more move from path[i]."""
    x = path[i]
    size = bits_set(x.bits)
    # A top-up. It is illegal with a full hand and option empty_top_up off (SM-22), which is ignored here.
    top_up(path, i, 0, b.most_cards - size if size + x.fresh < b.most_cards else x.fresh)
    best = value(b, w, path[i + 1])
    useless = poor_cards(b, w, x.bits)
    if useless and x.fresh == 0:
        top_up(path, i, useless, b.most_cards - bits_set(x.bits & ~useless))
        best = max(best, value(b, w, path[i + 1]))
    if x.here != NOWHERE:
        best = max(best, best_move_here(b, w, path, i))
        for step in (1, b.ring - 1):
            fly(b, path, i, step)
            best = max(best, value(b, w, path[i + 1]))
    if x.chips > 0:
        for p in range(RING):
            jumpers = b.facts.jumpers[p] & x.bits
            if jumpers and p != x.here:
                jump(path, i, p, 1 << cheapest(b, jumpers))
                best = max(best, value(b, w, path[i + 1]))
    if x.fresh > 0 and x.here != NOWHERE and x.chips > 0 and not x.developed >> x.here & 1:
        best += hoped_gain(b, w, path, i, best)
    return best


@njit
def best_move_here(b, w, path, i):
    """The highest value after discover, develop or scan here with the cards in hand."""
    x = path[i]
    p = x.here
    best = -1e9
    if x.developed >> p & 1:
        if stays(b, x, p):
            discover(b, path, i)
            best = value(b, w, path[i + 1])
    elif x.chips > 0:
        pair = best_pair(b, p, x.bits) if x.scanned >> p & 1 else 0
        if pair:
            develop(b, path, i, pair)
            best = value(b, w, path[i + 1])
        scanners = b.facts.scanners[p] & x.bits
        if scanners and stays(b, x, p):
            landers = b.facts.first_landers[p] | b.facts.second_landers[p]
            scan(b, path, i, x.bits & ~card_spent(b, x.bits, scanners, landers))
            best = max(best, value(b, w, path[i + 1]))
    return best


@njit
def hoped_gain(b, w, path, i, sure):
    """What developing or scanning here with unknown cards is expected to add to `sure`, the certain value."""
    x = path[i]
    p = x.here
    more = 0.0
    if x.scanned >> p & 1:
        first = b.facts.first_landers[p] & x.bits
        second = b.facts.second_landers[p] & x.bits
        if not pair_left(first, second):
            used = 1 << cheapest(b, first | second) if first | second else 0
            develop(b, path, i, used)
            path[i + 1].fresh = x.fresh - 1 if used else max(x.fresh - 2, 0)
            chance = landing_chance(b, p, x.bits, x.fresh)
            more = max(more, chance * (value(b, w, path[i + 1]) - sure))
    if stays(b, x, p) and not b.facts.scanners[p] & x.bits:
        scan(b, path, i, 0)
        path[i + 1].fresh = x.fresh - 1
        more = max(more, b.scan_chance[p, x.fresh] * (value(b, w, path[i + 1]) - sure))
    return more
