"""Games over HTTP are played to their ends, watched, and survive a restart."""

from pathlib import Path

import httpx
import numpy as np
import pytest

from spacemission_agents.web.match import Match
from spacemission_env.core.reading import Json
from tests.support.web_server import Server, mover_of, new_game, play, server_and_client

GAMES = ["kuhn_poker", "planet_hexx", "space_mission"]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_against_an_agent_is_played_to_its_end(
    game: str, client: httpx.Client, tmp_path: Path
) -> None:
    guest, watcher = new_game(client, game, None, "random")
    end = play(guest, np.random.default_rng(1))
    replayed = guest.record(tmp_path)
    assert replayed.cut is None and replayed.agents == ["P0", "random"]
    assert end["result"] == {"scores": replayed.game.scores_json(), "winners": replayed.game.winners()}
    assert watcher.position()["result"] == end["result"]
    events = guest.events()
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["step"] == end["step"] == end["steps"]
    assert guest.events(after=len(events) - 1) == events[-1:]  # as after a reconnect


def test_people_in_all_seats_see_their_own_hand_and_move_in_turn(client: httpx.Client) -> None:
    one, two, watcher = new_game(client, "space_mission", None, None, seed=3)
    positions = [one.position(), two.position(), watcher.position()]
    assert [p["seat"] for p in positions] == [0, 1, -1]
    to_act = positions[0]["to_act"]
    assert [bool(p["legal"]) for p in positions] == [to_act == 0, to_act == 1, False]
    assert positions[0]["board"] != positions[1]["board"] and positions[2]["board"] == ""
    other = (one, two)[1 - to_act]
    refused = other.post("moves", action=0, step=0)
    assert (refused.status_code, refused.json()) == (409, {"error": "it is not your turn"})
    assert watcher.post("moves", action=0, step=0).status_code == 409


def test_a_move_that_is_not_legal_or_late_is_refused_and_changes_nothing(client: httpx.Client) -> None:
    seats = new_game(client, "space_mission", None, None, seed=3)
    mover = seats[seats[0].position()["to_act"]]
    before = mover.position()
    legal = {move["action"] for move in before["legal"]}
    wrong = next(action for action in range(101) if action not in legal)
    refused = mover.post("moves", action=wrong, step=0)
    assert refused.status_code == 409 and "is illegal" in refused.json()["error"]
    late = mover.post("moves", action=min(legal), step=1)
    assert late.status_code == 409 and "another move" in late.json()["error"]
    assert mover.position() == before
    assert mover.post("moves", action=100_000, step=0).status_code == 409


def test_why_something_is_not_legal_is_told_to_who_is_to_move(client: httpx.Client) -> None:
    seats = new_game(client, "space_mission", None, None, seed=3)
    to_act = seats[0].position()["to_act"]
    [reason] = seats[to_act].get("why", target=f"ship-{to_act}")["why"]
    kinds = ["fly", "scan", "develop", "discover"]
    assert reason == {"kinds": kinds, "why": "the ship is on the jump gate", "rules": "SM-25, SM-26"}
    [other] = seats[1 - to_act].get("why", target="ship-0")["why"]
    assert other == {"kinds": [], "why": "it is not your turn", "rules": ""}


@pytest.mark.parametrize("game", ["space_mission", "planet_hexx"])
def test_games_survive_a_restart(game: str, tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite3"
    with server_and_client(data) as (_, client):
        guests = new_game(client, game, None, None)
        rng = np.random.default_rng(2)
        for _ in range(25):
            play(mover_of(guests), rng, 1)
        seen = [(guest.position(), guest.events()) for guest in guests]
    with server_and_client(data) as (_, client):
        for guest, (position, events) in zip(guests, seen, strict=True):
            guest.client = client
            assert guest.position() == position
            assert guest.events() == events
        play(mover_of(guests), rng, 1)


def test_rules_and_seed_are_those_asked_for(client: httpx.Client, server: Server) -> None:
    guest = new_game(client, "space_mission", None, "greedy", "greedy", rules={"hand_size": 4}, seed=12)[0]
    match: Match = server.registry._matches[guest.id]
    assert match.game.rules.hand_size == 4 and match.game.seed == 12
    facts = guest.get("")
    assert facts["rules"]["hand_size"] == 4
    assert [seat["name"] for seat in facts["seats"]] == ["P0", "greedy 2", "greedy 3"]  # by seat


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"game": "chess"}, 400, "game: expected one of"),
        ({"seats": [{}]}, 400, "num_players: expected 2 to 5"),
        ({"seats": [{}] * 6}, 400, "num_players: expected 2 to 5"),
        ({"seats": [{}, {"agent": "my_bot:Bot"}]}, 400, "agent: expected one of"),
        ({"seats": [{}, {"agent": "policy:/etc"}]}, 400, "agent: expected one of"),
        ({"seats": [{"name": "a\u202eb"}, {}]}, 400, "printable"),
        ({"seats": [{"name": "a" * 31}, {}]}, 400, "printable"),
        ({"rules": {"hand": 3}}, 400, "unknown option"),
        ({"rules": {"hand_size": 9}}, 400, "hand_size"),
        ({"seed": -1}, 422, "seed"),
        ({"seed": True}, 422, "seed"),
        ({"more": 1}, 422, "more"),
    ],
)
def test_a_game_that_cannot_be_is_refused_with_one_line(
    change: Json, status: int, said: str, client: httpx.Client
) -> None:
    response = client.post("/api/games", json={"game": "space_mission", "seats": [{}, {}], **change})
    assert response.status_code == status and said in response.json()["error"], response.text
    assert "\n" not in response.json()["error"]
