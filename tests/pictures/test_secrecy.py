"""What a picture shows to whom; that it is the same in twin worlds: `check_pictures` (test_drawings.py)."""

from __future__ import annotations

import re

from tests.support.played import at, positions


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
