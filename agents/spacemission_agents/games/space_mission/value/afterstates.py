"""Declares the afterstates of Space Mission and their features, by planet.

The afterstate of a move that reveals something is the position just before that: for a top-up, before the
first draw; for scan, develop and discover, before the look into the pile. It is the same for all states of
the seat's information set, so no determinization is needed.

The features come from the compact observation of the seat that moved, which has no hidden piece, and from the
pending part of the move; input `afterstate_rated` also has the rating by `heuristic`. Each planet has a row
of features, and the table has all others. Features are bytes; `SCALES` has their factors.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import NamedTuple

import numpy as np

from spacemission_agents.afterstates.moves import bind_afterstates
from spacemission_agents.afterstates.network import MOST, Features, byte, placed_features, write_two_best
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.agent import (
    NOT_RATED,
    RATED_TOP_UPS,
    Rater,
    new_rater,
    rate,
)
from spacemission_env.core.rng import next32
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import rules
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.observe import observe_compact
from spacemission_env.games.space_mission.engine.scoring import best_other, tile_points
from spacemission_env.games.space_mission.facts import (
    FACES,
    FACTS,
    bits_set,
    pair_left,
    read_facts,
    reserved_points,
)
from spacemission_env.games.space_mission.spec import SPEC

TILT = 1.75  # close to the exponent for which the true states are likeliest (studies/notes/search.md)
POINTS_UNIT, MARGIN_UNIT = 50.0, 30.0  # points that an output of 1 stands for


@njit
def begin_move(s, t, action):
    """Make a legal move up to its afterstate; return a code of its pending part."""
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
        return 0 if rules.is_closed(s, t, p) else LOOK_TO_RESERVE
    if action < c.DISCOVER:
        rules.build_station(s, t, rules.pair_bits(action - c.DEVELOP))
        return 0 if rules.is_closed(s, t, p) else LOOK_TO_DEVELOP
    return LOOK_TO_DISCOVER


# The features of a move's rating are LOSS and LOSS_FINE, the points below the best move, in 8ths and 32nds;
# BEST, whether it is the best; UNRATED, whether the move has no rating (as some top-ups); AHEAD, by how many
# points the best is ahead of the next, in 8ths; and fillers.
LOSS, LOSS_FINE, BEST, UNRATED, AHEAD = range(5)
RATED = 8
RATED_SCALES = np.array([1 / 32, 1 / 64, 1, 1, 1 / 32, 0, 0, 0], np.float32)
# The logit of a new policy's critic falls by 1/30 for each point below the best move, beyond 8 by 1/80.
RESIDUAL = (-0.05, -0.04, 0.0, -0.25, 0.0, 0.0, 0.0, 0.0)
COARSE, FINE = 8.0, 32.0


class MoveRatings(NamedTuple):
    """The heuristic's ratings of one decision, with scratch memory."""

    rater: Rater
    mask: np.ndarray  # legal moves, int8 (ACTION_COUNT,)
    seen: np.ndarray  # a compact observation, (1,)
    means: np.ndarray  # scratch of `observe_compact`, (1,)
    values: np.ndarray  # rating of each move in points, float64 (ACTION_COUNT,)
    best: np.ndarray  # the two highest ratings, float64 (2,)


def new_ratings() -> MoveRatings:
    seen = np.zeros(1, COMPACT), np.zeros(1, OBSERVATION)
    mask, values = np.zeros(c.ACTION_COUNT, np.int8), np.zeros(c.ACTION_COUNT)
    return MoveRatings(new_rater(), mask, *seen, values, np.zeros(2))


@njit
def rate_moves(s, t, ratings):
    """Rate all legal moves, even if the caller's mask allows only some, so that training and play agree."""
    write_mask(s, t, s.player, ratings.mask)
    observe_compact(s, t, s.player, 1, ratings.seen[0], ratings.means)
    rate(ratings.seen[0], ratings.mask, t, ratings.rater, RATED_TOP_UPS, ratings.values)
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


