"""The observation layout, declared once: name, place, shape, unit and meaning of each piece.

`observe.py` writes by it. Every number is a whole number divided by its piece's `unit`, as float32 in [0, 1];
the size is the same for 2 and 3 players. "Relative seat" k is the seat k places after the observer: 0 is the
observer; absent seats are zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from spacemission_env.games.kuhn_poker.engine.constants import (
    ACTION_COUNT,
    CARDS,
    MAX_PLAYERS,
    MOST_ANTE,
    TURNS,
)

LAYOUT_VERSION = 1


@dataclass(frozen=True)
class Piece:
    """A named piece of the observation vector.

    Attributes:
        name: how code asks for it.
        shape: of the piece; C order in the flat vector.
        unit: what the whole numbers are divided by: a number, or the name of what depends on the options
            ("stake": the most that a seat can put in; "full_pot": that of all seats).
        values: what a number stands for.
        meaning: what it tells.
        rule: rule ids that make it known to the seat.
        start: index of its first number in the flat vector.
    """

    name: str
    shape: tuple[int, ...]
    unit: int | str
    values: str
    meaning: str
    rule: str
    start: int = 0

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        """Its place in the flat vector."""
        return slice(self.start, self.start + self.size)


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


def _placed() -> dict[str, Piece]:
    placed: dict[str, Piece] = {}
    start = 0
    for p in _PIECES:
        placed[p.name] = replace(p, start=start)
        start += p.size
    return placed


LAYOUT: dict[str, Piece] = _placed()
OBSERVATION_SIZE = sum(p.size for p in LAYOUT.values())

# The observation as a record: the pieces as named fields, and all of them again in `numbers`. It is the same
# memory as the flat vector. So is the mask of the legal moves, and the compact one: the whole numbers.
OBSERVATION = np.dtype(
    (
        np.record,
        {
            "names": [*LAYOUT, "numbers"],
            "formats": [("f4", p.shape) for p in LAYOUT.values()] + [("f4", (OBSERVATION_SIZE,))],
            "offsets": [4 * p.start for p in LAYOUT.values()] + [0],
        },
    )
)
COMPACT = np.dtype((np.record, [("numbers", "u1", (OBSERVATION_SIZE,))]))
MASK = np.dtype((np.record, [("legal", "i1", (ACTION_COUNT,))]))
