"""What a seat knows of piles and of the others' tiles, for the judge of the search's leaves.

A world of the search holds every hidden tile and card, but dealt evenly, which real games are not: others
take the best tiles and keep the best cards. A judge that reads them believes in piles that are too good and
in rivals who are too poor. So this one reads what the searching seat would know there: its own side, the
piles as it saw them, and of the others what lies open, with the tiles that it must have seen go.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.light import (
    best_tiles,
    expected_gains,
    new_view,
    order_kinds,
)
from spacemission_env.games.space_mission.engine.constants import (
    KINDS,
    NOWHERE,
    NUMBERS,
    PILE,
    POINT_KINDS,
    RING,
    SCORES,
    SPACE,
    TOTAL,
)
from spacemission_env.games.space_mission.engine.counting import WAYS
from spacemission_env.games.space_mission.engine.knowledge import first_look, unseen_tiles
from spacemission_env.games.space_mission.engine.rules import is_closed, tiles_left
from spacemission_env.games.space_mission.engine.scoring import (
    STATION_POINTS,
    gate_points,
    tile_points,
)

OWN = 24 + POINT_KINDS + 3 * NUMBERS  # features of the own side
RIVAL = 14 + POINT_KINDS  # of the strongest rival
TABLE = 20
FEATURES = OWN + RIVAL + TABLE
PLANET = 24  # of each planet, as the seat has it
TILE_WORTH, TILE_GROWTH = 2.2, 0.06  # points of the first collected tile not known, and more for each further


class Known(NamedTuple):
    """The features of a position and the scratch that they are written with."""

    x: np.ndarray  # float32 (FEATURES,)
    planets: np.ndarray  # float32 (RING, PLANET)
    left: np.ndarray  # int64 (KINDS,): tiles that the seat has never seen
    rest: np.ndarray  # int64 (KINDS,): of one pile at the last look; tiles of a rival that are known
    absent: np.ndarray  # float64 (POINT_KINDS,)
    points: np.ndarray  # float64 (RING,): point tiles expected in each pile
    unseen: np.ndarray  # float64 (PILE + 1, 2): expected best and second gain of so many tiles never seen
    scores: np.ndarray  # int64 (SCORES,), the seat's own
    views: np.ndarray  # one `light.VIEW`


def new_known() -> Known:
    """Room for the features of one position."""
    return Known(
        x=np.zeros(FEATURES, np.float32),
        planets=np.zeros((RING, PLANET), np.float32),
        left=np.zeros(KINDS, np.int64),
        rest=np.zeros(KINDS, np.int64),
        absent=np.zeros(POINT_KINDS),
        points=np.zeros(RING),
        unseen=np.zeros((PILE + 1, 2)),
        scores=np.zeros(SCORES, np.int64),
        views=new_view(),
    )


# ---------------------------------------------------------------- piles


@njit
def know_piles(s, t, me, known):
    """Expected best and second gain of each pile into the view, expected point tiles into `known.points`."""
    v = known.views[0]
    unseen_tiles(s, t, me, 1, known.left)
    order_kinds(v)
    total = expect_never_seen(v, known)
    for p in range(RING):
        v.best[p] = 0.0
        v.second[p] = 0.0
        known.points[p] = 0.0
        if is_closed(s, p):
            continue
        looked = int(s.looked[me, p])
        if looked == NOWHERE:
            n = tiles_left(s, p)
            v.best[p] = known.unseen[n, 0]
            v.second[p] = known.unseen[n, 1]
            known.points[p] = n * (1.0 - known.left[SPACE] / total)
        elif looked == s.taken[p]:
            best_tiles(s, v, p)
            known.points[p] = tiles_left(s, p) - s.pile[p, SPACE]
        else:
            remember_pile(s, p, looked, v, known)


@njit
def expect_never_seen(v, known):
    """Expected gains of piles of each size never seen; returns how many tiles the seat has never seen."""
    total = 0
    for k in range(KINDS):
        known.left[k] = max(known.left[k], 0)
        total += known.left[k]
    total = max(total, 1)
    for k in range(POINT_KINDS):
        known.absent[k] = 1.0
    for n in range(1, PILE + 1):
        for k in range(POINT_KINDS):
            known.absent[k] *= 1.0 - known.left[k] / total
        known.unseen[n, 0], known.unseen[n, 1] = expected_gains(v, known.absent)
    return total


@njit
def remember_pile(s, p, looked, v, known):
    """A pile of which others took tiles since the last look, any of the point tiles with equal odds."""
    gone = int(s.taken[p]) - looked
    for k in range(KINDS):
        known.rest[k] = s.pile[p, k]
    for i in range(looked, s.taken[p]):
        known.rest[s.taken_kind[p, i]] += 1
    n = 0
    for k in range(POINT_KINDS):
        n += known.rest[k]
    known.points[p] = max(n - gone, 0)
    if gone >= n:
        return
    ways = WAYS[n, gone]
    best = 0.0
    second = 0.0
    i = 0  # tiles before this one, best first
    for at in range(POINT_KINDS):
        k = v.kinds[at]
        for _ in range(known.rest[k]):
            if i <= gone:  # all before are gone, this one is not
                best += v.gain[k] * WAYS[n - i - 1, gone - i] / ways
            if 1 <= i <= gone + 1:  # all before but one
                second += v.gain[k] * i * WAYS[n - i - 1, gone - i + 1] / ways
            i += 1
    v.best[p] = best
    v.second[p] = second


# ---------------------------------------------------------------- the others


@njit
def know_tiles(s, me, j, rest):
    """The tiles of another seat that are known, into `rest`; how many it has besides.

    Known are those that went between two own looks where the others are one player; with more it is not known
    which of them took which, and a sampled world says it at random.
    """
    for k in range(KINDS):
        rest[k] = 0
    unknown = 0
    for p in range(RING):
        if s.took[j, p] == 0:
            continue
        first = first_look(s, me, p, 1)
        looked = int(s.taken[p]) if is_closed(s, p) else int(s.looked[me, p])
        for i in range(s.taken[p]):
            if s.taken_by[p, i] == j:
                if first != NOWHERE and first <= i < looked:
                    rest[s.taken_kind[p, i]] += 1
                else:
                    unknown += 1
    return unknown


@njit
def estimate_of(s, t, me, j, known):
    """About what another seat has; the tiles of it that are known stay in `known.rest`."""
    unknown = know_tiles(s, me, j, known.rest)
    stations = 0
    count = 0
    for p in range(RING):
        stations += s.station[p] == j
    for k in range(POINT_KINDS):
        count += known.rest[k]
    points = gate_points(s.gate, s.num_players, j, t.gate_points_without_probe)
    points += STATION_POINTS * stations + tile_points(known.rest)
    return points + unknown * (TILE_WORTH + TILE_GROWTH * (unknown + 2 * count))


@njit
def strongest_rival(s, t, me, known):
    """Who seems to have most, how many seem to have more than the seat itself, and the others' mean."""
    if s.num_players == 2:
        return 1 - me, 0, known.scores[TOTAL]
    rival, ahead = -1, 0
    most, total = -1e9, 0.0
    for j in range(s.num_players):
        if j != me:
            points = estimate_of(s, t, me, j, known)
            total += points
            ahead += points > known.scores[TOTAL]
            if points > most:
                rival, most = j, points
    return rival, ahead, total / (s.num_players - 1)
