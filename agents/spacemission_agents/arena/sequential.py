"""Tests which of two agents is stronger, with as few games as the error rates allow.

The unit is a block, one deal in all seat rotations: its mean score, the share of the wins that the first
agent's seats took, is one observation. After each block the test weighs two claims, "it is `elo0` stronger"
and "it is `elo1` stronger", by the generalised likelihood ratio (GSPRT): the likelihood of the blocks under
the most likely distribution of block scores with the claim's mean, by empirical likelihood (Owen 1988), p /
(1 + θ (x - mean)). For chess engines' pairs of games this is the pentanomial model (Van den Bergh). The
bounds are 1 / alpha and beta, which a ratio of the true likelihoods passes wrongly no more often than that
(Ville's inequality). studies/sequential_errors.py measures the error rates.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from math import log, sqrt

import numpy as np

from spacemission_agents.arena.aivat import win_parts
from spacemission_agents.arena.shares import Z, wilson
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json

ALPHA = BETA = 0.05
FARTHEST = 1000.0  # Elo
ELO_POINTS = 400.0
SEEN_A_LITTLE = 1e-3  # blocks at each end of the scores that nobody played: a claim's mean is then possible
STEPS = 60  # of the search for θ, at most
FIRST, SECOND = "elo1", "elo0"  # verdicts


@dataclass(frozen=True)
class Sequential:
    """What is tested: the first agent against the second."""

    elo0: float  # the two claims, Elo points by which the first is stronger; elo0 < elo1
    elo1: float
    alpha: float = ALPHA  # how often, at most, `elo1` may be found although `elo0` holds
    beta: float = BETA  # and the other way round

    @property
    def lower(self) -> float:
        """At or below this logarithm of the ratio `elo0` is found."""
        return log(self.beta)

    @property
    def upper(self) -> float:
        """At or above this one `elo1` is."""
        return -log(self.alpha)

    def to_json(self) -> dict[str, float]:
        return asdict(self)

    def check(self) -> None:
        """Refuse numbers that cannot be, with AgentError."""
        for name in ("elo0", "elo1"):
            value = getattr(self, name)
            if not -FARTHEST <= value <= FARTHEST:
                raise AgentError(f"{name}: expected -{FARTHEST:g} to {FARTHEST:g}, not {value!r}")
        if self.elo1 - self.elo0 < 0.1:
            raise AgentError(f"elo1: expected at least 0.1 more than elo0 ({self.elo0:g}), not {self.elo1:g}")
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not 0.0001 <= value <= 0.4:
                raise AgentError(f"{name}: expected 0.0001 to 0.4, not {value!r}")


def expected_score(elo: float, seats: int) -> float:
    """Mean score of a block by Plackett–Luce, where the first agent is so many points stronger.

    With two seats the share of the wins; with more, the mean of its share in one seat against the rest of the
    other, and in all seats but one. Equal agents have a half.
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
        values: block scores, rising, from 0 to 1: float64 (k,). Both ends stand in it.
        counts: blocks with each score, (matches, k); some in each row.
        score0: mean that the first claim has.
        score1: mean that the second one has.
    """
    weights = np.asarray(counts, float).copy()
    weights[:, [0, -1]] += SEEN_A_LITTLE
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
    """A test under way."""

    def __init__(self, test: Sequential, lineups: np.ndarray, whole: int) -> None:
        """Nothing counted; `lineups` of one block, agents 0 and 1; a win counts `whole` parts."""
        self.test = test
        self.blocks = 0
        self.llr = 0.0
        self.verdict: str | None = None
        self._first = lineups == 0
        self._whole = whole
        self._most = whole * len(lineups)
        self._seats = lineups.shape[1]
        self._counts = Counter({0: 0, self._most: 0})  # blocks by score
        self._means = expected_score(test.elo0, self._seats), expected_score(test.elo1, self._seats)

    def add(self, records: np.ndarray) -> int:
        """Count whole blocks, records (blocks, games), up to the verdict; how many of them."""
        winners = records["winners"][..., : self._seats].astype(bool)
        winners |= ~winners.any(2, keepdims=True)  # a game that nobody has won is a draw here
        parts = win_parts(winners, self._whole) * self._first
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
        """What came of it: `score` and `elo` with 95 % intervals as for a fixed number of blocks."""
        values, counts = self._table()
        found: Json = {
            "agent": names[0],
            "other": names[1],
            "players": self._seats,
            **self.test.to_json(),
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
        low, high = (mean - reach, mean + reach) if variance else wilson(mean, self.blocks)
        ends = [min(1.0, max(0.0, score)) for score in (low, mean, high)]
        for name, score in zip(("low", "score", "high"), ends, strict=True):
            found[name] = score
            found[f"elo_{name}" if name != "score" else "elo"] = elo_of(score, self._seats)
        found["block_variance"] = variance
        return found


def conclusion(test: Json) -> str:
    """The result of a test in one plain sentence; `test` is what `Trial.report` made.

    One is stronger where the 95 % interval of the score leaves out an equal half.
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
    """The figures of a test, as lines for people."""
    bounds = f"log-likelihood ratio {test['llr']:.2f}, bounds {test['lower']:.2f} and {test['upper']:.2f}"
    claims = f"{test['elo0']:+g} or {test['elo1']:+g} Elo"
    found = [f"test of {claims}: {bounds}; {test['blocks']} blocks, {test['games']} games"]
    if "score" in test:
        found.append(
            f"score {100 * test['score']:.2f} % ({100 * test['low']:.2f} – {100 * test['high']:.2f} %), "
            f"{test['elo']:+.1f} Elo ({test['elo_low']:+.1f} to {test['elo_high']:+.1f}), by blocks; a test "
            "that ends early leans to the side that it found"
        )
    return found
