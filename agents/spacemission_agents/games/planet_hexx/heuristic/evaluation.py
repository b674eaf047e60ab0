"""Evaluates positions by the Actions that each seat still needs to fill its Mission File.

The evaluation reads the board, Stores, Mission Files and known cards: the seat's own hand, and cards that
everybody has seen. Of hidden cards only the number counts.
"""

import numpy as np

from spacemission_agents.games.planet_hexx import facts
from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.facts import FAR
from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.stack import top

WON = 100.0
SECOND = 0.5  # weight of the Landing after the next one
MOST_SITES = 4  # of the cells where a Planet may be laid, at most this many count


@njit
def new_scratch():
    return np.zeros(c.TYPES, np.int64), np.zeros(c.MAX_PLAYERS), facts.new_ways(), facts.new_ways()


@njit
def evaluate(s, t, w, seat, scratch):
    """The value of a position for a seat: larger is better."""
    if s.over != RUNNING:
        return WON * (1.0 if s.won[seat] else -1.0)
    times = scratch[1]
    n = int(s.num_players)
    soonest = 1e9
    for j in range(n):
        times[j] = time_left(s, t, w, j, scratch) - actions_worth(s, t, w, j, j == seat)
        if j != seat:
            soonest = min(soonest, times[j])
    total, weights = 0.0, 0.0
    for j in range(n):
        if j != seat:
            weight = np.exp(-w.leader * (times[j] - soonest))
            total += weight * lateness(times[j] + w.finish)
            weights += weight
    return w.others * total / weights - lateness(times[seat] + w.finish)


@njit
def lateness(time):
    """The penalty for a time: logarithmic, so that an Action counts more near the end; linear below 1."""
    return np.log(time) if time > 1.0 else time - 1.0


@njit
def time_left(s, t, w, seat, scratch):
    """The Actions that a seat still needs to fill its Mission File."""
    wanted = scratch[0]
    points = facts.open_points(s, seat, wanted)
    if points == 0:
        return 0.0
    covered, saved = count_hand(s, t, w, seat, wanted)
    time = points + missing_time(s, t, w, seat, points - covered, wanted) - saved
    need = t.upload_cost * points - int(s.store[seat])
    ready = min(covered, facts.affordable(t, int(s.store[seat]), points))
    time += w.exposed * (min(int(s.store[seat]), t.upload_cost * points) + covered)
    if need < 0:
        time += w.extra_data * max(need, -3)
    return time + way_time(s, t, w, seat, points, need, ready, scratch)


@njit
def count_hand(s, t, w, seat, wanted):
    """Subtract fitting cards from `wanted`; return their number, and the Actions that known cards save."""
    covered, saved = 0, 0.0
    for i in range(s.hand_size[seat]):
        if s.known[seat, i] == 0:
            continue
        card = s.hand[seat, i]
        if facts.fills_point(t, card, wanted):
            covered += 1
            if t.alt_cost[card] != c.NOTHING:
                cheaper = t.upload_cost - t.costs[t.alt_cost[card]].expend
                saved += w.data_time * cheaper + w.trip * t.alt_anywhere[card]
        elif t.placing[card] != c.NOTHING:
            saved += w.spare_planet if t.type[card] == c.PLANET else w.spare_space
        else:
            saved += w.spare_event if t.own_turn[card] else w.spare_surprise
    return covered, saved


@njit
def missing_time(s, t, w, seat, missing, wanted):
    """Actions to find the missing cards: fewer with unseen cards in the hand and with cards to be drawn.

    An unseen card is of a missing type with the probability missing types / types.
    """
    fresh = w.later * max(0, int(t.hand_size) - int(s.hand_size[seat]))
    for i in range(s.hand_size[seat]):
        fresh += s.known[seat, i] == 0
    if missing == 0:
        return -w.spare_fresh * fresh
    short = 0
    for kind in range(c.TYPES):
        short += wanted[kind] > 0
    return w.missing * missing * (1.0 - short / (c.TYPES * missing)) ** fresh - w.spare_fresh * fresh


