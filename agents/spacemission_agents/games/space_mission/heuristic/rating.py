"""What `heuristic` thinks of each move, for agents that search on; its choice is `choice.choose`."""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.choice import (
    believe,
    best_top_up,
    make,
    outlook,
    pick_value,
    start,
    value_cards,
    value_top_ups,
)
from spacemission_agents.games.space_mission.heuristic.piles import value_piles
from spacemission_agents.games.space_mission.heuristic.timing import read_lead
from spacemission_agents.games.space_mission.observed import NUM_PLAYERS
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, JUMP, KINDS, TAKE

NOT_RATED = -1e8  # values below stand for moves that were not rated
LEFT_OUT = -1e9
TOP_UPS = 6  # the best ones by the hand that they leave


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
    for _ in range(TOP_UPS):
        discard = best_top_up(b, path)
        if discard < 0:
            break
        values[discard] = outlook(w, b, path)
    for a in range(JUMP, TAKE):
        if mask[a]:
            make(b, path, a)
            values[a] = outlook(w, b, path)
