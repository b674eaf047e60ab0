"""The choice of the heuristic agent, compiled: the legal move of the highest value.

Ties go to the lowest index.


What `heuristic` thinks of each move, for agents that search on; its choice is `choice.choose`.

`heuristic`: plans its turn by what its cards, the piles it remembers and the odds allow.

The judgement is compiled (`choice.py` and what it imports) and weighed by a declared table
(`weights.py`). There is no chance in it: the same observation and mask give the same move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.features import IN_VIEW, NUM_PLAYERS, count
from spacemission_agents.games.space_mission.heuristic.belief import (
    BELIEF,
    DEEPEST,
    POSITION,
    bits_set,
    read_cards,
    read_gifts,
    read_lead,
    read_table,
    read_time,
)
from spacemission_agents.games.space_mission.heuristic.piles import (
    look_ahead,
    read_piles,
    set_value,
    value_piles,
)
from spacemission_agents.games.space_mission.heuristic.plans import (
    best_last_move,
    develop,
    discover,
    fly,
    jump,
    scan,
    top_up,
    value,
)
from spacemission_agents.games.space_mission.heuristic.weights import load_weights, shipped_weights
from spacemission_env.core.agents_api import Agent, Decisions
from spacemission_env.core.checked import checked
from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    DEVELOP,
    DEVELOP_PAIRS,
    DISCOVER,
    FLY_NEXT,
    JUMP,
    KINDS,
    PILE,
    RING,
    SCAN,
    SLOTS,
    SPACE,
    TAKE,
)

NEVER = -1e9
TOP_UPS = 2  # of which what may follow is looked at


@njit
def choose_heuristic(observations, masks, boxes, weights, beliefs, path, actions):
    """Write a legal action for each row: observations float32 (n, size), masks int8 (n, 101).

    `boxes`: one `BOX` record, of the games that they are of. `weights`: `WEIGHTS` records, the first for
    games of two players, the last for others. `beliefs`, one `BELIEF` record, and `path`, `DEEPEST` + 1
    `POSITION` records, are scratch. They come from the caller, as a compiled record does not keep the array
    alive that it lies in.
    """
    t = boxes[0]
    b = beliefs[0]
    for n in range(len(actions)):
        w = weights[0 if observations[n, NUM_PLAYERS] > 0 else len(weights) - 1]
        actions[n] = choose(observations[n], masks[n], t, w, b, path)


@njit
def believe(o, t, w, b):
    """Fill the belief from an observation and its box."""
    read_table(o, t, w, b)
    read_cards(o, t, b)
    read_piles(o, t, b)
    read_time(o, w, b)
    if b.last:
        for n in range(len(b.gate_value)):
            b.gate_value[n] = b.gate_margin[n]
    read_gifts(o, w, b)
    look_ahead(w, b)


@njit
def choose(o, mask, t, w, b, path):
    """The action of one decision."""
    believe(o, t, w, b)
    if mask[TAKE:].any():
        return best_pick(o, mask, w, b)
    value_piles(o, b)
    read_lead(o, w, b)
    value_cards(w, b)
    start(b, path[0])
    return best_action(mask, w, b, path)


@njit
def start(b, x):
    """The position before any move."""
    x.here = b.here
    x.bits = b.hand
    x.fresh = 0
    x.chips = b.chips
    x.probes = 0
    x.developed = b.developed
    x.scanned = b.scanned
    x.gap = b.space_gap
    x.made = 0.0
    for p in range(RING):
        x.used[p] = 0
        x.promised[p] = 0.0


@njit
def best_pick(o, mask, w, b):
    """The tile that adds most to where the own set is expected to end."""
    best = TAKE
    highest = NEVER
    for k in range(KINDS):
        if mask[TAKE + k]:
            value = pick_value(o, k, w, b)
            if value > highest:
                best = TAKE + k
                highest = value
    return best


@njit
def pick_value(o, k, w, b):
    """What the own set is worth where it is expected to end, with one more tile of a kind."""
    b.ahead[k] += 1.0
    value = set_value(b.ahead) + (b.lean[k] if k < SPACE else 0.0)
    b.ahead[k] -= 1.0
    if count(o[IN_VIEW + k], PILE) == 1 and k != SPACE:
        value += w.denial
    return value


@njit
def value_cards(w, b):
    """What each card is worth in hand: the planets that it serves, and the choice that a joker leaves."""
    for i in range(SLOTS):
        b.keep[i] = 2.0 * (b.jokers >> i & 1)
        for p in range(RING):
            if b.closed >> p & 1 and b.developed >> p & 1:
                continue
            near = 2.0 if p == b.here else 1.0
            b.keep[i] += 0.3 * (b.jumpers[p] >> i & 1)
            if not b.developed >> p & 1:
                b.keep[i] += 0.5 * near * (b.scanners[p] >> i & 1)
                lands = (b.first_landers[p] | b.second_landers[p]) >> i & 1
                b.keep[i] += near * (2.0 if b.scanned >> p & 1 else 0.5) * lands


@njit
def best_action(mask, w, b, path):
    """Every legal move, with the best that may follow it in this turn."""
    best = 0
    highest = NEVER
    value_top_ups(mask, w, b, path)
    for _ in range(TOP_UPS):
        discard = best_top_up(b, path)
        if discard < 0:
            break
        points = outlook(w, b, path)
        if points > highest:
            best = discard
            highest = points
    for a in range(JUMP, TAKE):
        if mask[a]:
            make(b, path, a)
            points = outlook(w, b, path)
            if points > highest:
                best = a
                highest = points
    return best


@njit
def outlook(w, b, path):
    """Value of path[1] with the best that may follow. With more than two actions left, two are searched."""
    return best_last_move(b, w, path, 1) if b.actions_left > 1 else value(b, w, path[1])


@njit
def make(b, path, a):
    """Write into path[1] what a legal move other than a top-up leads to."""
    if a < FLY_NEXT:
        jump(path, 0, (a - JUMP) % RING, 1 << ((a - JUMP) // RING))
    elif a < SCAN:
        fly(path, 0, 1 if a == FLY_NEXT else RING - 1)
    elif a < DEVELOP:
        scan(b, path, 0, 1 << (a - SCAN))
    elif a < DISCOVER:
        first, second = DEVELOP_PAIRS[a - DEVELOP]
        develop(b, path, 0, (1 << first) | (1 << second))
    else:
        discover(b, path, 0)


@njit
def value_top_ups(mask, w, b, path):
    """Write into the belief what each legal discard is worth as if the turn ended with it, else `NEVER`."""
    for discard in range(JUMP):
        b.top_ups[discard] = NEVER
        if mask[discard]:
            draw(b, path, discard)
            b.top_ups[discard] = value(b, w, path[1])


@njit
def best_top_up(b, path):
    """The best discard (0 to 31) of those not asked for yet, left in path[1]; -1 where there is none."""
    best = int(np.argmax(b.top_ups))
    if b.top_ups[best] <= NEVER:
        return -1
    b.top_ups[best] = NEVER
    draw(b, path, best)
    return best


@njit
def draw(b, path, discard):
    """Top up; without a discard it counts for nothing where nobody holds more cards."""
    fresh = b.most_cards - bits_set(b.hand & ~discard)
    if discard == 0 and b.full_hand and b.hand_size > 0:
        fresh = 0
    top_up(path, 0, discard, fresh)


NOT_RATED = -1e8  # values below stand for moves that were not rated
LEFT_OUT = -1e9
RATED_TOP_UPS = 6  # the best ones by the hand that they leave


@njit
def rate_heuristic(observations, masks, boxes, weights, beliefs, path, values):
    """Write the value of each move in points, float64 (n, 101); arguments as of `choose_heuristic`.

    Only differences mean anything. Illegal moves and all but the best top-ups are `LEFT_OUT`.
    """
    t = boxes[0]
    b = beliefs[0]
    for n in range(len(values)):
        w = weights[0 if observations[n, NUM_PLAYERS] > 0 else len(weights) - 1]
        rate(observations[n], masks[n], t, w, b, path, values[n])


@njit
def rate(o, mask, t, w, b, path, values):
    """The moves of one decision."""
    for a in range(ACTION_COUNT):
        values[a] = LEFT_OUT
    believe(o, t, w, b)
    if mask[TAKE:].any():
        for k in range(KINDS):
            if mask[TAKE + k]:
                values[TAKE + k] = pick_value(o, k, w, b)
        return
    value_piles(o, b)
    read_lead(o, w, b)
    value_cards(w, b)
    start(b, path[0])
    value_top_ups(mask, w, b, path)
    for _ in range(RATED_TOP_UPS):
        discard = best_top_up(b, path)
        if discard < 0:
            break
        values[discard] = outlook(w, b, path)
    for a in range(JUMP, TAKE):
        if mask[a]:
            make(b, path, a)
            values[a] = outlook(w, b, path)


class HeuristicAgent(Agent):
    """The strongest hand-written judgement; `heuristic` with the tuned weights, `heuristic:FILE` with others.

    With `observation="table"` it plays by what lies open, as it has no memory of its own.
    """

    in_parts = True

    def __init__(self, parameter: str | None = None) -> None:
        """Read the weights: those that ship, or a TOML file of them. AgentError where they are bad."""
        if parameter is None:
            self.weights = np.concatenate([shipped_weights(2), shipped_weights(3)])
        else:
            self.weights = load_weights(parameter)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 of shape (n,).

        Raises:
            AgentError: where the decisions do not hold, or are of another version's layout.
        """
        inputs = self._inputs(decisions)
        actions = np.zeros(len(decisions), np.int64)
        choose_heuristic(*inputs, actions)
        return actions

    def rate(self, decisions: Decisions) -> np.ndarray:
        """The value of each move in points, float64 (n, 101); see `rating.rate_heuristic`."""
        inputs = self._inputs(decisions)
        values = np.zeros((len(decisions), ACTION_COUNT))
        rate_heuristic(*inputs, values)
        return values

    def _inputs(self, decisions: Decisions) -> tuple[Any, ...]:
        asked = checked(decisions, "heuristic")
        beliefs, path = np.zeros(1, BELIEF), np.zeros(DEEPEST + 1, POSITION)
        return asked.observations, asked.masks, asked.boxes, self.weights, beliefs, path
