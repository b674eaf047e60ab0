"""Counts the errors of the sequential test in simulated matches; the limits are alpha and beta.

`python -m studies.sequential_errors [MATCHES]` plays so many matches (default 2000) of each kind at both
claims, 0 and 10 Elo, and takes minutes; tests/agents/test_sequential.py plays shorter ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np

from spacemission_agents.arena.sequential import Sequential, expected_score, log_ratio

Odds = tuple[np.ndarray, np.ndarray]  # scores of a block, rising from 0 to 1, and how likely each is


class Kind(NamedTuple):
    """A kind of blocks: how likely their scores are, by the points by which the first agent is stronger."""

    seats: int
    odds: Callable[[float], Odds]


def apart(elo: float) -> Odds:
    """Two independent games."""
    share = expected_score(elo, 2)
    return np.array([0, 0.5, 1]), np.array([(1 - share) ** 2, 2 * share * (1 - share), share**2])


def alike(elo: float) -> Odds:
    """Near-equal agents: seven blocks of ten are level; a shared win may come in between."""
    lean = (expected_score(elo, 2) - 0.5) / 0.3
    seldom = np.array([0.08, 0.08, 0.68, 0.08, 0.08])
    return np.linspace(0, 1, 5), seldom + lean * np.array([-0.1, -0.1, 0, 0.1, 0.1]) / 0.5


def three_seats(elo: float) -> Odds:
    """Three seats, six games: three with one seat of the first agent, three with two."""
    odds = 10 ** (elo / 400)
    one, two = odds / (odds + 2), 2 * odds / (2 * odds + 1)
    told = np.ones(1)
    for share in (one, one, one, two, two, two):
        told = np.convolve(told, [1 - share, share])
    return np.linspace(0, 1, 7), told


KINDS = {"games apart": Kind(2, apart), "near-equal": Kind(2, alike), "three seats": Kind(3, three_seats)}


def matches(test: Sequential, kind: Kind, elo: float, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """So many matches played to their verdicts: which found `elo1`, bool, and blocks, int64 (count,)."""
    values, likely = kind.odds(elo)
    assert abs(likely @ values - expected_score(elo, kind.seats)) < 1e-12
    claims = expected_score(test.elo0, kind.seats), expected_score(test.elo1, kind.seats)
    rng, edges = np.random.default_rng(seed), np.cumsum(likely)[:-1]
    counts = np.zeros((count, len(values)))
    found, blocks = np.zeros(count, bool), np.zeros(count, np.int64)
    live = np.arange(count)
    while len(live):
        counts[live, np.searchsorted(edges, rng.random(len(live)))] += 1
        blocks[live] += 1
        ratio = log_ratio(values, counts[live], *claims)
        found[live] = ratio >= test.upper
        live = live[(ratio < test.upper) & (ratio > test.lower)]
    return found, blocks


def main() -> None:
    """Print the error rates of each kind, with the bound that they have to keep."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    test, kept = Sequential(0, 10), True
    for n, (name, kind) in enumerate(KINDS.items()):
        for elo, bound in ((test.elo0, test.alpha), (test.elo1, test.beta)):
            found, blocks = matches(test, kind, elo, count, seed=100 + n)
            wrong = float((found != (elo == test.elo1)).mean())
            noise = sqrt(wrong * (1 - wrong) / count)
            kept = kept and wrong <= bound
            print(
                f"{name}: at {elo:+g} Elo {wrong:.2%} of {count} matches wrong (± {1.96 * noise:.2%}), "
                f"bound {bound:.0%}; {blocks.mean():.0f} blocks on average",
                flush=True,
            )
    sys.exit(not kept)


if __name__ == "__main__":
    main()
