"""Computes win shares with intervals, mean scores and pairwise comparisons.

In a game with k winners each winner has a share of 1 / k. A *win share* is the mean over games. Its interval
is Wilson's. The games of a set-up are not independent, so Wilson's formula gets an effective number of games:
the number of independent games at which the share would have the variance that is estimated over set-ups
(ratio estimate for clusters). It is never more than the number of games.

An agent *finishes ahead* of another if it has the better place in a game; a tie counts one half.
"""

from __future__ import annotations

from itertools import permutations
from math import lcm, sqrt

import numpy as np

from spacemission_agents.arena.games import Results
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import Json

Z = 1.959964  # 95 %


def wins_whole(game: GameSpec) -> int:
    """Number of parts of a win such that every share, and half of it, is an integer."""
    return 2 * lcm(*range(1, game.max_players + 1))


def win_parts(winners: np.ndarray, whole: int) -> np.ndarray:
    """Shares of the win in parts, int64 (..., seats); all are 0 in a game without a winner."""
    counts = winners.sum(-1, keepdims=True, dtype=np.int64)
    return whole // np.maximum(1, counts) * winners


def wilson(share: float, games: float) -> tuple[float, float]:
    """The 95 % interval of a share that was observed in `games` independent games."""
    if games <= 0:
        return 0.0, 1.0
    middle = share + Z * Z / (2 * games)
    reach = Z * sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    scale = 1 + Z * Z / games
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def mean(total: float, count: int) -> float | None:
    """`total` / `count`; None without anything to count."""
    return total / count if count else None


def share_with_interval(points: np.ndarray, weights: np.ndarray, seeds: np.ndarray) -> Json:
    """A share and its interval: `games`, `share`, `low`, `high`; the last three are None without games.

    Args:
        points: points of each game, from 0 to its weight.
        weights: weight of each game; a game of weight 0 does not count.
        seeds: seed of each game; games with the same seed are of one set-up.
    """
    games = int(np.count_nonzero(weights))
    if games == 0:
        return {"games": 0, "share": None, "low": None, "high": None}
    share = float(points.sum() / weights.sum())
    cluster = np.unique(seeds, return_inverse=True)[1]
    excess = np.bincount(cluster, points - share * weights)
    return _with_interval(games, int(cluster.max()) + 1, share, float((excess**2).sum() / weights.sum() ** 2))


def interval_of_sums(games: int, clusters: int, x: int, w: int, xx: int, xw: int, ww: int) -> Json:
    """As `share_with_interval`, from sums over set-ups: Σ x, Σ w, Σ x², Σ xw, Σ w² (x points, w weight)."""
    if games == 0:
        return {"games": 0, "share": None, "low": None, "high": None}
    excess = xx * w * w - 2 * x * w * xw + x * x * ww  # Σ (x - share w)², times w²
    return _with_interval(games, clusters, x / w, excess / w**4)


def _with_interval(games: int, clusters: int, share: float, squares: float) -> Json:
    """The interval of a share; `squares`: Σ (x - share w)² over set-ups, divided by (Σ w)²."""
    effective = float(games)
    if clusters > 1:
        variance = squares * clusters / (clusters - 1)
        if variance > 0:
            effective = min(effective, share * (1 - share) / variance)
    low, high = wilson(share, effective)
    return {"games": games, "share": share, "low": low, "high": high}


def seat_figures(results: Results, seats: np.ndarray, game: str | GameSpec = DEFAULT_GAME) -> Json:
    """Win share with interval, mean scores and decisions of the seats in `seats`, bool (games, seats).

    Keys: `games`, `win_share`, `low`, `high`, `scores` (means by category), `decisions` (mean per game and
    seat). A mean is None without such seats.
    """
    figures = share_with_interval((results.shares * seats).sum(1), seats.sum(1), results.seeds)
    count, scores = int(seats.sum()), results.scores[seats].sum(0).tolist()
    return {
        "games": figures["games"],
        "win_share": figures["share"],
        "low": figures["low"],
        "high": figures["high"],
        "scores": {
            name: mean(total, count) for name, total in zip(find_game(game).score_names, scores, strict=True)
        },
        "decisions": mean(int(results.decisions[seats].sum()), count),
    }


def ladder(results: Results, names: list[str], game: str | GameSpec = DEFAULT_GAME) -> list[Json]:
    """The `seat_figures` of each agent, sorted by win share, highest first."""
    rows = [
        {"agent": name, **seat_figures(results, results.lineups == a, game)} for a, name in enumerate(names)
    ]
    return sorted(rows, key=lambda row: -(row["win_share"] or 0.0))


def pair_table(results: Results, names: list[str]) -> list[Json]:
    """A row for each ordered pair of opponents: how often `agent` finished ahead of `other`."""
    ranks, lineups = results.ranking, results.lineups
    ahead = 0.5 + 0.5 * np.sign(ranks[:, :, None] - ranks[:, None, :])  # points of seat i against seat j
    rows = []
    for a, b in permutations(range(len(names)), 2):
        meet = (lineups == a)[:, :, None] & (lineups == b)[:, None, :]
        met = meet.sum((1, 2))
        points = (meet * ahead).sum((1, 2)) / np.maximum(met, 1)
        figures = share_with_interval(points, (met > 0).astype(float), results.seeds)
        if figures["games"]:
            rows.append({"agent": names[a], "other": names[b], **figures})
    return rows


def endings(results: Results) -> Json:
    """How the games ended: `games`, `finished`, `truncated`, and mean `rounds`."""
    truncated, games = int(results.truncated.sum()), len(results.seeds)
    return {
        "games": games,
        "finished": games - truncated,
        "truncated": truncated,
        "rounds": mean(int(results.rounds.sum()), games),
    }
