"""Writes the features of a position, by planet, for the values of positions.

The source is the compact observation of the seat that moved, so no hidden piece is read, plus the pending
part of the move and, for input `afterstate_rated`, the rating by `heuristic`. Features are bytes; `SCALES`
has their factors.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np

from spacemission_agents.afterstates.network import MOST, Features, byte, placed_features, write_two_best
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.agent import NOT_RATED, Rater, new_rater, rate
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import OBSERVATION, OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.observe import observe
from spacemission_env.games.space_mission.engine.scoring import GATE_POINTS, tile_points

# The features of a move's rating: points below the best in 8ths and in 32nds; whether it is the best; whether
# it has no rating (as some top-ups); points between the best and the next in 8ths; fillers.
LOSS, LOSS_FINE, BEST, UNRATED, AHEAD = range(5)
RATED = 8
RATED_SCALES = np.array([1 / 32, 1 / 64, 1, 1, 1 / 32, 0, 0, 0], np.float32)
# A new network's logit falls by 1/30 for each point that a move is rated below the best, by 1/80 beyond 8.
RESIDUAL = (-0.05, -0.04, 0.0, -0.25, 0.0, 0.0, 0.0, 0.0)
COARSE, FINE = 8.0, 32.0


class MoveRatings(NamedTuple):
    """The heuristic's ratings of one decision, with scratch memory."""

    rater: Rater
    mask: np.ndarray  # legal moves, int8 (ACTION_COUNT,)
    flat: np.ndarray  # an observation, float32 (1, size)
    records: np.ndarray  # a view of it as an `OBSERVATION` record
    values: np.ndarray  # rating of each move in points, float64 (ACTION_COUNT,)
    best: np.ndarray  # the two highest ratings, float64 (2,)


def new_ratings() -> MoveRatings:
    flat = np.zeros((1, OBSERVATION_SIZE), np.float32)
    mask, records = np.zeros(c.ACTION_COUNT, np.int8), flat.view(OBSERVATION)[:, 0]
    return MoveRatings(new_rater(), mask, flat, records, np.zeros(c.ACTION_COUNT), np.zeros(2))


@njit
def rate_moves(s, t, ratings):
    """Rate all legal moves, even if a decision leaves some out, so that training and play agree."""
    write_mask(s, t, s.player, ratings.mask)
    observe(s, t, s.player, 1, ratings.records[0])
    rate(ratings.flat[0], ratings.mask, t, ratings.rater, ratings.values)
    write_two_best(ratings.values, NOT_RATED, ratings.best)


@njit
def write_rating(action, ratings, x):
    """Write the rating of a move into x, uint8 (RATED,)."""
    value, best, second = ratings.values[action], ratings.best[0], ratings.best[1]
    if value <= NOT_RATED:
        x[UNRATED] = 1
        return
    x[LOSS] = byte(COARSE * (best - value))
    x[LOSS_FINE] = byte(FINE * (best - value))
    if value == best:
        x[BEST] = 1
        if second > NOT_RATED:
            x[AHEAD] = byte(COARSE * (best - second))


# The pending part of a move: 0 for none, 1 to 5 cards to draw, or a look into the pile.
LOOK_TO_RESERVE, LOOK_TO_DEVELOP, LOOK_TO_DISCOVER = c.SLOTS + 1, c.SLOTS + 2, c.SLOTS + 3
PENDING = c.SLOTS + 4

OTHERS = c.MAX_PLAYERS - 1
COLOURS = 3
FACES = c.NUMBERS + 1  # 1, 2, 3, 4, joker
AWAY = c.RING // 2


