"""What lies where, hidden or not (`core/contents.py`): the card of each seat."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.core.contents import Contents, Place
from spacemission_env.games.kuhn_poker.options import CARD_NAMES


def contents(game: Any) -> list[Contents]:
    """One card a seat, and the one that stays out."""
    n = game.num_players
    places = [Place(f"card-{j}", f"card of player_{j}") for j in range(n)]
    counts = np.zeros((n + 1, n + 1), np.int64)
    counts[np.arange(n + 1), game.states[0].cards[: n + 1]] = 1
    kinds = tuple(CARD_NAMES[: n + 1])
    return [Contents("cards", kinds, (*places, Place("deck", "card that stays out")), counts)]
