"""The ranks that an agent may have: they hold the true one, and narrow down."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from spacemission_agents.arena.ratings import FOLDS, Ordering, rank_ranges, rate, student
from spacemission_agents.report.text import ranks

NAMES = list("abcde")


def counts_of(strengths: np.ndarray, set_ups: int, seed: int) -> dict[Ordering, np.ndarray]:
    """Games of two by Bradley–Terry, every pair once a set-up."""
    rng = np.random.default_rng(seed)
    counts: dict[Ordering, np.ndarray] = {}
    for a in range(len(strengths)):
        for b in range(a):
            won = rng.random(set_ups) < 1 / (1 + np.exp(strengths[b] - strengths[a]))
            folds = np.arange(set_ups) % FOLDS
            counts[(a,), (b,)] = np.bincount(folds[won], minlength=FOLDS).astype(float)
            counts[(b,), (a,)] = np.bincount(folds[~won], minlength=FOLDS).astype(float)
    return counts


def ranges(strengths: np.ndarray, set_ups: int, seed: int) -> dict[str, list[int]]:
    rows = rate(NAMES[: len(strengths)], counts_of(strengths, set_ups, seed), 2).rows
    return {row["agent"]: row["ranks"] for row in rows}


def test_far_apart_each_has_its_rank() -> None:
    found = ranges(np.array([0.0, 1.0, 2.0, 3.0]), 800, seed=1)
    assert found == {"a": [4, 4], "b": [3, 3], "c": [2, 2], "d": [1, 1]}


def test_equal_ones_share_theirs() -> None:
    found = ranges(np.array([0.0, 0.0, 2.0]), 800, seed=1)
    assert found == {"a": [2, 3], "b": [2, 3], "c": [1, 1]}


def test_the_true_rank_is_held_in_nineteen_of_twenty() -> None:
    strengths = np.array([0.0, 0.05, 0.2, 0.3, 0.32])
    missed = tried = 0
    for seed in range(150):
        for name, (first, last) in ranges(strengths, 200, seed).items():
            tried += 1
            missed += not first <= 5 - NAMES.index(name) <= last
    assert missed / tried <= 0.05


def test_too_few_folds_rank_nobody() -> None:
    apart, sure = np.array([0.0, 9.0]), np.full((2, 2), 1e-6)
    assert rank_ranges(apart, sure, 3) == [(1, 2), (1, 2)]
    assert rank_ranges(apart, sure, 40) == [(2, 2), (1, 1)]


def test_who_did_not_play_has_no_rank() -> None:
    row = next(
        row for row in rate(["a", "b", "c"], counts_of(np.zeros(2), 100, 3), 2).rows if row["agent"] == "c"
    )
    assert row["ranks"] is None and ranks(row) == "–"
    assert ranks({"ranks": [2, 2]}) == "2" and ranks({"ranks": [2, 4]}) == "2 – 4"


@pytest.mark.parametrize("freedom", [10, 39])
@pytest.mark.parametrize("share", [0.975, 0.9975])
def test_quantiles_are_the_librarys(share: float, freedom: int) -> None:
    assert student(share, freedom) == pytest.approx(t.ppf(share, freedom), rel=2e-3)
