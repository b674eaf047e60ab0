"""Rates agents on an Elo scale by their places in games (Plackett–Luce).

Plackett–Luce (Luce 1959; Plackett 1975) models the places of a game as a sequence of choices: an agent gets
the first place with probability proportional to its strength, one of the others gets the second place in the
same way, and so on. A rating is `POINTS` times the logarithm of the strength: an agent with 400 points more
finishes ahead with odds of 10 to 1.

The likelihood depends on how often each agent was chosen and how often each set of agents was chosen from
(Hunter 2004). It is concave in the logarithms of the strengths; Newton's method finds its maximum.

- A tie counts as the average over all orders of the tied agents.
- The ratings of the game's anchors are fixed; in a game without anchors, `random` is fixed at 0.
- An agent that won or lost all its games has no finite rating. So each agent without a fixed rating gets
  `PRIOR` virtual games, half won and half lost, spread evenly over its opponents.
- The games of a set-up (one deal) are not independent, so intervals come from the delete-one-fold jackknife
  over folds of set-ups (Efron & Tibshirani 1993, ch. 11). If the curvature of the likelihood gives a wider
  interval, this interval is used, because the results of an agent that always won do not vary over folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from math import comb, isnan, log
from typing import NamedTuple, TypeAlias

import numpy as np

from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import Json

Ordering: TypeAlias = tuple[tuple[int, ...], ...]  # groups of tied agents, best first

POINTS = 400 / log(10)  # rating points for each unit of log-strength
FOLDS = 40  # a set-up is in fold `set_up % FOLDS`
PRIOR = 1.0  # virtual games of an agent whose rating is not fixed

ZERO = {"random": 0.0}  # the fixed ratings in a game that declares no anchors

# The 97.5 % quantile of Student's t for 1, 2, ... degrees of freedom.
_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042, 2.040, 2.037, 2.035, 2.032, 2.030, 2.028, 2.026, 2.024, 2.023,
)  # fmt: skip


class Ratings(NamedTuple):
    """The result of `rate`."""

    # Sorted by rating, highest first: `agent`, `rating`, `low`, `high` (points; 95 %) and `anchor` (whether
    # the rating is fixed). An agent without games has None everywhere; with one fold, `low` and `high` are
    # None.
    rows: list[Json]
    note: str  # explains the ratings to readers of a report


class _Choices(NamedTuple):
    """The data that the likelihood depends on."""

    sets: np.ndarray  # number of seats of each agent in each set chosen from, float64 (sets, agents)
    times: np.ndarray  # how often each set was chosen from, float64 (folds, sets)
    chosen: np.ndarray  # how often each agent was chosen, float64 (folds, agents)


def rate(
    names: Sequence[str],
    counts: Mapping[Ordering, np.ndarray],
    players: int,
    *,
    game: str | GameSpec = DEFAULT_GAME,
    specs: Sequence[str] | None = None,
    prior: float = PRIOR,
) -> Ratings:
    """Rate agents by their places.

    Args:
        names: names of the agents, all different.
        counts: number of games with each ordering in each fold, float64 (folds,). An ordering is a tuple of
            groups of tied agents, best first. A group has the index in `names` of each agent, once for each
            of its seats.
        players: number of seats, on which the ratings of the anchors depend.
        game: the game, for its anchors.
        specs: spec of each agent; None: the names are specs. Anchors are recognised by spec.
        prior: virtual games of each agent that is not an anchor.

    Raises:
        AgentError: a name is repeated, or the number of players, an ordering or a count is impossible.
    """
    spec = find_game(game)
    if not spec.min_players <= players <= spec.max_players:
        raise AgentError(f"ratings: players: expected {spec.player_numbers}, got {players!r}")
    _check(names, counts, players)
    measured = spec.anchors.get(players, {})
    choices = _choices(len(names), counts)
    seated = choices.chosen.sum(0) > 0
    playing = [
        (value, name)
        for name, made_from, plays in zip(names, specs or names, seated, strict=True)
        for held_spec, value in (measured or ZERO).items()
        if plays and made_from == held_spec
    ]
    anchors = {name: value for value, name in sorted(playing)}
    held = np.array([anchors.get(name, np.nan) for name in names]) / POINTS
    free = seated & np.isnan(held)
    # If no agent is fixed, the first one stays at 0 during the fit; `_fit` then moves the mean to 0.
    moving = np.flatnonzero(free)[0 if (seated & ~free).any() else 1 :]
    total = _with_prior(choices, free, seated, prior)
    strengths = _fit(total, np.where(np.isnan(held), np.nanmean([*held, 0.0]), held), free, moving)
    variance, folds = _variance(choices, total, strengths, free, moving)
    reach = POINTS * _reach(variance, folds, free)
    rows: list[Json] = []
    for a, name in enumerate(names):
        rating = low = high = None
        if seated[a]:
            rating = anchors.get(name, POINTS * float(strengths[a]))
            if not isnan(reach[a]):
                low, high = rating - float(reach[a]), rating + float(reach[a])
        rows.append({"agent": name, "rating": rating, "low": low, "high": high, "anchor": name in anchors})
    rows.sort(key=lambda row: (row["rating"] is None, -(row["rating"] or 0.0), row["agent"]))
    return Ratings(rows, _note(anchors, players if measured else None, prior))


def _note(anchors: Mapping[str, float], measured_with: int | None, prior: float) -> str:
    if anchors:
        fixed = " and ".join(f"{name} at {value:.0f}" for name, value in anchors.items())
        where = f", as measured with {measured_with} players under the printed rules" if measured_with else ""
        scale = f"Fixed: {fixed}{where}."
    else:
        scale = "No agent has a fixed rating: the mean is 0, and only differences count."
    virtual = (
        "An agent that won or lost all its games would have no finite rating; so each agent without a fixed "
        f"rating gets {prior:g} game more, half won and half lost, spread over its opponents. "
    )
    return (
        "Plackett–Luce ratings: 400 points are odds of 10 to 1 to finish ahead; a tie counts as the average "
        f"over all orders of the tied agents. {scale} {virtual if prior else ''}Intervals are 95 %: "
        "a jackknife leaves out one fold of set-ups at a time. They are never narrower than the intervals of "
        "independent games."
    )


def _check(names: Sequence[str], counts: Mapping[Ordering, np.ndarray], players: int) -> None:
    if not names or len(set(names)) < len(names):
        raise AgentError(f"ratings: expected agents with different names, got {list(names)}")
    if len({np.shape(count) for count in counts.values()}) > 1:
        raise AgentError("ratings: counts of different numbers of folds")
    for ordering, count in counts.items():
        seats = list(chain(*ordering))
        if not all(0 <= a < len(names) for a in seats) or len(seats) != players:
            raise AgentError(f"ratings: {ordering}: expected {players} agents from 0 to {len(names) - 1}")
        if np.ndim(count) != 1 or not np.isfinite(count).all() or np.min(count, initial=0.0) < 0:
            raise AgentError(f"ratings: {ordering}: expected one count from 0 a fold")


# ---------------------------------------------------------------- from orderings to choices


def _choices(agents: int, counts: Mapping[Ordering, np.ndarray]) -> _Choices:
    times: dict[tuple[int, ...], np.ndarray] = {}
    folds = len(next(iter(counts.values()), np.zeros(0)))
    chosen = np.zeros((folds, agents))
    for ordering in sorted(counts):  # so that sums do not depend on the order of the input
        count = np.asarray(counts[ordering], float)
        for left, share in _sets_of(ordering):
            times[left] = times.get(left, 0.0) + share * count
        for a in chain(*ordering):
            chosen[:, a] += count
    sets = np.array([np.bincount(left, minlength=agents) for left in times], float).reshape(-1, agents)
    return _Choices(sets, np.array(list(times.values())).T.reshape(folds, len(times)), chosen)


def _sets_of(ordering: Ordering) -> list[tuple[tuple[int, ...], float]]:
    """The sets from which the agents of an ordering were chosen, place by place, with weights.

    A tie is averaged over all orders of its group: each subset of one size is equally often the part of it
    that is still to be chosen.
    """
    found = []
    for g, group in enumerate(ordering):
        below = tuple(chain(*ordering[g + 1 :]))
        for size in range(1, len(group) + 1):
            for part in combinations(group, size):
                found.append((tuple(sorted(part + below)), 1 / comb(len(group), size)))
    return found


def _with_prior(choices: _Choices, free: np.ndarray, seated: np.ndarray, prior: float) -> _Choices:
    """The choices summed over all folds into one fold, with the virtual games added."""
    agents = len(free)
    pairs, times, chosen = [], [], choices.chosen.sum(0)
    for a in np.flatnonzero(free):
        others = np.flatnonzero(seated & (np.arange(agents) != a))
        for b in others:
            weight = prior / len(others)
            pairs.append(np.bincount([a, b], minlength=agents))
            times.append(weight)
            chosen[[a, b]] += weight / 2
    sets = np.concatenate([choices.sets, np.array(pairs, float).reshape(-1, agents)])
    return _Choices(sets, np.concatenate([choices.times.sum(0), times])[None], chosen[None])


# ---------------------------------------------------------------- fit and intervals


def _value(choices: _Choices, strengths: np.ndarray) -> float:
    totals = choices.sets @ np.exp(strengths - strengths.max())
    return float(choices.chosen[0] @ (strengths - strengths.max()) - choices.times[0] @ np.log(totals))


def _slopes(choices: _Choices, strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient (agents,) and negative Hessian (agents, agents) of the log-likelihood."""
    odds = choices.sets * np.exp(strengths - strengths.max())
    odds /= odds.sum(1, keepdims=True)
    weighted = odds * choices.times[0][:, None]
    expected = weighted.sum(0)
    return choices.chosen[0] - expected, np.diag(expected) - odds.T @ weighted


