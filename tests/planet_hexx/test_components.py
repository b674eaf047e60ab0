"""Tests the shipped deck, the digest of decks, and `spacemission components`."""

import json
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from spacemission_env.cli import app
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.deck import Card, Deck, full
from spacemission_env.games.planet_hexx.components.language import STATEMENTS, TYPES
from spacemission_env.games.planet_hexx.components.parse import (
    components_from_data,
    counts_by_type,
    load_components,
)
from spacemission_env.games.planet_hexx.words.cards import card_text
from spacemission_env.games.planet_hexx.words.icons import card_icons
from tests.planet_hexx.decks import (
    DATA,
    DECK,
    SHIPPED,
    SHIPPED_DATA,
    SHIPPED_DECK,
    Change,
    card_of,
    plain,
    read,
    setting,
    without_digest,
)


def statements_of(card: Card) -> set[str]:
    """Names of all statements in a card."""
    return {name for name in STATEMENTS if f'"{name}"' in json.dumps(card.to_json())}


@pytest.mark.parametrize(
    ("deck", "data"), [(SHIPPED_DECK, SHIPPED_DATA), (DECK, DATA)], ids=["shipped", "own"]
)
def test_the_cards_are_as_the_file_has_them(deck: Deck, data: Json) -> None:
    left_out = {"surprise": {"own_turn": False}, "alt_upload": {"anywhere": False}}
    for card, entry in zip(deck.cards, data["card"], strict=True):
        for key in left_out.keys() & entry.keys():
            entry = {**entry, key: left_out[key] | entry[key]}
        defaults = {field.name: plain(field.default) for field in fields(Card)}
        assert card.to_json() == {key: value for key, value in entry.items() if value != defaults[key]}


def test_hx_56_110_cards_in_the_ratio_of_the_types() -> None:
    deck = SHIPPED_DECK
    assert deck.size == 110
    assert counts_by_type(deck.cards) == {"alien": 20, "dilemma": 20, "object": 20, "planet": 24, "space": 26}
    assert len(deck.cards) <= 112
    assert [card.id for card in deck.cards if card.copies == 0] == ["space_base", "delta_colony"]
    assert deck.cards[1].data == 5


def test_cards_that_the_rulebook_names_do_what_it_says_of_them() -> None:
    cards = {card.id: card for card in SHIPPED_DECK.cards}
    assert {card.id for card in cards.values() if card.origin == "rulebook"} == {
        "space_base", "delta_colony", "wormhole", "dexatrani_minor", "dexatrani_major", "alpha_colony",
        "beta_colony", "gamma_colony", "malair_ruins", "miss_galaxy", "cute_furry_things", "pansy_people",
        "duplicant", "pack_and_go_androids", "space_revelers", "robotic_union", "cloud_people",
        "big_boss_snooger", "risky_fuel_burn", "mysterious_egg", "bag_of_rocks", "critical_circuit",
    }  # fmt: skip
    assert cards["miss_galaxy"].cost == (("expend", 1),)
    assert {"add", "expend"} <= statements_of(cards["cute_furry_things"])
    assert cards["mysterious_egg"].play == ((("upload_self",),),)
    assert "upload_now" in statements_of(cards["pansy_people"]) & statements_of(cards["malair_ruins"])
    assert all(cards[name].alt_upload for name in ("duplicant", "pack_and_go_androids", "bag_of_rocks"))
    assert ("discard", 1, "object") in cards["space_revelers"].cost
    assert cards["robotic_union"].surprise.on == ("event",) and "copy" in statements_of(
        cards["robotic_union"]
    )
    assert ("gain_action", "event", 1) in cards["risky_fuel_burn"].play[0]
    assert cards["critical_circuit"].surprise.on == ("upload",)
    assert cards["cloud_people"].surprise.on == ("surprise",) and cards["cloud_people"].play == (
        (("cancel",),),
    )
    assert "counter" in statements_of(cards["big_boss_snooger"])
    assert cards["wormhole"].copies >= 2 and cards["wormhole"].related == ("wormhole",)
    assert cards["alpha_colony"].related == ("beta_colony", "gamma_colony")
    assert cards["dexatrani_minor"].related == ("dexatrani_major",)


