"""Computes scores, score margins and rewards."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import MAX_PLAYERS, POINTS
from spacemission_env.games.planet_hexx.engine.missions import uploads


@njit
def score(s, t, scores):
    """Write each seat's scores by `constants.SCORE_NAMES`, integers; 0 for absent seats."""
    for j in range(min(MAX_PLAYERS, len(scores))):
        there = j < s.num_players
        scores[j, 0] = uploads(s, j) if there else 0
        scores[j, 1] = s.store[j] if there else 0
        scores[j, 2] = s.won[j] if there else 0


@njit
def margin(scores, num_players, seat):
    """Own filled points less the most of another seat, in sixths."""
    best = 0
    for j in range(num_players):
        if j != seat:
            best = max(best, int(scores[j, 0]))
    return (scores[seat, 0] - best) / POINTS


@njit
def other_rewards(scores, num_players, mode, out):
    """Reward "uploads": own filled points less the mean of the others, in sixths."""
    total = 0
    for j in range(num_players):
        total += scores[j, 0]
    for j in range(num_players):
        own = scores[j, 0]
        out[j] = (own - (total - own) / (num_players - 1)) / POINTS