# Codes for the pending part of a move: 0 for none, 1 to 5 for cards to draw, then looks into the pile.
LOOK_TO_RESERVE, LOOK_TO_DEVELOP, LOOK_TO_DISCOVER = c.SLOTS + 1, c.SLOTS + 2, c.SLOTS + 3
PENDING = c.SLOTS + 4

OTHERS = c.MAX_PLAYERS - 1
COLOURS = len(c.COLOURS)
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
SCALES = np.concatenate([np.tile(PLANET_SCALES, c.RING), TABLE_SCALES, RATED_SCALES])
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
def write_features(s, t, seat, pending, scratch, x):
    """Write the features of an afterstate into x, uint8 (FEATURES,): planets, then the table; ratings stay 0.

    `pending`: from `begin_move`.
    """
    o, f = scratch.seen[0], scratch.facts[0]
    observe_compact(s, t, seat, 1, o, scratch.means)
    read_facts(o, t, f)
    x[:] = 0
    table = x[c.RING * PLANET : RATINGS]
    write_table(o, f, pending, table)
    for p in range(c.RING):
        write_planet(o, f, p, table, x[p * PLANET : (p + 1) * PLANET])


@njit
def write_standing(s, t, seat, reads_ratings, scratch, x):
    """Write the features of a position for any seat, at the end of its turn or during it, into x.

    The move that led to the position is unknown, so the position gets the features of the best rating.
    """
    scratch.tried[0] = s
    w = scratch.tried[0]
    if w.player != seat or w.actions_left >= t.actions_per_turn:
        w.player, w.actions_left = seat, 0
    w.phase = c.ACTION
    write_features(w, t, seat, 0, scratch, x)
    if reads_ratings:
        x[RATINGS + BEST] = 1


@njit
def write_table(o, f, pending, x):
    """Write the features that belong to no planet; `o`: a `COMPACT` record, `f`: its `FACTS`."""
    x[T_PLAYERS + f.num_players - c.MIN_PLAYERS] = 1
    x[T_START + f.start] = 1
    left = o.actions_left[0]
    x[T_ACTIONS + (2 if left > 2 else left)] = 1
    x[T_ROUND] = o.round_number[0]
    x[T_LAST_ROUND] = o.last_round[0]
    to_end = max(0, int(np.int64(o.space_tiles_to_end[0]) - np.int64(o.revealed[0])))
    x[T_TO_END] = to_end
    if 0 < to_end <= FEW:
        x[T_FEW + to_end - 1] = 1
    x[T_DRAW] = o.draw_pile_size[0]
    for i in range(c.SLOTS):
        for v in range(COLOURS * FACES):
            x[T_HAND + v] += o.hand[i, v]
    for p in range(c.RING):
        if f.owner[p] != c.NOWHERE:
            x[T_STATION_COUNT + f.owner[p]] += 1
    for k in range(f.num_players):
        x[T_SUPPLY + k] = o.supply[k]
        x[T_GATE + k] = o.gate[k]
        x[T_GATE_POINTS + k] = f.gate_points[k]
        x[T_HAND_SIZE + k] = o.hand_size[k]
        x[T_TILE_TOTAL + k] = o.tile_total[k]
        for i in range(c.LAST_ACTIONS):
            for v in range(c.ACTION_KINDS):
                x[T_LAST_ACTIONS + (k * c.LAST_ACTIONS + i) * c.ACTION_KINDS + v] = o.last_actions[k, i, v]
            x[T_LAST_CARDS + k * c.LAST_ACTIONS + i] = o.last_cards[k, i]
    for card in range(c.CARDS):
        x[T_DISCARD + card] = o.discard[card]
    for kind in range(c.KINDS):
        x[T_TILES + kind] = f.tiles[kind]
        known = f.held[kind]
        for p in range(c.RING):
            known += o.remembered[p, kind]
        x[T_KNOWN + kind] = known
    x[T_TILE_POINTS] = min(MOST, max(0, tile_points(f.tiles)))
    write_held(o, f, x)
    write_sets(f, x)
    x[T_PENDING + pending] = 1


