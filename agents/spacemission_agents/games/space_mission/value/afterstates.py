"""Declares the afterstates of Space Mission.

The afterstate of a move that reveals something is the position just before: a top-up before the first draw;
scan, develop and discover before the look into the pile. It is the same in all possible worlds of the seat,
so no world has to be sampled.
"""

from __future__ import annotations

from spacemission_agents.afterstates.moves import bind_afterstates
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value import features
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import rules
from spacemission_env.games.space_mission.engine.observe import observe_compact
from spacemission_env.games.space_mission.engine.scoring import best_other
from spacemission_env.games.space_mission.spec import SPEC

POINTS_UNIT, MARGIN_UNIT = 50.0, 30.0  # points for an output of 1


@njit
def begin_move(s, t, action):
    """Make a legal move up to its afterstate; return the pending part (features.py)."""
    if action >= c.TAKE:
        rules.take_tile(s, t, action - c.TAKE)
        return 0
    rules.count_action(s, action)
    seat = s.player
    p = s.ship[seat]
    if action < c.JUMP:
        rules.discard_slots(s, t, seat, action)
        return int(t.hand_size) - int(s.hand_size[seat])
    if action < c.FLY_NEXT:
        rules.jump(s, t, (action - c.JUMP) // c.RING, (action - c.JUMP) % c.RING)
        return 0
    if action < c.SCAN:
        rules.fly(s, t, 1 if action == c.FLY_NEXT else -1)
        return 0
    if action < c.DEVELOP:
        rules.play_scan_card(s, t, action - c.SCAN)
        return 0 if rules.is_closed(s, t, p) else features.LOOK_TO_RESERVE
    if action < c.DISCOVER:
        rules.build_station(s, t, rules.pair_bits(action - c.DEVELOP))
        return 0 if rules.is_closed(s, t, p) else features.LOOK_TO_DEVELOP
    return features.LOOK_TO_DISCOVER


@njit
def observe_features(s, t, seat, pending, seen, means, x):
    """Write the features of an afterstate from the compact observation of the seat that moved."""
    observe_compact(s, t, seat, 1, seen[0], means)
    features.write_features(seen[0], t, int(s.num_players), pending, x)


@njit
def write_more_targets(s, t, scores, targets):
    """Write each seat's points and margin at the end of a game into columns 1 and 2 of `targets`."""
    n = int(s.num_players)
    for j in range(n):
        targets[j, 1] = scores[j, c.TOTAL] / POINTS_UNIT
        targets[j, 2] = (scores[j, c.TOTAL] - best_other(scores, n, j)) / MARGIN_UNIT


AFTERSTATES = bind_afterstates(
    SPEC,
    njit,
    features.SIZES,
    worlds=1,
    new_ratings=features.new_ratings,
    symmetries=features.kind_turns,
    begin_move=begin_move,
    write_features=observe_features,
    rate_moves=features.rate_moves,
    write_rating=features.write_rating,
    write_more_targets=write_more_targets,
)
evaluate_moves, win_shares = AFTERSTATES.names["evaluate_moves"], AFTERSTATES.names["win_shares"]
new_scratch, new_network = AFTERSTATES.new_scratch, AFTERSTATES.new_network
