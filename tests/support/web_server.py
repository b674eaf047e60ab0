"""Runs the server of `spacemission web` in a thread, with players who use it."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np
import uvicorn

from spacemission_agents.web.app import create_app
from spacemission_agents.web.registry import Registry
from spacemission_agents.web.serving import bound, configured
from spacemission_agents.web.settings import Settings, WebError
from spacemission_env.core.reading import Json
from spacemission_env.records.reader import ReplayedGame, replay_file

FAST = (1e9, 10**9)  # no limit on requests


@dataclass
class Server:
    address: str
    registry: Registry


@contextmanager
def serving(data: Path, **settings: object) -> Iterator[Server]:
    """A server with its games in this file."""
    with bound("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        given = Settings(**{"data": data, "port": port, "rate": FAST, "pause": 0.0, **settings})
        app = create_app(given)
        config = configured(app, given)
        config.timeout_graceful_shutdown = 0
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield Server(f"http://127.0.0.1:{port}", app.inner.state.registry)
        finally:
            server.should_exit = True
            thread.join(20)


@contextmanager
def server_and_client(data: Path, **settings: object) -> Iterator[tuple[Server, httpx.Client]]:
    """A server and an HTTP client."""
    with (
        serving(data, **settings) as server,
        httpx.Client(base_url=server.address, timeout=120) as client,
    ):
        yield server, client


@dataclass
class Guest:
    """A client with the token of a player or spectator."""

    client: httpx.Client
    id: str
    token: str
    heard: list[Json] = field(default_factory=list)  # all responses in order

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    def get(self, what: str, **query: object) -> Json:
        """A response, which must be successful."""
        path = f"/api/games/{self.id}" + (f"/{what}" if what else "")
        response = self.client.get(path, params=query, headers=self.headers)
        assert response.status_code == 200, response.text
        self.heard.append(response.json())
        return self.heard[-1]

    def post(self, what: str, **body: object) -> httpx.Response:
        return self.client.post(f"/api/games/{self.id}/{what}", json=body, headers=self.headers)

    def position(self, **query: object) -> Json:
        return self.get("position", **query)

    def turn(self) -> Json:
        """The position when it is this seat's turn or the game is over."""
        end = time.monotonic() + 600
        while time.monotonic() < end:
            position = self.position()
            if position["over"] or position["legal"]:
                return position
            time.sleep(0.005)
        raise AssertionError(f"no turn came: {position}")

    def events(self, after: int = 0, until: int | None = None) -> list[Json]:
        """The events after a number that exist now, or up to number `until`."""
        headers = {**self.headers, "last-event-id": str(after)}
        found: list[Json] = []
        path = f"/api/games/{self.id}/events"
        with self.client.stream("GET", path, headers=headers) as response:
            assert response.status_code == 200
            for name, data in _messages(response.iter_lines()):
                if name == "hello":
                    until = data["last"] if until is None else until
                else:
                    found.append(data)
                if after + len(found) >= (until or 0):
                    return found
        return found

    def record(self, folder: Path) -> ReplayedGame:
        """The record of the game, replayed and checked."""
        file = folder / "game.jsonl"
        response = self.client.get(f"/api/games/{self.id}/record", headers=self.headers)
        assert response.status_code == 200, response.text
        file.write_text(response.text, "utf-8")
        [replayed] = [(game.finish(), game)[1] for game in replay_file(file)]
        return replayed


def mover_of(guests: list[Guest]) -> Guest:
    return next(guest for guest in guests if guest.position()["legal"])


def _messages(lines: Iterator[str]) -> Iterator[tuple[str, Json]]:
    fields: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(": ")
        if not line and "data" in fields:
            yield fields["event"], json.loads(fields["data"])
        if colon:
            fields[name] = value
        else:
            fields = {}


@contextmanager
def follow(guest: Guest) -> Iterator[Iterator[str]]:
    """The lines of a stream."""
    path = f"/api/games/{guest.id}/events"
    with guest.client.stream("GET", path, headers=guest.headers) as response:
        if response.status_code != 200:
            response.read()
            raise WebError(response.json()["error"], response.status_code)
        yield response.iter_lines()


def new_game(client: httpx.Client, game: str, *seats: str | None, **more: object) -> list[Guest]:
    """A new game, None for a person; the guests of the people, then a spectator."""
    asked = [{"name": f"P{j}"} if agent is None else {"agent": agent} for j, agent in enumerate(seats)]
    response = client.post("/api/games", json={"game": game, "seats": asked, **more})
    assert response.status_code == 201, response.text
    made = response.json()
    tokens = [seat["token"] for seat in made["seats"] if seat["token"]] + [made["watcher"]]
    return [Guest(client, made["id"], token) for token in tokens]


def play(guest: Guest, rng: np.random.Generator, moves: int = 10_000) -> Json:
    """Random legal moves of a seat, to the end or for some moves; return the last position."""
    for _ in range(moves):
        position = guest.turn()
        if position["over"]:
            return position
        move = position["legal"][rng.integers(len(position["legal"]))]
        response = guest.post("moves", action=move["action"], step=position["step"])
        assert response.status_code == 204, response.text
    return guest.position()