def test_hx_2_sixteen_sides_each_with_one_type_doubled() -> None:
    assert [(m.file, m.side) for m in SHIPPED_DECK.missions] == [(f, s) for f in range(8) for s in range(2)]
    doubled = []
    for mission in SHIPPED_DECK.missions:
        counts = Counter(mission.points)
        assert sorted(counts.values()) == [1, 1, 1, 1, 2] and set(counts) == set(TYPES)
        doubled.append(counts.most_common(1)[0][0])
        assert 2 <= sum(mission.story.count(stop) for stop in (". ", "? ", "! ")) + 1 <= 4, mission.name
    assert Counter(doubled) == {"dilemma": 4, "alien": 3, "object": 3, "planet": 3, "space": 3}
    assert all(a != b for a, b in zip(doubled[::2], doubled[1::2], strict=True)), "a choice of sides is one"
    routine = SHIPPED_DECK.missions[0]
    assert (routine.name, routine.origin) == ("A ROUTINE MISSION!", "rulebook")
    assert routine.points == ("alien", "dilemma", "dilemma", "object", "planet", "space")


def test_a_deck_comes_back_from_a_record_alone() -> None:
    again = components_from_data(without_digest(DECK), "record")
    assert again == DECK and again.sha256 == DECK.sha256 == DECK.to_json()["sha256"]
    assert load_components(DECK) is DECK


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(name="another"),
        setting("big_gus", "name", "Bigger Gus"),
        setting("big_gus", "origin", "box"),
        setting("big_gus", "effect_origin", "rulebook"),
        lambda data: data["mission"][3].update(name="NEW", story="{6} {5} {4} {3} {2} {1}", origin="box"),
        lambda data: data["mission"].reverse(),
        setting("slipstream", "on_through", [["may", [["add", 1, "you"]]]]),
        setting("red_tape", "surprise", {"on": ["event"]}),
        setting("asteroid_belt", "walls", [2, 0, 1]),
        setting("eager_interns", "play", [[["gain_action", "any", 2]]]),
    ],
)
def test_what_is_for_people_makes_no_other_game(change: Change) -> None:
    assert read(change).sha256 == DECK.sha256


OTHER_GAMES = {
    "id": setting("big_gus", "id", "bigger_gus"),
    "data": setting("big_gus", "data", 5),
    "x": setting("big_gus", "data", "X"),
    "walls": setting("asteroid_belt", "walls", [0, 1]),
    "related": lambda data: [
        card_of(data, name).pop("related") for name in ("dexatrani_minor", "dexatrani_major")
    ],
    "leave_roll": setting("becalmed_zone", "leave_roll", 4),
    "start_ban": setting("radio_shadow", "start_ban", "move"),
    "beside_planets": setting("pebble", "beside_planets", False),
    "on_enter": setting("great_comet", "on_enter", [["planets_add", 2]]),
    "on_collect": setting("library_moon", "on_collect", [["collect", 3]]),
    "on_through": setting("slipstream", "on_through", [["add", 2]]),
    "on_stop": setting("garden_of_vox", "on_stop", [["draw", 2]]),
    "on_start": setting("solar_panels", "on_start", [["add", 1, "all"]]),
    "on_upload": setting("big_gus", "on_upload", [["draw", 1]]),
    "on_turn": setting("big_gus", "on_turn", [["draw", 1]]),
    "only_if": setting("data_bomb", "only_if", ["own_turn"]),
    "enter_if": setting("starry_deep", "enter_if", ["never"]),
    "must_stop": setting("starry_deep", "must_stop", True),
    "fixed": setting("asteroid_belt", "fixed", True),
    "may_collect": setting("library_moon", "may_collect", False),
    "cost": setting("miss_galaxy", "cost", [["expend", 2]]),
    "play": setting("eager_interns", "play", [[["gain_action", "any"]]]),
    "deep in play": setting("data_bomb", "play", [[["if", ["data_ge", 1], [["add", 1]], [["add", 2]]]]]),
    "surprise": setting("red_tape", "surprise", {"on": ["event"], "own_turn": True}),
    "alt_upload": setting("bag_of_rocks", "alt_upload", {"cost": [["expend", 1]], "anywhere": True}),
    "type and copies": lambda data: (
        card_of(data, "big_gus").update(type="space", walls=[1]) or card_of(data, "big_gus").pop("data")
    ),
    "order": lambda data: data["card"].reverse(),
    "points": lambda data: data["mission"][0]["points"].reverse(),
    "sides": lambda data: (data["mission"][0].update(side=1), data["mission"][1].update(side=0)),
}


