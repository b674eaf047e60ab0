"""Finds early warnings in the evaluations of a run."""

from __future__ import annotations

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import Json

# Lowest entropy of the policy, in nats; at 0.05 about one decision in a hundred is open: it hardly explores.
LEAST_ENTROPY = 0.05
# Lowest share of the first row's entropy; a policy that learns well keeps more.
LEAST_ENTROPY_SHARE = 0.1
# Lowest result against past selves; 0.5 is even, and the mean over snapshots has an error of about 0.03.
LEAST_WIN_PAST = 0.45
# Largest fall of a win share: three times the half-width of its 95 % interval over 400 games.
MOST_FALLEN = 0.15


class DivergedError(SpaceMissionError):
    """Losses or weights that are not finite; the run cannot continue."""

    def __init__(self, out: object, what: str, steps: int) -> None:
        """`what` is not finite after `steps` steps of the run in the folder `out`."""
        super().__init__(
            f"{out}: {what} not finite after {steps} steps; the last checkpoint is kept."
            " A smaller learning_rate may help"
        )


def warnings(rows: list[Json]) -> dict[str, str]:
    """The warnings that the last rows of progress.csv cause: a line by kind."""
    found = {}
    last = rows[-1]
    first, entropy = rows[0].get("entropy") or 0.0, last.get("entropy")
    from_first = f" (at first {first:.3f})" if len(rows) > 1 else ""
    if entropy is not None and entropy < max(LEAST_ENTROPY, LEAST_ENTROPY_SHARE * first):
        found["entropy"] = (
            f"the policy's entropy is down to {entropy:.3f} nats{from_first}: it no longer"
            " explores; a larger `entropy` or a smaller `learning_rate` may help"
        )
    if len(rows) > 1 and "win_past" in last and all(row["win_past"] < LEAST_WIN_PAST for row in rows[-2:]):
        found["win_past"] = (
            f"the policy gets {last['win_past']:.0%} against its past selves, twice in a row: it got worse"
        )
    for column in last:
        if column.startswith("win_") and column != "win_past" and _has_fallen([row[column] for row in rows]):
            best = max(row[column] for row in rows)
            found[column] = f"{column} has fallen to {last[column]:.1%}, twice in a row; it was {best:.1%}"
    return found


def _has_fallen(shares: list[float]) -> bool:
    return len(shares) > 2 and all(share < max(shares[:-2]) - MOST_FALLEN for share in shares[-2:])
