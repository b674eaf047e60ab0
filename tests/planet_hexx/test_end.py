"""What is told when a game of Planet Hexx has ended: who won, and the story of a filled Mission File."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from spacemission_env.cli import app
from spacemission_env.games.planet_hexx.words.table import end_words, result_words
from tests.support.planet_hexx_pair import Situation

FILED = ["duplicant", "detour", "plot_twist", "data_bomb", "pebble"]


def run(*arguments: Any) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


def test_a_filled_file_tells_its_story() -> None:
    game = Situation(hands=[["starry_deep"]], stores=[3], uploaded=[FILED])
    assert end_words(game.engine) == ""
    game.upload("starry_deep")
    told = result_words(game.engine, ["me", "you"])
    assert told.startswith(
        "player_0  6 of 6 points, 0 Data  won  me\nplayer_1  0 of 6 points, 0 Data  you\n\n"
    )
    story = end_words(game.engine)
    assert told.endswith(f"\n\n{story}\n") and story.startswith("player_0: A ROUTINE MISSION!\n")
    assert max(map(len, story.splitlines())) <= 80
    words = story.replace("\n", " ").lower()
    for name in ("the duplicant", "plot twist", "data bomb", "pebble", "the starry deep"):
        assert words.count(name) == 1


def test_a_game_that_was_truncated_tells_no_story() -> None:
    game = Situation(max_turns=1, uploaded=[FILED]).no(2)
    assert game.over == "truncated" and end_words(game.engine) == ""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A record of a game of `greedy` that ends by a win, and what `play` said."""
    for seed in range(20):
        file = tmp_path_factory.mktemp("play") / "game.jsonl"
        said = run(
            "play", "--game", "planet_hexx", "--agents", "greedy,greedy", "--seed", seed, "--record", file
        )
        if "1 finished" in said:
            return file, said
    raise AssertionError("none of 20 games was won")


def test_play_and_replay_tell_the_story(played: tuple[Path, str]) -> None:
    file, said = played
    told = re.search(r"\nplayer_\d: [A-Z ,!]+\n(.+)\Z", said, re.DOTALL)
    assert told and len(told[1]) > 100
    assert run("replay", file, "--moves").rstrip().endswith(told[0].strip())


def test_play_of_many_games_tells_none() -> None:
    said = run("play", "--game", "planet_hexx", "--agents", "greedy,greedy", "--games", "4")
    assert "\nplayer_" not in said
