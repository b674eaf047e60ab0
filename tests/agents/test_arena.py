"""The arena: results do not depend on workers or batches, seats are fair, reports are correct."""

import json
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.report import seat_figures
from spacemission_agents.arena.schedule import following_seeds, rotations, round_robin, set_up_seed, tables
from spacemission_agents.arena.shares import agresti_coull, share_with_interval, win_parts
from spacemission_env.core.agents import Agent, Decisions, make_agent
from spacemission_env.core.errors import AgentError
from spacemission_env.games.space_mission.game import Game
from spacemission_env.records.writer import GameRecord, RecordWriter
from tests.support.command_line import run
from tests.support.models import write_model


def play_one(names: list[str], seed: int, rules: object = "printed") -> tuple[Game, GameRecord]:
    """Play a game with `Game`, one decision at a time."""
    game = Game(len(names), rules)
    game.reset(seed=seed)
    agents = [make_agent(name) for name in names]
    record = GameRecord(game, names)
    while not game.over:
        assert game.player is not None
        asked = Decisions(game.observe()[None], game.mask()[None], np.array([game.decision_key()]))
        action = int(agents[game.player].act(asked)[0])
        record.before(action)
        game.step(action)
    record.finish()
    return game, record


# ---------------------------------------------------------------- strength and fairness


@pytest.mark.parametrize(
    ("players", "games", "least"), [(2, 200, 0.99), (3, 60, 0.97), (4, 60, 0.97), (5, 60, 0.97)]
)
def test_one_greedy_beats_random_by_far(players: int, games: int, least: float) -> None:
    lineups, seeds = round_robin(2, players, games, seed=1)
    alone = (lineups == 0).sum(1) == 1
    results = play_games(["greedy", "random"], lineups[alone], seeds[alone])
    greedy, other = (seat_figures(results, results.lineups == agent) for agent in (0, 1))
    assert greedy["win_share"] >= least and greedy["low"] > 0.8
    assert greedy["scores"]["total"] > 3 * other["scores"]["total"]


# ---------------------------------------------------------------- the same however it is run


def test_games_are_those_of_the_single_game(tmp_path: Path) -> None:
    names = ["greedy", "random", write_model(tmp_path / "model") + "?sample"]
    seeds = following_seeds(77, 3)
    file = tmp_path / "games.jsonl"
    results = play_games(names, [[0, 1, 2]] * 3, seeds, record=RecordWriter(file))
    whole = ""
    game = Game(3)
    game.reset(seed=77)
    for i in range(3):
        assert game.seed == seeds[i]
        played, record = play_one(names, int(seeds[i]))
        whole += record.text()
        assert (results.scores[i] == played.scores()).all()
        assert np.flatnonzero(results.winners[i]).tolist() == played.winners()
        assert results.rounds[i] == played.rounds
        assert bool(results.truncated[i]) == (played.reason == "truncated")
        assert results.decisions[i].sum() == played.states[0].decisions
        game.reset()
    assert file.read_text() == whole


# ---------------------------------------------------------------- line-ups


def test_tables_of_a_round_robin() -> None:
    assert tables(4, 3) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert tables(2, 2) == [(0, 1)]
    assert tables(2, 4) == [(0, 1, 1, 1), (1, 0, 0, 0)]
    assert len(tables(3, 4)) == 6
    assert rotations((0, 1, 2)) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]


def test_every_rotation_of_every_table_has_the_same_set_ups() -> None:
    lineups, seeds = round_robin(4, 3, 7, seed=9)
    assert lineups.shape == (4 * 3 * 3, 3)  # 4 tables, 3 rotations, 7 games rounded up to 3 set-ups
    dealt: dict[tuple[int, ...], list[int]] = {}
    for lineup, seed in zip(lineups.tolist(), seeds.tolist(), strict=True):
        dealt.setdefault(tuple(lineup), []).append(seed)
    assert list(dealt.values()) == [[set_up_seed(9, k) for k in range(3)]] * 12
    for seat in range(3):
        assert (np.bincount(lineups[:, seat]) == 9).all()
    assert len({set_up_seed(s, k) for s in range(50) for k in range(50)}) == 2500


