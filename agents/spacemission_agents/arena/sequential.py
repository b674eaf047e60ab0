"""Tests which of two agents is stronger, by a sequential test (GSPRT) on Elo.

A block is one deal, played in every rotation of the seats. The score of a block is the share of its wins that
the first agent took. The test has two hypotheses: the first agent is `elo0` or `elo1` points stronger. Each
hypothesis fixes the mean score. After each block the test computes the likelihood ratio of the hypotheses,
and stops when it reaches 1 / alpha or beta. For a true likelihood ratio, Ville's inequality bounds the error
rates by alpha and beta. The ratio here is generalised; studies/sequential_errors.py measures its error rates.

The likelihood of a mean is that of the most likely distribution with this mean (empirical likelihood, Owen
1988). It gives a score x of frequency p the probability p / (1 + θ (x - mean)). For pairs of games this is
the pentanomial model of chess engines (Van den Bergh).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from math import sqrt

import numpy as np

from spacemission_agents.arena.schedule import FARTHEST, Sequential
from spacemission_agents.arena.shares import Z, agresti_coull, parts_of_win, win_parts
from spacemission_env.core.reading import Json

ELO_POINTS = 400.0
PSEUDO_BLOCKS = 1e-3  # added to the lowest and the highest score, so that every mean between them is possible
STEPS = 60  # maximum number of steps of the search for θ
FIRST, SECOND = "elo1", "elo0"  # verdicts: the hypothesis that was accepted


def expected_score(elo: float, seats: int) -> float:
    """Expected score of a block if the first agent is `elo` points stronger; 0.5 for equal agents.

    With two seats this is the probability of a win. With more seats it is the mean over two tables: at one of
    them the first agent has one seat, at the other all seats but one (Plackett–Luce).
    """
    odds = 10 ** (elo / ELO_POINTS)
    others = seats - 1
    return 0.5 * (odds / (odds + others) + others * odds / (others * odds + 1))


def elo_of(score: float, seats: int) -> float:
    """The inverse of `expected_score`, within ±`FARTHEST`."""
    low, high = -FARTHEST, FARTHEST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_score(middle, seats) < score else (low, middle)
    return (low + high) / 2


def log_ratio(values: np.ndarray, counts: np.ndarray, score0: float, score1: float) -> np.ndarray:
    """Logarithm of the generalised likelihood ratio, float64 (matches,).

    Args:
        values: different block scores in ascending order, always with 0 and 1: float64 (k,).
        counts: number of blocks with each score in each match, (matches, k).
        score0: mean score under the hypothesis `elo0`.
        score1: mean score under the hypothesis `elo1`.
    """
    weights = np.asarray(counts, float).copy()
    weights[:, [0, -1]] += PSEUDO_BLOCKS
    found = np.zeros(len(weights))
    for score, sign in ((score0, 1.0), (score1, -1.0)):
        away = values - score
        theta = _tilt(weights, away)
        found += sign * (weights * np.log1p(theta[:, None] * away)).sum(1)
    return found


def _tilt(weights: np.ndarray, away: np.ndarray) -> np.ndarray:
    """θ at which the mean of `away` is 0 under weights / (1 + θ away), float64 (matches,)."""
    low = np.full(len(weights), -1 / away.max())
    high = np.full(len(weights), -1 / away.min())
    theta = np.zeros(len(weights))
    for _ in range(STEPS):
        part = away / (1 + theta[:, None] * away)
        slope = weights * part
        value = slope.sum(1)  # falls with θ
        low, high = np.where(value > 0, theta, low), np.where(value > 0, high, theta)
        step = value / (slope * part).sum(1)
        new = theta + step
        new = np.where((new > low) & (new < high), new, (low + high) / 2)
        if np.abs(new - theta).max() < 1e-12:
            break
        theta = new
    return theta


class Trial:
    """Counts the blocks of a running test."""

    def __init__(self, test: Sequential, lineups: np.ndarray) -> None:
        """Start with no blocks.

        Args:
            test: settings of the test.
            lineups: agent 0 or 1 by seat in each game of a block, int64 (games, seats).
        """
        self.test = test
        self.blocks = 0
        self.llr = 0.0
        self.verdict: str | None = None
        self._first = lineups == 0
        self._seats = lineups.shape[1]
        self._most = parts_of_win(self._seats) * len(lineups)
        self._counts = Counter({0: 0, self._most: 0})  # blocks by score
        self._means = expected_score(test.elo0, self._seats), expected_score(test.elo1, self._seats)

    def add(self, records: np.ndarray) -> int:
        """Count blocks, records (blocks, games), until the verdict; return how many were counted."""
        winners = records["winners"][..., : self._seats].astype(bool)
        winners |= ~winners.any(2, keepdims=True)  # a game without a winner counts as a draw
        parts = win_parts(winners) * self._first
        for n, score in enumerate(parts.sum((1, 2)).tolist()):
            if self.verdict is not None:
                return n
            self._counts[score] += 1
            self.blocks += 1
            values, counts = self._table()
            self.llr = float(log_ratio(values, counts[None], *self._means)[0])
            if self.llr >= self.test.upper:
                self.verdict = FIRST
            elif self.llr <= self.test.lower:
                self.verdict = SECOND
        return len(records)

    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        scores = sorted(self._counts)
        return np.array(scores) / self._most, np.array([self._counts[score] for score in scores], float)

    def report(self, names: list[str]) -> Json:
        """Report the test; the 95 % intervals of `score` and `elo` ignore that the test may stop early."""
        values, counts = self._table()
        found: Json = {
            "agent": names[0],
            "other": names[1],
            "players": self._seats,
            **asdict(self.test),
            "blocks": self.blocks,
            "games": self.blocks * len(self._first),
            "llr": self.llr,
            "lower": self.test.lower,
            "upper": self.test.upper,
            "verdict": self.verdict,
            "scores": list(map(list, zip(values.tolist(), counts.astype(int).tolist(), strict=True))),
        }
        if self.blocks < 2:
            return found
        mean = float(counts @ values) / self.blocks
        variance = float(counts @ (values - mean) ** 2) / (self.blocks - 1)
        reach = Z * sqrt(variance / self.blocks)
        low, high = (mean - reach, mean + reach) if variance else agresti_coull(mean, self.blocks)
        ends = [min(1.0, max(0.0, score)) for score in (low, mean, high)]
        for name, score in zip(("low", "score", "high"), ends, strict=True):
            found[name] = score
            found[f"elo_{name}" if name != "score" else "elo"] = elo_of(score, self._seats)
        found["block_variance"] = variance
        return found


def conclusion(test: Json) -> str:
    """Describe the result of a test in one sentence; `test` comes from `Trial.report`.

    An agent is called stronger if the 95 % interval of the score excludes 0.5.
    """
    claim = {
        FIRST: f"the claim of {test['elo1']:+g} Elo is accepted",
        SECOND: f"the claim of {test['elo1']:+g} Elo is rejected",
        None: f"undecided between {test['elo0']:+g} and {test['elo1']:+g} Elo",
    }[test["verdict"]]
    if "score" not in test:
        return f"too few games: {claim}"
    first, second = test["agent"], test["other"]
    stronger = first if test["low"] > 0.5 else second if test["high"] < 0.5 else None
    who = f"{stronger} is stronger" if stronger else f"neither {first} nor {second} is shown to be stronger"
    does = "wins" if test["players"] == 2 else "scores"
    share = f"{100 * test['score']:.1f} % ({100 * test['low']:.1f} to {100 * test['high']:.1f} %)"
    return f"{who}: {first} {does} {share}; {claim}"


def lines(test: Json) -> list[str]:
    """Format the result of a test as lines of text."""
    bounds = f"log-likelihood ratio {test['llr']:.2f}, bounds {test['lower']:.2f} and {test['upper']:.2f}"
    claims = f"{test['elo0']:+g} or {test['elo1']:+g} Elo"
    found = [f"test of {claims}: {bounds}; {test['blocks']} blocks, {test['games']} games"]
    if "score" in test:
        found.append(
            f"score {100 * test['score']:.2f} % ({100 * test['low']:.2f} – {100 * test['high']:.2f} %), "
            f"{test['elo']:+.1f} Elo ({test['elo_low']:+.1f} to {test['elo_high']:+.1f}), by blocks; a test "
            "that ends early overstates the difference"
        )
    return found
