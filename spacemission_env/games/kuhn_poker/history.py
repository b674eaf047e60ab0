"""Whether a state that was read can be one of Kuhn poker: it is played again and compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.ranges import range_problem
from spacemission_env.games.kuhn_poker.engine import batch
from spacemission_env.games.kuhn_poker.engine.constants import MOST_DECISIONS, NOBODY
from spacemission_env.games.kuhn_poker.engine.rules import is_legal
from spacemission_env.games.kuhn_poker.engine.state import BOX, STATE

OF_CHANCE = ("rng", "salt", "seed", "cards")  # not given by the moves


def state_problem(s: Any, t: Any, num_players: int) -> str | None:
    """What cannot be, in words, or None."""
    problem = range_problem(s, num_players, {})
    if problem:
        return problem
    again, boxes = np.zeros(1, STATE), np.frombuffer(np.array(t).tobytes(), BOX)
    batch.deal_one(again, 0, boxes, num_players, int(s.seed))
    deck = sorted(int(card) for card in s.cards[: num_players + 1])
    if deck != list(range(num_players + 1)) or (s.cards[num_players + 1 :] != NOBODY).any():
        return "cards are not those of the deck"
    for name in OF_CHANCE:
        again[0][name] = s[name]
    made = int(s.decisions)
    if not 0 <= made <= MOST_DECISIONS:
        return "decisions are out of range"
    for action in s.history[:made]:
        if again[0].over or not is_legal(again[0], int(action)):
            return "history has a move that cannot be"
        batch.apply_one(again, 0, boxes, int(action), NO_ORDER)
    for name in again.dtype.names or ():
        if not np.array_equal(again[0][name], s[name]):
            return f"{name} does not follow from the moves"
    return None
