"""The exact computations agree with published values and with brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.kuhn_poker.exact import Tree, best_response, grow, kuhn_equilibrium, nash_conv, values


def uniform(tree: Tree) -> np.ndarray:
    return np.full((len(tree.sets), 2), 0.5)


def random_odds(tree: Tree, seed: int) -> np.ndarray:
    bet = np.random.default_rng(seed).random(len(tree.sets))
    return np.stack([1 - bet, bet], 1)


def brute_force(tree: Tree, probabilities: np.ndarray, seat: int) -> float:
    """The best pure strategy of a seat. What it does with one card does not change its result with another,
    so the cards are searched one at a time.
    """
    best = 0.0
    base = values(tree, probabilities)[seat]
    for card in range(tree.players + 1):
        own = [n for n, s in enumerate(tree.sets) if (s.seat, s.card) == (seat, card)]
        gains = []
        for moves in product((0, 1), repeat=len(own)):
            pure = probabilities.copy()
            pure[own] = np.eye(2)[list(moves)]
            gains.append(values(tree, pure)[seat] - base)
        best += max(gains)
    return float(base + best)


def test_the_tree_has_the_information_sets_of_the_published_games() -> None:
    assert len(grow(2).sets) == 12
    assert len(grow(3).sets) == 48
    assert grow(3).observations.shape[0] == 48
    assert grow(2).masks.tolist() == [[1, 1]] * 12
    assert len(np.unique(grow(3).observations, axis=0)) == 48


@pytest.mark.parametrize("alpha", np.linspace(0, 1 / 3, 7))
def test_kuhn_s_equilibria(alpha: float) -> None:
    """Kuhn (1950): worth -1/18 to the first seat, for every alpha from 0 to 1/3."""
    tree = grow(2)
    probabilities = tree.probabilities(kuhn_equilibrium(alpha))
    assert values(tree, probabilities) == pytest.approx([-1 / 18, 1 / 18], abs=1e-12)
    assert abs(nash_conv(tree, probabilities)) < 1e-12


def test_uniform_play_is_as_far_from_an_equilibrium_as_published() -> None:
    """Values from OpenSpiel's tests (exploitability, tabular best responses)."""
    assert nash_conv(grow(2), uniform(grow(2))) == pytest.approx(11 / 12, abs=1e-12)
    assert nash_conv(grow(3), uniform(grow(3))) == pytest.approx(2.0625, abs=1e-12)


@pytest.mark.parametrize("players", [2, 3])
def test_who_always_passes_could_win_the_antes(players: int) -> None:
    """Against players who always fold, a bet with any card wins all antes."""
    tree = grow(players)
    probabilities = tree.probabilities(lambda s: [1.0, 0.0])
    assert values(tree, probabilities) == pytest.approx([0] * players)
    assert nash_conv(tree, probabilities) == pytest.approx(players * (players - 1))


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_best_responses_are_those_of_brute_force(players: int, seed: int) -> None:
    tree = grow(players)
    for probabilities in (random_odds(tree, seed), np.round(random_odds(tree, seed))):
        for seat in range(players):
            assert best_response(tree, probabilities, seat) == pytest.approx(
                brute_force(tree, probabilities, seat), abs=1e-12
            )


def test_brute_force_by_card_is_that_over_all_pure_strategies() -> None:
    tree = grow(2)
    probabilities = random_odds(tree, 9)
    own = [n for n, s in enumerate(tree.sets) if s.seat == 0]
    best = -np.inf
    for moves in product((0, 1), repeat=len(own)):
        pure = probabilities.copy()
        pure[own] = np.eye(2)[list(moves)]
        best = max(best, values(tree, pure)[0])
    assert best == pytest.approx(brute_force(tree, probabilities, 0), abs=1e-12)


@pytest.mark.parametrize("row", range(12))
def test_a_changed_equilibrium_is_none(row: int) -> None:
    """Changing the probabilities of any one information set by 0.1 breaks the equilibrium (at alpha = 1/6
    every set matters).
    """
    tree = grow(2)
    probabilities = tree.probabilities(kuhn_equilibrium(1 / 6))
    bet = probabilities[row, 1]
    probabilities[row] = [1 - bet + 0.1, bet - 0.1] if bet > 0.5 else [1 - bet - 0.1, bet + 0.1]
    assert nash_conv(tree, probabilities) > 1e-3


def test_values_are_the_mean_results_of_play() -> None:
    """The game is zero-sum under any policy."""
    for players in (2, 3):
        for ante in (1, 3):
            tree = grow(players, ante)
            for seed in range(5):
                assert values(tree, random_odds(tree, seed)).sum() == pytest.approx(0, abs=1e-12)
                assert nash_conv(tree, random_odds(tree, seed)) > 0


def test_another_ante_is_another_game() -> None:
    """With a larger ante a fold costs more, so the equilibrium changes."""
    probabilities = grow(2).probabilities(kuhn_equilibrium(1 / 6))
    assert nash_conv(grow(2, ante=3), probabilities) > 0.01
