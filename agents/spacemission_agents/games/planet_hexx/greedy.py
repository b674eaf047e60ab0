"""Defines the agent `greedy`, which plays the move with the largest immediate gain.

All values are in Data. The agent reads public facts and its own hand, and uses no random numbers.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.planet_hexx import facts
from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.decisions import check_decisions
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine.board import is_planet
from spacemission_env.games.planet_hexx.engine.grid import NEIGHBOURS
from spacemission_env.games.planet_hexx.engine.missions import open_point, uploads
from spacemission_env.games.planet_hexx.engine.stack import top

UPLOADED = 10.0  # value of an upload
CARD, ACTION, SPOILT = 0.2, 0.8, 0.5  # values of a card, an Action, and another player's loss
MOST = 9  # a larger number in a statement counts as this number


@njit
def gain(s, t, seat, card, pc):
    """The expected gain of a card's compiled effect for its owner, on the main path (`next_row`)."""
    total = 0.0
    weight = 1.0
    while t.code[pc, 0] != codes.END:
        total += weight * statement_gain(s, t, seat, card, t.code[pc])
        pc, weight = facts.next_row(t, pc, weight)
    return total


@njit
def statement_gain(s, t, seat, card, row):
    """The gain of one statement; `row` is its row of `PARAMETERS.code`."""
    op, number, who = row[0], min(row[1], MOST), row[2]
    own = who == codes.YOU or who == codes.ALL
    if op == codes.ADD:
        return number if own else -SPOILT * number
    if op == codes.EXPEND or op == codes.USE_ACTION or op == codes.FORBID:
        return -number if who == codes.YOU else SPOILT
    if op == codes.TAKE:
        richest = 0
        for j in range(s.num_players):
            if j != seat:
                richest = max(richest, int(s.store[j]))
        return float(min(number, richest))
    if op == codes.COLLECT_OP:
        here = s.ship[seat]
        return float(min(number, s.hex_data[here])) if is_planet(s, t, here) else 0.0
    if op == codes.DRAW:
        return CARD * number if own else 0.0
    if op == codes.GAIN_ACTION:
        return ACTION * number
    if op == codes.UPLOAD_SELF:
        return UPLOADED if open_point(s, t, seat, card) != c.NOTHING else 0.0
    if op == codes.UPLOAD_NOW_OP:
        return UPLOADED if can_upload(s, t, seat, row[3]) else 0.0
    if op == codes.MOVE_OP or op == codes.CANCEL:
        return SPOILT
    return 0.0


@njit
def can_upload(s, t, seat, wanted):
    """Whether the hand holds a card of the wanted type that fills an open point."""
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        if (wanted == c.ANY_TYPE or t.type[card] == wanted) and open_point(s, t, seat, card) != c.NOTHING:
            return True
    return False


@njit
def event_gain(s, t, seat, card, branch):
    """The gain of an Event's branch minus the cost of the card."""
    cost = t.costs[t.cost[card, branch]]
    spent = cost.expend + cost.actions + CARD * cost.discards
    return gain(s, t, seat, card, t.play[card, branch]) - spent


READY = 3.0  # value of being on a Space with the Data and a card for an upload
PLANET_LAID, SPACE_LAID = 0.6, 0.4  # values of laying a hex, halved for each hex on the board beyond ENOUGH
ENOUGH = 8
AT_LEAST = 0.05  # lowest value of laying a hex: more than passing
USELESS = 0.1  # value of a Refresh of a card that fits no open point


@njit
def choose_greedy(worlds, parameters, masks, actions):
    """Write a legal action for each row: `worlds` (n,), masks int8 (n, 425)."""
    t = parameters[0]
    ways, wanted = facts.new_ways(), np.zeros(c.TYPES, np.int64)
    for n in range(len(actions)):
        actions[n] = choose(worlds[n], t, masks[n], ways, wanted)


@njit
def choose(s, t, mask, ways, wanted):
    """The legal action with the highest value."""
    seat = int(s.player)
    facts.open_points(s, seat, wanted)
    covered = False
    for i in range(s.hand_size[seat]):
        kind = t.type[s.hand[seat, i]]
        covered |= wanted[kind] > 0
        wanted[kind] -= 1  # negative if the hand has more cards of the type than open points
    is_ready = covered and s.store[seat] >= t.upload_cost
    facts.find_ways(s, t, int(s.ship[seat]), int(s.landed[seat]), ways)
    best, most = 0, -1e9
    for action in range(c.ACTION_COUNT):
        if mask[action]:
            worth = value(s, t, seat, action, ways, wanted, is_ready)
            if worth > most:
                best, most = action, worth
    return best


