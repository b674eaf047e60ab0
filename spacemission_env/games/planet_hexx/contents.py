"""What lies where, hidden or not (`core/contents.py`): cards of hands and of the deck, by their types."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.core.contents import Contents, Place
from spacemission_env.games.planet_hexx.engine.constants import TYPE_NAMES

SURPRISES = "surprise"  # cards of any type that can answer on another's turn


def contents(game: Any) -> list[Contents]:
    """Of each hand, of the deck and of its next card."""
    s, cards = game.states[0], game.components.cards
    table = np.zeros((len(cards), len(TYPE_NAMES) + 1), np.int64)
    for kind, card in enumerate(cards):
        table[kind, TYPE_NAMES.index(card.type)] = 1
        table[kind, -1] = card.surprise is not None
    n, size = game.num_players, int(s.deck_size)
    piles = [(s.hand[j, : s.hand_size[j]], f"seat-{j}", f"hand of player_{j}") for j in range(n)]
    piles += [(s.deck[size - 1 : size], "deck", "next card of the deck"), (s.deck[:size], "deck", "deck")]
    rows = [table[held.astype(np.int64)].sum(0) for held, _, _ in piles]
    places = tuple(Place(id, title) for _, id, title in piles)
    return [Contents("cards", (*TYPE_NAMES, SURPRISES), places, np.stack(rows))]