@pytest.mark.parametrize("what", OTHER_GAMES)
def test_what_counts_for_the_rules_makes_another_game(what: str) -> None:
    assert read(OTHER_GAMES[what]).sha256 != DECK.sha256


def test_every_field_of_a_card_is_tried_above() -> None:
    tried = " ".join(OTHER_GAMES).split()
    assert {entry.name for entry in fields(Card)} <= {*tried, "name", "origin", "effect_origin"}


def test_every_statement_is_full_with_all_of_its_arguments() -> None:
    assert full((("gain_action", "any"), ("discard", 1))) == [
        ["gain_action", "any", 1],
        ["discard", 1, "you", None],
    ]
    deep = (("roll_table", (1, 6, (("may", (("draw", 1),)),))),)
    assert full(deep) == [["roll_table", [[1, 6, [["may", [["draw", 1, "you"]]]]]]]]


def run(*arguments: str, status: int = 0) -> Result:
    result = CliRunner().invoke(app, ["components", *arguments])
    assert result.exit_code == status, result.output + repr(result.exception)
    return result


def test_an_owner_from_nothing_to_a_checked_deck(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    assert "components --game planet_hexx check" in run("--game", "planet_hexx", "new", str(file)).stdout
    empty = file.read_text("utf-8")
    assert "check mine.toml" in empty
    assert "my_deck" not in empty
    said = run("--game", "planet_hexx", "check", str(file), status=1).stderr
    assert "mine.toml: still to be filled in: cards: 110 of 110, there are alien 0" in said
    assert "mission: 16 of 16 sides" in said
    assert "exists already" in run("new", str(file), "--game", "planet_hexx", status=1).stderr
    # All examples in the file are valid cards.
    file.write_text(re.sub(r"^# (\[\[|\w+ = )", r"\1", empty, flags=re.MULTILINE), "utf-8")
    said = run("--game", "planet_hexx", "check", str(file), status=1).stderr
    assert (
        "cards: 99 of 110, there are alien 1, dilemma 1, object 1, planet 1, space 7; mission: 15 of 16"
        in said
    )
    file.write_bytes(SHIPPED)
    told = json.loads(run("--game", "planet_hexx", "check", str(file), "--json").stdout)
    assert told["valid"] and told["sha256"] == SHIPPED_DECK.sha256 and told["missing_icons"] == []
    assert "valid: 'default'" in run("check", str(file), "--game", "planet_hexx").stdout


def test_show_prints_every_card_with_its_text() -> None:
    shown = run("--game", "planet_hexx", "show").stdout
    for card in SHIPPED_DECK.cards:
        assert card.name in shown
        assert card_text(SHIPPED_DECK, card) in shown
    told = json.loads(run("--game", "planet_hexx", "show", "--json").stdout)
    assert [card["text"] for card in told["cards"]] == [
        card_text(SHIPPED_DECK, card) for card in SHIPPED_DECK.cards
    ]
    assert told["cards"][2]["icons"] == list(card_icons(SHIPPED_DECK.cards[2]))
    assert len(told["missions"]) == 16


def test_a_game_without_a_components_file_says_so() -> None:
    assert (
        "game 'kuhn_poker': it has no components file" in run("--game", "kuhn_poker", "show", status=1).stderr
    )
    assert "game: expected one of " in run("--game", "chess", "show", status=1).stderr
