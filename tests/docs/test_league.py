"""Tests the league of a game: games that are kept, ratings of several tournaments together, the page."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from docs.generators import league
from docs.generators.league import Counts, add, how_made, play, quick_agents, ratings, write
from spacemission_env.core.game_spec import find_game
from spacemission_train.presets import settings_of
from tests.support.paths import DOCS
from tests.support.tournaments import stored

GAME = find_game("space_mission")


def test_agents_of_a_game_are_its_bots_and_its_shipped_policies() -> None:
    assert {"random", "greedy", "heuristic", "policy:default", "policy:scratch"} <= {*quick_agents(GAME)}
    assert quick_agents(find_game("kuhn_poker")) == ["random"]


def test_two_tournaments_are_rated_together_and_kept(tmp_path: Path) -> None:
    counts: Counts = {}
    for agents in (["random", "greedy"], ["greedy", "heuristic"]):
        tally = play(agents, 2, 40, GAME, tmp_path)
        add(counts, agents, tally)
        files = {file: stored(file.parent) for file in tmp_path.rglob("games.sqlite")}
        assert play(agents, 2, 40, GAME, tmp_path).orderings().keys() == tally.orderings().keys()
        assert files == {file: stored(file.parent) for file in tmp_path.rglob("games.sqlite")}
    assert sum(times.sum() for times in counts.values()) == 80
    rows = ratings(counts, ["heuristic", "greedy", "random"], 2, GAME)
    assert rows["greedy"]["anchor"]
    assert rows["random"]["anchor"]
    assert rows["heuristic"]["rating"] > rows["greedy"]["rating"]


def test_the_card_tells_how_a_policy_was_made() -> None:
    assert how_made("policy:scratch", GAME).startswith("`spacemission train --preset scratch")
    assert "--out" not in how_made("policy:scratch", GAME)
    assert how_made("greedy", GAME)


@pytest.mark.parametrize("game", ["space_mission", "planet_hexx"])
def test_the_league_tells_only_commands_that_run(game: str) -> None:
    spec, page = find_game(game), (DOCS / "leaderboard.md").read_text("utf-8")
    for agent in quick_agents(spec):
        told = how_made(agent, spec)
        assert f"| `{agent}` | {told} |" in page
        if command := re.search(r"`spacemission train (.+?)`", told):
            words = shlex.split(command[1])
            values = dict(pairwise(words))
            sets = [change for flag, change in pairwise(words) if flag == "--set"]
            assert settings_of(values["--preset"], None, sets, {"game": game})


def test_only_the_table_of_the_game_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- league planet_hexx -->\nold\n<!-- /league -->\nb\n", "utf-8")
    monkeypatch.setattr(league, "PAGE", page)
    write(find_game("planet_hexx"), "new")
    assert page.read_text("utf-8") == "a\n<!-- league planet_hexx -->\nnew\n<!-- /league -->\nb\n"
