"""Evaluates a full state by a small network that reads hand-made features.

It was trained on games of `heuristic` (`python -m studies.fit_leaf`). The features describe the seat, its
strongest rival and the table, hidden pieces included.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from safetensors.numpy import load as load_tensors

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search import rollout_policy as rollout
from spacemission_agents.models.layers import forward, pack
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.rules import point_tiles
from spacemission_env.games.space_mission.engine.scoring import score, tile_points

SIDE = 34  # features of one seat
TABLE = 14  # features of the table
FEATURES = 2 * SIDE + TABLE
WEIGHTS_FILE = "data/leaf.safetensors"  # tensors `leaf.{i}.weight` (out, in) and `leaf.{i}.bias`


def new_leaf(arrays: dict[str, np.ndarray] | None = None) -> tuple[np.ndarray, ...]:
    """Make the network with scratch memory; `arrays`: the weights, default the shipped ones."""
    if arrays is None:
        folder = files("spacemission_agents.games.space_mission")
        arrays = load_tensors(folder.joinpath(WEIGHTS_FILE).read_bytes())
    sizes, weights = pack(arrays, "leaf")
    widest = int(sizes.max())
    buffers = np.zeros(widest, np.float32), np.zeros(widest, np.float32), np.zeros(widest, np.int64)
    return sizes, weights, np.zeros(FEATURES, np.float32), *buffers


@njit
def side_features(s, t, seat, v, scores, x):
    """Write the features of one seat into x, float32 (SIDE,), scaled to about 1. `v`: a `VIEW` record."""
    rollout.own_gains(s, seat, v)
    rollout.read_hand(s, t, seat, v)
    for p in range(c.RING):
        rollout.best_tiles(s, v, p)
    tiles = s.tiles[seat]
    x[0] = scores[seat, c.TOTAL] / 50.0
    x[1] = scores[seat, c.GATE] / 9.0
    x[2] = s.gate[seat] / 8.0
    x[3] = scores[seat, c.STATIONS] / 12.0
    square_features(v.held, c.MINERAL, c.ALIEN, x[4:7])
    square_features(v.held, c.ALIEN, c.MATTER_GREEN, x[7:10])
    green, blue = int(v.held[c.MATTER_GREEN]), int(v.held[c.MATTER_BLUE])
    x[10] = min(green, blue) / 3.0
    x[11] = abs(green - blue) / 3.0
    x[12] = v.held[c.WATER] / 6.0
    x[13] = v.gain[c.WATER] / 5.0
    x[14] = v.held[c.MEDAL] / 4.0
    x[15] = (tile_points(v.held) - tile_points(tiles)) / 20.0
    reserved = 0
    ready = 0.0  # value of the best planet that the hand can develop
    pending = 0.0  # value of the best planet, whatever the hand
    for p in range(c.RING):
        reserved += s.reserved[seat, p]
        if s.station[p] == c.NOWHERE and s.scanned[seat, p]:
            worth = rollout.develop_value(s, seat, v, p)
            pending = max(pending, worth)
            if rollout.can_land(s, t, v, p, 0):
                ready = max(ready, worth)
    x[16] = reserved / 4.0
    x[17] = ready / 20.0
    x[18] = pending / 20.0
    x[19] = s.hand_size[seat] / 5.0
    jokers = 0
    for i in range(s.hand_size[seat]):
        jokers += rollout.has_joker(t, s.hand[seat, i])
    x[20] = jokers / 3.0
    x[21] = min(int(s.supply[seat]), 6) / 6.0
    reach_features(s, t, seat, v, x[22:34])


@njit
def square_features(held, first, stop, x):
    """SM-63: write the number of tiles, the number of the most frequent colour and their product."""
    total = 0
    most = 0
    for k in range(first, stop):
        total += held[k]
        most = max(most, held[k])
    x[0] = total / 8.0
    x[1] = most / 5.0
    x[2] = total * most / 30.0


@njit
def reach_features(s, t, seat, v, x):
    """Write the tiles in reach of the ship: here, one step away, one jump away."""
    for i in range(12):
        x[i] = 0.0
    here = int(s.ship[seat])
    if here != c.NOWHERE:
        if s.station[here] != c.NOWHERE:
            x[0] = v.best[here] / 10.0
            x[1] = v.second[here] / 10.0
        elif s.scanned[seat, here] and rollout.can_land(s, t, v, here, 0):
            x[2] = rollout.develop_value(s, seat, v, here) / 20.0
        elif v.scanners[t.planet_scan[s.ring[here]]]:
            x[3] = v.best[here] / 10.0
        for step in (1, t.ring_size - 1):
            p = (here + step) % t.ring_size
            if s.station[p] != c.NOWHERE:
                x[4] = max(x[4], v.best[p] / 10.0)
    for p in range(c.RING):
        if s.station[p] != c.NOWHERE:  # the three best known piles, and the sum of all
            enter(v.best[p] / 10.0, x[6:9])
            x[9] += v.best[p] / 40.0
        else:  # the two best other piles
            enter(v.best[p] / 10.0, x[10:12])
        if p != here and s.station[p] != c.NOWHERE and v.jumpers[t.planet_jump[s.ring[p]]]:
            x[5] = max(x[5], v.best[p] / 10.0)


@njit
def enter(value, highest):
    """Insert a value into the highest values so far, in descending order."""
    for i in range(len(highest)):
        if value > highest[i]:
            kept = float(highest[i])
            highest[i] = value
            value = kept


@njit
def table_features(s, t, seat, x):
    """Write the features of the table, for a seat, into x, float32 (TABLE,)."""
    n = int(s.num_players)
    for i in range(TABLE):
        x[i] = 0.0
    x[n - 2] = 1.0
    x[4] = (int(t.space_tiles_to_end[n]) - int(s.revealed)) / 6.0
    x[5] = s.last_round
    x[6] = s.round_number / 16.0
    x[7] = ((seat - int(s.player) + n) % n) / 4.0  # turns until the seat's own turn
    x[8] = ((seat - int(s.start_player) + n) % n) / 4.0  # turns in a round before the seat's own turn
    x[9] = s.actions_left / 2.0
    fewest = c.PILE
    for p in range(c.RING):
        count = point_tiles(s, p)
        if s.station[p] != c.NOWHERE:
            x[10] += count / 20.0
            if 0 < count < fewest:
                fewest = count
                x[13] = s.pile[p, c.SPACE] / 4.0  # space tiles in the pile that is nearest to its end
        else:
            x[11] += count / 40.0
    x[12] = fewest / c.PILE


@njit
def features(s, t, seat, v, scores, x):
    """Write the features of a state for a seat into x, float32 (FEATURES,)."""
    score(s, t, scores)
    rival = -1
    for j in range(s.num_players):
        if j != seat and (rival < 0 or scores[j, c.TOTAL] > scores[rival, c.TOTAL]):
            rival = j
    side_features(s, t, rival, v, scores, x[SIDE : 2 * SIDE])
    side_features(s, t, seat, v, scores, x[:SIDE])
    table_features(s, t, seat, x[2 * SIDE :])


@njit
def promise(s, t, v, leaf, scores, out):
    """The expected returns of the seats, 0 to 1 each, with sum 1."""
    sizes, weights, x, first, second, places = leaf
    n = int(s.num_players)
    total = 0.0
    for seat in range(n):
        if n == 2 and seat == 1:
            out[1] = 1.0 - out[0]
            return
        features(s, t, seat, v, scores, x)
        logit = float(forward(x, sizes, weights, False, first, second, places)[0])
        out[seat] = 1.0 / (1.0 + np.exp(-logit))
        total += out[seat]
    for seat in range(n):
        out[seat] /= total
