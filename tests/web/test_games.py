"""Games over HTTP: played to their ends, watched, replayed, kept over a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

from spacemission_env.records.reader import replay_file
from tests.support.web_server import Guest, Server, new_game, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web") / "games.sqlite3") as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=120) as made:
        yield made


def play(guest: Guest, rng: np.random.Generator, moves: int = 10_000) -> dict:
    """Random legal moves of a seat, to the end of the game or so many."""
    for _ in range(moves):
        position = guest.turn()
        if position["over"]:
            return position
        move = position["legal"][rng.integers(len(position["legal"]))]
        response = guest.post("moves", action=move["action"], step=position["step"])
        assert response.status_code == 200, response.text
    return guest.position()


@pytest.mark.parametrize("game", ["kuhn_poker", "planet_hexx", "space_mission"])
def test_a_game_against_an_agent_is_played_to_its_end(
    game: str, client: httpx.Client, tmp_path: Path
) -> None:
    guest, watcher = new_game(client, game, None, "random")
    end = play(guest, np.random.default_rng(1))
    file = tmp_path / "game.jsonl"
    file.write_text(client.get(f"/api/games/{guest.id}/record", headers=guest.headers).text)
    [replayed] = [(game.finish(), game)[1] for game in replay_file(file)]
    assert replayed.cut is None
    assert end["result"] == {"scores": replayed.game.scores_json(), "winners": replayed.game.winners()}
    assert watcher.position()["result"] == end["result"]
    events = guest.events()
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["step"] == end["step"] == end["steps"]
    assert guest.events(after=len(events) - 1) == events[-1:]
