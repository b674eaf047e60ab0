"""Plays `heuristic`, which rates moves by cards, remembered piles and probabilities of draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.belief import (
    BELIEF,
    DEEPEST,
    POSITION,
    believe,
    read_lead,
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
from spacemission_agents.games.space_mission.heuristic.weights import shipped_weights
from spacemission_agents.weights import load_weights
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.decisions import check_decisions
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import COMPACT
from spacemission_env.games.space_mission.engine.rules import pair_bits
from spacemission_env.games.space_mission.facts import bits_set, set_value

NEVER = -1e300  # the value of illegal and unrated moves; no weights give so low a value
NOT_RATED = -1e299  # a lower value means "not rated"
TOP_UPS, RATED_TOP_UPS = 2, 6  # top-ups searched one move further, to choose a move and to rate all moves


class Rater(NamedTuple):
    """Weights and scratch memory of the heuristic, for one thread."""

    weights: np.ndarray  # records of `weights.shipped_weights`: the first for two players, the last for more
    beliefs: np.ndarray  # one `BELIEF` record
    path: np.ndarray  # `DEEPEST` + 1 `POSITION` records


def new_rater(weights: np.ndarray | None = None) -> Rater:
    """Make a rater with these weights, or with the shipped ones."""
    weights = shipped_weights() if weights is None else weights
    return Rater(weights, np.zeros(1, BELIEF), np.zeros(DEEPEST + 1, POSITION))


@njit
def rate_rows(observations, masks, parameters, rater, top_ups, values, actions):
    """Rate each row as `rate` does: values float64 (n, 101), actions int64 (n,)."""
    seen = observations.view(COMPACT)
    for n in range(len(actions)):
        actions[n] = rate(seen[n, 0], masks[n], parameters[0], rater, top_ups, values[n])


@njit
def rate(o, mask, t, rater, top_ups, values):
    """Write the value of each legal move in points, float64 (101,), up to a constant; return the best move.

    Illegal moves and all top-ups except the `top_ups` best ones get `NEVER`. Ties go to the top-up that is
    better if the turn ends there, then to the lowest index.
    """
    w, b, path = (
        rater.weights[0 if o.num_players[0] else len(rater.weights) - 1],
        rater.beliefs[0],
        rater.path,
    )
    values[:] = NEVER
    believe(o, t, w, b)
    if mask[c.TAKE :].any():
        for k in range(c.KINDS):
            if mask[c.TAKE + k]:
                values[c.TAKE + k] = pick_value(o, k, w, b)
        return np.argmax(values)
    begin_turn(o, w, b, path)
    value_top_ups(mask, w, b, path)
    best, highest = 0, NEVER
    for _ in range(top_ups):
        discard = best_top_up(b, path)
        if discard < 0:
            break
        values[discard] = outlook(w, b, path)
        if values[discard] > highest:
            best, highest = discard, values[discard]
    for a in range(c.JUMP, c.TAKE):
        if mask[a]:
            make(b, path, a)
            values[a] = outlook(w, b, path)
    other = c.JUMP + np.argmax(values[c.JUMP : c.TAKE])
    return other if values[other] > highest else best


@njit
def begin_turn(o, w, b, path):
    """Value the piles, the cards and the seat's lead; write the present position into path[0]."""
    value_piles(o, b)
    read_lead(o, w, b)
    value_cards(w, b)
    x = path[0]
    x.here = b.facts.here
    x.bits = b.hand
    x.fresh = 0
    x.chips = b.chips
    x.probes = 0
    x.developed = b.facts.developed
    x.scanned = b.facts.scanned
    x.gap = b.space_gap
    x.made = 0.0
    for p in range(c.RING):
        x.used[p] = 0
        x.promised[p] = 0.0


@njit
def pick_value(o, k, w, b):
    """The value of the expected final set with one more tile of a kind."""
    b.ahead[k] += 1.0
    value = set_value(b.ahead) + (b.lean[k] if k < c.SPACE else 0.0)
    b.ahead[k] -= 1.0
    if o.pile_in_view[k] == 1 and k != c.SPACE:
        value += w.denial
    return value


