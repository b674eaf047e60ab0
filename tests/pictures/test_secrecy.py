"""A picture shows what its seat knows: the same to the byte in all worlds that the seat cannot tell apart."""

from __future__ import annotations

import re

import numpy as np
import pytest

from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import find_game
from spacemission_env.pictures.raster import frame
from tests.support.played import TABLES, at, positions

EVERY = {"space_mission": 9, "planet_hexx": 23, "kuhn_poker": 1}
SEEDS = 3


def shown(game: Game, seat: int) -> dict[str, object]:
    """All that a seat is shown of a game."""
    view = game.seat_json(seat)
    return {
        "view": view,
        "public": game.public_json(),
        "drawn": game.picture(seat, theme="dark", legal=True),
        "tall": game.picture(seat, tall=True, legal=True),
        "small": game.spec.picture.draw_small(view),
    }


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_picture_is_the_same_in_twin_worlds(name: str, players: int) -> None:
    looked = differ = 0
    for seed in range(SEEDS):
        for game in positions(name, players, seed, EVERY[name]):
            if game.over:
                continue
            for seat in range(players):
                twin = game.determinize(seat, 1000 * seed + looked)
                assert shown(twin, seat) == shown(game, seat), (seed, seat)
                differ += twin.states.tobytes() != game.states.tobytes()
                looked += 1
    assert differ > looked / 4  # the twins are no copies


@pytest.mark.parametrize("name", ["space_mission", "planet_hexx", "kuhn_poker"])
def test_pixels_are_the_same_in_twin_worlds(name: str) -> None:
    spec = find_game(name)
    game = at(name, spec.max_players, 4, 40 if name != "kuhn_poker" else 1)
    assert not game.over
    for seat in range(spec.max_players):
        twin = game.determinize(seat, 8)
        for size in (256, (800, 600)):
            assert np.array_equal(frame(twin, seat, size=size), frame(game, seat, size=size))


def test_a_hand_is_in_the_picture_of_its_seat_alone() -> None:
    game = at("space_mission", 3, 2, 30)
    for seat in range(3):
        own = set(game.seat_json(seat)["hand"])
        for other in range(3):
            named = set(re.findall(r"<title>Card ([^:<]+):", game.picture(other)))
            assert (named == own) == (seat == other)
    public = game.spec.picture.draw(game.public_json())
    assert "<title>Card " not in public and 'id="hand-0"' not in public


def test_what_a_pick_shows_is_shown_to_who_picks_alone() -> None:
    game = next(g for g in positions("space_mission", 3, 5, 1) if g.seat_json()["phase"] == "reserve")
    seat = game.player
    assert 'id="pick"' in game.picture(seat)
    for other in set(range(3)) - {seat}:
        assert 'id="pick"' not in game.picture(other) and 'id="tile-' not in game.picture(other)


def test_in_a_window_nobody_else_is_shown_who_is_asked() -> None:
    """Planet Hexx: that a seat is asked tells that it holds a Surprise (HX-44)."""
    looked = 0
    for game in positions("planet_hexx", 3, 1, 1):
        if game.over or game.seat_json()["asked"]["what"] != "window":
            continue
        for other in set(range(3)) - {game.player}:
            view = game.seat_json(other)
            assert view["player_to_act"] is None and view["asked"] is None
        assert game.public_json()["player_to_act"] is None
        looked += 1
    assert looked > 3


def test_points_of_others_are_told_at_the_end_alone() -> None:
    *running, over = positions("space_mission", 2, 3, 30)
    for game in running:
        assert set(game.seat_json(0)["seats"][1]["points"]) == {"gate", "stations"}
        assert game.seat_json(0)["result"] is None
    view = over.seat_json(0)
    assert [seat["points"] for seat in view["seats"]] == over.scores_json() == view["result"]["scores"]