def _fit(choices: _Choices, strengths: np.ndarray, free: np.ndarray, moving: np.ndarray) -> np.ndarray:
    """The log-strengths with the highest likelihood, by Newton's method from the guess `strengths`."""
    strengths = strengths.copy()
    for _ in range(200 if len(moving) else 0):
        gradient, curvature = _slopes(choices, strengths)
        step = np.zeros_like(strengths)
        step[moving] = np.linalg.solve(curvature[np.ix_(moving, moving)], gradient[moving])
        if np.abs(step).max() < 1e-9:
            break
        step /= max(1.0, np.abs(step).max() / 4)  # a nearly flat likelihood gives steps that are too long
        before = _value(choices, strengths)
        while _value(choices, strengths + step) < before - 1e-12 * abs(before):
            step /= 2
        strengths += step
    if len(moving) < free.sum():
        strengths[free] -= strengths[free].mean()
    return strengths


def _variance(
    choices: _Choices, total: _Choices, strengths: np.ndarray, free: np.ndarray, moving: np.ndarray
) -> tuple[np.ndarray, int]:
    """Variance of the strengths (agents,): the larger of jackknife and curvature; number of folds used."""
    used = np.flatnonzero(choices.chosen.any(1))
    if len(used) < 2 or not free.any():
        return np.zeros(len(free)), len(used)
    fits = np.array([_fit(_without(choices, total, fold), strengths, free, moving) for fold in used.tolist()])
    jackknife = (len(used) - 1) * np.where(free, fits.var(0), 0.0)
    return np.maximum(jackknife, _curvature_variance(total, strengths, free, moving)), len(used)


