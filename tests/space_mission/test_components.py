"""Tests components files (SM-12) and the commands `new`, `check` and `show`."""

import json
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import (
    Card,
    Components,
    components_from_data,
    load_components,
)
from spacemission_env.games.space_mission.components.command import cards_by_face, numbers_on, unserved
from spacemission_env.games.space_mission.components.parameters import card_masks, make_parameters
from spacemission_env.games.space_mission.engine.constants import JOKER, KIND_NAMES
from spacemission_env.games.space_mission.engine.legal import lands, matches
from spacemission_env.games.space_mission.options import make_rules
from tests.support.command_line import run
from tests.support.random_components import all_faces, box_data, file_text, random_box

BOXES = range(20)
DEFAULT = "7ca4d3f91c38f35ce539b8b770b7372f042b17e9fa5513274a54047345ae2747"  # in records and model cards


# ---------------------------------------------------------------- faces


def test_sm_12_the_default_box_means_what_it_always_did() -> None:
    assert load_components(None).sha256 == DEFAULT


def test_sm_12_an_id_is_its_face() -> None:
    faces = all_faces()
    assert len(set(faces)) == 3 * 25 + 3 * 6
    for face in faces:
        card = Card.from_face(face)
        assert card.id == card.face == face
        assert "".join(str(v) for v in (*card.jump, *card.scan, *card.landing)).replace("5", "?") == (
            face[1] + face[3]
        )
    assert Card.from_face("J1J3") == Card("J1J3", (1, 3), (), ())
    assert Card.from_face("J?L2") == Card("J?L2", (JOKER,), (), (2,))


def test_sm_12_no_other_text_of_four_letters_is_a_face() -> None:
    letters = "JSL1234?5 j"
    faces = set(all_faces())
    for text in (a + b + c + d for a in letters for b in letters for c in letters for d in letters):
        if text in faces:
            continue
        with pytest.raises(ValueError, match=r"is no face|is written"):
            Card.from_face(text)


def test_sm_12_a_card_in_json_has_one_value_or_a_list_of_two() -> None:
    assert Card.from_face("S2S4").to_json() == {"id": "S2S4", "scan": [2, 4]}
    assert Card.from_face("J?L2").to_json() == {"id": "J?L2", "jump": "?", "landing": 2}


# ---------------------------------------------------------------- files


def loaded(data: Json, folder: Path) -> Components:
    """Load plain data through a file."""
    file = folder / "box.toml"
    file.write_text(file_text(data), "utf-8")
    return load_components(file)


def as_tables(box: Components) -> Json:
    """Components as plain data with each card as a table."""
    data = box.to_json()
    del data["sha256"]
    return {**data, "tiles": dict(zip(KIND_NAMES, box.tiles, strict=True))}


@pytest.mark.parametrize("seed", BOXES)
def test_sm_12_a_box_round_trips_through_its_file(seed: int, tmp_path: Path) -> None:
    box = random_box(seed)
    assert random_box(seed) == box
    assert loaded(box_data(seed), tmp_path) == box
    assert loaded(as_tables(box), tmp_path) == box
    assert components_from_data(json.loads(json.dumps(as_tables(box))), "json") == box


def test_sm_12_lists_of_ids_and_tables_may_be_mixed() -> None:
    data = as_tables(load_components(None))
    data["cards"][::2] = [card["id"] for card in data["cards"][::2]]
    assert components_from_data(data, "here").sha256 == DEFAULT


def test_sm_12_two_numbers_of_one_colour_in_either_order() -> None:
    data = as_tables(load_components(None))
    data["cards"][0] = {"id": "J1J3", "jump": [3, 1]}
    assert components_from_data(data, "here").cards[0] == Card("J1J3", (1, 3))


def test_where_values_come_from_does_not_count() -> None:
    data = as_tables(load_components(None))
    origins = ["box", "rulebook", {"planets": "box", "cards": "ours", "tiles": "review"}]
    for origin in origins:
        assert components_from_data({**data, "origin": origin}, "here").sha256 == DEFAULT


# ---------------------------------------------------------------- what cards serve


def serves(box: Components, card: int, colour: str, number: int) -> bool:
    """SM-10 for a card as a table."""
    shown = box.cards[card].to_json().get(colour, [])
    return shown in ("?", number) or (isinstance(shown, list) and number in shown)


@pytest.mark.parametrize("seed", BOXES)
def test_sm_10_the_masks_say_what_the_cards_show(seed: int) -> None:
    box = random_box(seed)
    t = make_parameters(box, make_rules(None))[0]
    for c in range(60):
        for column, colour in enumerate(("jump", "scan", "landing")):
            assert t[f"card_{colour}"][c] == card_masks(box)[c, column]
            for number in range(1, 5):
                assert bool(matches(int(t[f"card_{colour}"][c]), number)) == serves(box, c, colour, number)
            shown = t.card_shown[c].reshape(3, 5)[column]
            values = getattr(box.cards[c], colour)
            assert [i + 1 for i in range(5) if shown[i]] == list(values)


# ---------------------------------------------------------------- for owners


