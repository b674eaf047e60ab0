"""The columns of progress.csv that tell of evaluations: `win_greedy`, `margin_greedy`, `win_greedy_3p`, …"""

from __future__ import annotations

import re
from collections.abc import Iterable


def yardsticks_in(row: Iterable[str]) -> list[str]:
    """The agents that an evaluation was against, for the first number of players, from its columns."""
    names = [name.removeprefix("margin_") for name in row if name.startswith("margin_")]
    return [name for name in names if not re.fullmatch(r".*_\dp", name)]  # `greedy_3p`: of three players