# fmt: off
_PLANET, PLANET_SCALES = placed_features(
    ("numbers", c.PLANET_FEATURES, 1 / 2), ("here", 1, 1), ("away", AWAY, 1), ("ships", OTHERS, 1),
    ("stations", c.MAX_PLAYERS, 1), ("scanned", c.MAX_PLAYERS, 1), ("seen", c.MAX_PLAYERS, 1),
    ("reserved", c.MAX_PLAYERS, 1 / 2), ("left", 1, 1 / c.PILE), ("none_left", 1, 1),
    ("face_up", 1, 1 / c.PILE), ("closed", 1, 1), ("reserved_kinds", c.KINDS, 1 / 2),
    ("remembered", c.KINDS, 1 / 2), ("age", 1, 1 / 8),
    ("gone", 1, 1 / 4), ("taken", c.MAX_PLAYERS, 1 / 4), ("last_taken", c.MAX_PLAYERS, 1),
    ("taken_kinds", OTHERS * c.KINDS, 8 / 255), ("last_from", c.MAX_PLAYERS, 1),
    ("jumps", 1, 1 / 2), ("may_jump", 1, 1), ("scans", 1, 1 / 2), ("may_scan", 1, 1),
    ("lands", 2, 1 / 2), ("may_land", 1, 1), ("may_develop", 1, 1),
    ("gains", c.POINT_KINDS, 1 / 8), ("delivered", 1, 1 / 8), ("beside", 1, 0),
)
_TABLE, TABLE_SCALES = placed_features(
    ("num_players", c.MAX_PLAYERS - c.MIN_PLAYERS + 1, 1), ("start_player", c.MAX_PLAYERS, 1),
    ("actions", 3, 1), ("round", 1, 1 / 8), ("last_round", 1, 1), ("to_end", 1, 1 / 4), ("few_to_end", 4, 1),
    ("draw_pile", 1, 1 / 30), ("hand", COLOURS * FACES, 1 / 2), ("supply", c.MAX_PLAYERS, 1 / 10),
    ("gate", c.MAX_PLAYERS, 1 / 4), ("gate_points", c.MAX_PLAYERS, 1 / 4),
    ("station_count", c.MAX_PLAYERS, 1 / 2), ("hand_size", c.MAX_PLAYERS, 1 / 2),
    ("tile_total", c.MAX_PLAYERS, 1 / 8), ("discard", c.CARDS, 1),
    ("tiles", c.KINDS, 1 / 2), ("tile_points", 1, 1 / 20), ("known", c.KINDS, 1 / 4),
    ("held", OTHERS * c.KINDS, 1 / 32), ("last_actions", c.MAX_PLAYERS * c.LAST_ACTIONS * c.ACTION_KINDS, 1),
    ("last_cards", c.MAX_PLAYERS * c.LAST_ACTIONS, 1 / 3), ("pending", PENDING, 1),
    ("gain", c.POINT_KINDS, 1 / 8), ("sets", 5, 1 / 4), ("with_reserved", 1, 1 / 20),
)
# fmt: on
PLANET, TABLE = len(PLANET_SCALES), len(TABLE_SCALES)
RATINGS = c.RING * PLANET + TABLE  # first index of the rating
FEATURES = RATINGS + RATED
FEW = 4

# fmt: off
# The first index of each feature, in the order of the tables above.
(P_NUMBERS, P_HERE, P_AWAY, P_SHIPS, P_STATIONS, P_SCANNED, P_SEEN, P_RESERVED, P_LEFT, P_NONE_LEFT,
 P_FACE_UP, P_CLOSED, P_RESERVED_KINDS, P_REMEMBERED, P_AGE, P_GONE, P_TAKEN, P_LAST_TAKEN, P_TAKEN_KINDS,
 P_LAST_FROM, P_JUMPS, P_MAY_JUMP, P_SCANS, P_MAY_SCAN, P_LANDS, P_MAY_LAND, P_MAY_DEVELOP,
 P_GAINS, P_DELIVERED, P_BESIDE) = _PLANET
