"""Ratings: fits agree with another library, anchors are fixed, intervals have their coverage."""

from itertools import chain, permutations

import choix
import numpy as np
import pytest
from scipy.stats import t

from spacemission_agents.arena import ratings
from spacemission_agents.arena.ratings import FOLDS, POINTS, Ordering, rate
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json

ANCHORS = find_game("space_mission").anchors
NAMES = ["a", "b", "c", "d"]
Counts = dict[Ordering, np.ndarray]


def simulate(strengths: np.ndarray, players: int, set_ups: int, seed: int, twice: int = 1) -> Counts:
    """Games of Plackett–Luce players at random tables; each game is counted `twice` times."""
    rng = np.random.default_rng(seed)
    counts: Counts = {}
    for set_up in range(set_ups):
        table = rng.choice(len(strengths), players, replace=False)
        # Orders by strength plus Gumbel noise are Plackett–Luce (Yellott 1977).
        order = table[np.argsort(-strengths[table] - rng.gumbel(size=players))]
        add(counts, tuple((int(a),) for a in order), set_up, twice)
    return counts


def add(counts: Counts, ordering: Ordering, set_up: int, times: float = 1) -> None:
    counts.setdefault(ordering, np.zeros(FOLDS))[set_up % FOLDS] += times


def by_name(rows: list[Json], key: str = "rating") -> np.ndarray:
    return np.array([row[key] for row in sorted(rows, key=lambda row: row["agent"])], float)


# ---------------------------------------------------------------- the fit


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_fit_is_the_librarys(players: int) -> None:
    counts = simulate(np.array([0.0, 0.5, 1.0, -0.7]), players, 300, seed=players)
    expanded = [tuple(chain(*ordering)) for ordering, n in counts.items() for _ in range(int(n.sum()))]
    ours = by_name(rate(NAMES, counts, players, prior=0).rows) / POINTS
    for theirs in (choix.opt_rankings(4, expanded, alpha=0, tol=1e-9), choix.ilsr_rankings(4, expanded)):
        assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-4)


def test_a_tie_is_the_average_over_all_orders_of_the_tied() -> None:
    base = simulate(np.array([0.0, 0.5, 1.0, -0.7]), 4, 200, seed=5)
    tied, apart = ({key: count.copy() for key, count in base.items()} for _ in range(2))
    for k in range(12):
        add(tied, ((3,), (0, 1, 2)), k)
        add(tied, ((0, 2), (1, 3)), k)
        for order in permutations((0, 1, 2)):
            add(apart, ((3,), *((a,) for a in order)), k, 1 / 6)
        for first in permutations((0, 2)):
            for last in permutations((1, 3)):
                add(apart, tuple((a,) for a in first + last), k, 1 / 4)
    one, other = rate(NAMES, tied, 4).rows, rate(NAMES, apart, 4).rows
    for key in ("rating", "low", "high"):
        assert by_name(one, key) == pytest.approx(by_name(other, key))
    assert by_name(one) != pytest.approx(by_name(rate(NAMES, base, 4).rows))


