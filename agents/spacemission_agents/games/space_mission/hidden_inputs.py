"""What a critic may read besides the observation: the numbers of a state that a seat cannot see.

They serve the critic alone: in training, where the whole game is at hand, and in the worlds that a search
samples from what its seat may know (`ismcts-policy`). No policy reads them.
"""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.inputs import PLACES
from spacemission_env.games.space_mission.engine.constants import (
    CARD_FEATURES,
    KINDS,
    MAX_PLAYERS,
    NOWHERE,
    PILE,
    RING,
    SLOTS,
    TOTAL,
)
from spacemission_env.games.space_mission.engine.scoring import best_other

# About the game, then about each planet in turn.
RIVAL_SIZE = CARD_FEATURES + KINDS + 1  # hand, tiles, points
HIDDEN_GAME = (MAX_PLAYERS - 1) * RIVAL_SIZE + 2
HIDDEN_PLANET = KINDS
HIDDEN_SIZE = HIDDEN_GAME + RING * HIDDEN_PLANET


@njit
def write_hidden(s, t, seat, turn, scores, x):
    """Write what the seat cannot see into x, float32 (HIDDEN_SIZE,); planets as turned. `scores`: its own."""
    x[:] = 0.0
    for k in range(1, s.num_players):
        rival = (seat + k) % int(s.num_players)
        start = (k - 1) * RIVAL_SIZE
        rival_side(s, t, rival, x[start : start + RIVAL_SIZE])
        x[start + RIVAL_SIZE - 1] = scores[rival, TOTAL] / 100.0
    x[HIDDEN_GAME - 2] = scores[seat, TOTAL] / 100.0
    x[HIDDEN_GAME - 1] = (scores[seat, TOTAL] - best_other(scores, s.num_players, seat)) / 50.0
    for q in range(RING):
        p = PLACES[turn, q]
        for kind in range(KINDS):
            x[HIDDEN_GAME + q * HIDDEN_PLANET + kind] = s.pile[p, kind] / PILE


@njit
def rival_side(s, t, rival, x):
    """Another seat's hand, by what its cards show, and its tiles."""
    for i in range(SLOTS):
        card = int(s.hand[rival, i])
        if card != NOWHERE:
            for v in range(CARD_FEATURES):
                x[v] += t.card_shown[card, v] / SLOTS
    for kind in range(KINDS):
        x[CARD_FEATURES + kind] = s.tiles[rival, kind] / 4.0