(T_PLAYERS, T_START, T_ACTIONS, T_ROUND, T_LAST_ROUND, T_TO_END, T_FEW, T_DRAW, T_HAND, T_SUPPLY, T_GATE,
 T_GATE_POINTS, T_STATION_COUNT, T_HAND_SIZE, T_TILE_TOTAL, T_DISCARD, T_TILES, T_TILE_POINTS, T_KNOWN,
 T_HELD, T_LAST_ACTIONS, T_LAST_CARDS, T_PENDING, T_GAIN, T_SETS, T_WITH_RESERVED) = _TABLE
# fmt: on
SIZES = Features(
    c.RING,
    PLANET_SCALES,
    TABLE_SCALES,
    RATED_SCALES,
    (P_HERE, P_BESIDE),
    ("share", "points", "lead"),
    residual=RESIDUAL,
)


@njit
def write_features(w, t, n, pending, x):
    """Write the features of an afterstate into x, uint8 (FEATURES,): planets, then the table; ratings stay 0.

    `w`: the observation of the seat that moved, a `COMPACT` record; `n`: number of players; `pending`: from
    `begin_move`.
    """
    x[:] = 0
    table = x[c.RING * PLANET : RATINGS]
    here = -1
    for p in range(c.RING):
        if w.ships[0, p]:
            here = p
    write_table(w, t, n, pending, table)
    for p in range(c.RING):
        away = 0
        if here >= 0:
            away = (p - here + c.RING) % c.RING
            away = min(away, c.RING - away)
        write_planet(w, n, p, here == p, away, table, x[p * PLANET : (p + 1) * PLANET])
        x[p * PLANET + P_BESIDE] = away == 1


@njit
def write_table(w, t, n, pending, x):
    """Write the features that belong to no planet."""
    x[T_PLAYERS + n - c.MIN_PLAYERS] = 1
    for k in range(n):
        x[T_START + k] = w.start_player[k]
    left = w.actions_left[0]
    x[T_ACTIONS + (2 if left > 2 else left)] = 1
    x[T_ROUND] = w.round_number[0]
    x[T_LAST_ROUND] = w.last_round[0]
    to_end = int(np.int64(w.space_tiles_to_end[0]) - np.int64(w.revealed[0]))
    if to_end < 0:
        to_end = 0
    x[T_TO_END] = to_end
    if 0 < to_end <= FEW:
        x[T_FEW + to_end - 1] = 1
    x[T_DRAW] = w.draw_pile_size[0]
    for i in range(c.SLOTS):
        for v in range(COLOURS * FACES):
            x[T_HAND + v] += w.hand[i, v]
    for k in range(n):
        x[T_SUPPLY + k] = w.supply[k]
        x[T_GATE + k] = w.gate[k]
        if w.gate[k] > 0 or t.gate_points_without_probe:
            rank = 0
            for j in range(n):
                rank += w.gate[j] > w.gate[k]
            x[T_GATE_POINTS + k] = GATE_POINTS[rank]
        x[T_HAND_SIZE + k] = w.hand_size[k]
        x[T_TILE_TOTAL + k] = w.tile_total[k]
        for p in range(c.RING):
            x[T_STATION_COUNT + k] += w.stations[k, p]
        for i in range(c.LAST_ACTIONS):
            for v in range(c.ACTION_KINDS):
                x[T_LAST_ACTIONS + (k * c.LAST_ACTIONS + i) * c.ACTION_KINDS + v] = w.last_actions[k, i, v]
            x[T_LAST_CARDS + k * c.LAST_ACTIONS + i] = w.last_cards[k, i]
    for card in range(c.CARDS):
        x[T_DISCARD + card] = w.discard[card]
    for kind in range(c.KINDS):
        x[T_TILES + kind] = w.tiles[kind]
        known = np.int64(w.tiles[kind])
        for p in range(c.RING):
            known += w.remembered[p, kind] + w.reserved_kinds[p, kind]
        x[T_KNOWN + kind] = known
    # Signed bytes, since a difference may be negative (SM-64).
    x[T_TILE_POINTS] = min(MOST, max(0, tile_points(w.tiles.view(np.int8))))
    write_held(w, n, x)
    write_sets(w, x)
    x[T_PENDING + pending] = 1