@njit
def value(s, t, seat, action, ways, wanted, is_ready):
    """The value of a legal move; `is_ready`: the seat has the Data and a card for an upload."""
    asked = s.asked
    if asked == c.MAIN or asked == c.GAINED:
        return action_value(s, t, seat, action, ways[0], wanted, is_ready)
    if asked == c.STEP:
        return step_value(s, t, seat, action, ways, is_ready)
    if asked == c.BRANCH:
        return event_gain(s, t, seat, int(top(s).card), action - c.TO_BRANCH)
    if asked == c.MAP_CELL or asked == c.PLACE_CELL or asked == c.MOVE_TO:
        return -float(distance(int(s.ship[seat]), action - c.TO_CELL, ways))
    if asked == c.RELOCATE or asked == c.SHIPS_TO:
        return place_value(s, t, action - c.TO_CELL, is_ready)
    if asked == c.TARGET_SEAT:
        other = (seat + action - c.TO_SEAT) % int(s.num_players)
        return float(100 * uploads(s, other) + int(s.store[other]))
    if asked == c.DELETE:
        return 1.0 if action - c.TO_POINT >= c.POINTS else 0.0
    if asked == c.COLLECT:
        return facts.yields(s, t, s.ship[seat]) if action == c.YES else float(action - c.TO_NUMBER)
    if asked == c.DISCARD:
        return -float(wanted[t.type[s.hand[seat, action - c.TO_DISCARD]]])
    if asked == c.RECOVER:
        return float(wanted[t.type[action - c.TO_KIND]])
    return 0.0 if action == c.PASS else 1.0


@njit
def action_value(s, t, seat, action, steps, wanted, is_ready):
    """The value of an Action (HX-8)."""
    if action == c.PASS:
        return 0.0
    if action == c.TO_MOVE:
        return flight_value(s, t, seat, steps, is_ready)
    card = s.hand[seat, (action - c.TO_PLAY) % (c.TO_UPLOAD - c.TO_PLAY)]
    if action >= c.TO_DISCARD:
        return USELESS if wanted[t.type[card]] < 0 else -1.0
    if action >= c.TO_UPLOAD:
        return UPLOADED + (action >= c.TO_ALT)
    if t.placing[card] != c.NOTHING:
        if wanted[t.type[card]] >= 0 and s.hexes > ENOUGH:
            return AT_LEAST
        laid = PLANET_LAID if t.type[card] == c.PLANET else SPACE_LAID
        return max(AT_LEAST, laid * 0.5 ** max(0, int(s.hexes) - ENOUGH))
    brings = -1e9
    for branch in range(t.branches[card]):
        brings = max(brings, event_gain(s, t, seat, card, branch))
    return brings - (0.5 if wanted[t.type[card]] >= 0 else 0.0)


@njit
def flight_value(s, t, seat, steps, is_ready):
    """The value of a Move: the best place's value / Moves to that place; 0 if the seat can upload here."""
    best = 0.0
    for i in range(s.hexes):
        cell = s.placed[i]
        if steps[cell] > 0:
            best = max(best, place_value(s, t, cell, is_ready) / facts.MOVES_FOR[steps[cell]])
    if is_ready and facts.allows_upload(s, t, s.ship[seat]):
        return 0.0
    return best


@njit
def place_value(s, t, cell, is_ready):
    """The value of being on a cell."""
    if is_planet(s, t, cell):
        return facts.yields(s, t, cell)
    return READY if is_ready and facts.allows_upload(s, t, cell) else 0.0


@njit
def step_value(s, t, seat, action, ways, is_ready):
    """The value of a step: that of the best place in its direction; each Move and step there reduces it."""
    here = int(s.ship[seat])
    if action == c.PASS:
        return place_value(s, t, here, is_ready) if not is_planet(s, t, here) else 0.01
    to = NEIGHBOURS[here, action - c.TO_TURN]
    left = int(top(s).left) - 1
    if is_planet(s, t, to):
        return place_value(s, t, to, is_ready)
    facts.find_ways(s, t, to, int(s.landed[seat]), ways)
    steps = ways[0]
    best = 0.0
    for i in range(s.hexes):
        cell = s.placed[i]
        moves = 1.0 + facts.moves_left(int(steps[cell]), left)
        best = max(best, place_value(s, t, cell, is_ready) / moves - 0.001 * steps[cell])
    return best


@njit
def distance(start, cell, ways):
    """Steps to a cell, which may be empty: one more than to the nearest hex beside it."""
    least = 99
    for d in range(NEIGHBOURS.shape[1]):
        near = NEIGHBOURS[cell, d]
        if near >= 0:
            least = min(least, int(ways[0][near]) + 1)
    return least


class GreedyAgent(Agent):
    """Plays for the largest immediate gain; without a gain, flies towards one or lays hexes."""

    for_players = "Takes what gains most right now. An easy opponent."
    needs = {"worlds"}

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 of shape (n,).

        Raises:
            AgentError: if the decisions are not valid or have no worlds.
        """
        decisions = check_decisions(decisions, "greedy", worlds=True, reads=False)
        actions = np.zeros(len(decisions), np.int64)
        if len(decisions):
            choose_greedy(decisions.worlds, decisions.parameters, decisions.masks, actions)
        return actions