def _reach(variance: np.ndarray, folds: int, free: np.ndarray) -> np.ndarray:
    """Half the width of the intervals, float64 (agents,): 0 for fixed agents, NaN if unknown."""
    if folds < 2 or not free.any():
        return np.where(free, np.nan, 0.0)
    return np.where(free, _T[min(folds - 1, len(_T)) - 1] * np.sqrt(np.maximum(0.0, variance)), 0.0)


def _without(choices: _Choices, total: _Choices, fold: int) -> _Choices:
    times = total.times.copy()
    times[0, : choices.times.shape[1]] -= choices.times[fold]
    return total._replace(times=np.maximum(times, 0.0), chosen=total.chosen - choices.chosen[fold])


def _curvature_variance(
    choices: _Choices, strengths: np.ndarray, free: np.ndarray, moving: np.ndarray
) -> np.ndarray:
    """Variance for independent games, float64 (agents,); 0 for fixed agents."""
    variance = np.zeros((len(free), len(free)))
    if len(moving):
        curvature = _slopes(choices, strengths)[1][np.ix_(moving, moving)]
        variance[np.ix_(moving, moving)] = np.linalg.inv(curvature)
    if len(moving) < free.sum():  # no agent is fixed, so the mean rating is 0
        centre = np.diag(free.astype(float)) - np.outer(free, free) / free.sum()
        variance = centre @ variance @ centre.T
    return variance.diagonal()