@njit
def write_sets(w, x):
    """Write the points for one more tile of each kind, with own reserved tiles, and the own sets."""
    tiles = np.zeros(c.KINDS, np.int64)
    for kind in range(c.KINDS):
        tiles[kind] = w.tiles[kind]
        for p in range(c.RING):
            tiles[kind] += w.reserved_kinds[p, kind]
    points = tile_points(tiles)
    x[T_WITH_RESERVED] = min(MOST, max(0, points))
    for kind in range(c.POINT_KINDS):
        tiles[kind] += 1
        x[T_GAIN + kind] = min(MOST, tile_points(tiles) - points)
        tiles[kind] -= 1
    x[T_SETS] = tiles[c.MINERAL : c.ALIEN].sum()
    x[T_SETS + 1] = tiles[c.MINERAL : c.ALIEN].max()
    x[T_SETS + 2] = tiles[c.ALIEN : c.MATTER_GREEN].sum()
    x[T_SETS + 3] = tiles[c.ALIEN : c.MATTER_GREEN].max()
    x[T_SETS + 4] = min(tiles[c.MATTER_GREEN], tiles[c.MATTER_BLUE])


@njit
def write_held(w, n, x):
    """Write the mean numbers of tiles that others collected from developed planets, in 32nds."""
    for p in range(c.RING):
        developed = 0
        for k in range(n):
            developed |= w.stations[k, p]
        if developed:
            for k in range(n - 1):
                for kind in range(c.KINDS):
                    sum_ = np.int64(x[T_HELD + k * c.KINDS + kind]) + w.taken_kinds[k, p, kind]
                    x[T_HELD + k * c.KINDS + kind] = min(MOST, sum_)


@njit
def write_planet(w, n, p, here, away, table, x):
    """Write the features of one planet; `away`: steps from the own ship."""
    x[P_HERE] = here
    if away > 0:
        x[P_AWAY + away - 1] = 1
    for v in range(c.PLANET_FEATURES):
        x[P_NUMBERS + v] = w.planets[p, v]
    open_ = True
    for k in range(n):
        if k > 0:
            x[P_SHIPS + k - 1] = w.ships[k, p]
        x[P_STATIONS + k] = w.stations[k, p]
        open_ &= w.stations[k, p] == 0
        x[P_SCANNED + k] = w.scanned[k, p]
        x[P_SEEN + k] = w.seen[k, p]
        x[P_RESERVED + k] = w.reserved[k, p]
        x[P_TAKEN + k] = w.taken[k, p]
        x[P_LAST_TAKEN + k] = w.last_taken[k, p]
        x[P_LAST_FROM + k] = w.last_from[k, p]
    x[P_LEFT] = w.tiles_left[p]
    x[P_NONE_LEFT] = w.tiles_left[p] == 0
    x[P_FACE_UP] = w.face_up[p]
    x[P_CLOSED] = (w.tiles_left[p] == 0) | (w.face_up[p] > 0)
    for kind in range(c.KINDS):
        x[P_RESERVED_KINDS + kind] = w.reserved_kinds[p, kind]
        x[P_REMEMBERED + kind] = w.remembered[p, kind]
    for k in range(n - 1):
        for kind in range(c.KINDS):
            x[P_TAKEN_KINDS + k * c.KINDS + kind] = w.taken_kinds[k, p, kind]
    write_gains(w, p, table, x)
    x[P_AGE] = w.remembered_age[p]
    x[P_GONE] = w.gone_since[p]
    write_cards(w, p, open_, table[T_HAND : T_HAND + COLOURS * FACES], x)


