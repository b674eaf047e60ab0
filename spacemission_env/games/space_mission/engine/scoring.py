"""Scores a table and pays the rewards (SM-60 to SM-67)."""

from __future__ import annotations

from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.compiled import njit

GATE_POINTS = (9, 6, 3, 1, 0)  # SM-60
WATER_POINTS = (0, 2, 5, 9, 14)  # SM-65
STATION_POINTS = 3
MEDAL_POINTS = 3
PAIR_POINTS = 7
SINGLE_POINTS = 2
SPACE_POINTS = -10


@njit
def gate_points(gate, num_players, seat, without_probe):
    """SM-60, SM-61: points by rank in probes; tied seats get the better rank; the next ranks are skipped."""
    if gate[seat] == 0 and not without_probe:
        return 0
    rank = 0
    for j in range(num_players):
        rank += gate[j] > gate[seat]
    return GATE_POINTS[rank]


@njit
def square_points(tiles, first, colours):
    """SM-63: the number of tiles times the number of tiles of the most frequent colour."""
    total = 0
    most = 0
    for k in range(first, first + colours):
        total += tiles[k]
        most = max(most, int(tiles[k]))
    return total * most


@njit
def mineral_points(tiles):
    """SM-63: the points of minerals."""
    return square_points(tiles, c.MINERAL, 4)


@njit
def alien_points(tiles):
    """SM-63: the points of aliens."""
    return square_points(tiles, c.ALIEN, 2)


@njit
def matter_points(tiles):
    """SM-64: 7 for each pair of two colours, 2 for each single tile."""
    green = int(tiles[c.MATTER_GREEN])
    blue = int(tiles[c.MATTER_BLUE])
    return PAIR_POINTS * min(green, blue) + SINGLE_POINTS * abs(green - blue)


@njit
def water_points(tiles):
    """SM-65: 14 for each four tiles; `WATER_POINTS` for the one to three tiles left."""
    count = int(tiles[c.WATER])
    return WATER_POINTS[4] * (count // 4) + WATER_POINTS[count % 4]


@njit
def tile_points(tiles):
    """The points of collected tiles (SM-63 to SM-66)."""
    return (
        mineral_points(tiles)
        + alien_points(tiles)
        + matter_points(tiles)
        + water_points(tiles)
        + MEDAL_POINTS * int(tiles[c.MEDAL])
        + SPACE_POINTS * int(tiles[c.SPACE])
    )


@njit
def score_seat(s, t, seat, scores):
    """Write one seat's present scores by the categories of `constants.SCORE_NAMES`."""
    tiles = s.tiles[seat]
    stations = 0
    for p in range(c.RING):
        stations += s.station[p] == seat
    scores[c.GATE] = gate_points(s.gate, s.num_players, seat, t.gate_points_without_probe)
    scores[c.STATIONS] = STATION_POINTS * stations  # SM-62
    scores[c.MINERALS] = mineral_points(tiles)
    scores[c.ALIENS] = alien_points(tiles)
    scores[c.MATTER] = matter_points(tiles)
    scores[c.WATERS] = water_points(tiles)
    scores[c.MEDALS] = MEDAL_POINTS * int(tiles[c.MEDAL])  # SM-65
    scores[c.SPACES] = SPACE_POINTS * int(tiles[c.SPACE])  # SM-66
    total = 0
    for i in range(c.SCORES - 1):
        total += scores[i]
    scores[c.TOTAL] = total


@njit
def score(s, t, scores):
    """Write the scores of all seats: int, shape (seats, 9)."""
    for j in range(s.num_players):
        score_seat(s, t, j, scores[j])


@njit
def rank_number(scores, seat):
    """The rank order of SM-67 as one number: the total, then the stations; larger is better."""
    return scores[seat, c.TOTAL] * 1000 + scores[seat, c.STATIONS]


@njit
def best_other(scores, num_players, seat):
    """The highest total of the other seats."""
    best = -1000000
    for j in range(num_players):
        if j != seat:
            best = max(best, int(scores[j, c.TOTAL]))
    return best


@njit
def margin(scores, num_players, seat):
    """The score margin, which is also a reward: (own total - best other total) / 100."""
    return (scores[seat, c.TOTAL] - best_other(scores, num_players, seat)) / 100.0