def filled(text: str, box: Components) -> str:
    """The file of `components new` with planets, cards and tiles filled in."""
    head, rest = text.split("planets = [\n")
    middle = rest[rest.index("]\n\n# The 60 cards") :]
    lines = []
    for p in box.planets:
        lines.append(
            f'  {{ name = "{p.name}", jump = {p.jump}, scan = {p.scan}, landing = {list(p.landing)} }},\n'
        )
    text = head + "planets = [\n" + "".join(lines) + middle
    heaps = (
        ("# jump and scan", "JS"),
        ("# jump and landing", "JL"),
        ("# scan and landing", "SL"),
        ("# two numbers of", "JJ SS LL"),
    )
    for comment, colours in heaps:
        ids = [c.face for c in box.cards if c.face[0] + c.face[2] in colours.split()]
        at = text.index("\n", text.index(comment)) + 1
        text = text[:at] + "  " + " ".join(f'"{i}",' for i in ids) + text[at:]
    for kind, count in zip(KIND_NAMES, box.tiles, strict=True):
        start = text.index(f"\n{kind} = ") + 1
        text = text[:start] + f"{kind} = {count}" + text[text.index("\n", start) :]
    return text


def test_an_owner_from_nothing_to_a_checked_box(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    assert "components check" in run("components", "new", str(file)).stdout
    empty = file.read_text("utf-8")
    assert tomllib.loads(empty)["origin"] == "box"
    assert "components show mine.toml" in empty
    said = run("components", "check", str(file), status=1).stderr
    assert "mine.toml: still to be filled in: planets: empty or 0 in 41 places, the first is" in said
    assert "planets[0] 'Freezer': scan; cards: 60 of 60; tiles: 34 of 48 point tiles" in said
    file.write_text(filled(empty, load_components(None)), "utf-8")
    assert json.loads(run("components", "check", str(file), "--json").stdout)["sha256"] == DEFAULT
    pairs = random_box(3)
    assert any(card.face[0] == card.face[2] for card in pairs.cards)
    file.write_text(filled(empty, pairs), "utf-8")
    assert Counter(card.face for card in load_components(file).cards) == Counter(c.face for c in pairs.cards)
    assert load_components(file).planets == pairs.planets


def test_new_never_writes_over_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("mine", "utf-8")
    assert "exists already" in run("components", "new", str(file), status=1).stderr
    assert file.read_text("utf-8") == "mine"
    assert "No such file" in run("components", "new", str(tmp_path / "no" / "box.toml"), status=1).stderr
    assert json.loads(run("components", "new", str(tmp_path / "two.toml"), "--json").stdout) == {
        "file": str(tmp_path / "two.toml")
    }


def test_show_prints_what_there_is_to_compare(tmp_path: Path) -> None:
    data = as_tables(load_components(None))
    data["cards"] = ["J1S1"] * 20 + ["J2J3"] * 20 + ["L1L2"] + ["S2S3"] * 19
    box = loaded(data, tmp_path)
    shown = run("components", "show", str(tmp_path / "box.toml")).stdout
    lines = [line.split() for line in shown.splitlines()]
    for line in (
        ["Green", "Heggar", "2", "2", "1", "4"],
        ["J1S1", "x20"],
        ["S2S3", "x19"],
        ["L1L2"],
        ["jump", "20", "20", "20", "0", "0"],
        ["Freezer:", "landing", "1", "and", "2", "together:", "one", "card", "only"],
        ["Hazard:", "landing", "3"],
        ["Mirador:", "jump", "4"],
        ["Ironvale:", "scan", "4"],
    ):
        assert line in lines, line
    told = json.loads(run("components", "show", str(tmp_path / "box.toml"), "--json").stdout)
    assert told["unserved"] == unserved(box)
    assert {"planet": "Hazard", "colour": "landing", "numbers": [4]} in told["unserved"]
    assert told["cards"][0] == {"face": "J1S1", "count": 20, "ids": ["J1S1"]}
    assert told["numbers"]["cards"]["jump"] == {"1": 20, "2": 20, "3": 20, "4": 0, "?": 0}
    assert told["planets"] == [planet.to_json() for planet in box.planets]


def test_show_without_a_file_is_the_default_box() -> None:
    shown = run("components", "show").stdout
    assert DEFAULT in shown
    assert "Every planet is served by the cards." in shown
    assert json.loads(run("components", "show", "--json").stdout)["unserved"] == []


@pytest.mark.parametrize("seed", BOXES)
def test_proofs_agree_with_counting_one_by_one(seed: int) -> None:
    box = random_box(seed)
    assert sum(entry["count"] for entry in cards_by_face(box)) == 60
    on_cards, on_planets = numbers_on(box)
    assert sum(sum(counts.values()) for counts in on_cards.values()) == 120
    assert sum(sum(counts.values()) for counts in on_planets.values()) == 48
    t = make_parameters(box, make_rules(None))[0]
    for p, planet in enumerate(box.planets):
        lacks = {entry["colour"] for entry in unserved(box) if entry["planet"] == planet.name}
        assert ("jump" in lacks) == (not any(serves(box, c, "jump", planet.jump) for c in range(60)))
        assert ("scan" in lacks) == (not any(serves(box, c, "scan", planet.scan) for c in range(60)))
        pair = any(lands(t, p, a, b) for a in range(60) for b in range(a))
        assert ("landing" in lacks) == (not pair)


def test_a_box_of_one_joker_does_not_land_everywhere() -> None:
    box = load_components(None)
    few = replace(box, cards=(Card.from_face("J?L?"), *[Card.from_face("J?S?")] * 59))
    assert {entry["colour"] for entry in unserved(few)} == {"landing"}
    assert len(unserved(few)) == 12