@njit
def write_sets(f, x):
    """Write the gain of one more tile of each kind, and the seat's sets, with its reserved tiles included."""
    x[T_WITH_RESERVED] = min(MOST, max(0, tile_points(f.held)))
    for kind in range(c.POINT_KINDS):
        x[T_GAIN + kind] = min(MOST, int(f.gains[kind]))
    minerals, aliens = f.held[c.MINERAL : c.ALIEN], f.held[c.ALIEN : c.MATTER_GREEN]
    x[T_SETS], x[T_SETS + 1] = minerals.sum(), minerals.max()
    x[T_SETS + 2], x[T_SETS + 3] = aliens.sum(), aliens.max()
    x[T_SETS + 4] = min(f.held[c.MATTER_GREEN], f.held[c.MATTER_BLUE])


@njit
def write_held(o, f, x):
    """Write the expected numbers of tiles that others collected from developed planets, in 32nds."""
    for p in range(c.RING):
        if f.developed >> p & 1:
            for k in range(f.num_players - 1):
                for kind in range(c.KINDS):
                    sum_ = np.int64(x[T_HELD + k * c.KINDS + kind]) + o.taken_kinds[k, p, kind]
                    x[T_HELD + k * c.KINDS + kind] = min(MOST, sum_)


@njit
def write_planet(o, f, p, table, x):
    """Write the features of one planet."""
    x[P_HERE] = f.here == p
    if f.here != p and f.here != c.NOWHERE:
        away = (p - f.here + c.RING) % c.RING
        away = min(away, c.RING - away)
        x[P_AWAY + away - 1] = 1
        x[P_BESIDE] = away == 1
    for v in range(c.PLANET_FEATURES):
        x[P_NUMBERS + v] = o.planets[p, v]
    for k in range(f.num_players):
        if k > 0:
            x[P_SHIPS + k - 1] = o.ships[k, p]
        x[P_STATIONS + k] = o.stations[k, p]
        x[P_SCANNED + k] = o.scanned[k, p]
        x[P_SEEN + k] = o.seen[k, p]
        x[P_RESERVED + k] = o.reserved[k, p]
        x[P_TAKEN + k] = o.taken[k, p]
        x[P_LAST_TAKEN + k] = o.last_taken[k, p]
        x[P_LAST_FROM + k] = o.last_from[k, p]
    x[P_LEFT] = o.tiles_left[p]
    x[P_NONE_LEFT] = o.tiles_left[p] == 0
    x[P_FACE_UP] = o.face_up[p]
    x[P_CLOSED] = f.closed >> p & 1
    any_reserved = False
    for kind in range(c.KINDS):
        x[P_RESERVED_KINDS + kind] = o.reserved_kinds[p, kind]
        x[P_REMEMBERED + kind] = o.remembered[p, kind]
        any_reserved |= o.reserved_kinds[p, kind] > 0
        if kind < c.POINT_KINDS and o.remembered[p, kind] > 0:
            x[P_GAINS + kind] = table[T_GAIN + kind]
    if any_reserved:
        x[P_DELIVERED] = min(MOST, max(0, reserved_points(o, f.tiles, p)))
    for k in range(f.num_players - 1):
        for kind in range(c.KINDS):
            x[P_TAKEN_KINDS + k * c.KINDS + kind] = o.taken_kinds[k, p, kind]
    x[P_AGE] = o.remembered_age[p]
    x[P_GONE] = o.gone_since[p]
    write_cards(f, p, x)


