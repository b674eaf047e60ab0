"""Malformed requests and many games at once cause no error and reveal nothing.

Longer: `python -m studies.web_load requests`.
"""

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest

from tests.support.rough_requests import Rough
from tests.support.web_server import Server, new_game, play, server_and_client

pytestmark = pytest.mark.slow

GAMES = ("space_mission", "kuhn_poker", "planet_hexx")
RULES = {"kuhn_poker": {}, "planet_hexx": {"max_turns": 1}, "space_mission": {"max_rounds": 1}}


def check_answer(sent: bytes, answer: bytes, secrets: list[str]) -> int | None:
    """The status of a response, checked to be no server error and to reveal nothing; None: no response."""
    text = answer.decode("utf-8", "replace")
    assert not any(secret in text for secret in secrets), (sent[:600], text[:600])
    assert "Traceback" not in text and "/work/" not in text and "site-packages" not in text
    if not answer:
        return None
    found = re.match(r"HTTP/1\.1 (\d{3})", text)
    assert found, text[:200]
    status = int(found[1])
    assert status < 500, (sent[:600], text[:600])
    assert status == 400 or "content-security-policy: default-src 'none'" in text, (sent[:300], text[:300])
    return status


def fuzz(server: Server, client: httpx.Client, count: int, seed: int) -> dict[int | None, int]:
    """Send malformed requests as a spectator of one game and a player of another; count the statuses."""
    rng = np.random.default_rng(seed)
    seats = new_game(client, "space_mission", None, None, seed=987654321987654321)
    others = new_game(client, "planet_hexx", None, None, seed=987654321987654321)
    for guest in (seats, others):
        for _ in range(4):
            play(next(one for one in guest[:-1] if one.position()["legal"]), rng, 1)
    secrets = [one.token for one in seats[:2]] + [others[0].token, "987654321987654321"]
    watching, own = seats[-1], others[1]
    before = [seats[j].position() for j in range(2)], server.registry._matches[seats[0].id].log.copy()
    at = urlsplit(server.address)
    rough = Rough(
        str(at.hostname), int(at.port or 0), [watching.id, own.id], [watching.token, own.token], rng
    )
    statuses: dict[int | None, int] = {}
    for _ in range(count):
        moves = len(server.registry._matches[own.id].log)
        to_act = server.registry._matches[own.id].game.player
        data, answer = rough.send(0.1)
        status = check_answer(data, answer, secrets)
        statuses[status] = statuses.get(status, 0) + 1
        if len(server.registry._matches[own.id].log) > moves:  # only the player's own move
            assert to_act == 1 and status == 200, (data[:500], answer[:500])
    assert before == (
        [seats[j].position() for j in range(2)],
        server.registry._matches[seats[0].id].log,
    )
    assert client.get("/").status_code == 200
    return dict(sorted(statuses.items(), key=lambda one: one[0] or 0))


async def one_game(client: httpx.AsyncClient, number: int) -> None:
    """Play a person against an agent to the end."""
    name = GAMES[number % 3]
    seats = [{"name": "P"}, {"agent": "random"}]
    asked = {"game": name, "seats": seats, "rules": RULES[name], "seed": number}
    made = (await client.post("/api/games", json=asked)).raise_for_status().json()
    headers = {"authorization": f"Bearer {made['seats'][0]['token']}"}
    path, rng = f"/api/games/{made['id']}", np.random.default_rng(number)
    while True:
        position = (await client.get(f"{path}/position", headers=headers)).raise_for_status().json()
        if position["over"]:
            break
        if position["legal"]:
            move = position["legal"][rng.integers(len(position["legal"]))]
            body = {"action": move["action"], "step": position["step"]}
            (await client.post(f"{path}/moves", json=body, headers=headers)).raise_for_status()
        else:
            await asyncio.sleep(0.02)
    record = (await client.get(f"{path}/record", headers=headers)).raise_for_status()
    assert record.text.count("\n") > 1


async def at_once(server: Server, count: int) -> None:
    """Play so many games at the same time."""
    limits = httpx.Limits(max_connections=count, keepalive_expiry=1)  # shorter than the server's
    async with httpx.AsyncClient(base_url=server.address, timeout=300, limits=limits) as client:
        await asyncio.gather(*[one_game(client, number) for number in range(count)])


def test_rough_requests_are_refused_and_tell_nothing(server: Server, client: httpx.Client) -> None:
    statuses = fuzz(server, client, 150, 1)
    assert {400, 404, 421, 422} <= set(statuses)


def test_many_games_at_once_end_all(server: Server) -> None:
    asyncio.run(at_once(server, 24))
    assert all(match.idle for match in server.registry._matches.values())


def test_a_body_that_never_ends_is_cut_off(server: Server, client: httpx.Client) -> None:
    def parts() -> object:
        for _ in range(100_000):
            yield b" " * 10_000

    with suppress(httpx.TransportError):  # the server may close the connection early
        assert client.post("/api/games", content=parts()).status_code == 413
    large = client.post("/api/records", content=b"x" * 9_000_000)
    assert large.status_code == 413 and client.get("/").status_code == 200


def test_who_asks_too_often_has_to_wait(tmp_path: Path) -> None:
    with server_and_client(tmp_path / "g.sqlite3", rate=(0.001, 5)) as (_, client):
        assert [client.get("/").status_code for _ in range(7)] == [200] * 5 + [429] * 2


def test_pages_of_other_sites_are_not_answered(server: Server, client: httpx.Client) -> None:
    game = {"game": "kuhn_poker", "seats": [{"name": "A"}, {"name": "B"}]}
    elsewhere = {"origin": "http://evil.example"}
    assert client.post("/api/games", json=game, headers=elsewhere).status_code == 403
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421  # DNS rebinding
