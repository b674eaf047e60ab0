"""Finds early warnings: signs in a run's evaluations that it goes wrong."""

from __future__ import annotations

from typing import Any

from spacemission_env.core.errors import SpaceMissionError

Row = dict[str, Any]

# In nats; at 0.05 about one decision in a hundred is still open, and nothing new is tried any more.
LEAST_ENTROPY = 0.05
# Of the first row's; a policy that learns loses most of its entropy too, but keeps more than this.
LEAST_ENTROPY_SHARE = 0.1
# 0.5 is an even game; a snapshot's result looks back on 200 games, the mean over several is sure to 0.03.
LEAST_WIN_PAST = 0.45
# Three times the half interval of a share over 400 games.
MOST_FALLEN = 0.15


class DivergedError(SpaceMissionError):
    """Losses or weights that are no numbers any more; the run cannot go on."""

    def __init__(self, out: object, what: str, steps: int) -> None:
        """`what` in the run in this folder is not finite after so many steps."""
        super().__init__(
            f"{out}: {what} not finite after {steps} steps; the last checkpoint stays."
            " A smaller learning_rate may help"
        )


def warnings(rows: list[Row]) -> dict[str, str]:
    """A line for each kind of warning that the last rows of progress.csv give cause for."""
    found = {}
    last = rows[-1]
    first, entropy = rows[0].get("entropy") or 0.0, last.get("entropy")
    from_first = f" (at first {first:.3f})" if len(rows) > 1 else ""
    if entropy is not None and entropy < max(LEAST_ENTROPY, LEAST_ENTROPY_SHARE * first):
        found["entropy"] = (
            f"the policy's entropy is down to {entropy:.3f} nats{from_first}: it tries nothing"
            " new; a larger `entropy` or a smaller `learning_rate` may help"
        )
    if len(rows) > 1 and "win_past" in last and all(row["win_past"] < LEAST_WIN_PAST for row in rows[-2:]):
        found["win_past"] = (
            f"the policy gets {last['win_past']:.0%} against its own past, twice in a row: it has got worse"
        )
    for column in last:
        if column.startswith("win_") and column != "win_past" and _has_fallen([row[column] for row in rows]):
            best = max(row[column] for row in rows)
            found[column] = f"{column} has fallen to {last[column]:.1%}, twice in a row; it was {best:.1%}"
    return found


def _has_fallen(shares: list[float]) -> bool:
    return len(shares) > 2 and all(share < max(shares[:-2]) - MOST_FALLEN for share in shares[-2:])
