"""Plays `greedy`, which makes the move that adds most to the seat's score at once.

A scan counts only a share of its tile's points, because the tile scores only if the planet is developed. Ties
are broken by the gain of the next action, then by the cost of the cards played, then by the lowest index.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.decisions import check_decisions
from spacemission_env.core.layout import aligned_record
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import COMPACT
from spacemission_env.games.space_mission.engine.rules import pair_bits
from spacemission_env.games.space_mission.engine.scoring import SPACE_POINTS, STATION_POINTS
from spacemission_env.games.space_mission.facts import (
    FACTS,
    order_best_first,
    pair_left,
    probe_points,
    read_facts,
    reserved_points,
)

SCAN_SHARE = 0.5  # share of a reserved tile's points that counts
PROSPECT = 1e-3  # weight of the next action's gain
JOKER_COST = 1e-6  # cost of a card; a card with a joker costs twice as much
NOTHING = -1e9
KEPT_CHIPS = 3  # chips kept for stations; building one brings probes back (SM-41)

PLAN = aligned_record(
    ("facts", FACTS),
    ("chips", "i8"),  # chips in the seat's supply
    ("probe", "f8"),  # gate points that one more probe gives
    ("order", "i8", (c.POINT_KINDS,)),  # kinds, best gain first
    ("best", "f8", (c.RING,)),  # expected gain of the best tile in each pile, or 0
    ("develop", "f8", (c.RING,)),  # expected points for developing the planet
)


@njit
def choose_rows(observations, masks, parameters, plans, actions):
    """Write a legal action for each row: observations uint8 (n, size); `plans`: scratch, one `PLAN`."""
    seen = observations.view(COMPACT)
    for n in range(len(actions)):
        actions[n] = choose(seen[n, 0], masks[n], parameters[0], plans[0])


@njit
def choose(o, mask, t, w):
    """The move with the highest value."""
    f = w.facts
    read_facts(o, t, f)
    if mask[c.TAKE :].any():
        return best_pick(mask, f.gains)
    read_plan(o, t, w)
    best_action = top_up_choice(mask, t, w)
    best_value = 0.0
    for a in range(c.JUMP, c.TAKE):
        if mask[a]:
            value = action_value(w, t, a)
            if value > best_value:
                best_action = a
                best_value = value
    return best_action


@njit
def read_plan(o, t, w):
    """Fill in the plan from the facts: chips, and the values of probes, piles and stations."""
    f = w.facts
    w.chips = o.supply[0]
    w.probe = probe_points(f.gate, f.num_players, 0, t.gate_points_without_probe)
    order_best_first(f.gains, w.order)
    for p in range(c.RING):
        w.best[p] = 0.0 if f.closed >> p & 1 else expected_best(o, t, w, p)
        w.develop[p] = STATION_POINTS + reserved_points(o, f.tiles, p) + w.best[p]


@njit
def expected_best(o, t, w, p):
    """The expected gain of the best tile in a face-down pile, as if the kinds were independent."""
    known, gone = w.facts.remembered[p], np.int64(o.gone_since[p])
    none_better = 1.0
    value = 0.0
    for i in range(c.POINT_KINDS):
        k = w.order[i]
        if known > 0:  # a face-down pile that was looked through holds a point tile (SM-46)
            absent = (min(gone, known - 1) / known) ** np.int64(o.remembered[p, k])
        else:
            absent = (1.0 - t.tile_count[k] / c.TILES) ** np.int64(o.tiles_left[p])
        value += none_better * (1.0 - absent) * w.facts.gains[k]
        none_better *= absent
    return value


@njit
def best_pick(mask, gains):
    """The tile with the highest gain, given the seat's collected and reserved tiles."""
    best_action = c.TAKE
    best_value = NOTHING
    for k in range(c.SPACE + 1):
        value = gains[k] if k < c.POINT_KINDS else float(SPACE_POINTS)
        if mask[c.TAKE + k] and value > best_value:
            best_action = c.TAKE + k
            best_value = value
    return best_action


