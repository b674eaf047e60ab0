"""How long the game is expected to last, and who is ahead."""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.sets import set_value
from spacemission_agents.games.space_mission.observed import (
    LAST_ROUND,
    MAX_ROUNDS,
    RESERVED,
    REVEALED,
    ROUND,
    STATIONS_AT,
    TILE_TOTAL,
    TO_END,
    count,
)
from spacemission_env.games.space_mission.engine.constants import PILE, RING, SPACE_TILES, TILES
from spacemission_env.games.space_mission.engine.layout import MOST_ROUNDS
from spacemission_env.games.space_mission.engine.scoring import STATION_POINTS, gate_points

HALF_GAME = 5.0  # rounds
LONG, LONGEST = 20, 40  # rounds: from the first on, ending the game behind is less and less avoided
TILE_WORTH = 3.0  # points of a tile that another receives


@njit
def read_time(o, w, b):
    """SM-50, SM-51, SM-53: how many rounds are expected to follow, and the odds of another own turn."""
    limit = count(o[MAX_ROUNDS], MOST_ROUNDS)
    this_round = count(o[ROUND], limit)
    rounds_left = limit - this_round
    b.patience = max(0.0, min(1.0, (LONGEST - this_round) / LONG))
    b.space_gap = count(o[TO_END], SPACE_TILES) - count(o[REVEALED], SPACE_TILES)
    b.last = o[LAST_ROUND] > 0 or rounds_left <= 0
    if b.last:
        b.rounds = 0.0
        b.survival = 0.0
        b.youth = 0.0
        b.action_cost = w.action_cost
        return
    b.rounds = min(float(rounds_left), tiles_to_end(w, b) / (b.num_players * b.tile_rate))
    b.survival = b.rounds / (b.rounds + w.hazard)
    b.youth = min(1.0, b.rounds / HALF_GAME)
    b.action_cost = w.action_cost + w.action_late * (1.0 - b.youth)


@njit
def tiles_to_end(w, b):
    """Point tiles to be taken until enough space tiles are revealed, the nearest piles first."""
    gap = b.space_gap
    tiles = 0.0
    done = b.closed
    while gap > 0.0 and done != (1 << RING) - 1:
        nearest = -1
        shortest = 1e9
        for p in range(RING):
            if not done >> p & 1:
                length = b.points[p] * (1.0 if b.developed >> p & 1 else w.closed_pile)
                if length < shortest:
                    nearest = p
                    shortest = length
        done |= 1 << nearest
        share = 1.0 if b.spaces[nearest] <= gap else gap / b.spaces[nearest]
        tiles += shortest * (0.5 + 0.5 * share)
        gap -= b.spaces[nearest]
    return tiles


@njit
def read_gifts(o, w, b):
    """SM-41: what developing a planet delivers to the others; in the last turn nobody else would."""
    each = TILE_WORTH if b.last else w.gift
    for p in range(RING):
        b.gift[p] = 0.0
        for k in range(1, b.num_players):
            b.gift[p] += each * count(o[RESERVED + k * RING + p], PILE) / (b.num_players - 1)


@njit
def read_lead(o, w, b):
    """The own score as it stands, less the estimate of the best other's."""
    best = -1e9
    for k in range(1, b.num_players):
        tiles = count(o[TILE_TOTAL + k], TILES)
        value = w.tile_points * tiles + w.tile_growth * tiles * tiles + open_points(o, b, k)
        best = max(best, value)
    b.lead = set_value(b.tiles) + open_points(o, b, 0) - best - w.end_margin
    b.hurry = w.hurry * max(-1.0, min(1.0, b.lead / 10.0))


@njit
def open_points(o, b, k):
    """SM-60, SM-62: gate and stations of a relative seat."""
    points = gate_points(b.gate, b.num_players, k, b.without_probe)
    for p in range(RING):
        if o[STATIONS_AT + k * RING + p] > 0:
            points += STATION_POINTS
    return points
