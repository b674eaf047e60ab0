"""Reviews: whose view is shown when, the default adviser."""

import json
from pathlib import Path

import httpx
import numpy as np
import pytest

from spacemission_agents.arena.play import play_games
from spacemission_agents.web.catalogue import offers
from spacemission_agents.web.review import rollout_agent
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json
from spacemission_env.records.writer import RecordWriter
from tests.support.paths import TESTS
from tests.support.web_server import Guest, new_game, play


@pytest.mark.parametrize(
    ("game", "rules", "agent"),
    [
        ("space_mission", {"max_rounds": 2}, "heuristic"),  # the policy was trained with other rules
        pytest.param("space_mission", {}, "policy:default", marks=pytest.mark.slow),
        ("planet_hexx", {"max_turns": 1}, "heuristic"),
        pytest.param("planet_hexx", {}, "policy:default", marks=pytest.mark.slow),
        pytest.param("kuhn_poker", {}, "ismcts:50", marks=pytest.mark.slow),
    ],
)
def test_who_is_asked_first_takes_the_rules_of_the_game(
    game: str, rules: Json, agent: str, client: httpx.Client, tmp_path: Path
) -> None:
    record, played = tmp_path / "game.jsonl", "random" if game == "kuhn_poker" else "greedy"
    with RecordWriter(record) as writer:
        play_games([played], [(0, 0)], [1], rules, record=writer, game=game)
    made = client.post("/api/records", content=record.read_bytes()).json()
    watcher = Guest(client, made["id"], made["watcher"])
    assert watcher.get("review/adviser") == {"agent": agent}
    if agent:
        [one] = watcher.get("review/opinions", agent=agent, first=0, last=1)
        assert one["choice"]


def test_nobody_is_asked_while_the_game_goes_on(client: httpx.Client) -> None:
    guest, _ = new_game(client, "kuhn_poker", None, "random")
    refused = client.get(f"/api/games/{guest.id}/review/adviser", headers=guest.headers)
    assert refused.status_code == 403 and "at the end of the game" in refused.json()["error"]


def test_views_of_other_seats_are_shown_at_the_end_alone(client: httpx.Client) -> None:
    guests = new_game(client, "kuhn_poker", None, None)
    seats = 0, 1, -1  # of these guests; -1: the spectator
    for over in (False, True):
        for viewer, guest in zip(seats, guests, strict=True):
            for seat in seats:
                for what in ("position", "belief") if seat >= 0 else ("position",):
                    path, query = f"/api/games/{guest.id}/review/{what}", {"seat": seat, "move": 0}
                    answer = client.get(path, params=query, headers=guest.headers)
                    may = over or seat == viewer
                    assert answer.status_code == (200 if may else 403), (over, viewer, seat, what)
        while not guests[2].position()["over"]:
            play(guests[guests[2].position()["to_act"]], np.random.default_rng(1), 1)


def test_a_record_goes_on_from_its_own_set_up(client: httpx.Client) -> None:
    head, _, rest = (TESTS / "golden" / "2_players_printed.jsonl").read_text("utf-8").partition("\n")
    entry = json.loads(head)
    record = f"{json.dumps({**entry, 'seed': entry['seed'] + 1})}\n{rest}"  # a seed with another set-up
    made = client.post("/api/records", content=record.encode()).json()
    watcher = Guest(client, made["id"], made["watcher"])
    on = watcher.post("continue", at=3, seats=[{}, {}]).json()
    guest = Guest(client, on["id"], on["seats"][0]["token"])
    assert guest.position()["board"] == watcher.get("review/position", seat=0, move=3)["board"]


@pytest.mark.parametrize(
    ("game", "spec", "player"),
    [
        ("space_mission", "greedy", "greedy"),
        ("space_mission", "policy:default", "heuristic"),  # tries every move: a whole game would take long
        ("space_mission", "ismcts:200", "heuristic"),
        ("planet_hexx", "policy:default", "greedy"),  # there `heuristic` tries its moves too
        ("kuhn_poker", "random", "random"),
    ],
)
def test_who_plays_on_for_the_chances_of_a_position(game: str, spec: str, player: str) -> None:
    one = find_game(game)
    assert rollout_agent(one, spec, offers(one)) == player