@njit
def value_cards(w, b):
    """Value each card in hand by the planets that it can be used for, plus a bonus for jokers."""
    for i in range(c.SLOTS):
        b.keep[i] = 2.0 * (b.facts.jokers >> i & 1)
        for p in range(c.RING):
            if b.facts.closed >> p & 1 and b.facts.developed >> p & 1:
                continue
            near = 2.0 if p == b.facts.here else 1.0
            b.keep[i] += 0.3 * (b.facts.jumpers[p] >> i & 1)
            if not b.facts.developed >> p & 1:
                b.keep[i] += 0.5 * near * (b.facts.scanners[p] >> i & 1)
                lands = (b.facts.first_landers[p] | b.facts.second_landers[p]) >> i & 1
                b.keep[i] += near * (2.0 if b.facts.scanned >> p & 1 else 0.5) * lands


@njit
def outlook(w, b, path):
    """The value of path[1] with the best next move, if any; the search never goes deeper than two moves."""
    return best_last_move(b, w, path, 1) if b.actions_left > 1 else value(b, w, path[1])


@njit
def make(b, path, a):
    """Write the position after a legal move other than a top-up into path[1]."""
    if a < c.FLY_NEXT:
        jump(path, 0, (a - c.JUMP) % c.RING, 1 << ((a - c.JUMP) // c.RING))
    elif a < c.SCAN:
        fly(b, path, 0, 1 if a == c.FLY_NEXT else b.ring - 1)
    elif a < c.DEVELOP:
        scan(b, path, 0, 1 << (a - c.SCAN))
    elif a < c.DISCOVER:
        develop(b, path, 0, pair_bits(a - c.DEVELOP))
    else:
        discover(b, path, 0)


@njit
def value_top_ups(mask, w, b, path):
    """Write the value of each legal discard as if the turn ended after it; `NEVER` for illegal ones."""
    for discard in range(c.JUMP):
        b.top_ups[discard] = NEVER
        if mask[discard]:
            draw(b, path, discard)
            b.top_ups[discard] = value(b, w, path[1])


@njit
def best_top_up(b, path):
    """The best remaining discard (0 to 31), with its position in path[1]; -1 if none remains."""
    best = int(np.argmax(b.top_ups))
    if b.top_ups[best] <= NEVER:
        return -1
    b.top_ups[best] = NEVER
    draw(b, path, best)
    return best


@njit
def draw(b, path, discard):
    """Write the position after a top-up into path[1]; the largest hand gains no card without a discard."""
    fresh = b.most_cards - bits_set(b.hand & ~discard)
    if discard == 0 and b.full_hand and b.facts.hand_size > 0:
        fresh = 0
    top_up(path, 0, discard, fresh)


class HeuristicAgent(Agent):
    """The strongest agent written by hand; `heuristic:FILE` replaces weights by those of a file.

    It is deterministic. With `observation="table"` it uses only what the table shows.
    """

    for_players = "Plays by rules of thumb that people wrote down. A good opponent."
    needs = {"whole_numbers"}
    in_parts = True

    def __init__(self, parameter: str | None = None) -> None:
        """Take the shipped weights, some replaced by a TOML file. AgentError: the file is invalid."""
        self.weights = shipped_weights() if parameter is None else load_weights(parameter, shipped_weights())

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row, int64 (n,). AgentError: the decisions are invalid."""
        return self._rated(decisions, TOP_UPS)[1]

    def rate(self, decisions: Decisions) -> np.ndarray:
        """The value of each move in points, float64 (n, 101), as the compiled `rate`."""
        return self._rated(decisions, RATED_TOP_UPS)[0]

    def _rated(self, decisions: Decisions, top_ups: int) -> tuple[np.ndarray, np.ndarray]:
        checked = check_decisions(decisions, "heuristic", whole=True)
        rows = checked.observations, checked.masks, checked.parameters
        values, actions = np.zeros((len(checked), c.ACTION_COUNT)), np.zeros(len(checked), np.int64)
        rate_rows(*rows, new_rater(self.weights), top_ups, values, actions)
        return values, actions
