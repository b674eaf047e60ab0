"""The observation layout, declared once: name, place, shape, unit and meaning of each piece.

`observe.py` writes by it. Every number is a whole number divided by its piece's `unit`, as float32 in [0, 1];
the size is the same for 2 and 3 players. Units by name: "stake" is the most that a seat can put in,
"full_pot" that of all seats. "Relative seat" k is the seat k places after the observer: 0 is the
observer; absent seats are zero.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.layout import Piece, as_record, mask_record, placed
from spacemission_env.games.kuhn_poker.engine.constants import (
    ACTION_COUNT,
    CARDS,
    MAX_PLAYERS,
    MOST_ANTE,
    TURNS,
)

LAYOUT_VERSION = 1


_SEATS = MAX_PLAYERS
# fmt: off
_PIECES = (
    Piece("num_players", (2,), 1, "one-hot 2, 3", "number of players", "KP-1"),
    Piece("seat", (_SEATS,), 1, "one-hot", "the observer's place in the order of betting", "KP-3"),
    Piece("player_to_act", (_SEATS,), 1, "one-hot, relative seat; zero when over",
          "whose decision it is", "KP-3"),
    Piece("card", (CARDS,), 1, "one-hot, lowest first", "own card", "KP-9"),
    Piece("betting", (_SEATS, TURNS, ACTION_COUNT), 1, "one-hot pass, bet",
          "what the relative seat did at its first and second decision; zero before it has decided", "KP-9"),
    Piece("put_in", (_SEATS,), "stake", "count", "chips of the relative seat in the pot", "KP-9"),
    Piece("pot", (1,), "full_pot", "count", "chips in the pot", "KP-9"),
    Piece("ante", (1,), MOST_ANTE, "count", "the ante that is played for", "KP-2"),
)
# fmt: on


LAYOUT = placed(_PIECES)
OBSERVATION_SIZE = sum(p.size for p in LAYOUT.values())

OBSERVATION = as_record("f4", LAYOUT.values())
COMPACT = np.dtype((np.record, [("numbers", "u1", (OBSERVATION_SIZE,))]))  # as whole numbers
MASK = mask_record(ACTION_COUNT)
