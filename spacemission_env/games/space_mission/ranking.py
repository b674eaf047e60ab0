"""Who is ahead: the order of the seats from their scores, and the agents by which others are rated."""

from __future__ import annotations

import numpy as np

from spacemission_env.games.space_mission.engine.constants import STATIONS, TOTAL

# Ratings by number of players. Made of the orders of 40,000 games each (40,002 with 3 players):
#   round_robin(2, players, 40_000 if players == 2 else 20_000, seed=0)
#   play_games(["random", "greedy"], lineups, seeds)           # printed rules and components
# counted as the arena's `rate` takes them, and fitted with `random` alone in the table. 95 % intervals: 1298
# to 1493, 1236 to 1372, 1262 to 1400, 1239 to 1365; wide, for greedy loses one game in a thousand.
ANCHORS = {
    2: {"random": 0.0, "greedy": 1395.0},
    3: {"random": 0.0, "greedy": 1304.0},
    4: {"random": 0.0, "greedy": 1331.0},
    5: {"random": 0.0, "greedy": 1302.0},
}


def rank_scores(scores: np.ndarray) -> np.ndarray:
    """SM-67 as one number a seat: the total, then the stations. Scores (..., seats, 9) to int64 (..., seats).

    `engine.scoring.rank_number` is the same in compiled code.
    """
    return scores[..., TOTAL].astype(np.int64) * 1000 + scores[..., STATIONS]
