"""The two records that every function works on: the state of one game, and the box with its options.

`STATE` is one game, plain numbers only: copy its bytes and you have copied the game. `BOX` holds what does
not change while playing, as run-time data: another option needs no recompilation.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.games.kuhn_poker.engine.constants import (
    BET_CHIPS,
    CARDS,
    MAX_PLAYERS,
    MOST_DECISIONS,
)
from spacemission_env.games.kuhn_poker.engine.layout import LAYOUT, OBSERVATION_SIZE

STATE = np.dtype(
    (
        np.record,
        [
            # What every game's state begins with.
            ("seed", "i8"),  # what the game was dealt from
            ("rng", "u4", (6,)),  # own random numbers (core/rng.py)
            ("salt", "i8"),  # of the keys that agents get (observe.decision_key)
            ("decisions", "i4"),  # decisions made so far
            ("num_players", "i1"),  # 0: not dealt yet
            ("start_player", "i1"),  # seat 0 (KP-3)
            ("player", "i1"),  # seat to act; the last that did, once the game is over
            ("over", "i1"),  # core/constants.py: RUNNING or FINISHED; never truncated
            ("round_number", "i2"),  # 1: there is one round of betting
            # What Kuhn poker adds.
            ("cards", "i1", (CARDS,)),  # of each seat, 0 the lowest; the one left out; NOBODY
            ("history", "i1", (MOST_DECISIONS,)),  # PASS or BET, in order; NOBODY where not decided yet
            ("bet_at", "i1"),  # which decision was the first bet, or NOBODY
            ("folded", "i1", (MAX_PLAYERS,)),  # 1 where the seat is out
            ("put_in", "i1", (MAX_PLAYERS,)),  # chips of each seat in the pot, ante included
        ],
    )
)

BOX = np.dtype(
    (
        np.record,
        [
            ("ante", "i1"),  # rules option: chips that each seat puts in first (KP-2), 1 to MOST_ANTE
            ("scale", "f4", (OBSERVATION_SIZE,)),  # one over the unit of each number of the observation
        ],
    )
)


def compact_units(boxes: np.ndarray) -> np.ndarray:
    """What a 1 of the compact observation stands for in the float one: float32 (OBSERVATION_SIZE,)."""
    return boxes[0].scale.copy()


def make_box(ante: int = 1) -> np.ndarray:
    """An array of the one `BOX` record, read-only for good; `ante` in chips, 1 to MOST_ANTE (KP-2)."""
    boxes = np.zeros(1, BOX)
    t = boxes[0]
    t.ante = ante
    stake = ante + BET_CHIPS
    units = {"stake": stake, "full_pot": MAX_PLAYERS * stake}
    for piece in LAYOUT.values():
        t.scale[piece.slice] = 1 / (units[piece.unit] if isinstance(piece.unit, str) else piece.unit)
    return np.frombuffer(boxes.tobytes(), BOX)
