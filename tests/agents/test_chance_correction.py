"""Chance corrections do not change mean shares, reduce variance, and can be resumed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacemission_agents import random_agent
from spacemission_agents.arena.aivat import PARTS, CorrectionSums, find_chance_correction, wins_whole
from spacemission_agents.arena.journal import record_of
from spacemission_agents.arena.run_tournament import run_tournament
from spacemission_agents.arena.schedule import Schedule
from spacemission_agents.arena.tournament import define
from spacemission_env.core.agents import make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game_spec import find_game
from tests.support.command_line import run
from tests.support.tournaments import held, played, untimed

pytestmark = pytest.mark.slow

SPEC = find_game("space_mission")


def records_of(agents: list[str], players: int, games: int, game: str = "space_mission") -> np.ndarray:
    return played(define(agents, players, games, seed=5, aivat=True, game=game), np.arange(games))


@pytest.mark.parametrize("players", [2, 3, 5])
def test_luck_of_the_seats_of_a_game_adds_up_to_nothing(players: int) -> None:
    correction = records_of(["greedy", "heuristic"], players, 20)["luck"][:, :players]
    assert abs(correction.sum(1)).max() <= players  # rounding of each seat
    assert abs(correction).max() > 1000


def test_plain_shares_are_those_of_the_same_games_without_it() -> None:
    agents = ["greedy", "heuristic"]
    plain = run_tournament(define(agents, 2, 40), workers=1)
    corrected = held(agents, aivat=True)
    told = corrected.pop("aivat")
    assert untimed(corrected) == untimed(plain)
    share = {row["agent"]: row["win_share"] for row in plain["ladder"]}
    for row in told["rows"]:
        assert row["share"] == pytest.approx(share[row["agent"]])
        assert row["corrected"] != row["share"]
    assert sum(row["corrected"] for row in told["rows"]) == pytest.approx(1, abs=1e-4)


def test_equal_agents_that_play_differently_stay_level(monkeypatch: pytest.MonkeyPatch) -> None:
    # With other keys at each call, `random` plays differently in the two games of a block.
    plain, salt = random_agent.choose_uniform, np.random.default_rng(6)

    def salted(masks: np.ndarray, keys: np.ndarray, actions: np.ndarray) -> None:
        plain(masks, keys ^ salt.integers(2**62, size=len(keys)), actions)

    monkeypatch.setattr(random_agent, "choose_uniform", salted)
    spec = find_game("kuhn_poker")
    records = records_of(["a=random", "b=random"], 2, 1000, spec.name)
    sums = CorrectionSums(Schedule(2, 2, 0).lineups, 2, wins_whole(spec))
    sums.fold(records.reshape(-1, 2))
    row = sums.report(["a", "b"], "…")["rows"][0]
    reach = (row["share_high"] - row["share_low"]) / 2
    assert abs(row["share"] - 0.5) < 2 * reach < 0.2
    # The value function of Kuhn poker is that of random play, so only rounding errors remain.
    assert row["corrected"] == pytest.approx(0.5, abs=1e-4)
    assert row["variance_ratio"] < 0.001


def test_sums_of_blocks() -> None:
    schedule, rng = Schedule(2, 2, 0), np.random.default_rng(1)
    sums = CorrectionSums(schedule.lineups, 2, 120)
    records = np.zeros((50, 2), record_of(SPEC, correction=True))
    won = rng.integers(2, size=(50, 2))
    records["winners"][np.arange(50)[:, None], np.arange(2), won] = 1
    correction = rng.integers(-40_000, 40_000, (50, 2))
    records["luck"][..., 0], records["luck"][..., 1] = correction, -correction
    sums.fold(records[:20])
    sums.fold(records[20:])
    row = sums.report(["a", "b"], "…")["rows"][0]
    mine = np.stack([won[:, 0] == 0, won[:, 1] == 1], axis=1).astype(float)
    less = np.stack([correction[:, 0], -correction[:, 1]], axis=1) / (120 * PARTS)
    plain, corrected = mine.mean(1), (mine - less).mean(1)
    assert row["share"] == pytest.approx(plain.mean())
    assert row["corrected"] == pytest.approx(corrected.mean())
    assert row["variance_ratio"] == pytest.approx(corrected.var() / plain.var())
    assert row["of_single_games"] == pytest.approx(corrected.var(ddof=1) / (mine.var() / 2))
    reach = 1.96 * plain.std(ddof=1) / np.sqrt(50)
    assert row["share_high"] - row["share"] == pytest.approx(reach, rel=1e-3)


@pytest.mark.parametrize("agent", ["random", "policy:default?sample"])
def test_agents_play_by_the_odds_that_they_tell(agent: str) -> None:
    games = BatchedGames(16_000, 2)
    for i in range(16_000):
        games.deal(i, i)
    one = make_agent(agent)
    prepare_agents([one], games.info)
    asked = games.ask(games.everyone).part(one, games.everyone)
    action_probabilities, actions = one.action_probabilities(asked), one.act(asked)
    assert action_probabilities is not None and action_probabilities.sum(1) == pytest.approx(np.ones(16_000))
    assert not action_probabilities[asked.masks == 0].any()
    played = np.bincount(actions, minlength=action_probabilities.shape[1])
    mean, variance = action_probabilities.sum(0), (action_probabilities * (1 - action_probabilities)).sum(0)
    often = variance > 5
    assert (abs(played - mean)[often] < 5 * np.sqrt(variance[often])).all()
    assert make_agent("policy:default").action_probabilities(asked) is None


def test_a_game_without_a_value_is_refused_in_one_line() -> None:
    refused = run("arena", "--game", "planet_hexx", "--agents", "greedy,random", "--aivat", status=1).stderr
    assert "has no value function for positions" in refused


def test_the_value_belongs_to_the_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = held(["greedy", "heuristic"], games=4, folder=tmp_path, aivat=True)
    assert report["aivat"]["value_sha256"] == find_chance_correction("space_mission").digest
    with pytest.raises(Exception, match="luck: it was started with"):
        run_tournament(define(["greedy", "heuristic"], 2, 4), tmp_path, resume=True, workers=1)


def test_the_command_says_what_is_saved() -> None:
    shown = run("arena", "--agents", "greedy,heuristic", "--games", "40", "--aivat", "--workers", "1").stdout
    assert "corrected for chance (AIVAT, value " in shown and "% of the games saved" in shown
