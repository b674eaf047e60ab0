"""What the value of positions reads: each seat's own side, the planets as the seat has them, and the table.

All of it is of the full state but for the order of the draw pile: the observer of `draws.py` sees all hands
and all piles.
"""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.leaf import SIDE as LEAF_SIDE
from spacemission_agents.games.space_mission.search.leaf import TABLE as LEAF_TABLE
from spacemission_agents.games.space_mission.search.leaf import (
    card_numbers,
    count_bits,
    side_features,
    table_features,
)
from spacemission_agents.games.space_mission.search.light import can_land, develop_value
from spacemission_env.games.space_mission.engine.constants import (
    NOWHERE,
    NUMBERS,
    PILE,
    POINT_KINDS,
    RING,
    SPACE,
)
from spacemission_env.games.space_mission.engine.legal import may_scan_here
from spacemission_env.games.space_mission.engine.rules import point_tiles

HELD = LEAF_SIDE + 3 * NUMBERS  # where the tiles by kind begin
SIDE = HELD + POINT_KINDS + 3 + LEAF_TABLE  # of one seat, with the table as it lies to the seat
PLANET = 24  # of one planet, as a seat has it


@njit
def seat_features(s, t, seat, pending, v, scores, x, planets):
    """Write the features of a seat: x float32 (SIDE,), planets float32 (RING, PLANET); scaled to about 1.

    `pending`: cards that the player to act is still to draw. `v`: a `light.VIEW`, scratch. `scores`: of the
    state.
    """
    side_features(s, t, seat, v, scores, x[:LEAF_SIDE])
    card_numbers(v, x[LEAF_SIDE:])
    for k in range(POINT_KINDS):
        x[HELD + k] = v.held[k] / 4.0
    at = HELD + POINT_KINDS
    x[at] = s.player == seat
    x[at + 1] = pending / 5.0 if s.player == seat else 0.0
    x[at + 2] = s.phase / 4.0 if s.player == seat else 0.0
    table_features(s, t, seat, x[at + 3 :])
    for p in range(RING):
        planet_features(s, t, seat, p, v, planets[p])


@njit
def planet_features(s, t, seat, p, v, x):
    """Write the features of one planet for a seat, float32 (PLANET,); `v` as `side_features` left it."""
    planet = s.ring[p]
    here = int(s.ship[seat])
    open_ = s.station[p] == NOWHERE
    away = 0
    if here != NOWHERE:
        away = (p - here + RING) % RING
        away = min(away, RING - away)
    landing = can_land(s, t, v, p, 0)
    scanned = s.scanned[seat, p] == 1
    others, rivals = 0, 0
    for j in range(s.num_players):
        if j != seat:
            others += s.reserved[j, p]
            rivals += s.scanned[j, p]
    count = point_tiles(s, p)
    x[0] = v.best[p] / 10.0
    x[1] = v.second[p] / 10.0
    x[2] = not open_
    x[3] = s.station[p] == seat
    x[4] = open_ and scanned
    x[5] = s.reserved[seat, p] / 3.0
    x[6] = develop_value(s, seat, v, p) / 20.0 if open_ else 0.0
    x[7] = count_bits(v.jumpers[t.planet_jump[planet]]) / 3.0
    x[8] = v.jumpers[t.planet_jump[planet]] != 0
    x[9] = open_ and v.scanners[t.planet_scan[planet]] != 0
    x[10] = open_ and landing
    x[11] = open_ and scanned and landing
    x[12] = open_ and v.landers[t.planet_landing[planet, 0]] != 0
    x[13] = open_ and v.landers[t.planet_landing[planet, 1]] != 0
    x[14] = here == p
    x[15] = here != NOWHERE and away == 1
    x[16] = away / 4.0
    x[17] = count / PILE
    x[18] = s.pile[p, SPACE] / PILE
    x[19] = others / 3.0
    x[20] = open_ and rivals > 0
    x[21] = s.face_up[p]
    x[22] = s.looked[seat, p] != NOWHERE
    x[23] = here == p and open_ and s.face_up[p] == 0 and may_scan_here(s, t) if s.player == seat else 0.0
