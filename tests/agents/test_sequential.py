"""The sequential test keeps its error rates, needs few games, and does not depend on workers."""

import json
import re
from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from spacemission_agents.arena.sequential import Sequential, conclusion, elo_of, expected_score, log_ratio
from spacemission_env.core.reading import Json
from studies.sequential_errors import KINDS, matches
from tests.support import tournaments
from tests.support.command_line import run
from tests.support.tournaments import untimed

pytestmark = pytest.mark.slow

TOLD = Sequential(0, 100, 0.05, 0.05)
UNDECIDED = ["--test", "greedy,random", "--max-games", "4", "--workers", "1"]


# ---------------------------------------------------------------- the ratio


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_equal_agents_have_a_half_and_points_turn_into_shares_and_back(seats: int) -> None:
    assert expected_score(0, seats) == 0.5
    for elo in (-300, -10, 5, 120):
        assert elo_of(expected_score(elo, seats), seats) == pytest.approx(elo, abs=1e-6)
        assert expected_score(elo, seats) == pytest.approx(1 - expected_score(-elo, seats))
    assert expected_score(400, 2) == pytest.approx(10 / 11)


def test_the_ratio_is_that_of_the_likeliest_distributions() -> None:
    values, counts = np.array([0, 0.25, 0.5, 1]), np.array([40.0, 7, 90, 60])
    likeliest = []
    for mean in (0.5, 0.52):
        best = minimize(
            lambda p: -counts @ np.log(p), counts / counts.sum(), method="SLSQP", bounds=[(1e-9, 1)] * 4,
            constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1},
                         {"type": "eq", "fun": lambda p, m=mean: p @ values - m}],
            options={"ftol": 1e-14, "maxiter": 1000},
        )  # fmt: skip
        likeliest.append(-best.fun)
    ours = float(log_ratio(values, counts[None], 0.5, 0.52)[0])
    assert ours == pytest.approx(likeliest[1] - likeliest[0], abs=1e-3)


def test_blocks_that_are_all_level_tell_for_the_claim_of_equality_and_little_each() -> None:
    values = np.array([0, 0.5, 1])
    counts = np.array([[0, n, 0] for n in (1, 10, 100)], float)
    ratios = log_ratio(values, counts, 0.5, expected_score(10, 2))
    assert (ratios < 0).all() and (np.diff(ratios) < 0).all()
    assert ratios[0] > 0.05 * log(0.05)


def test_each_bound_belongs_to_its_own_error() -> None:
    test = Sequential(0, 10, alpha=0.01, beta=0.2)
    assert (test.lower, test.upper) == pytest.approx((log(0.2), -log(0.01)))


# ---------------------------------------------------------------- error rates


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("stronger", [False, True])
def test_it_errs_no_more_often_than_it_promises(kind: str, stronger: bool) -> None:
    found, blocks = matches(TOLD, KINDS[kind], TOLD.elo1 if stronger else TOLD.elo0, 1000, seed=7)
    wrong = (found != stronger).mean()
    assert wrong <= 0.05 + 0.02  # three standard errors of 1,000 matches
    assert wrong >= 0.01  # a test with fewer errors would take too many games
    assert blocks.min() > 1


def test_it_takes_fewer_games_than_a_match_of_fixed_length_with_its_error_rates() -> None:
    kind = KINDS["games apart"]
    values, likely = kind.odds(0)
    gap = expected_score(TOLD.elo1, 2) - 0.5
    fixed = likely @ (values - 0.5) ** 2 * (2 * 1.645 / gap) ** 2
    for elo in (TOLD.elo0, TOLD.elo1):
        assert matches(TOLD, kind, elo, 500, seed=8)[1].mean() < 0.7 * fixed


# ---------------------------------------------------------------- in the arena


def held(folder: Path | None, **options: object) -> Json:
    options = {"games": None, "seed": 4, "test": Sequential(0, 200), **options}
    return tournaments.held(["greedy", "random"], folder=folder, **options)


def test_it_stops_as_soon_as_it_may_however_it_is_played(tmp_path: Path) -> None:
    report = held(tmp_path / "one", workers=1)
    told = report["test"]
    assert report["stopped_by"] == "test" and told["verdict"] == "elo1"
    assert told["llr"] >= told["upper"] and told["blocks"] == report["set_ups"]
    assert report["games"] == told["games"] == 2 * told["blocks"]
    assert sum(count for _, count in told["scores"]) == told["blocks"]
    # one block fewer gives no verdict
    assert held(None, workers=1, games=2 * (told["blocks"] - 1))["test"]["verdict"] is None
    assert untimed(held(tmp_path / "two", workers=2)) == untimed(report)
    assert untimed(held(tmp_path / "one", workers=1, resume=True)) == untimed(report)


def test_the_test_finds_no_difference_where_there_is_none() -> None:
    told = tournaments.held(["a=greedy", "b=greedy"], 2, None, seed=3, test=Sequential(0, 50))["test"]
    assert told["verdict"] == "elo0"
    assert told["scores"] == [[0.0, 0], [0.5, told["blocks"]], [1.0, 0]]
    assert told["score"] == 0.5 and told["elo"] == pytest.approx(0)


def test_the_command_says_what_it_found() -> None:
    shown = run("arena", "--test", "a=greedy,b=random", "--elo1", "200", "--workers", "1").stdout
    share = r"\d+\.\d % \(\d+\.\d to \d+\.\d %\)"
    says = rf"a is stronger: a wins {share}; the claim of \+200 Elo is accepted\. "
    assert re.match(says, " ".join(shown.split()))
    assert "stopped by --test after" in shown


def test_undecided_after_the_most_games_it_may_take() -> None:
    told = " ".join(run("arena", *UNDECIDED).stdout.split())
    assert told.startswith("neither greedy nor random is shown to be stronger")  # two blocks tell little
    assert "; undecided between +0 and +10 Elo." in told


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ((0.29, 0.25, 0.33, 2, "elo0"), "B is stronger: A wins 29.0 % (25.0 to 33.0 %); the claim of +30"),
        ((0.60, 0.55, 0.65, 3, "elo1"), "A is stronger: A scores 60.0 % (55.0 to 65.0 %); the claim of +30"),
        ((0.51, 0.49, 0.53, 2, "elo0"), "neither A nor B is shown to be stronger: A wins 51.0 % (49.0 to"),
    ],
)
def test_the_plain_verdict(told: tuple[float | int | str, ...], says: str) -> None:
    named = dict(zip(("score", "low", "high", "players", "verdict"), told, strict=True))
    said = conclusion({"agent": "A", "other": "B", "elo0": 0, "elo1": 30, **named})
    assert said.startswith(says) and said.endswith("accepted" if told[-1] == "elo1" else "rejected")


def test_the_report_and_json_begin_with_the_verdict(tmp_path: Path) -> None:
    said = json.loads(run("arena", *UNDECIDED, "--out", str(tmp_path / "out"), "--json").stdout)
    assert said["conclusion"].endswith("undecided between +0 and +10 Elo")
    page = re.sub("<wbr>", "", (tmp_path / "out" / "report.html").read_text())
    assert page.index(said["conclusion"]) < page.index("games over")
