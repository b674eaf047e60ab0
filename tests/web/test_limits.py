"""A client cannot starve, lock out or block other clients."""

import asyncio
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest

from spacemission_agents.web import match, registry, review
from spacemission_agents.web.agent_pool import AgentPool, Caller, CallerGoneError
from spacemission_agents.web.catalogue import check_agents
from spacemission_agents.web.settings import WebError
from spacemission_env.core.errors import AgentError
from tests.support.web_server import Guest, Server, follow, new_game, play, server_and_client

LONGEST = 60  # most seconds for anything on a loaded machine
KEY = {"x-host-key": "secret"}
DATA = "games.sqlite3"


def test_only_the_host_makes_games_and_goes_on_with_them(tmp_path: Path) -> None:
    with server_and_client(tmp_path / DATA, key="secret") as (_, client):
        asked = {"game": "kuhn_poker", "seats": [{}, {"agent": "random"}]}
        assert client.post("/api/games", json=asked).status_code == 403
        made = client.post("/api/games", json=asked, headers=KEY).json()
        guest = Guest(client, made["id"], made["seats"][0]["token"])
        play(guest, np.random.default_rng(1))
        on = {"url": f"/api/games/{guest.id}/continue", "json": {"at": 0, "seats": [{}, {}]}}
        wrong = {**guest.headers, "x-host-key": "guess"}
        assert client.post(**on, headers=guest.headers).status_code == 403
        assert client.post(**on, headers=wrong).status_code == 403
        assert client.post(**on, headers={**guest.headers, **KEY}).status_code == 201


def test_a_game_needs_a_person(client: httpx.Client) -> None:
    asked = {"game": "kuhn_poker", "seats": [{"agent": "random"}] * 2}
    refused = client.post("/api/games", json=asked)
    assert refused.status_code == 400 and "expected at least one person" in refused.json()["error"]


def test_those_who_look_on_take_no_stream_from_players(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "MOST_SPECTATORS", 2)
    monkeypatch.setattr(match, "MOST_OF_SEAT", 1)
    monkeypatch.setattr(registry, "MOST_SPECTATORS", 3)
    one, two, watcher = new_game(client, "kuhn_poker", None, None)
    other = new_game(client, "kuhn_poker", None, None)[-1]
    kept: list[Iterator[str]] = []
    with ExitStack() as streams:

        def opened(guest: Guest) -> None:
            kept.append(streams.enter_context(follow(guest)))
            assert next(kept[-1])  # the stream has begun

        opened(watcher)
        opened(watcher)
        with pytest.raises(WebError, match="too many connections by this link"):
            opened(watcher)
        opened(other)
        with pytest.raises(WebError, match="the server has too many spectators"):
            opened(other)
        opened(one)
        opened(two)
        with pytest.raises(WebError, match="by this link"):
            opened(two)


def test_a_game_at_which_somebody_looks_stays_in_memory(
    client: httpx.Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "IN_MEMORY", 1)
    matches, one = server.registry._matches, new_game(client, "kuhn_poker", None, None)[0]
    kept = matches[one.id]
    with follow(one) as lines:
        assert next(lines)  # the stream has begun
        two, three = (new_game(client, "kuhn_poker", None, None)[0] for _ in range(2))
        assert matches.get(one.id) is kept and two.id not in matches and three.id in matches


def spin(caller: Caller) -> None:
    """Work that ends only when its client disconnects."""
    for _ in range(100 * LONGEST):
        caller.check()
        time.sleep(0.01)


def test_analysis_ends_when_nobody_listens() -> None:
    async def disconnected() -> bool:
        return True

    request = SimpleNamespace(is_disconnected=disconnected)
    pool = AgentPool(1)
    with pytest.raises(CallerGoneError):
        asyncio.run(pool.answer(request, spin))
    pool.close()


def test_each_analysis_looks_whether_somebody_listens(server: Server, client: httpx.Client) -> None:
    guest = new_game(client, "kuhn_poker", None, "random")[0]
    play(guest, np.random.default_rng(1))
    pool, gone, over = server.registry.background, Caller(), server.registry._matches[guest.id]
    gone.gone = True
    with pytest.raises(CallerGoneError):
        review.opinions(over, pool, "random", 0, 1, gone)
    with pytest.raises(CallerGoneError):
        review.values(over, pool, "random", 0, 0, 1, 1, gone)


def ended(connection: socket.socket) -> bytes:
    """All bytes until the other end closes the connection."""
    connection.settimeout(LONGEST)
    got = b""
    while part := connection.recv(65536):
        got += part
    return got


def test_half_open_connections_are_ended(tmp_path: Path) -> None:
    host = b"host: localhost\r\n"
    with server_and_client(tmp_path / DATA, patience=0.5) as (server, _):
        at = urlsplit(server.address)
        to = str(at.hostname), int(at.port or 0)
        for sent, status in (
            (b"", b""),
            (b"GET / HTTP/1.1\r\n" + host, b""),
            (b"GET / HTTP/1.1\r\n" + host + b"\r\nGET / HT", b"200"),  # and half of a second request
            (b"POST /api/games HTTP/1.1\r\n" + host + b"content-length: 9\r\n\r\n{", b"408"),
        ):
            with socket.create_connection(to) as connection:
                connection.sendall(sent)
                assert ended(connection)[9:12] == status, sent
        with socket.socket() as connection:  # requests much and reads nothing
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(to)
            connection.setblocking(False)
            wanted = b"GET /static/app.css HTTP/1.1\r\n" + host + b"\r\n"
            hung_up = select.poll()
            hung_up.register(connection, 0)
            end = time.monotonic() + LONGEST
            while not hung_up.poll(20) and time.monotonic() < end:
                try:
                    connection.send(wanted * 50)
                except BlockingIOError:
                    pass
                except ConnectionError:
                    break
            assert time.monotonic() < end


def test_trouble_ends_with_its_cause(
    client: httpx.Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "RETRY", (0.01, 0.02))
    add_line, full = server.registry.store.add_line, True

    def add(game: str, number: int, line: object) -> None:
        if full and server.registry._matches[game].game.player == 1:
            raise WebError("the move could not be stored: database or disk is full", 503)
        add_line(game, number, line)

    monkeypatch.setattr(server.registry.store, "add_line", add)
    guest = new_game(client, "kuhn_poker", None, "random")[0]
    with follow(guest) as lines:
        if guest.position()["legal"]:
            play(guest, np.random.default_rng(1), 1)
        assert "disk is full" in next(line for line in lines if '"line"' in line)
        full = False
        assert next(line for line in lines if '"line"' in line) == 'data: {"line": null}'
        play(guest, np.random.default_rng(1))


def test_an_agent_in_trouble_in_secret_is_told_to_nobody_who_may_not_know() -> None:
    one = object.__new__(match.Match)
    one._trouble = "no luck"
    one.log = [SimpleNamespace(secret=(True, False, True))]  # type: ignore[list-item]
    assert [one.trouble(viewer) for viewer in (0, 1, match.WATCHER)] == [None, "no luck", None]


def test_an_agent_that_no_game_has_is_refused_at_the_start() -> None:
    check_agents(("mine=random", "ismcts:scratch:10"))  # the latter is of one game alone
    with pytest.raises(AgentError, match="agent 'nobody': unknown; known: command, greedy, "):
        check_agents(("random", "mine=nobody"))
