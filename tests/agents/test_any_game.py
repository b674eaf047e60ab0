"""The arena plays an unknown game with hidden cards and seven seats, where fewer points are better."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.arena import play as arena_module
from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.ratings import rate
from spacemission_agents.arena.results import ResultsError, ResultsFile, row_type
from spacemission_agents.arena.schedule import Limits, Schedule, following_seeds
from spacemission_agents.arena.shares import Tally, parts_of_win, win_parts
from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
from spacemission_agents.bots.bot import is_bot
from spacemission_agents.game_agents import find_game_agents
from spacemission_agents.report.page import html_page
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import GameSpec, find_game, game_names
from tests.support import low_card
from tests.support.bad_bots import write_bots
from tests.support.command_line import run
from tests.support.tournaments import untimed

BOTS = """
import numpy as np
from spacemission_env.core.agents import Agent


class Low(Agent):
    # Keeps a low card and swaps a high one.

    def act(self, decisions):
        assert decisions.game == "low_card" and decisions.parameters["turns"][0] == 3
        return (decisions.observations[:, 0] > 0.4).astype(np.int64)


class Keeper(Agent):
    def act(self, decisions):
        return np.zeros(len(decisions), np.int64)


class Searching(Low):
    needs = {"observations", "worlds"}

    def act(self, decisions):
        own = decisions.worlds["cards"][np.arange(len(decisions)), decisions.worlds["player"]]
        return (own > 2).astype(np.int64)


class Failing(Low):
    def act(self, decisions):
        if (decisions.keys % 7 == 0).any():
            raise RuntimeError("no idea")
        return super().act(decisions)
