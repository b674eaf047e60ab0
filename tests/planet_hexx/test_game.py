"""Tests options, set-ups and truncated games of Planet Hexx, and games without the JIT."""

from pathlib import Path

import pytest

from spacemission_env.core.errors import SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import GameRecord, RecordWriter
from tests.planet_hexx.positions import new_game

SPEC = find_game("planet_hexx")


def test_a_set_up_lays_the_table_and_others_are_refused() -> None:
    game = new_game(2, 9)
    setup = game.setup_json()
    other = make_game(SPEC, 2)
    other.reset(9, setup)
    assert other.states.tobytes() == game.states.tobytes()
    for part, wrong in (("start_player", 2), ("files", [1, 1]), ("deck", setup["deck"][1:])):
        with pytest.raises(SetupError, match=part):
            other.reset(9, {**setup, part: wrong})


def test_a_truncated_game_has_no_winner(tmp_path: Path) -> None:
    """HR-11: in the game, its record, the view of a seat and the rewards."""
    game = new_game(3, 2, max_turns=1)
    assert game.winners() == []
    record = GameRecord(game, ["a", "b", "c"])
    while not game.over:
        record.before(game.legal_actions()[0])
        game.step(game.legal_actions()[0])
    record.finish()
    with RecordWriter(tmp_path / "games.jsonl") as writer:
        writer.add(record)
    (replayed,) = replay_file(tmp_path / "games.jsonl")
    replayed.finish()
    assert game.reason == "truncated" and replayed.result["winners"] == game.winners() == []
    assert game.seat_json(1)["result"]["winners"] == [] and not game.rewards("win").any()
    assert "Broken off: nobody has won" in game.picture(1)
