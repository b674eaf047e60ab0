"""The moves of a plan, and the best last move of a turn.

A card drawn on the way is not known; what it may serve counts by its odds. `b` is a `BELIEF`, `w` a
`WEIGHTS` record; `path` holds `POSITION` records, path[i + 1] the one after a move from path[i].
"""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.plans import (
    card_spent,
    cheapest,
    landing_odds,
    next_gain,
    value,
)
from spacemission_agents.games.space_mission.heuristic.table import bits_set
from spacemission_agents.games.space_mission.observed import pair_left
from spacemission_env.games.space_mission.engine.constants import NOWHERE, RING, SLOTS
from spacemission_env.games.space_mission.engine.scoring import STATION_POINTS

HALF = 0.5  # a pile expected to hold less than this many point tiles is taken to be used up


@njit
def stays(b, x, p):
    """Whether the pile is expected to hold another point tile."""
    return (b.closed >> p & 1) == 0 and b.points[p] - x.used[p] > HALF


@njit
def take(b, x, p):
    """Take the best tile of a pile; returns its points. SM-46: the pile may then show space tiles."""
    gain = next_gain(b, p, x.used[p])
    x.used[p] += 1
    x.made += gain + b.hurry * b.spaces[p] / b.points[p]
    if not stays(b, x, p):
        x.gap -= b.spaces[p]
    return gain


@njit
def scan(b, path, i, bits):
    """SM-30, SM-31: scan here, the card of `bits` being gone."""
    path[i + 1] = path[i]
    x = path[i + 1]
    x.bits &= ~bits
    x.chips -= 1
    x.scanned |= 1 << x.here
    if not b.closed >> x.here & 1:  # else it only counts as a scan (SM-35, option scan_face_up)
        x.promised[x.here] += take(b, x, x.here)


@njit
def develop(b, path, i, bits):
    """SM-41: develop here, the cards of `bits` being gone."""
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
    """SM-45: discover here."""
    path[i + 1] = path[i]
    x = path[i + 1]
    take(b, x, x.here)


@njit
def fly(path, i, step):
    """SM-25: fly on."""
    path[i + 1] = path[i]
    path[i + 1].here = (path[i].here + step) % RING


@njit
def jump(path, i, p, bits):
    """SM-24: jump, the card of `bits` being gone."""
    path[i + 1] = path[i]
    x = path[i + 1]
    x.bits &= ~bits
    x.chips -= 1
    x.probes += 1
    x.here = p


@njit
def top_up(path, i, bits, fresh):
    """SM-21: discard the cards of `bits`, draw this many."""
    path[i + 1] = path[i]
    x = path[i + 1]
    x.bits &= ~bits
    x.fresh = fresh


@njit
def best_pair(b, p, bits):
    """Bits of the two slots that serve a landing and are worth least in hand; 0 where none does."""
    best = 0
    lowest = 1e9
    for i in range(SLOTS):
        if (b.first_landers[p] & bits) >> i & 1:
            for j in range(SLOTS):
                if i != j and (b.second_landers[p] & bits) >> j & 1 and b.keep[i] + b.keep[j] < lowest:
                    lowest = b.keep[i] + b.keep[j]
                    best = (1 << i) | (1 << j)
    return best


@njit
def poor_cards(b, w, bits):
    """The slots of these that are worth little in hand."""
    poor = 0
    for i in range(SLOTS):
        if bits >> i & 1 and b.keep[i] < w.drop:
            poor |= 1 << i
    return poor


@njit
def best_last_move(b, w, path, i):
    """The highest value that one more move from path[i] leads to."""
    x = path[i]
    size = bits_set(x.bits)
    # Always possible, but of a full hand with option empty_top_up off (SM-22), which is not told apart here.
    top_up(path, i, 0, b.most_cards - size if size + x.fresh < b.most_cards else x.fresh)
    best = value(b, w, path[i + 1])
    useless = poor_cards(b, w, x.bits)
    if useless and x.fresh == 0:
        top_up(path, i, useless, b.most_cards - bits_set(x.bits & ~useless))
        best = max(best, value(b, w, path[i + 1]))
    if x.here != NOWHERE:
        best = max(best, best_move_here(b, w, path, i))
        for step in (1, RING - 1):
            fly(path, i, step)
            best = max(best, value(b, w, path[i + 1]))
    if x.chips > 0:
        for p in range(RING):
            jumpers = b.jumpers[p] & x.bits
            if jumpers and p != x.here:
                jump(path, i, p, 1 << cheapest(b, jumpers))
                best = max(best, value(b, w, path[i + 1]))
    if x.fresh > 0 and x.here != NOWHERE and x.chips > 0 and not x.developed >> x.here & 1:
        best += luck(b, w, path, i, best)
    return best


@njit
def best_move_here(b, w, path, i):
    """The best of discover, develop and scan with the cards in hand."""
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
        scanners = b.scanners[p] & x.bits
        if scanners and stays(b, x, p):
            landers = b.first_landers[p] | b.second_landers[p]
            scan(b, path, i, x.bits & ~card_spent(b, x.bits, scanners, landers))
            best = max(best, value(b, w, path[i + 1]))
    return best


@njit
def luck(b, w, path, i, sure):
    """What cards not seen yet add here to the value of the best sure move."""
    x = path[i]
    p = x.here
    more = 0.0
    if x.scanned >> p & 1:
        first = b.first_landers[p] & x.bits
        second = b.second_landers[p] & x.bits
        if not pair_left(first, second):
            used = 1 << cheapest(b, first | second) if first | second else 0
            develop(b, path, i, used)
            path[i + 1].fresh = x.fresh - 1 if used else max(x.fresh - 2, 0)
            odds = landing_odds(b, p, x.bits, x.fresh)
            more = max(more, odds * (value(b, w, path[i + 1]) - sure))
    if stays(b, x, p) and not b.scanners[p] & x.bits:
        scan(b, path, i, 0)
        path[i + 1].fresh = x.fresh - 1
        more = max(more, b.scan_odds[p, x.fresh] * (value(b, w, path[i + 1]) - sure))
    return more