"""


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GameSpec]:
    write_bots(tmp_path, monkeypatch, low_bots=BOTS)
    with low_card.installed(tmp_path / "site") as spec:
        yield spec


def test_results_are_those_of_the_game(game: GameSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    agents, seeds = ["low_bots:Low", "low_bots:Keeper"], following_seeds(3, 160)
    lineups = [[0, 1, 1, 1, 1, 1, 1]] * 160
    results = play_games(agents, lineups, seeds, game="low_card")
    assert results.scores.shape == (160, 7, 2)
    assert (results.scores[..., 0] == 10 * results.scores[..., 1]).all()
    assert (results.winners == (results.scores[..., 1] == results.scores[..., 1].min(1)[:, None])).all()
    assert results.winners.sum(1).max() > 2
    assert 0 < results.truncated.sum() < 160
    assert results.shares[:, 0].mean() > 1.5 / 7
    monkeypatch.setattr(arena_module, "WORTH_SECONDS", 0.0)
    apart = play_games(agents, lineups, seeds, game=game, workers=2)  # workers find it by name
    assert all((getattr(apart, f.name) == getattr(results, f.name)).all() for f in fields(results))
    with pytest.raises(
        AgentError,
        match=r"agent 'greedy': unknown; known: command, ismcts, llm, policy, random, or module:Class",
    ):
        play_games(["greedy"], [[0, 0]], [1], game="low_card")


@pytest.mark.slow
def test_a_tournament_of_it(game: GameSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = ["random", "low_bots:Searching", "low_bots:Failing"]
    tournament = define(agents, 3, Limits(48), seed=4, records=1, game="low_card")
    whole = run_tournament(tournament, tmp_path / "whole", RunOptions(workers=1))
    assert untimed(run_tournament(tournament, tmp_path / "two", RunOptions(workers=2))) == untimed(whole)
    assert (whole["env"], whole["rules"], whole["games"]) == ("low_card_v0", {"turns": 3}, 48)
    assert {row["agent"] for row in whole["forfeits"]} == {"low_bots:Failing"}
    rated = {row["agent"]: row for row in whole["ratings"]}
    assert rated["random"]["anchor"] and rated["random"]["rating"] == 0.0
    assert rated["low_bots:Searching"]["rating"] > 0 and not rated["low_bots:Searching"]["anchor"]
    assert "Fixed: random at 0. " in whole["ratings_note"]
    shares = {row["agent"]: row["win_share"] for row in whole["ladder"]}
    assert sum(shares.values()) == pytest.approx(1)
    # the file has the results of the games
    with ResultsFile(tournament, tmp_path / "whole", resume=True) as file:
        rows = np.concatenate(list(file.read()))
    assert rows["game"].tolist() == list(range(48))
    for one in rows[rows["ending"] != 2]:
        assert one["winners"].tolist() == (one["scores"][:, 1] == one["scores"][:, 1].min()).tolist()
    for row in whole["records"]:
        assert '"env": "low_card_v0"' in (tmp_path / "whole" / row["file"]).read_text()
    # another game cannot resume it
    other = define(["random", "greedy"], 3, Limits(48), seed=4, records=1)
    with pytest.raises(ResultsError, match='game: it was started with "low_card", not "space_mission"'):
        run_tournament(other, tmp_path / "whole", RunOptions(resume=True))


def test_a_games_own_ranking_ranks_scores_of_any_type_and_shape(game: GameSpec) -> None:
    scores = np.random.default_rng(0).integers(-3, 4, (20, 4, 5, 2))
    assert (game.ranks(scores.astype(np.int16)) == -scores[..., 0]).all()  # low cards win


def test_sm_67_more_points_then_more_stations_rank_higher() -> None:
    spec = find_game("space_mission")
    total, stations = spec.score_names.index("total"), spec.score_names.index("stations")
    scores = np.random.default_rng(0).integers(-3, 4, (500, 5, 9))
    scores[..., stations] = np.random.default_rng(1).integers(0, 3, (500, 5))
    expected = scores[..., total] * 1000 + scores[..., stations]
    assert (np.argsort(spec.ranks(scores), kind="stable") == np.argsort(expected, kind="stable")).all()
    assert ((np.diff(np.sort(spec.ranks(scores))) == 0) == (np.diff(np.sort(expected)) == 0)).all()


@pytest.mark.parametrize("seats", range(2, 8))
def test_every_share_of_a_win_is_whole(game: GameSpec, seats: int) -> None:
    """Shares are integers for two agents with 1 seat against 1 to 6 seats."""
    schedule = Schedule(2, seats, 0)
    tournament = define(["a=random", "b=random"], seats, game=game)
    records = np.zeros((seats, schedule.per_set_up), row_type(tournament))
    for winners in range(1, seats + 1):
        records[winners - 1]["winners"][:, :winners] = 1
        records[winners - 1]["scores"][:, winners:seats] = 5  # the higher, the worse
    assert (win_parts(records["winners"]).sum(-1) == parts_of_win(seats)).all()
    tally = Tally(records, schedule.lineups, game)
    assert tally.pairs == [(0, 1), (1, 0)]
    assert tally.ahead(0, 1)["share"] + tally.ahead(1, 0)["share"] == 1


def test_ratings_know_the_players_of_the_game(game: GameSpec) -> None:
    assert len(rate(["a", "b"], {}, 7, game=game).rows) == 2
    with pytest.raises(AgentError, match="players: expected 2 to 7, got 8"):
        rate(["a", "b"], {}, 8, game=game)


def test_commands_take_the_game(game: GameSpec, tmp_path: Path) -> None:
    agents = "random,low_bots:Low,random,random,random,random"
    play = ["play", "--game", "low_card", "--agents"]
    report = json.loads(run(*play, agents, "--games", "3", "--json").stdout)
    assert (report["env"], report["players"]) == ("low_card_v0", 6)
    assert list(report["seats"][0]["scores"]) == ["ten times", "card"]
    assert "ten times" in run(*play, agents).stdout
    out = tmp_path / "out"
    command = ["arena", "--game", "low_card", "--agents", "random,low_bots:Low", "--games", "4"]
    assert "ten times" in run(*command, "--players", "4", "--out", str(out)).stdout
    page = (out / "report.html").read_text("utf-8")
    assert "Low Card arena: 2 agents, 4 players" in page and "Space Mission" not in page
    assert html_page(json.loads((out / "arena.json").read_text())) == page
    assert "expected 2 to 7, one per seat, got 8" in run(*play, ",".join(["random"] * 8), status=1).stderr
    assert "num_players: expected 2 to 7, not 8" in run(*command, "--players", "8", status=1).stderr
    refused = f"game: expected one of {', '.join(game_names())}, not 'chess'"
    for one in (["play", "--agents", "random,random"], ["arena", "--agents", "random,random"], ["agents"],
                ["probe", "random"], ["new-bot", "fine_bot"]):  # fmt: skip
        assert refused in run(*one, "--game", "chess", status=1).stderr


def test_what_a_game_does_not_have_is_said_in_one_line(game: GameSpec) -> None:
    assert find_game_agents("low_card").probes is None
    assert "Low Card has no probes" in run("probe", "random", "--game", "low_card", status=1).stderr
    assert find_game_agents("space_mission").probes is not None


def test_agents_are_listed_by_game(game: GameSpec) -> None:
    ours = json.loads(run("agents", "--json").stdout)
    about = {row["agent"]: row["about"] for row in ours["agents"]}
    assert ours["game"] == "space_mission"
    assert {"random", "greedy", "heuristic", "ismcts", "policy"} <= set(about)
    assert about["random"] == "Plays any legal move, each with the same probability."
    assert all(about.values())
    theirs = json.loads(run("agents", "--game", "low_card", "--json").stdout)
    assert [row["agent"] for row in theirs["agents"]] == ["command", "ismcts", "llm", "policy", "random"]
    assert "greedy" in run("agents").stdout and "greedy" not in run("agents", "--game", "low_card").stdout


def test_agents_of_the_package_play_in_the_process_of_the_games(game: GameSpec) -> None:
    for spec, name, here in [
        ("greedy", "space_mission", True),
        ("random", "space_mission", True),
        ("greedy", "low_card", False),  # not an agent of this package
        ("random", "low_card", True),
        ("low_bots:Low", "low_card", False),
        ("command:./bot", "space_mission", False),
    ]:
        assert is_bot(spec, name) != here, (spec, name)
