"""Compiled passes that only training needs: final rewards, leads, and what the learner's networks read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_agents import network_input
from spacemission_agents.network_input import PLACES, write_input
from spacemission_env.engine.constants import (
    ACTION_COUNT,
    CARD_FEATURES,
    JOKER,
    KINDS,
    MAX_PLAYERS,
    NOWHERE,
    PILE,
    RING,
    SCORES,
    SLOTS,
    TOTAL,
)
from spacemission_env.engine.jit import make_njit
from spacemission_env.engine.scoring import rewards, score
from spacemission_env.engine.symmetry import ACTION_SOURCES

njit = make_njit(*network_input.COMPILED_FROM, Path(__file__).parent)

# What only a privileged critic reads: about the game, then about each planet in turn.
RIVAL_SIZE = CARD_FEATURES + KINDS + 1  # hand, tiles, points
HIDDEN_GAME = (MAX_PLAYERS - 1) * RIVAL_SIZE + 2
HIDDEN_PLANET = KINDS
HIDDEN_SIZE = HIDDEN_GAME + RING * HIDDEN_PLANET


@njit
def rewards_batch(states, t, index, mode, out):
    """Each seat's final reward (scoring.rewards) in the games of `index`: float, shape (n, seats)."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        s = states[index[n]]
        score(s, t, scores)
        rewards(scores, s.num_players, mode, out[n])


@njit
def best_other(scores, num_players, seat):
    """The highest total of the other seats."""
    best = -1000000
    for j in range(num_players):
        if j != seat:
            best = max(best, scores[j, TOTAL])
    return best


@njit
def lead_batch(states, t, index, seats, out):
    """Own total less the best other total, / 100, as the table stands; seat `seats[n]` of game `index[n]`."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        s = states[index[n]]
        score(s, t, scores)
        out[n] = (scores[seats[n], TOTAL] - best_other(scores, s.num_players, seats[n])) / 100.0


@njit
def read_batch(observations, masks, kind, turns, scratch, inputs, turned_masks):
    """Inputs and masks as the network has them; `turns` is overwritten by the turns that they stand in."""
    for n in range(len(observations)):
        turn = write_input(observations[n], masks[n], kind, turns[n], scratch, inputs[n])
        turns[n] = turn
        for a in range(ACTION_COUNT):
            turned_masks[n, a] = masks[n, ACTION_SOURCES[turn, a]]


@njit
def hidden_batch(states, t, index, seats, turns, out):
    """What the seats cannot see in their games, float32 (n, HIDDEN_SIZE); planets as turned."""
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        s = states[index[n]]
        score(s, t, scores)
        x = out[n]
        x[:] = 0.0
        seat = int(seats[n])
        for k in range(1, s.num_players):
            rival = (seat + k) % int(s.num_players)
            start = (k - 1) * RIVAL_SIZE
            rival_side(s, t, rival, x[start : start + RIVAL_SIZE])
            x[start + RIVAL_SIZE - 1] = scores[rival, TOTAL] / 100.0
        x[HIDDEN_GAME - 2] = scores[seat, TOTAL] / 100.0
        x[HIDDEN_GAME - 1] = (scores[seat, TOTAL] - best_other(scores, s.num_players, seat)) / 50.0
        for q in range(RING):
            p = PLACES[turns[n], q]
            for kind in range(KINDS):
                x[HIDDEN_GAME + q * HIDDEN_PLANET + kind] = s.pile[p, kind] / PILE


@njit
def rival_side(s, t, rival, x):
    """Another seat's hand, by what its cards show, and its tiles."""
    for i in range(SLOTS):
        card = int(s.hand[rival, i])
        if card != NOWHERE:
            for colour in range(3):
                face = (t.card_jump[card], t.card_scan[card], t.card_landing[card])[colour]
                if face > 0:
                    x[colour * JOKER + int(face) - 1] += 1.0 / SLOTS
    for kind in range(KINDS):
        x[CARD_FEATURES + kind] = s.tiles[rival, kind] / 4.0
