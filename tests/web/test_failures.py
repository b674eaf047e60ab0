"""Agents and games that fail in the middle change nothing."""

import logging
from pathlib import Path

import httpx
import numpy as np
import pytest

from spacemission_agents.web import match
from tests.support.bad_bots import write_bots
from tests.support.web_server import (
    Guest,
    Server,
    follow,
    mover_of,
    new_game,
    play,
    server_and_client,
    serving,
)

BAD = """
import asyncio
import numpy as np
from spacemission_env.core.agents import Agent

def wrong(error):
    raise error

WAYS = [
    lambda first: wrong(RuntimeError("out of ideas\\nand lines")), lambda first: wrong(KeyboardInterrupt()),
    lambda first: wrong(SystemExit(0)), lambda first: wrong(asyncio.CancelledError()),
    lambda first: first + 10_000, lambda first: -1 - first,
    lambda first: first.reshape(-1, 1), lambda first: None,
]

class Bad(Agent):
    asked = 0  # by all objects: one that failed is not asked again

    def __init__(self, parameter=None):
        self.failed = False

    def act(self, decisions):
        assert not self.failed
        way = Bad.asked % (len(WAYS) + 1)
        Bad.asked += 1
        first = decisions.masks.argmax(1).astype(np.int64)
        if way < len(WAYS):
            self.failed = way not in (4, 5)  # the game refuses these two
            return WAYS[way](first)
        return first
"""


SLOW = """
import time
from pathlib import Path
import numpy as np
from spacemission_env.core.agents import Agent

class Slow(Agent):
    def act(self, decisions):
        while not Path({folder!r}, "go").exists():
            time.sleep(0.01)
        return decisions.masks.argmax(1).astype(np.int64)
"""


def test_a_slow_agent_holds_up_no_other_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game with another agent is played to its end meanwhile, and its log is read."""
    write_bots(tmp_path / "bots", monkeypatch, slow_bot=SLOW.format(folder=str(tmp_path)))
    with server_and_client(tmp_path / "games.sqlite3", agents=("slow=slow_bot:Slow",)) as (_, client):
        slow = new_game(client, "kuhn_poker", "slow", None)[0]
        with follow(slow):
            other = new_game(client, "kuhn_poker", None, "random", seed=1)[0]
            assert play(other, np.random.default_rng(1))["over"]
            assert not slow.position()["legal"], "the slow agent has moved"
            (tmp_path / "go").touch()
            assert play(slow, np.random.default_rng(1))["over"]


def test_the_server_closes_no_handler_of_another_log(tmp_path: Path) -> None:
    """uvicorn's own settings for logs close all handlers; absl's handler then closes its stream."""
    closed: list[bool] = []

    class Handler(logging.NullHandler):
        def close(self) -> None:
            closed.append(True)

    handler = Handler()  # the logging module does not keep it alive
    with serving(tmp_path / "games.sqlite3"):
        assert not closed, f"{handler} is closed"


@pytest.mark.parametrize("game", ["kuhn_poker", "space_mission"])
def test_an_agent_that_fails_changes_nothing(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each decision is asked for until an answer is right; moves, taking back and the record stay right."""
    monkeypatch.setattr(match, "RETRY", (0.001, 0.002))
    write_bots(tmp_path / "bots", monkeypatch, bad_bot=BAD)
    rules = {"max_rounds": 3} if game == "space_mission" else {}
    with server_and_client(tmp_path / "games.sqlite3", agents=("bad=bad_bot:Bad",)) as (server, client):
        guest = new_game(client, game, None, "bad", rules=rules, seed=3)[0]
        with follow(guest):  # an agent is asked again as long as somebody looks on
            taken_back = 0
            while not (position := guest.turn())["over"]:
                action = position["legal"][0]["action"]
                assert guest.post("moves", action=action, step=position["step"]).status_code == 204
                after = guest.position()
                if after["undo"] and taken_back < 3:
                    taken_back += guest.post("undo", step=after["step"]).status_code == 204
            moves = server.registry._matches[guest.id].timeline.moves
            replayed = guest.record(tmp_path)
            assert replayed.cut is None and replayed.actions == len(moves)
            assert taken_back == 3
    said = capsys.readouterr().err
    ways = "out of ideas|KeyboardInterrupt|SystemExit|CancelledError|not in 0 to|act: expected"
    assert all(way in said for way in ways.split("|"))
    assert "agent 'Bad'" in said and "agent 'bad_bot:Bad': action" in said
    with server_and_client(tmp_path / "games.sqlite3", agents=("bad=bad_bot:Bad",)) as (_, client):
        again = Guest(client, guest.id, guest.token).position()
        assert again == {**position, "events": again["events"]} and again["over"]


def test_a_game_that_fails_after_a_move_has_not_changed(
    client: httpx.Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what is in memory nor what is stored."""
    client.headers["connection"] = "close"  # the server closes it after an error
    guests = new_game(client, "space_mission", None, None, seed=3)
    mover = mover_of(guests)
    before = mover.position()
    action = before["legal"][0]["action"]
    for name in ("said_to", "secret_from"):
        with monkeypatch.context() as broken:
            broken.setattr(match.event_log, name, lambda *_: 1 / 0)
            refused = mover.post("moves", action=action, step=before["step"])
            assert refused.status_code == 500 and "terminal" in refused.json()["error"]
        assert mover.position() == before and mover.events() == []
    stored = server.registry.store.game(mover.id)
    assert stored is not None and stored[1] == []
    assert mover.post("moves", action=action, step=before["step"]).status_code == 204
    assert mover.position()["step"] == 1