# ---------------------------------------------------------------- figures


def test_the_interval_of_agresti_and_coull() -> None:
    assert agresti_coull(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert agresti_coull(1.0, 20) == pytest.approx((0.8101, 1.0), abs=1e-4)
    assert agresti_coull(1 / 40, 40)[0] == 0.0, "one lucky game in 40 tells nothing"
    assert agresti_coull(0.3, 0) == (0.0, 1.0)


def test_the_interval_covers_the_truth() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):  # the two games of a set-up always end alike: 30 set-ups, not 60 games
        points = rng.integers(0, 2, 30).repeat(2)
        row = share_with_interval(points, np.ones(60, int), np.arange(30).repeat(2))
        covered += row["low"] <= 0.5 <= row["high"]
    assert covered / 400 > 0.92
    assert share_with_interval(*np.zeros((2, 3), int), np.arange(3))["share"] is None


# ---------------------------------------------------------------- users' own agents, and what they do wrong


class Cheat(Agent):
    def act(self, decisions: Decisions) -> np.ndarray:
        return np.full(len(decisions), 100)


def test_an_illegal_move_is_said_in_one_line_with_its_game() -> None:
    with pytest.raises(AgentError, match=r"^agent 'Cheat': game 0 \(seed 5\): player_.*") as caught:
        play_games([Cheat()], [[0, 0]] * 2, np.array([5, 6]))
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- commands


def test_play_command(tmp_path: Path) -> None:
    command = ["play", "--agents", "greedy,random,greedy", "--games", "3", "--seed", "8"]
    report = json.loads(run(*command, "--json", "--record", str(tmp_path / "g.jsonl")).stdout)
    assert report == json.loads(run(*command, "--json").stdout)
    assert [row["agent"] for row in report["seats"]] == ["greedy", "random", "greedy"]
    assert sum(row["win_share"] for row in report["seats"]) == pytest.approx(1)
    texts = [play_one(report["agents"], result["seed"])[1].text() for result in report["results"]]
    assert report["results"][0]["seed"] == 8
    assert (tmp_path / "g.jsonl").read_text() == "".join(texts)
    assert json.loads(texts[0].splitlines()[-1])["winners"] == report["results"][0]["winners"]
    table = run(*command).stdout
    assert "greedy" in table and "95 % interval" in table


def test_arena_command(tmp_path: Path) -> None:
    command = ["arena", "--agents", "random,greedy", "--games", "9", "--players", "3", "--seed", "2"]
    report = json.loads(run(*command, "--json", "--out", str(tmp_path / "out"), "--workers", "1").stdout)
    assert report == json.loads((tmp_path / "out" / "arena.json").read_text())
    assert (report["games"], report["set_ups"]) == (18, 3)
    assert [row["agent"] for row in report["ladder"]] == ["greedy", "random"]
    assert report["rules"]["space_tiles_to_end"] == 8
    assert [(row["agent"], row["seats"], row["others"], row["games"]) for row in report["tables"]] == [
        ("random", 2, ["greedy"], 9), ("greedy", 1, ["random", "random"], 9),
        ("random", 1, ["greedy", "greedy"], 9), ("greedy", 2, ["random"], 9),
    ]  # fmt: skip
    for first, second in zip(report["tables"][::2], report["tables"][1::2], strict=True):
        assert first["share"] + second["share"] == pytest.approx(1)
    assert "finishes ahead of" in run(*command).stdout


def test_nobody_has_a_share_of_a_game_that_nobody_won() -> None:
    """A truncated game has no winner in Planet Hexx; in Space Mission the most points win (SM-53)."""
    for game, rules, won in (("planet_hexx", {"max_turns": 1}, 0), ("space_mission", {"max_rounds": 1}, 1)):
        results = play_games(["random"], np.zeros((4, 3), int), np.arange(4), rules, workers=1, game=game)
        assert results.truncated.all() and (results.shares.sum(1) == won).all()
    winners = np.array([[[0, 0], [1, 1], [1, 0]]], np.uint8)
    assert win_parts(winners).tolist() == [[[0, 0], [2, 2], [4, 0]]]