@njit
def write_cards(f, p, x):
    """Write what the seat's cards can do at the planet: jump, scan, serve each or both landing numbers."""
    is_open, first, second = f.owner[p] == c.NOWHERE, f.first_landers[p], f.second_landers[p]
    lands = pair_left(first, second)
    x[P_JUMPS], x[P_SCANS] = bits_set(f.jumpers[p]), bits_set(f.scanners[p])
    x[P_MAY_JUMP] = f.jumpers[p] != 0
    x[P_MAY_SCAN] = is_open and f.scanners[p] != 0
    x[P_LANDS], x[P_LANDS + 1] = bits_set(first), bits_set(second)
    x[P_MAY_LAND] = is_open and lands
    x[P_MAY_DEVELOP] = is_open and lands and f.scanned >> p & 1


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
    """The sources of the features (`kind_places`) for each permutation of kinds that keeps the game the same.

    The colours of minerals count alike, and so do those of aliens and of matter (SM-63, SM-64).
    `parameters`: those of the game, (1,).
    """
    tile_count, turns = parameters[0]["tile_count"], []
    for minerals in permutations(range(c.MINERAL, c.ALIEN)):
        for aliens in permutations(range(c.ALIEN, c.MATTER_GREEN)):
            for matter in permutations(range(c.MATTER_GREEN, c.WATER)):
                order = [*minerals, *aliens, *matter, *range(c.WATER, c.KINDS)]
                if (tile_count[order] == tile_count).all():
                    turns.append(kind_places(np.array(order)))
    return turns


@njit
def write_more_targets(s, t, scores, targets):
    """Write each seat's points and margin at the end of a game into columns 1 and 2 of `targets`."""
    n = int(s.num_players)
    for j in range(n):
        targets[j, 1] = scores[j, c.TOTAL] / POINTS_UNIT
        targets[j, 2] = (scores[j, c.TOTAL] - best_other(scores, n, j)) / MARGIN_UNIT


# ---------------------------------------------------------------- moves in a search

LEFT_OUT = 0.7  # share of the top-ups with discards that `prune_moves` leaves out
CARD_CODES = 64  # more than the number of cards


@njit
def edge_key(s, action, own):
    """The number of a move: `own` moves differ by card faces, moves of others by what everybody sees."""
    seat = s.player
    if action >= c.TAKE:
        return np.int64(action) if own else np.int64(c.TAKE)
    if action < c.JUMP:
        key = np.int64(1)
        for i in range(c.SLOTS):
            if action >> i & 1:
                key = key * CARD_CODES + (1 + np.int64(s.hand[seat, i]) if own else 0)
        return c.ACTION_COUNT + key
    if action < c.FLY_NEXT:
        slot, p = (action - c.JUMP) // c.RING, (action - c.JUMP) % c.RING
        return -1 - (p * CARD_CODES + (1 + np.int64(s.hand[seat, slot]) if own else 0))
    if c.SCAN <= action < c.DEVELOP:
        return -1 - (c.RING * CARD_CODES + (1 + np.int64(s.hand[seat, action - c.SCAN]) if own else 0))
    if c.DEVELOP <= action < c.DISCOVER:
        i, j = c.DEVELOP_PAIRS[action - c.DEVELOP]
        pair = 1 + np.int64(s.hand[seat, i]) * CARD_CODES + np.int64(s.hand[seat, j]) if own else 0
        return -1 - ((c.RING + 1) * CARD_CODES + pair)
    return np.int64(action)


@njit
def prune_moves(s, mask):
    """Leave out most top-ups with discards, chosen by the world's random numbers, to save time."""
    if s.phase != c.ACTION:
        return
    stay = 0
    for action in range(c.ACTION_COUNT):
        stay += mask[action]
    for action in range(c.TOP_UP + 1, c.JUMP):
        if mask[action] and stay > 1 and next32(s) < LEFT_OUT * 4294967296.0:
            mask[action] = 0
            stay -= 1


AFTERSTATES = bind_afterstates(
    SPEC,
    njit,
    SIZES,
    worlds=1,
    new_ratings=new_ratings,
    new_facts=partial(np.zeros, 1, FACTS),
    symmetries=kind_turns,
    begin_move=begin_move,
    write_features=write_features,
    rate_moves=rate_moves,
    write_rating=write_rating,
    write_more_targets=write_more_targets,
    write_standing=write_standing,
    edge_key=edge_key,
    prune_moves=prune_moves,
    tilt=TILT,
)
