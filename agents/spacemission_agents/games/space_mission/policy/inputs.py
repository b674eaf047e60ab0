"""Writes the inputs of policy networks and critics.

| input | what |
| --- | --- |
| `observation` | the observation unchanged |
| `ring` | ordered by planet, first that of the seat's ship, with features of hand, tiles and piles |
| `rated` | `ring`, then the heuristic's rating of each move: 1 for the best, 0 from 10 points below it |

Inputs by planet (engine/symmetry.py, features.py) have the numbers of the game first, then those of each
planet, so that a network can read all planets by shared weights. A policy adds the ratings, times a learnt
factor, to its logits (residual policy learning, Silver et al. 2018, arXiv:1812.06298). Only a critic may read
hidden pieces: in training, and in the sampled worlds of a search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission import features as f
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.agent import NOT_RATED, Rater, new_rater, rate
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine import symmetry
from spacemission_env.games.space_mission.engine.layout import LAYOUT, OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.scoring import best_other, tile_points
from spacemission_env.games.space_mission.engine.symmetry import (
    ACTION_SOURCES,
    OBSERVATION_SOURCES,
    TURNS,
    ship_turn,
)

INPUTS = ("observation", "ring", "rated")
AS_IT_IS, BY_PLANET, RATED = range(len(INPUTS))
WITH_PLANETS = INPUTS[BY_PLANET:]

GAME_FEATURES = c.POINT_KINDS + 3  # gains of a tile of each kind and of a probe; points of tiles; chips
PLANET_FEATURE_COUNT = 8  # see `write_planet_features`
# Pieces left out of inputs by planet: they are mostly zeros, and training would take half as long again.
LEFT_OUT = ("kept_by", "taken_kinds")
_GAME_PIECES = [p for p in LAYOUT.values() if p.ring_axis is None and p.name not in LEFT_OUT]
_RING_PIECES = [p for p in LAYOUT.values() if p.ring_axis is not None and p.name not in LEFT_OUT]
_RING_NUMBERS = sum(piece.size for piece in _RING_PIECES)
GAME_NUMBERS = sum(piece.size for piece in _GAME_PIECES)  # numbers that belong to no planet
GAME_SIZE = GAME_NUMBERS + GAME_FEATURES  # first index of the planets in a `ring` input
PLANET_NUMBERS = _RING_NUMBERS // c.RING
PLANET_SIZE = PLANET_NUMBERS + PLANET_FEATURE_COUNT
RING_SIZE = GAME_SIZE + c.RING * PLANET_SIZE  # first index of the ratings in a `rated` input
SIZES = {
    "observation": OBSERVATION_SIZE,
    "ring": RING_SIZE,
    "rated": RING_SIZE + c.ACTION_COUNT,
}
RATED_RANGE = 10.0  # points below the best rating from which a move gets 0


def _by_planet() -> np.ndarray:
    # The source of each number of a `ring` input, by turn; -1 for features.
    sources = np.full((TURNS, RING_SIZE), -1, np.int16)
    for turn in range(TURNS):
        turned = OBSERVATION_SOURCES[turn]
        game = [turned[piece.slice] for piece in _GAME_PIECES]
        sources[turn, :GAME_NUMBERS] = np.concatenate(game)
        planets = [
            np.moveaxis(turned[piece.slice].reshape(piece.shape), piece.ring_axis or 0, 0).reshape(c.RING, -1)
            for piece in _RING_PIECES
        ]
        whole = np.concatenate(planets, 1)
        for q in range(c.RING):
            start = GAME_SIZE + q * PLANET_SIZE
            sources[turn, start : start + PLANET_NUMBERS] = whole[q]
    return sources


SOURCES = _by_planet()
PLACES = np.array([[symmetry.place_before(turn, q) for q in range(c.RING)] for turn in range(TURNS)])


class Scratch(NamedTuple):
    """Scratch memory of `write_input`, for one thread."""

    plans: np.ndarray  # one `PLAN` record
    rater: Rater
    values: np.ndarray  # the ratings, float64 (101,)


def new_scratch() -> Scratch:
    return Scratch(np.zeros(1, f.PLAN), new_rater(), np.zeros(c.ACTION_COUNT))


@njit
def write_input(o, mask, t, kind, turn, scratch, x):
    """Write the input `INPUTS[kind]` into x, float32 (SIZES,), and return its turn (engine/symmetry.py).

    `turn`: whether to mirror, and how to turn while the seat's ship is on the gate; `scratch`: from
    `new_scratch`.
    """
    if kind == AS_IT_IS:
        x[:] = o
        return 0
    turn = ship_turn(o, turn)
    sources = SOURCES[turn]
    for i in range(len(sources)):
        x[i] = o[sources[i]] if sources[i] >= 0 else 0.0
    w = scratch.plans[0]
    f.read(o, t, w)
    write_game_features(w, x[GAME_NUMBERS:GAME_SIZE])
    for q in range(c.RING):
        start = GAME_SIZE + q * PLANET_SIZE + PLANET_NUMBERS
        write_planet_features(o, w, PLACES[turn, q], x[start : start + PLANET_FEATURE_COUNT])
    if kind == RATED:
        rate(o, mask, t, scratch.rater, scratch.values)
        write_ratings(scratch.values, ACTION_SOURCES[turn], x[RING_SIZE:])
    return turn


@njit
def write_ratings(values, sources, x):
    """Write ratings in points as numbers from 1 for the best to 0."""
    best = NOT_RATED
    for a in range(c.ACTION_COUNT):
        best = max(best, values[a])
    for a in range(c.ACTION_COUNT):
        x[a] = max(0.0, 1.0 - (best - values[sources[a]]) / RATED_RANGE) if best > NOT_RATED else 0.0


@njit
def write_game_features(w, x):
    """SM-60, SM-63 to SM-66: write the points for one more tile of each kind or one more probe."""
    for k in range(c.POINT_KINDS):
        x[k] = w.gain[k] / 10.0
    x[c.POINT_KINDS] = w.probe / 9.0
    x[c.POINT_KINDS + 1] = tile_points(w.held) / 50.0
    x[c.POINT_KINDS + 2] = min(w.chips, 10) / 10.0


@njit
def write_planet_features(o, w, p, x):
    """Write whether the hand can jump, scan or land there, and the gains of pile and reserved tiles."""
    jumpers = f.servers(o, f.JUMPS, f.planet_numbers(o, p)[0])
    first, second = w.first_landers[p], w.second_landers[p]
    x[0] = jumpers != 0
    x[1] = w.scanners[p] != 0
    x[2] = first != 0
    x[3] = second != 0
    x[4] = f.pair_left(first, second)
    x[5] = w.best[p] / 10.0
    x[6] = f.reserved_points(o, w, p) / 20.0
    x[7] = w.developed[p]


# The hidden input: numbers of the game, then of each planet.
RIVAL_SIZE = c.CARD_FEATURES + c.KINDS + 1  # hand, tiles, points
HIDDEN_GAME = (c.MAX_PLAYERS - 1) * RIVAL_SIZE + 2
HIDDEN_PLANET = c.KINDS
HIDDEN_SIZE = HIDDEN_GAME + c.RING * HIDDEN_PLANET


@njit
def write_hidden(s, t, seat, turn, scores, x):
    """Write what the seat cannot see into x, float32 (HIDDEN_SIZE,), planets as turned; `scores`: of `s`."""
    x[:] = 0.0
    for k in range(1, s.num_players):
        rival = (seat + k) % int(s.num_players)
        start = (k - 1) * RIVAL_SIZE
        rival_side(s, t, rival, x[start : start + RIVAL_SIZE])
        x[start + RIVAL_SIZE - 1] = scores[rival, c.TOTAL] / 100.0
    x[HIDDEN_GAME - 2] = scores[seat, c.TOTAL] / 100.0
    x[HIDDEN_GAME - 1] = (scores[seat, c.TOTAL] - best_other(scores, s.num_players, seat)) / 50.0
    for q in range(c.RING):
        p = PLACES[turn, q]
        for kind in range(c.KINDS):
            x[HIDDEN_GAME + q * HIDDEN_PLANET + kind] = s.pile[p, kind] / c.PILE


@njit
def rival_side(s, t, rival, x):
    """Write the card features of another seat's hand and its tiles."""
    for i in range(c.SLOTS):
        card = int(s.hand[rival, i])
        if card != c.NOWHERE:
            for v in range(c.CARD_FEATURES):
                x[v] += t.card_shown[card, v] / c.SLOTS
    for kind in range(c.KINDS):
        x[c.CARD_FEATURES + kind] = s.tiles[rival, kind] / 4.0