@njit
def action_value(w, t, a):
    """The value of a legal move other than a top-up; 0 or less if the move gains nothing."""
    here = w.facts.here
    if a < c.FLY_NEXT:
        slot, p = (a - c.JUMP) // c.RING, (a - c.JUMP) % c.RING
        return w.probe + PROSPECT * jump_prospect(w, p, 1 << slot) - jokers_in(w, 1 << slot)
    if a < c.SCAN:
        step = 1 if a == c.FLY_NEXT else t.ring_size - 1
        return PROSPECT * prospect(w, (here + step) % t.ring_size, 0, w.chips)
    if a < c.DEVELOP:
        return scan_worth(w, here, w.chips) - jokers_in(w, 1 << (a - c.SCAN))
    if a < c.DISCOVER:
        return w.develop[here] - jokers_in(w, pair_bits(a - c.DEVELOP))
    return w.best[here]


@njit
def jokers_in(w, bits):
    """The cost of the cards in these slots; a joker counts twice."""
    cost = 0.0
    for i in range(c.SLOTS):
        if bits >> i & 1:
            cost += JOKER_COST * (1 + (w.facts.jokers >> i & 1))
    return cost


@njit
def prospect(w, p, spent, chips):
    """The gain of the best action at a ring position without the cards of `spent`."""
    f = w.facts
    if f.developed >> p & 1:
        return w.best[p]
    if chips <= 0:
        return 0.0
    if f.scanned >> p & 1 and pair_left(f.first_landers[p] & ~spent, f.second_landers[p] & ~spent):
        return w.develop[p]
    if f.scanners[p] & ~spent:
        return scan_worth(w, p, chips)
    return 0.0


@njit
def jump_prospect(w, p, spent):
    """The prospect of a jump. The last chips are spent only to develop next or to leave the gate."""
    chips = w.chips - 1
    if chips >= KEPT_CHIPS or w.facts.here == c.NOWHERE or (w.facts.scanned & ~w.facts.developed) >> p & 1:
        return prospect(w, p, spent, chips)
    return 0.0


@njit
def scan_worth(w, p, chips):
    """The value of reserving a tile; 0 if too few chips would be left."""
    if chips < 2 or (w.facts.scanned >> p & 1 and chips <= KEPT_CHIPS):
        return 0.0
    return SCAN_SHARE * w.best[p]


@njit
def top_up_choice(mask, t, w):
    """The top-up that discards what is useless here; jokers and landing cards for scanned planets are kept.

    If a full hand has no useless card, the top-up discards the first one, so that play continues.
    """
    f = w.facts
    keep = f.jokers
    for p in range(c.RING):
        if not f.developed >> p & 1 and (p == f.here or f.scanned >> p & 1):
            keep |= f.first_landers[p] | f.second_landers[p]
            if p == f.here and w.best[p] > 0:
                keep |= f.scanners[p]
    useless = ((1 << f.hand_size) - 1) & ~keep
    if useless == 0 and f.hand_size == t.hand_size and f.here != c.NOWHERE:
        useless = 1
    return useless if mask[useless] else first_legal(mask)


@njit
def first_legal(mask):
    """The lowest legal action: a top-up without a discard, unless an option forbids it (SM-22)."""
    for a in range(c.TAKE):
        if mask[a]:
            return a
    return 0


class GreedyAgent(Agent):
    """Plays for the largest immediate gain in its own score; without a gain, moves towards one.

    It is deterministic. With `observation="table"` it uses only what the table shows.
    """

    for_players = "Takes what gains most right now. An easy opponent."
    needs = {"whole_numbers"}
    in_parts = True

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row, int64 (n,). AgentError: the decisions are invalid."""
        checked = check_decisions(decisions, "greedy", whole=True)
        actions = np.zeros(len(decisions), np.int64)
        choose_rows(checked.observations, checked.masks, checked.parameters, np.zeros(1, PLAN), actions)
        return actions
