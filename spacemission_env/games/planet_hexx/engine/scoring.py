"""Computes scores, score margins and rewards."""

from __future__ import annotations

from spacemission_env.core.constants import FINISHED
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import MAX_PLAYERS, POINTS, WIN
from spacemission_env.games.planet_hexx.engine.missions import uploads


@njit
def score(s, out):
    """Write each seat's scores by `constants.SCORE_NAMES`, integers; 0 for absent seats."""
    for j in range(min(MAX_PLAYERS, len(out))):
        there = j < s.num_players
        out[j, 0] = uploads(s, j) if there else 0
        out[j, 1] = s.store[j] if there else 0
        out[j, 2] = s.won[j] if there else 0


@njit
def lead(s, seat):
    """Own filled points less the most of another seat, in sixths."""
    best = 0
    for j in range(s.num_players):
        if j != seat:
            best = max(best, uploads(s, j))
    return (uploads(s, seat) - best) / POINTS


@njit
def rewards(s, mode, out):
    """Write each seat's final reward; `mode` is the index in `constants.REWARD_NAMES`.

    win: +1 split among the winners, -1 split among the others; 0 for all in a game that was truncated.
    uploads: own filled points less the mean of the others, in sixths.
    """
    n = int(s.num_players)
    winners = 0
    total = 0
    for j in range(n):
        winners += s.won[j]
        total += uploads(s, j)
    for j in range(n):
        if mode == WIN:
            out[j] = 0.0
            if s.over == FINISHED:
                out[j] = 1.0 / winners if s.won[j] else -1.0 / (n - winners)
        else:
            own = uploads(s, j)
            out[j] = (own - (total - own) / (n - 1)) / POINTS
