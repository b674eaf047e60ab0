"""Drawings show what a seat may see, inside their frame."""

import re
from xml.etree import ElementTree

import pytest

from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES
from spacemission_env.pictures import plain
from spacemission_env.pictures.svg import Marks, lines, text, wide
from spacemission_env.pictures.themes import colours
from spacemission_env.testing.pictures import check_pictures
from spacemission_env.testing.sample import sample
from tests.support.played import TABLES, at, positions

SVG = "{http://www.w3.org/2000/svg}"


def titles(svg: str) -> list[str]:
    return [title.text or "" for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]


def texts(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_legal_move_is_drawn_and_twin_worlds_look_alike(name: str, players: int) -> None:
    assert list(check_pictures(sample(find_game(name), players, None, 4, 7), 7)) == []


def test_space_mission_shows_what_lies_on_the_table() -> None:
    game = at("space_mission", 4, 6, 60)
    view, svg = game.seat_json(), game.picture()
    said, words = titles(svg), texts(svg)
    for planet in view["planets"]:
        assert planet["name"] in words
        start = f"{planet['name']}: jump {planet['jump']}, scan {planet['scan']}, landing"
        assert any(title.startswith(start) for title in said)
    for j, seat in enumerate(view["seats"]):
        counts = f"player_{j}: {seat['supply']} chips, {seat['gate']} probes on the gate"
        assert any(title.startswith(counts) for title in said)
    assert f"Draw pile: {view['draw_pile']} cards" in said
    assert f"Round {view['round']}" in " ".join(words)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_space_mission_draws_each_tile_of_a_pile(players: int) -> None:
    for game in positions("space_mission", players, 8, 25):
        root = ElementTree.fromstring(game.picture())
        piles = {e.get("id"): e for e in root.iter(f"{SVG}g") if (e.get("id") or "").startswith("pile-")}
        for p, planet in enumerate(game.seat_json()["planets"]):
            parts = [e for e in piles[f"pile-{p}"] if e.get("class") != "seat-number"]
            own = game.seat_json().get("own_reserved", [{}] * 8)[p]
            boxes = sum(e.tag in (f"{SVG}rect", f"{SVG}g") for e in parts)  # a face-up tile is a group
            tiles = (planet["face_up"] or planet["tiles_left"]) + sum(planet["reserved"])
            assert boxes == tiles + sum(own.values())  # own tiles have an extra frame


def test_planet_hexx_shows_what_lies_on_the_table() -> None:
    game = at("planet_hexx", 3, 2, 120)
    view, svg = game.seat_json(), game.picture()
    said = titles(svg)
    for one in view["hexes"]:
        card = view["cards"][one["card"]]
        assert any(title.startswith(f"{card['name']}, a ") for title in said)
        if card["type"] == "planet":
            assert any(title.startswith(card["name"]) and f"Data {one['data']}" in title for title in said)
    for j, seat in enumerate(view["seats"]):
        assert any(t.startswith(f"player_{j}: {seat['data']} Data, {seat['hand_size']} cards") for t in said)
        assert sum(f'id="point-{j}-' in part for part in svg.split("<g ")) == len(seat["points"])


def test_kuhn_poker_shows_cards_bets_and_who_won() -> None:
    game: Game = make_game("kuhn_poker", 2)
    game.reset(3, {"cards": ["K", "J", "Q"]})
    assert {"Card of player_0: K", "Card of player_1: face down"} <= set(titles(game.picture(0)))
    for choices in (("choice-check", "choice-bet"), ("choice-fold", "choice-call")):
        targets = [game.spec.picture.targets(game.seat_json(), action) for action in (0, 1)]
        assert targets == [(choice,) for choice in choices]
        game.step(1)
    assert "player_0 won the pot" in texts(game.picture(1)) and "+2 chips" in texts(game.picture(1))


def placed(svg: str) -> list[tuple[float, float, float, str]]:
    """Texts with their left and right ends, in document coordinates."""
    found = []

    def walk(element: ElementTree.Element, dx: float, dy: float, scale: float) -> None:
        how = element.get("transform") or ""
        moved = re.search(r"translate\((\S+) (\S+)\)", how)
        scaled = re.search(r"scale\((\S+)\)", how)
        if "rotate(180" in how:  # a card's upside-down letter
            return
        if moved:
            dx, dy = dx + scale * float(moved[1]), dy + scale * float(moved[2])
        scale *= float(scaled[1]) if scaled else 1
        if element.tag == f"{SVG}text":
            size, words = float(element.get("font-size")), element.text or ""
            width = scale * wide(words, size, int(element.get("font-weight")))
            x, y = dx + scale * float(element.get("x")), dy + scale * float(element.get("y"))
            left = x - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor")]
            found.append((left, left + width, y, words))
        for child in element:
            walk(child, dx, dy, scale)

    walk(ElementTree.fromstring(svg), 0, 0, 1)
    return found


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_texts_stay_within_the_frame_and_apart(name: str, players: int) -> None:
    """Texts fit the frame, and texts on one line do not overlap, even in a wide font."""
    every = {"kuhn_poker": 1, "space_mission": 30, "planet_hexx": 60}.get(name, 1)
    for game in positions(name, players, 11, every):
        for tall in (False, True):
            apart(game.picture(legal=True, tall=tall))


def apart(svg: str) -> None:
    size = re.match(r'<svg [^>]*viewBox="0 0 (\S+) ([^"]+)"', svg)
    assert size is not None
    there = placed(svg)
    for left, right, y, words in there:
        assert left >= 0 and right <= float(size[1]) and 0 < y < float(size[2]), words
    for i, (left, right, y, words) in enumerate(there):
        for other_left, other_right, other_y, others in there[i + 1 :]:
            if abs(y - other_y) < 4 and 'id="pick"' not in svg:
                assert right <= other_left + 4 or other_right <= left + 4, (words, others)


def test_a_game_without_a_drawing_shows_its_text_board() -> None:
    game = at("space_mission", 3, 1, 10)
    board = game.board(1)
    svg = plain.draw({**game.seat_json(1), "board": board}, theme="dark")
    assert [line for line in texts(svg) if line] == [line for line in board.splitlines() if line]
    assert plain.targets({}, 3) == ()


def test_notebooks_show_a_game() -> None:
    game: Game = make_game("space_mission", 2)
    assert game._repr_svg_() is None
    game.reset(1)
    assert game._repr_svg_() == game.picture(game.player)


def test_marks_are_drawn_around_what_is_legal_and_what_has_changed() -> None:
    marks = Marks(colours("light"), ["a", "c"], ["b"])
    shape = '<circle r="4"/>'
    assert 'class="target legal"' in marks.target("a", "A", [], shape)
    assert 'class="target changed"' in marks.target("b", "B & C", [], shape)
    assert "<title>B &amp; C</title>" in marks.target("b", "B & C", [], shape)
    assert marks.missing == ["c"]


def test_texts_are_made_to_fit() -> None:
    size = float(re.search(r'font-size="(\S+)"', text(0, 0, "m" * 40, 20, "#000000", within=100))[1])  # type: ignore[index]
    assert wide("m" * 40, size) == pytest.approx(100, rel=0.05)
    assert lines("one two seven eleven", 10, 60, 2) == ["one two", "seven…"]


# ---------------------------------------------------------------- hidden information


def test_in_a_window_nobody_else_is_shown_who_is_asked() -> None:
    """Planet Hexx: showing who is asked would reveal that the seat holds a Surprise (HX-44)."""
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


def test_points_and_tiles_of_others_are_told_at_the_end_alone() -> None:
    *running, over = positions("space_mission", 2, 3, 30)
    for game in running:
        assert set(game.seat_json(0)["seats"][1]["points"]) == {"gate", "stations"}
        assert game.seat_json(0)["seats"][1]["tiles"] is None and "Tiles of" not in game.board(0)
        assert game.seat_json(0)["result"] is None
    view = over.seat_json(0)
    held = [dict(zip(KIND_NAMES, row, strict=True)) for row in over.states[0].tiles[:2].tolist()]
    assert [seat["tiles"] for seat in view["seats"]] == [{k: n for k, n in row.items() if n} for row in held]
    told = " ".join(over.board(0).partition("Tiles of player_1: ")[2].split())
    tiles = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in held[1].items() if n)
    assert told == tiles and f"stations, {tiles}<" in over.picture(0)
    assert [seat["points"] for seat in view["seats"]] == over.scores_json() == view["result"]["scores"]
