"""What a seat knows of a position (`known.py`) as the numbers that the network of `judge.py` reads."""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.known import (
    OWN,
    RIVAL,
    TABLE,
    estimate_of,
    know_piles,
    strongest_rival,
)
from spacemission_agents.games.space_mission.search.leaf import (
    card_numbers,
    count_bits,
    side_numbers,
)
from spacemission_agents.games.space_mission.search.light import (
    can_land,
    develop_value,
    own_gains,
    read_hand,
)
from spacemission_env.games.space_mission.engine.constants import (
    CARDS,
    NOWHERE,
    OVER,
    PILE,
    POINT_KINDS,
    RING,
    TOTAL,
)
from spacemission_env.games.space_mission.engine.rules import is_closed, tiles_left
from spacemission_env.games.space_mission.engine.scoring import gate_points, score_seat, tile_points


@njit
def known_features(s, t, me, known):
    """Write the features of a position, as a seat knows it, into `known.x` and `known.planets`."""
    v = known.views[0]
    own_gains(s, me, v)
    read_hand(s, t, me, v)
    know_piles(s, t, me, known)
    score_seat(s, t, me, known.scores)
    own_features(s, t, me, known, known.x[:OWN])
    rival, ahead, mean = strongest_rival(s, t, me, known)
    estimate = rival_features(s, t, me, rival, known, known.x[OWN : OWN + RIVAL])
    x = known.x[OWN + RIVAL :]
    table_features(s, t, me, known, x)
    x[15] = (known.scores[TOTAL] - estimate) / 20.0
    x[16] = ahead / 2.0
    x[17] = (known.scores[TOTAL] - mean) / 20.0
    for p in range(RING):
        planet_features(s, t, me, rival, p, known, known.planets[p])


@njit
def own_features(s, t, me, known, x):
    """The own side, scaled to about 1."""
    v = known.views[0]
    side_numbers(s, t, me, v, known.scores, x)
    x[22] = s.ship[me] == NOWHERE
    x[23] = tile_points(v.held) / 40.0
    for k in range(POINT_KINDS):
        x[24 + k] = v.held[k] / 4.0
    card_numbers(v, x[24 + POINT_KINDS :])


@njit
def rival_features(s, t, me, j, known, x):
    """What is known of another seat; returns the estimate of its points."""
    estimate = estimate_of(s, t, me, j, known)
    stations, waiting, reserved, count = 0, 0, 0, 0
    for p in range(RING):
        stations += s.station[p] == j
        waiting += s.station[p] == NOWHERE and s.scanned[j, p] == 1
        reserved += s.reserved[j, p]
        count += s.took[j, p]
    k_count = 0
    for k in range(POINT_KINDS):
        x[14 + k] = known.rest[k] / 4.0
        k_count += known.rest[k]
    x[0] = estimate / 50.0
    x[1] = gate_points(s.gate, s.num_players, j, t.gate_points_without_probe) / 9.0
    x[2] = s.gate[j] / 8.0
    x[3] = stations / 4.0
    x[4] = waiting / 3.0
    x[5] = reserved / 4.0
    x[6] = count / 12.0
    x[7] = (count - k_count) / 8.0
    x[8] = tile_points(known.rest) / 40.0
    x[9] = s.hand_size[j] / 5.0
    x[10] = min(int(s.supply[j]), 6) / 6.0
    x[11] = s.ship[j] == NOWHERE
    x[12] = s.ship[j] != NOWHERE and s.station[s.ship[j]] == NOWHERE and s.scanned[j, s.ship[j]] == 1
    x[13] = (s.gate[me] - s.gate[j]) / 3.0
    return estimate


@njit
def table_features(s, t, me, known, x):
    """The table, and whose turn it is."""
    n = int(s.num_players)
    for i in range(TABLE):
        x[i] = 0.0
    x[n - 2] = 1.0
    x[4] = (int(t.space_tiles_to_end[n]) - int(s.revealed)) / 6.0
    x[5] = s.last_round
    x[6] = s.round_number / 16.0
    x[7] = ((me - int(s.player) + n) % n) / 4.0  # turns until its own
    x[8] = ((me - int(s.start_player) + n) % n) / 4.0  # turns before its own in a round
    x[9] = s.actions_left / 2.0
    fewest = float(PILE)
    for p in range(RING):
        count = known.points[p]
        if s.station[p] != NOWHERE:
            x[10] += count / 20.0
            if not is_closed(s, p) and count < fewest:
                fewest = count
                x[13] = (
                    tiles_left(s, p) - count
                ) / 4.0  # space tiles that the pile nearest to its end would show
        else:
            x[11] += count / 40.0
    x[12] = fewest / PILE
    x[14] = s.player == me
    x[18] = s.phase == OVER
    x[19] = s.draw_size / CARDS


@njit
def planet_features(s, t, me, rival, p, known, x):
    """One planet as the seat has it."""
    v = known.views[0]
    planet = s.ring[p]
    here = int(s.ship[me])
    open_ = s.station[p] == NOWHERE
    scanned = s.scanned[me, p] == 1
    landing = can_land(s, t, v, p, 0)
    looked = int(s.looked[me, p])
    others, rivals = 0, 0
    for j in range(s.num_players):
        if j != me:
            others += s.reserved[j, p]
            rivals += s.scanned[j, p]
    x[0] = v.best[p] / 10.0
    x[1] = v.second[p] / 10.0
    x[2] = not open_
    x[3] = is_closed(s, p)
    x[4] = open_ and scanned
    x[5] = s.reserved[me, p] / 3.0
    x[6] = develop_value(s, me, v, p) / 20.0 if open_ else 0.0
    x[7] = count_bits(v.jumpers[t.planet_jump[planet]]) / 3.0
    x[8] = v.jumpers[t.planet_jump[planet]] != 0
    x[9] = open_ and s.face_up[p] == 0 and v.scanners[t.planet_scan[planet]] != 0
    x[10] = open_ and landing
    x[11] = open_ and scanned and landing
    x[12] = open_ and v.landers[t.planet_landing[planet, 0]] != 0
    x[13] = open_ and v.landers[t.planet_landing[planet, 1]] != 0
    x[14] = here == p
    x[15] = here != NOWHERE and near(p, here)
    x[16] = known.points[p] / PILE
    x[17] = (tiles_left(s, p) - known.points[p]) / PILE if s.face_up[p] == 0 else 0.0
    x[18] = others / 3.0
    x[19] = open_ and rivals > 0
    x[20] = looked != NOWHERE
    x[21] = (s.taken[p] - max(looked, 0)) / 4.0
    x[22] = s.ship[rival] == p
    x[23] = s.ship[rival] != NOWHERE and near(p, int(s.ship[rival]))


@njit
def near(p, q):
    """Whether two ring positions are neighbours."""
    away = (p - q + RING) % RING
    return away == 1 or away == RING - 1