def test_several_seats_of_one_agent_are_choices_between_them() -> None:
    # One seat of a against two of b, all equal: a is first in a third of the games.
    counts: Counts = {}
    for set_up in range(900):
        orders: list[Ordering] = [((0,), (1,), (1,)), ((1,), (0,), (1,)), ((1,), (1,), (0,))]
        add(counts, orders[set_up % 3], set_up // 3)
    rows = rate(["a", "b"], counts, 3).rows
    assert by_name(rows) == pytest.approx([0, 0], abs=1e-6)
    only_itself = rate(["a", "b"], {((1,), (1,), (1,)): np.ones(FOLDS)}, 3).rows
    assert by_name(only_itself) == pytest.approx([np.nan, 0], nan_ok=True)


def test_known_strengths_lie_in_the_intervals() -> None:
    strengths = np.array([0.0, 0.4, 1.1, -1.5, 2.0, 0.1, -0.3, 0.8])
    names = [f"agent {i}" for i in range(8)]
    rows = rate(names, simulate(strengths, 3, 4000, seed=1), 3).rows
    truth = POINTS * (strengths - strengths.mean())
    assert (by_name(rows, "low") < truth).all() and (truth < by_name(rows, "high")).all()
    assert (by_name(rows, "high") - by_name(rows, "low")).max() < 60
    assert [row["rating"] for row in rows] == sorted(by_name(rows), reverse=True)


@pytest.mark.parametrize("twice", [1, 4])
def test_intervals_cover_the_truth_as_often_as_they_say(twice: int) -> None:
    # With `twice` = 4 each set-up has four equal games: an interval for independent games would be
    # half as wide as it should be, and cover about two thirds.
    strengths = np.array([0.0, 0.6, -0.6])
    covered = [
        (row["low"] <= POINTS * strengths[int(row["agent"])] <= row["high"])
        for k in range(100)
        for row in rate(["0", "1", "2"], simulate(strengths, 2, 160, seed=k, twice=twice), 2).rows
    ]
    assert 0.88 <= np.mean(covered) <= 0.99


# ---------------------------------------------------------------- anchors, prior, what is missing


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_anchors_stand_at_their_constants(players: int) -> None:
    greedy = ANCHORS[players]["greedy"]
    strengths = np.array([0, greedy, greedy + 150, 600, 900]) / POINTS
    names = ["random", "greedy", "strong", "middling", "better"]
    result = rate(names, simulate(strengths, players, 3000, seed=3), players)
    rows = {row["agent"]: row for row in result.rows}
    for name, value in ANCHORS[players].items():
        held = {"agent": name, "rating": value, "low": value, "high": value, "anchor": True}
        assert {key: rows[name][key] for key in held} == held
    for name, strength in zip(names[2:], strengths[2:], strict=True):
        assert not rows[name]["anchor"]
        reach = (rows[name]["high"] - rows[name]["low"]) / 2
        assert 0 < reach < 120
        assert abs(rows[name]["rating"] - POINTS * strength) < 1.5 * reach  # three standard errors
    assert f"random at 0 and greedy at {greedy:.0f}" in result.note


def test_one_anchor_is_enough_and_without_one_the_mean_is_zero() -> None:
    counts = simulate(np.array([0.0, 1.0, 2.0]), 2, 400, seed=4)
    without = rate(["x", "y", "z"], counts, 2)
    assert by_name(without.rows).mean() == pytest.approx(0, abs=1e-6)
    assert "mean is 0" in without.note
    held = rate(["x", "y", "greedy"], counts, 2, prior=0)
    loose = by_name(rate(["x", "y", "z"], counts, 2, prior=0).rows)
    assert by_name(held.rows)[1:] - by_name(held.rows)[0] == pytest.approx(loose[:2] - loose[2])
    assert "greedy at" in held.note and "random at" not in held.note


def test_who_only_won_has_a_finite_rating_and_a_wide_interval() -> None:
    counts: Counts = {}
    for set_up in range(400):
        add(counts, ((1,), (0,)), set_up, 2)
    champion, loser = rate(["random", "new"], counts, 2).rows
    # Half a loss in 801 games: odds of 800.5 to 0.5.
    assert champion["rating"] == pytest.approx(POINTS * np.log(800.5 / 0.5))
    assert champion["high"] - champion["low"] > 800
    assert (champion["agent"], loser["agent"]) == ("new", "random")
    few = rate(["random", "new"], {((1,), (0,)): np.eye(FOLDS)[0] + np.eye(FOLDS)[1]}, 2).rows[0]
    assert few["rating"] < champion["rating"]


def test_what_is_not_known_is_none() -> None:
    one_fold = rate(NAMES[:3], {((0,), (1,)): np.eye(FOLDS)[7]}, 2).rows
    assert [row["agent"] for row in one_fold] == ["a", "b", "c"]
    assert one_fold[0]["rating"] > one_fold[1]["rating"]
    assert all(row["low"] is None and row["high"] is None for row in one_fold)
    assert one_fold[2]["rating"] is None
    assert [row["rating"] for row in rate(["random", "a"], {}, 2).rows] == [None, None]


# ---------------------------------------------------------------- input


def test_the_order_of_the_input_does_not_matter() -> None:
    counts = simulate(np.array([0.0, 0.5, 1.0, -0.7]), 3, 300, seed=6)
    rows = rate(NAMES, counts, 3).rows
    backwards = rate(NAMES, dict(reversed(counts.items())), 3).rows
    new = [2, 0, 3, 1]  # new index of each agent
    moved = {tuple(tuple(new[a] for a in group) for group in key): n for key, n in counts.items()}
    shuffled = rate([NAMES[new.index(i)] for i in range(4)], moved, 3).rows
    for other in (backwards, shuffled):
        assert [row["agent"] for row in other] == [row["agent"] for row in rows]
        for key in ("rating", "low", "high"):
            assert by_name(other, key) == pytest.approx(by_name(rows, key))


def test_quantiles_are_the_librarys() -> None:
    assert np.abs(np.array(ratings._T) - t.ppf(0.975, np.arange(1, FOLDS))).max() < 5e-4
    for folds in (2, 3, FOLDS):
        (reach,) = ratings._reach(np.ones(1), folds, np.ones(1, bool))
        assert reach == pytest.approx(t.ppf(0.975, folds - 1), abs=5e-4)
