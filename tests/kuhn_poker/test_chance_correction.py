"""Chance correction keeps the mean over all deals and moves exactly, and lowers the variance."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from spacemission_agents.games.kuhn_poker.chance_correction import KuhnChanceCorrection
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.kuhn_poker import ACTION_COUNT, winner

LUCK = KuhnChanceCorrection()


def ends(
    players: int, probabilities: np.ndarray, told: set[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All ways to play: their probabilities, shares of the win, and corrections (ways, seats).

    `probabilities`: of a bet, by seat, card and number of decisions; the seats in `told` reveal theirs.
    """
    deals = list(permutations(range(players + 1)))
    games = BatchedGames(len(deals), players, game="kuhn_poker")
    for i, cards in enumerate(deals):
        games.deal(i, i)
        games.states["cards"][i, : players + 1] = cards
    everyone = np.arange(len(deals))
    found: list[tuple[float, np.ndarray, np.ndarray]] = []

    def walk(i: int, likely: float, correction: np.ndarray) -> None:
        s = games.states[i]
        if s.over:
            share = np.zeros(players)
            share[winner(s)] = 1.0
            found.append((likely, share, correction))
            return
        before = s.copy()
        seat = int(s.player)
        bet = float(probabilities[seat, s.cards[seat], s.decisions])
        chances = np.array([[1 - bet, bet]])
        for action in range(ACTION_COUNT):
            games.states[i] = before
            index, moves = np.array([i]), np.array([action])
            more = LUCK.of_draws(games, index, moves)[0]
            if seat in told:
                more = more + LUCK.of_choices(games, index, moves, chances)[0]
            games.step(index, moves)
            walk(i, likely * chances[0, action], correction + more)

    dealt = LUCK.of_deal(games, everyone)
    for i in range(len(deals)):
        walk(i, 1 / len(deals), dealt[i])
    likely, shares, correction = (np.array(column) for column in zip(*found, strict=True))
    return likely, shares, correction


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("who", ["nobody", "one", "all"])
def test_the_corrected_result_has_the_true_mean_and_varies_less(players: int, who: str) -> None:
    told = {"nobody": set(), "one": {1}, "all": set(range(players))}[who]
    rng = np.random.default_rng(players)
    for _ in range(5):
        probabilities = rng.uniform(0.3, 0.7, (players, players + 1, 2 * players))
        likely, shares, correction = ends(players, probabilities, told)
        assert likely.sum() == pytest.approx(1)
        assert likely @ correction == pytest.approx(np.zeros(players), abs=1e-12)
        mean = likely @ shares
        assert likely @ (shares - correction) == pytest.approx(mean, abs=1e-12)
        plain = likely @ (shares - mean) ** 2
        assert (likely @ (shares - correction - mean) ** 2 < plain).all()


def test_more_odds_told_leave_less_to_luck() -> None:
    probabilities = np.full((2, 3, 4), 0.5)
    left = []
    for told in (set[int](), {0}, {0, 1}):
        likely, shares, correction = ends(2, probabilities, told)
        left.append(float(likely @ (shares[:, 0] - correction[:, 0] - 0.5) ** 2))
    assert left[0] > left[1] > left[2]
    # The values are exact for this policy, so the correction removes all variance.
    likely, shares, correction = ends(2, probabilities, {0, 1})
    assert shares - correction == pytest.approx(np.tile(likely @ shares, (len(shares), 1)))


def test_wrong_odds_would_be_noticed() -> None:
    rng = np.random.default_rng(4)
    probabilities = rng.random((2, 3, 4))
    likely, _, correction = ends(2, probabilities, {0, 1})
    games = BatchedGames(1, 2, game="kuhn_poker")
    games.deal(0, 1)
    index = np.array([0])
    wrong = LUCK.of_choices(games, index, np.array([1]), np.array([[0.9, 0.1]]))
    right = LUCK.of_choices(games, index, np.array([1]), np.array([[0.5, 0.5]]))
    assert abs(likely @ correction).max() < 1e-12 and abs(wrong - right).max() > 0.01
