"""Computes the position features that networks read, scaled to about 1.

They come from the canonical world of the seat (`choice.make_canonical`), so they reveal nothing hidden.
"""

import numpy as np

from spacemission_agents.games.planet_hexx import board
from spacemission_agents.games.planet_hexx.board import FAR, MOVES_FOR, allows_upload, find_ways, yields
from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.heuristic import evaluation as ev
from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.costs import actions_of
from spacemission_env.games.planet_hexx.engine.stack import top

REACHES = (2, 5, 9)  # distances in steps; the best Landing within each distance is a feature
# Parts: result, the seat, its cards by type (wanted, in hand), board, opponents.
GAME_NUMBERS, OWN_NUMBERS, BOARD_NUMBERS, RIVAL_NUMBERS = 2, 19, 7 + len(REACHES), 6
OWN_AT = GAME_NUMBERS
TYPES_AT = OWN_AT + OWN_NUMBERS
BOARD_AT = TYPES_AT + 2 * c.TYPES
RIVALS_AT = BOARD_AT + BOARD_NUMBERS
FEATURES = RIVALS_AT + (c.MAX_PLAYERS - 1) * RIVAL_NUMBERS
NONE_NEAR = 4.0  # the number of Moves to a Space if no Space can be reached


@njit
def write_features(s, t, w, seat, scratch, x):
    """Write the features of a position for a seat into x, float32 (FEATURES,); scratch as for `evaluate`."""
    x[:] = 0.0
    if s.over != RUNNING:
        x[0 if s.won[seat] else 1] = 1.0
        return
    write_own_features(s, t, w, seat, scratch, x)
    write_board_features(s, t, w, seat, scratch, x)
    for k in range(1, s.num_players):
        start = RIVALS_AT + (k - 1) * RIVAL_NUMBERS
        write_rival_features(
            s, t, w, (seat + k) % int(s.num_players), scratch, x[start : start + RIVAL_NUMBERS]
        )


@njit
def write_own_features(s, t, w, seat, scratch, x):
    """Write the features of the seat's Mission File, Store, hand and turn."""
    own = x[OWN_AT:TYPES_AT]
    left, turn = ev.time_left(s, t, w, seat, scratch), ev.actions_worth(s, t, w, seat, True)
    wanted = scratch[0]
    points = board.open_points(s, seat, wanted)
    covered, saved = ev.count_hand(s, t, w, seat, wanted)
    need = t.upload_cost * points - int(s.store[seat])
    own[0] = (left - turn) / 10.0
    own[1] = np.log(max(left - turn, 0.5))
    own[2] = turn / 3.0
    own[3] = points / c.POINTS
    own[4] = covered / c.POINTS
    own[5] = (points - covered) / c.POINTS
    own[6] = saved / 3.0
    own[7] = s.store[seat] / 10.0
    own[8] = max(need, 0) / 10.0
    own[9] = max(-need, 0) / 5.0
    own[10] = s.hand_size[seat] / 6.0
    own[11] = s.active == seat
    own[12] = s.actions_left / 3.0 if s.active == seat else 0.0
    own[13] = (actions_of(s, seat) - s.actions_left) / 3.0 if s.active == seat else 0.0
    own[14] = s.bonus[seat] / 4.0
    own[15] = s.counters[seat] / 3.0
    own[16] = s.banned[seat] >> c.MOVE & 1
    own[17] = s.banned[seat] >> c.ANY & 1
    unknown = 0
    for i in range(s.hand_size[seat]):
        unknown += s.known[seat, i] == 0
    own[18] = unknown / 6.0
    for kind in range(c.TYPES):
        x[TYPES_AT + kind] = wanted[kind] / 2.0
    for i in range(s.hand_size[seat]):
        if s.known[seat, i]:
            x[TYPES_AT + c.TYPES + t.type[s.hand[seat, i]]] += 0.5


@njit
def write_board_features(s, t, w, seat, scratch, x):
    """Write the features of the ways from the seat's ship, and of the board."""
    ways = scratch[2]
    out = x[BOARD_AT:RIVALS_AT]
    here = int(s.ship[seat])
    moving = s.asked == c.STEP and top(s).seat == seat
    find_ways(s, t, here, int(s.landed[seat]), ways)
    steps = ways[0]
    space = ev.nearest_space(s, t, steps)
    out[0] = allows_upload(s, t, here)
    out[1] = (NONE_NEAR if space == c.NOWHERE else MOVES_FOR[min(int(steps[space]), FAR)]) / 3.0
    out[2] = top(s).left / 6.0 if moving else 0.0
    out[3] = moving
    out[4] = ev.data_about(s, w) / 20.0
    out[5] = s.hexes / 20.0
    out[6] = s.open_cells[c.PLAIN] / 5.0
    for i in range(s.hexes):
        cell = s.placed[i]
        if s.hex_data[cell] > 0 and 0 < steps[cell] < FAR:
            brings = yields(s, t, cell) / 3.0
            for k in range(len(REACHES)):
                if steps[cell] <= REACHES[k]:
                    out[7 + k] = max(out[7 + k], brings)


@njit
def write_rival_features(s, t, w, seat, scratch, x):
    """Write the features of an opponent: the Actions that it needs, and its public cards and Data."""
    wanted = scratch[0]
    time = ev.time_left(s, t, w, seat, scratch) - ev.actions_worth(s, t, w, seat, False)
    points = board.open_points(s, seat, wanted)
    x[0] = time / 10.0
    x[1] = np.log(max(time, 0.5))
    x[2] = points / c.POINTS
    x[3] = s.store[seat] / 10.0
    x[4] = s.hand_size[seat] / 6.0
    x[5] = s.active == seat