@njit
def way_time(s, t, w, seat, points, need, ready, scratch):
    """Actions for Moves to Planets for Data and to Spaces for uploads, in the better order."""
    _, _, ways, others = scratch
    here = int(s.ship[seat])
    pending = 0
    if s.asked == c.STEP and top(s).seat == seat:
        pending = int(top(s).left)
    facts.find_ways(s, t, here, int(s.landed[seat]), ways)
    steps = ways[0]
    shortage = w.scarce * max(0.0, max(0, need) - data_about(s, w))
    fly = data_time(s, t, w, need, pending, steps, others) + w.trip * points
    if ready == 0:
        return shortage + fly
    later = w.trip * (points - ready)
    if facts.allows_upload(s, t, here):
        return shortage + min(data_time(s, t, w, need, 0, steps, others) + later, fly)
    space = nearest_space(s, t, steps)
    if space == c.NOWHERE:
        return shortage + fly
    there = facts.moves_left(steps[space], pending) + later
    if there >= fly:
        return shortage + fly
    facts.find_ways(s, t, space, int(s.landed[seat]), ways)
    return shortage + min(there + data_time(s, t, w, need, 0, steps, others), fly)


@njit
def nearest_space(s, t, steps):
    """The nearest Space where an Upload can be declared, or NOWHERE."""
    nearest, least = c.NOWHERE, FAR
    for i in range(s.hexes):
        cell = s.placed[i]
        if steps[cell] < least and facts.allows_upload(s, t, cell):
            nearest, least = int(cell), steps[cell]
    return nearest


@njit
def data_time(s, t, w, need, pending, steps, others):
    """Actions to collect the needed Data, for the best choice of the next Landing and the Landing after it.

    The second Landing has the weight `SECOND`; otherwise waiting beside a Planet would be as good as Landing.
    """
    if need <= 0:
        return 0.0
    best = w.no_planet
    for i in range(s.hexes):
        cell = s.placed[i]
        if s.hex_data[cell] == 0 or steps[cell] == 0 or steps[cell] >= FAR:
            continue
        brings = min(facts.yields(s, t, cell), float(need))
        time = facts.moves_left(steps[cell], pending) - w.data_time * brings
        if time < best + 1.0 and need > brings:
            facts.find_ways(s, t, cell, cell, others)
            time += SECOND * next_leg(s, t, w, cell, need - brings, others[0])
        best = min(best, time)
    return max(0.0, best + w.data_time * need)


@njit
def next_leg(s, t, w, start, need, steps):
    """Actions for the Landing after the next one, minus the Actions that its Data save."""
    best = w.no_planet
    for i in range(s.hexes):
        cell = s.placed[i]
        if s.hex_data[cell] > 0 and cell != start and steps[cell] < FAR:
            brings = min(facts.yields(s, t, cell), float(need))
            best = min(best, facts.MOVES_FOR[steps[cell]] - w.data_time * brings)
    return best


@njit
def data_about(s, w):
    """Data on all Planets, and Data expected at cells where a Planet may be laid.

    The distance does not count; otherwise the agent would stay near the most Data.
    """
    total = w.site * min(int(s.open_cells[c.PLAIN]), MOST_SITES)
    for i in range(s.hexes):
        total += s.hex_data[s.placed[i]]
    return total


@njit
def actions_worth(s, t, w, seat, own):
    """The value of a seat's remaining Actions, or of a whole turn's for an opponent who is not active.

    So a position has the same value just before and just after the end of a turn.
    """
    if seat != s.active:
        return 0.0 if own else w.action * t.actions_per_turn
    bans = int(s.banned[seat])
    if bans >> c.ANY & 1:
        return 0.0
    share = w.grounded if bans >> c.MOVE & 1 else 1.0
    total = w.action * share * s.actions_left
    count = int(s.actions_left)
    for kind in range(c.ACTIONS):
        if bans >> kind & 1 == 0:
            total += w.event_action * s.gained[kind]
            count += s.gained[kind]
    return total + w.roll_bonus * int(s.bonus[seat]) * min(count, 3)