@njit
def write_gains(w, p, table, x):
    """Write the points for remembered tiles there and for own reserved tiles."""
    any_reserved = False
    for kind in range(c.KINDS):
        any_reserved |= w.reserved_kinds[p, kind] > 0
        if kind < c.POINT_KINDS and w.remembered[p, kind] > 0:
            x[P_GAINS + kind] = table[T_GAIN + kind]
    if any_reserved:
        tiles = np.zeros(c.KINDS, np.int64)
        for kind in range(c.KINDS):
            tiles[kind] = np.int64(w.tiles[kind]) + np.int64(w.reserved_kinds[p, kind])
        more = tile_points(tiles) - tile_points(w.tiles.view(np.int8))
        x[P_DELIVERED] = min(MOST, max(0, more))


@njit
def write_cards(w, p, open_, hand, x):
    """Write how the own cards serve the planet: jump, scan, each landing number, both landing numbers."""
    jumps, scans = np.int64(hand[c.NUMBERS]), np.int64(hand[FACES + c.NUMBERS])
    first, second = -1, -1
    for v in range(c.NUMBERS):
        if w.planets[p, v]:
            jumps += hand[v]
        if w.planets[p, c.NUMBERS + v]:
            scans += hand[FACES + v]
        for _ in range(w.planets[p, 2 * c.NUMBERS + v]):
            if first < 0:
                first = v
            else:
                second = v
    x[P_JUMPS] = jumps
    x[P_MAY_JUMP] = jumps > 0
    x[P_SCANS] = scans
    x[P_MAY_SCAN] = open_ and scans > 0
    serve_first, serve_second, both, either = 0, 0, 0, 0
    for i in range(c.SLOTS):
        joker = w.hand[i, 2 * FACES + c.NUMBERS]
        a = w.hand[i, 2 * FACES + first] | joker
        b = w.hand[i, 2 * FACES + second] | joker
        serve_first += a
        serve_second += b
        both += a & b
        either += a | b
    x[P_LANDS] = serve_first
    x[P_LANDS + 1] = serve_second
    # Two different cards, one for each number (Hall's condition).
    lands = serve_first > 0 and serve_second > 0 and either > 1
    x[P_MAY_LAND] = open_ and lands
    x[P_MAY_DEVELOP] = open_ and lands and w.scanned[0, p] == 1


def kind_places(order: np.ndarray) -> np.ndarray:
    """The source of each feature after a permutation of tile kinds: int64 (FEATURES,).

    `order`: for each kind, the kind that takes its place, int (KINDS,).
    """
    places = np.arange(FEATURES)
    pieces = [
        p * PLANET + at + k * c.KINDS
        for p in range(c.RING)
        for at, rows in ((P_RESERVED_KINDS, 1), (P_REMEMBERED, 1), (P_TAKEN_KINDS, OTHERS))
        for k in range(rows)
    ]
    for start in [p * PLANET + P_GAINS for p in range(c.RING)] + [c.RING * PLANET + T_GAIN]:
        places[start : start + c.POINT_KINDS] = start + order[: c.POINT_KINDS]
    pieces += [c.RING * PLANET + at for at in (T_TILES, T_KNOWN)]
    pieces += [c.RING * PLANET + T_HELD + k * c.KINDS for k in range(OTHERS)]
    for start in pieces:
        places[start : start + c.KINDS] = start + order
    return places


def kind_turns(parameters: np.ndarray) -> list[np.ndarray]:
    """The sources of the features in each symmetric form of the kinds (`kind_places`).

    `parameters`: of the game, (1,); all colours of minerals, aliens and matter count alike (SM-63, SM-64).
    """
    tile_count, turns = parameters[0]["tile_count"], []
    for minerals in permutations(range(c.MINERAL, c.ALIEN)):
        for aliens in permutations(range(c.ALIEN, c.MATTER_GREEN)):
            for matter in permutations(range(c.MATTER_GREEN, c.WATER)):
                order = [*minerals, *aliens, *matter, *range(c.WATER, c.KINDS)]
                if (tile_count[order] == tile_count).all():
                    turns.append(kind_places(np.array(order)))
    return turns


SCALES = np.concatenate([np.tile(PLANET_SCALES, c.RING), TABLE_SCALES, RATED_SCALES])
