"""Tests that invalid decks are refused in one line that names the card and the key."""

import pytest

from spacemission_env.core.errors import ComponentsError
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.parse import (
    components_from_data,
    counts_by_type,
    load_components,
)
from tests.fuzz.env_kinds import is_refusal
from tests.planet_hexx.decks import Change, card_of, read, setting, without_digest


def playing(*statements: object) -> Change:
    """An Event with one branch of these statements."""
    return setting("eager_interns", "play", [list(statements)])


def nested(depth: int) -> list[object]:
    effect: list[object] = [["draw", 1]]
    for _ in range(depth - 1):
        effect = [["may", effect]]
    return effect


HERE = "my.toml: card 'eager_interns': play[0]"
GUS = "my.toml: card 'big_gus'"
REFUSED: dict[str, tuple[Change, str]] = {
    "key of file": (lambda d: d.update(author="me"), "my.toml: unknown entry 'author'"),
    "format": (lambda d: d.update(format=2), "my.toml: format: 2 is not known, this version reads 1"),
    "format true": (lambda d: d.update(format=True), "my.toml: format: True is not known"),
    "no name": (lambda d: d.pop("name"), "my.toml: 'name' is missing"),
    "control": (lambda d: d.update(name="a\x1b[2J"), "my.toml: name: expected a text of 1 to 48 printable"),
    "size": (lambda d: d.update(size=109), "my.toml: card: expected 109 cards in all, got 110; a deck of an"),
    "size too small": (lambda d: d.update(size=2), "my.toml: size: expected a number from 3 to 128, not 2"),
    "one file": (lambda d: d.update(files=1), "my.toml: files: expected a number from 2 to 8, not 1"),
    "fewer files": (lambda d: d.update(files=7), "mission: at most 14 sides of Mission Files, not 16"),
    "a file too high": (
        lambda d: d.update(files=7, mission=d["mission"][2:]),
        "my.toml: mission 'THE HAUNTED FREIGHTER': file: expected a number from 0 to 6, not 7",
    ),
    "a file missing": (
        lambda d: d.update(files=7, mission=d["mission"][:12]),
        "my.toml: still to be filled in: mission: 2 of 14 sides",
    ),
    "one too many": (
        setting("big_gus", "copies", 2),
        "my.toml: card: expected 110 cards in all, got 111; a deck of another size says 'size = 111'",
    ),
    "one too few": (
        setting("starry_deep", "copies", 2),
        "my.toml: still to be filled in: cards: 1 of 110, there are alien 20, dilemma 20, object 20, "
        "planet 24, space 25; a deck of another size says 'size = 109'",
    ),
    "ratio": (
        lambda d: (setting("starry_deep", "copies", 1)(d), setting("big_gus", "copies", 3)(d)),
        "my.toml: card: expected 23 to 25 cards of type planet among 110 (HX-56), got 26",
    ),
    "no cards": (lambda d: d.update(card=[]), "my.toml: card 'space_base' is missing: a starting hex (HX-4)"),
    "cards no list": (lambda d: d.update(card={}), "my.toml: card: expected a list of kinds of cards, not {"),
    "kinds": (lambda d: d.update(card=d["card"] * 2), "my.toml: card: at most 112 kinds of cards, not 206"),
    "card no table": (lambda d: d["card"].insert(0, 7), "my.toml: card[0]: expected a table, not 7"),
    "no id": (lambda d: d["card"][3].pop("id"), "my.toml: card[3]: id: expected 1 to 32 of a to z, 0 to 9 a"),
    "id": (setting("big_gus", "id", "Big Gus"), "letter first, not 'Big Gus'"),
    "id twice": (setting("big_gus", "id", "pebble"), "my.toml: card 'pebble': id: stands twice"),
    "name twice": (setting("big_gus", "name", "Pebble, the Sociable Moon"), "'pebble': name: stands twice"),
    "long name": (setting("big_gus", "name", "x" * 49), f"{GUS}: name: expected a text of 1 to 48 printable"),
    "blank name": (setting("big_gus", "name", "  "), f"{GUS}: name: expected a text"),
    "new line": (setting("big_gus", "name", "a\nb"), f"{GUS}: name: expected a text"),
    "type": (setting("big_gus", "type", "moon"), f"{GUS}: type: expected one of alien, dilemma, object, pla"),
    "no type": (lambda d: card_of(d, "big_gus").pop("type"), f"{GUS}: type: expected one of"),
    "key": (setting("big_gus", "colour", "red"), f"{GUS}: unknown entry 'colour'"),
    "key of Events": (setting("big_gus", "play", [[["draw", 1]]]), f"{GUS}: unknown entry 'play'"),
    "key of hexes": (setting("data_bomb", "walls", [1]), "card 'data_bomb': unknown entry 'walls'"),
    "key of Planets": (setting("starry_deep", "data", 1), "card 'starry_deep': unknown entry 'data'"),
    "copies": (setting("big_gus", "copies", 0), f"{GUS}: copies: expected a number from 1 to 128, not 0"),
    "copies true": (setting("big_gus", "copies", True), f"{GUS}: copies: expected a number"),
    "no copies": (lambda d: card_of(d, "big_gus").pop("copies"), f"{GUS}: 'copies' is missing"),
    "starting hex": (setting("space_base", "copies", 1), "card 'space_base': copies: expected 0, not 1"),
    "no starting hex": (
        lambda d: d["card"].remove(card_of(d, "delta_colony")),
        "my.toml: card 'delta_colony' is missing: a starting hex (HX-4)",
    ),
    "its type": (
        lambda d: card_of(d, "delta_colony").update(type="space") or card_of(d, "delta_colony").pop("data"),
        "card 'delta_colony': type: expected planet, not space",
    ),
    "its effect": (setting("space_base", "on_enter", [["draw", 1]]), "'space_base': a starting hex is never"),
    "data": (setting("big_gus", "data", 100), f"{GUS}: data: expected a number from 0 to 99, not 100"),
    "no data": (lambda d: card_of(d, "big_gus").pop("data"), f"{GUS}: 'data' is missing"),
    "walls": (setting("big_gus", "walls", [6]), f"{GUS}: walls: expected a number from 0 to 5, not 6"),
    "six walls": (setting("big_gus", "walls", [0, 1, 2, 3, 4, 5]), f"{GUS}: walls: at most 5 walls, not 6"),
    "wall twice": (setting("big_gus", "walls", [1, 1]), f"{GUS}: walls: an edge stands twice in [1, 1]"),
    "related": (
        setting("big_gus", "related", ["nowhere"]),
        f"{GUS}: related: expected the id of a planet or space of this file, not 'nowhere'",
    ),
    "related to an Event": (setting("big_gus", "related", ["data_bomb"]), f"{GUS}: related: expected the id"),
    "related twice": (setting("pebble", "related", ["pebble"] * 2), "'pebble': related: an id stands twice"),
    "related one way": (
        setting("big_gus", "related", ["pebble"]),
        f"{GUS}: related: 'pebble' does not name it in return (HX-15)",
    ),
    "leave_roll": (setting("big_gus", "leave_roll", 7), f"{GUS}: leave_roll: expected a number from 2 to 6"),
    "start_ban": (setting("big_gus", "start_ban", "any"), f"{GUS}: start_ban: expected one of map, move, up"),
    "flag": (setting("big_gus", "beside_planets", 1), f"{GUS}: beside_planets: expected true or false, not"),
    "may_collect what": (setting("big_gus", "may_collect", True), f"{GUS}: may_collect: needs the key 'on_c"),
    "fixed what": (setting("big_gus", "fixed", True), f"{GUS}: fixed: needs the key 'walls'"),
    "enter_if": (setting("big_gus", "enter_if", ["roll_ge", 2]), f"{GUS}: enter_if: expected one of data_ge"),
    "no target to enter": (
        setting("big_gus", "enter_if", ["target_data_ge", 2]),
        f"{GUS}: enter_if: target_data_ge: needs a target_seat before it",
    ),
    "never played": (setting("data_bomb", "only_if", ["never"]), "only_if: never may not stand in only_if"),
    "upload in on_upload": (
        setting("big_gus", "on_upload", [["upload_now"]]),
        f"{GUS}: on_upload[0]: upload_now may not stand in on_upload",
    ),
    "a base uploaded": (setting("delta_colony", "on_turn", [["add", 1]]), "is never Played nor uploaded"),
    "too many onces": (
        lambda d: [card.update(play=[[["once", [["add", 1]]]]]) for card in d["card"] if "play" in card],
        "card: at most 16 statements 'once' in all, not 60",
    ),
    "origin": (setting("big_gus", "origin", "a friend"), f"{GUS}: origin: expected one of rulebook, box, ou"),
    "origin list": (setting("big_gus", "origin", ["ours"]), f"{GUS}: origin: expected one of"),
    "surprise": (setting("red_tape", "surprise", ["event"]), "'red_tape': surprise: expected a table, not"),
    "window": (setting("red_tape", "surprise", {"on": ["turn"]}), "'red_tape': surprise: on: expected one o"),
    "no window": (setting("red_tape", "surprise", {"on": []}), "surprise: on: expected different windows, n"),
    "surprise key": (setting("red_tape", "surprise", {"on": ["map"], "off": 1}), "unknown entry 'off'"),
    "own_turn": (setting("red_tape", "surprise", {"on": ["map"], "own_turn": 1}), "surprise: own_turn: expe"),
    "cost": (setting("data_bomb", "cost", [["draw", 1]]), "'data_bomb': cost[0]: expected one of expend, us"),
    "cost range": (setting("data_bomb", "cost", [["use_action", 7]]), "cost[0]: use_action: n: expected a n"),
    "cost amount": (setting("data_bomb", "cost", [["expend", "roll"]]), "expected a number from 1 to 99, no"),
    "costs": (setting("data_bomb", "cost", [["expend", 1]] * 5), "'data_bomb': cost: at most 4 costs, not 5"),
    "alt_upload": (setting("data_bomb", "alt_upload", {}), "'data_bomb': alt_upload: 'cost' is missing"),
    "no play": (lambda d: card_of(d, "data_bomb").pop("play"), "card 'data_bomb': 'play' is missing"),
    "no branch": (setting("data_bomb", "play", []), "card 'data_bomb': play: expected a branch"),
    "empty branch": (playing(), f"{HERE}: expected a statement"),
    "branches": (setting("data_bomb", "play", [[["draw", 1]]] * 5), "play: at most 4 branches, not 5"),
    "statements": (playing(*[["draw", 1]] * 9), f"{HERE}: at most 8 statements, not 9"),
    "statements in all": (
        setting("eager_interns", "play", [[["may", [["draw", 1]] * 8]] * 2] * 3),
        "card 'eager_interns': play[2][0]: may: more than 40 statements in one card",
    ),
    "steps": (
        lambda d: [entry.update(play=[[["draw", 1]] * 8] * 4) for entry in d["card"] if "play" in entry],
        "my.toml: card: at most 1200 statements and rows of tables in all, not ",
    ),
    "space beside planets": (setting("starry_deep", "beside_planets", True), "unknown entry 'beside_p"),
    "too deep": (playing(*nested(5)), "effects more than 4 deep"),
    "no statement": (playing("draw"), f"{HERE}[0]: expected a list such as"),
    "empty statement": (playing([]), f"{HERE}[0]: expected a list such as"),
    "statement": (playing(["fly", 1]), f"{HERE}[0]: expected one of add, expend, take"),
    "statement a list": (playing([[]]), f"{HERE}[0]: expected one of add, expend, take"),
    "too few": (playing(["take", 1]), f"{HERE}[0]: take: is written 'take n who', got 1 arguments"),
    "too many": (playing(["draw", 1, "you", 1]), f"{HERE}[0]: draw: is written 'draw n [who]', got 3"),
    "amount": (playing(["draw", 13]), f"{HERE}[0]: draw: n: expected a number from 1 to 12, not 13"),
    "amount 0": (playing(["draw", 0]), "draw: n: expected a number from 1 to 12, not 0"),
    "amount true": (playing(["draw", True]), "draw: n: expected a number from 1 to 12, not True"),
    "amount half": (playing(["draw", 1.0]), "draw: n: expected a number from 1 to 12, not 1.0"),
    "amount word": (
        playing(["draw", "many"]),
        f"{HERE}[0]: draw: n: expected a number from 1 to 12, one of roll, counters, printed, not 'many'",
    ),
    "no roll": (playing(["draw", "roll"]), "draw: n: 'roll' needs a roll or roll_table before it"),
    "no target": (playing(["take", 1, "target"]), "take: who: 'target' needs a target_seat before it"),
    "target elsewhere": (
        playing(["may", [["target_seat", "all"]]], ["take", 1, "target"]),
        f"{HERE}[1]: take: who: 'target' needs a target_seat before it",
    ),
    "no counters": (playing(["add", "counters"]), "add: n: 'counters' needs a target_seat before it"),
    "no hex": (playing(["rotate"]), f"{HERE}[0]: rotate: needs a target_hex before it"),
    "no window to answer": (playing(["cancel"]), "cancel: needs a card with 'surprise', to answer something"),
    "who": (playing(["add", 1, "me"]), f"{HERE}[0]: add: who: expected one of you, target, active, all, oth"),
    "who a table": (playing(["add", 1, {}]), "add: who: expected one of"),
    "type of card": (playing(["recover", "hex"]), "recover: type: expected one of alien, dilemma"),
    "kind": (playing(["forbid", "any"]), "forbid: kind: expected one of map, move, upload, refresh, event"),
    "min above max": (
        playing(["target_hex", "planet", "anywhere", 3, 2]),
        f"{HERE}[0]: target_hex: min 3 is above max 2",
    ),
    "condition": (playing(["if", ["rich"], [], []]), "if: condition: expected one of data_ge"),
    "on_board": (
        playing(["if", ["on_board", "data_bomb"], [], []]),
        "if: condition: on_board: id: expected the id of a planet or space of this file, not 'data_bomb'",
    ),
    "rows": (playing(["roll_table", [1, 5, []]]), "roll_table: expected rows for 1 to 6, got none for 6"),
    "rows apart": (
        playing(["roll_table", [1, 2, []], [4, 6, []]]),
        f"{HERE}[0]: roll_table: row 1: lowest: expected 3, not 4",
    ),
    "no rows": (playing(["roll_table"]), "roll_table: expected rows for 1 to 6, got none for 1"),
    "rows after 6": (playing(["roll_table", [1, 6, []], [7, 7, []]]), "row 1: the rows before it end with 6"),
    "row": (playing(["roll_table", [1, 6]]), "row 0: expected [lowest, highest, effect], not [1, 6]"),
    "hex that moves": (
        setting("garden_of_vox", "on_stop", [["move", 2]]),
        "card 'garden_of_vox': on_stop[0]: move: needs a 'once' around it",
    ),
    "hex that copies": (setting("garden_of_vox", "on_stop", [["copy"]]), "copy may not stand in on_stop"),
    "price in the middle": (
        playing(["draw", 1], ["cost", ["expend", 1]]),
        f"{HERE}[1]: cost: stands only first in a branch of 'play', in a 'may', or in an 'on_collect'",
    ),
    "price of what must be done": (
        setting("garden_of_vox", "on_stop", [["cost", ["expend", 1]], ["draw", 1]]),
        "on_stop[0]: cost: stands only first",
    ),
    "price in an if": (
        playing(["if", ["own_turn"], [["cost", ["expend", 1]]], []]),
        "cost: stands only first",
    ),
    "price of a blue text that must be done": (
        setting("pirate_haven", "on_collect", [["cost", ["expend", 1]], ["draw", 1]]),
        "on_collect[0]: cost: stands only first",
    ),
    "price of nothing": (playing(["cost"]), "cost: expected at least one cost"),
    "five prices": (playing(["cost", *[["expend", 1]] * 5]), "cost: at most 4 costs, not 5"),
    "price in other things": (playing(["cost", ["draw", 1]]), "expected one of expend, use_action, discard"),
    "Actions of no kind": (
        playing(["cost", ["use_action", 1, "any"]]),
        "use_action: kind: expected one of map, move, upload, refresh, event, not 'any'",
    ),
    "arranged": (
        setting("delta_colony", "walls", [0]),
        "card 'delta_colony': walls: a starting hex has none, so all arrangements are the same (HR-3)",
    ),
    "hexes for ever": (
        setting("great_comet", "on_enter", [["may", [["place", "any"]]]]),
        "card 'great_comet': on_enter[0]: may[0]: place may not stand in on_enter",
    ),
    "one mission": (
        lambda d: d["mission"].pop(),
        "my.toml: still to be filled in: mission: 1 of 16 sides",
    ),
    "missions": (lambda d: d["mission"].append(d["mission"][0]), "mission: at most 16 sides of Mission File"),
    "mission no table": (lambda d: d["mission"].insert(0, 1) or d["mission"].pop(), "mission[0]: expected a"),
    "mission key": (lambda d: d["mission"][1].update(x=1), "my.toml: mission[1]: unknown entry 'x'"),
    "mission file": (lambda d: d["mission"][0].update(file=8), "'A ROUTINE MISSION!': file: expected a numb"),
    "mission twice": (lambda d: d["mission"][1].update(side=0), "INCLUDED': file and side: stands twice"),
    "mission types": (
        lambda d: d["mission"][0]["points"].__setitem__(1, "moon"),
        "mission 'A ROUTINE MISSION!': points: expected one of alien, dilemma, object, planet, space, not 'm",
    ),
    "mission points": (lambda d: d["mission"][0]["points"].pop(), "points: expected 6 types, not 5"),
    "blank twice": (lambda d: d["mission"][0].update(story="{1}{2}{3}{4}{5}{6}{6}"), "expected each of {1}"),
    "other blank": (lambda d: d["mission"][0].update(story="{1}{2}{3}{4}{5}{6}{0}"), "and no other {"),
    "long story": (lambda d: d["mission"][0].update(story="{1}{2}{3}{4}{5}{6}" * 50), "story: expected a te"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_wrong_is_refused_in_one_line_with_its_place(what: str) -> None:
    change, said = REFUSED[what]
    with pytest.raises(ComponentsError) as refusal:
        read(change)
    assert said in str(refusal.value)
    assert str(refusal.value).startswith("my.toml: ")
    assert is_refusal(refusal.value)


def test_missions_need_no_other_types_than_their_own() -> None:
    """HX-2: types may repeat: a deck of the user may need four Aliens."""
    points = ["alien"] * 4 + ["space"] * 2
    assert read(lambda data: data["mission"][0].update(points=points)).missions[0].points == tuple(points)


def test_hx_56_a_deck_of_another_size_that_says_so() -> None:
    def half(data: Json) -> None:
        data["size"] = 55
        keep = {"alien": 10, "dilemma": 10, "object": 10, "planet": 12, "space": 13}
        related = {"dexatrani_minor", "dexatrani_major", "alpha_colony", "beta_colony", "gamma_colony"}
        cards = []
        for entry in data["card"]:
            if entry["id"] in related:
                continue
            entry["copies"] = min(entry["copies"], keep[entry["type"]])
            keep[entry["type"]] -= entry["copies"]
            if entry["copies"] or entry["id"] in ("space_base", "delta_colony"):
                cards.append(entry)
        data["card"] = cards

    deck = read(half)
    assert deck.size == 55
    assert counts_by_type(deck.cards) == {"alien": 10, "dilemma": 10, "object": 10, "planet": 12, "space": 13}
    assert components_from_data(without_digest(deck), "record") == deck


def test_effects_up_to_the_limits_are_read() -> None:
    assert read(playing(*nested(4))).cards[-1]
    assert read(playing(*[["draw", 12]] * 8))
    assert read(setting("eager_interns", "play", [[["add", 99, "all"]]] * 4))
    assert read(setting("big_gus", "walls", [0, 1, 2, 3, 4]))


def test_a_path_that_is_none() -> None:
    for source in (7, b"deck.toml", ["x"], object()):
        with pytest.raises(ComponentsError, match="components: expected a path or None, not "):
            load_components(source)  # type: ignore[arg-type]
