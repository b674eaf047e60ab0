"""Tests the table of seats that answer in text, which the doors for language models share."""

import json
import random

import numpy as np
import pytest

from spacemission_agents.doors.table import Table
from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import find_game, game_names


def says(move: str) -> str:
    return json.dumps({"move": move})


def dealt(*seats: str, game: str = "kuhn_poker", seed: int = 1, retries: int = 2) -> Table:
    table = Table(game, seats, retries)
    table.deal(seed)
    return table


@pytest.mark.parametrize("name", game_names())
def test_only_said_moves_are_played_and_others_see_no_more_than_their_worlds(name: str) -> None:
    players = find_game(name).max_players
    table, rng = dealt(*["model"] * players, game=name, retries=10**6), random.Random(2)
    for _ in range(60):
        if table.over:
            table.deal(rng.randrange(100))
        seat = table.to_play()
        assert seat is not None
        move = rng.choice(table.texts[seat].legal_moves())
        before = table.game.states.tobytes()
        wrong = rng.choice([move, says(move)[:-1], f"[{says(move)}]", says(f"{move} now"), says("")])
        assert table.answer(seat, wrong) and table.answer((seat + 1) % players, says(move))
        assert table.game.states.tobytes() == before
        for other, text in table.texts.items():
            told, true = table.tell(other), table.game
            text.game = true.determinize(other, rng.randrange(10**6))
            assert table.tell(other) == told
            text.game = true
        assert table.answer(seat, says(move)) == ""
        assert table.game.states.tobytes() != before


def test_a_seat_that_insists_on_no_legal_move_forfeits_and_nothing_moves_after_it() -> None:
    table = dealt("model", "model")
    assert "Choose another move" in table.answer(0, says("fold"))
    assert table.answer(0, says("bet")) == ""
    for _ in range(2):  # the count begins again after a move
        assert "could not be read" in table.answer(1, "fold")
    assert table.answer(1, "fold") == "" and table.over and table.loser == 1
    assert table.rewards() == [1, -1] and table.to_play() is None
    assert "player_1 has forfeited" in table.tell(0) and table.tell(0) == table.tell(1)
    assert table.answer(1, says("fold")) == "The game is over.\n"


def test_agents_move_until_a_seat_has_to_answer_and_a_seed_repeats_the_game() -> None:
    games = []
    for _ in range(2):
        table, told = dealt("random", "model", "random", game="space_mission", seed=5), []
        while not table.over and len(told) < 20:
            assert table.to_play() == 1
            told.append(table.tell(1, new=True))
            table.answer(1, says(table.texts[1].legal_moves()[0]))
        games.append(told)
    assert games[0] == games[1] and len(games[0]) == 20


def test_an_agent_that_fails_loses_and_its_words_reach_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Agent, decisions: object) -> np.ndarray:
        raise RuntimeError("the model holds a king")

    table = Table("kuhn_poker", ("model", "random"))
    monkeypatch.setattr(type(table._agents[1]), "act", fail)
    table.deal(1)
    table.answer(0, says("check"))
    assert table.loser == 1 and "king" not in table.tell(0) and "its agent has failed" in table.tell(0)


@pytest.mark.parametrize(
    ("seats", "says_why"),
    [
        (("random", "random"), "at least one is model"),
        (("model", "os:system"), "expected model, "),
        (("model", "command:ls"), "expected model, "),
        (("model", "policy:/etc"), "expected model, "),
    ],
)
def test_a_table_refuses_strange_seats(seats: tuple[str, ...], says_why: str) -> None:
    with pytest.raises(AgentError, match=says_why):
        Table("kuhn_poker", seats)
