"""Checks the fields of a state that was read against a table of their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spacemission_env.core.constants import RUNNING, TRUNCATED

Range = tuple[int, int]  # the lowest and the highest number that a field can hold

# Of the fields that every game's state begins with; room is left for what is counted on.
HEADER_RANGES: Mapping[str, Range] = {
    "seed": (0, 2**63 - 1),
    "salt": (0, 2**63 - 1),
    "decisions": (0, 2**31 - 2**16),
    "over": (RUNNING, TRUNCATED),
    "round_number": (1, 2**15 - 2**8),
}


def range_problem(s: Any, num_players: int, ranges: Mapping[str, Range]) -> str | None:
    """The first field that holds a number that it cannot hold, in words; None: there is none.

    Args:
        s: the record of one game.
        num_players: how many play it.
        ranges: of the fields that the game has beside the header; all numbers of a field have one range.
    """
    if s["num_players"] != num_players:
        return "num_players does not hold"
    seats = {"player": (0, num_players - 1), "start_player": (0, num_players - 1)}
    for name, (low, high) in {**HEADER_RANGES, **seats, **ranges}.items():
        values = np.asarray(s[name])
        if (values < low).any() or (values > high).any():
            return f"{name} does not hold"
    return None if s["rng"][:5].any() else "rng does not hold"  # xorwow stands still there
