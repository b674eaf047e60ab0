"""What is refused: the typed exception, one line that names what and where, and nothing changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_env import space_mission_v0
from spacemission_env.core.agents import Agent, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import (
    AgentError,
    ComponentsError,
    IllegalActionError,
    RulesError,
    SeedError,
    SetupError,
    SpaceMissionError,
)
from spacemission_env.core.game_spec import check_choice
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine.constants import REWARD_NAMES
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import make_rules
from tests.support.positions import FREEZER, legal, play, position, state_bytes

ARRAY = np.zeros((2, 3), np.int64)  # its text has two lines


@contextmanager
def refused(error: type[SpaceMissionError], *said: str) -> Iterator[None]:
    """The block raises exactly this error, with one line that says these things."""
    with pytest.raises(SpaceMissionError) as caught:
        yield
    message = str(caught.value)
    assert type(caught.value) is error, f"{type(caught.value).__name__}: {message}"
    assert len(message.splitlines()) == 1, message
    for words in said:
        assert words in message, f"{words!r} is not in {message!r}"


def case(*values: Any, id: str | None = None) -> Any:
    """A case of its own name."""
    return pytest.param(*values, id=id)


def named(value: Any) -> str | None:
    """A short id for a case, so that pytest does not make one of a whole array."""
    return f"{type(value).__name__}" if isinstance(value, np.ndarray | dict) or callable(value) else None


# ---------------------------------------------------------------- rules, players, names


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("Printed", "'Printed'"),
        ("", "preset ''"),
        ("house", "known: printed, yucata"),
        ("printed,chips", "'chips'"),
        ("printed,chips=3", "unknown option 'chips'"),
        ("printed,=3", "unknown option ''"),
        ("printed,hand_size=six", "hand_size: cannot read the value 'six'"),
        ("printed,hand_size=", "hand_size"),
        ("yucata,hand_size=6", "hand_size: expected a whole number from 1 to 5, not 6"),
        ("hand_size=0", "hand_size"),
        ("chips_per_player=101", "chips_per_player: expected a whole number from 1 to 100"),
        ("chips_per_player=none", "not None"),
        ("actions_per_turn=5", "actions_per_turn: expected a whole number from 1 to 4"),
        ("space_tiles_to_end=17", "space_tiles_to_end: expected a whole number from 1 to 16"),
        ("max_rounds=10001", "max_rounds: expected a whole number from 1 to 10000"),
        ("max_rounds=" + "9" * 30, "max_rounds"),
        ("space_tile_penalty=1", "space_tile_penalty: expected true or false, not 1"),
        ("max_rounds=true", "max_rounds"),
        ({"max_rounds": 2.0}, "max_rounds"),
        ({"max_rounds": "3"}, "not '3'"),
        ({"space_tile_penalty": None}, "not None"),
        ({"space_tiles_to_end": 0}, "not 0"),
        ("start_player=5", "start_player: expected 'random' or a seat, 0 to 4, not 5"),
        ("start_player=-1", "not -1"),
        ("start_player=none", "not None"),
        ("start_player=on", "not True"),
        ("start_player=first", "start_player: cannot read the value 'first'"),
        ("start_player=3", "start_player: there is no seat 3 with 3 players"),
        ({"start_player": "Random"}, "not 'Random'"),
        ({"start_player": 1.0}, "not 1.0"),
        ({"start_player": True}, "not True"),
        ("empty_top_up=random", "empty_top_up: expected true or false, not 'random'"),
        ("empty_top_up=1", "empty_top_up: expected true or false, not 1"),
        ({"scan_face_up": "on"}, "scan_face_up: expected true or false, not 'on'"),
        ({"colour": 1}, "unknown option 'colour'"),
        ({1: 2}, "unknown option 1"),
        (7, "not 7"),
        (["printed"], "['printed']"),
        ("printed\nyucata", "preset"),
        case("printed,a\nb=x", "cannot read"),
        case({"max_rounds": ARRAY}, "max_rounds"),
        case(ARRAY, "rules"),
    ],
    ids=named,
)
def test_bad_rules(rules: Any, said: str) -> None:
    if "no seat" not in said:  # that depends on the number of players
        with refused(RulesError, "rules: ", said):
            make_rules(rules)
    makers: tuple[Callable[..., Any], ...] = (Game, space_mission_v0.env, LearnerEnv)
    for make in (*makers, partial(BatchedGames, 4), partial(LearnerVectorEnv, 4)):
        with refused(RulesError, "rules: ", said):
            make(num_players=3, rules=rules)


@pytest.mark.parametrize("num_players", [0, 1, 6, -2, 3.0, "3", True, case(ARRAY)], ids=named)
def test_bad_num_players(num_players: Any) -> None:
    for make in (Game, lambda n: BatchedGames(4, n)):
        with refused(RulesError, "num_players: expected 2 to 5"):
            make(num_players)


@pytest.mark.parametrize("name", ["full", "", "Table", None, 1, ["table"], "a\nb", case(ARRAY)])
def test_bad_names_of_observation_and_reward(name: Any) -> None:
    with refused(SetupError, "observation: expected one of table, perfect_recall"):
        Game(3, observation=name)
    with refused(SetupError, "reward: expected one of win, rank, score_margin"):
        check_choice("reward", name, REWARD_NAMES)


# ---------------------------------------------------------------- components files

DEFAULT = (
    resources.files("spacemission_env.games.space_mission.data").joinpath("default.toml").read_text("utf-8")
)
FIRST_CARD = '{ id = "J1S1", jump = 1, scan = 1, origin = "ours" },'  # written out, as a table
FIRST_PLANET = DEFAULT[
    DEFAULT.index("[[planets]]") : DEFAULT.index("[[planets]]", DEFAULT.index("[[planets]]") + 1)
]


def edit(old: str, new: str) -> str:
    """The default file with one text replaced, in its first place."""
    assert old in DEFAULT, old
    return DEFAULT.replace(old, new, 1)


def first_card(text: str) -> str:
    """The default file with another text for its first card, "J1S1"."""
    return edit('"J1S1",', text)


FILES: dict[str, tuple[str | bytes, str]] = {
    "not text": (b"\xff\xfe\x00", "not TOML"),
    "not TOML": ("planets = [", "not TOML"),
    "empty": ("", "'cards' is missing"),
    "key twice": (edit('name = "default"', 'name = "a"\nname = "b"'), "not TOML"),
    "no tiles": (edit("[tiles]", "[tile_counts]"), "unknown entry 'tile_counts'"),
    "format": (edit("format = 1", "format = 2"), "format: 2 is not known"),
    "format text": (edit("format = 1", 'format = "1"'), "format: '1'"),
    "name": (edit('name = "default"', "name = 3"), "name: expected a text, not 3"),
    "name empty": (edit('name = "default"', 'name = " "'), "name"),
    "unknown entry": (edit("format = 1", "format = 1\nplayers = 2"), "unknown entry 'players'"),
    "tile count": (
        edit("medal = 6", "medal = 7"),
        "tiles: expected 48 point and 16 space tiles, got 49 and 16",
    ),
    "space count": (edit("space = 16", "space = 15"), "got 48 and 15"),
    "tile moved": (edit("medal = 6", "medal = 5").replace("space = 16", "space = 17"), "got 47 and 17"),
    "tile negative": (edit("medal = 6", "medal = -6"), "tiles: medal: expected a count from 0 to 48, not -6"),
    "tile true": (edit("medal = 6", "medal = true"), "tiles: medal"),
    "tile missing": (edit("medal = 6\n", ""), "tiles: 'medal' is missing"),
    "tile unknown": (edit("medal = 6", "medal = 6\nstar = 0"), "tiles: unknown entry 'star'"),
    "tiles no table": (edit("[tiles]", "tiles = 1\n[x]"), "unknown entry 'x'"),
    "one planet less": (edit(FIRST_PLANET, ""), "planets: expected exactly 12 entries, got 11"),
    "planet twice": (
        edit('name = "Hazard"', 'name = "Freezer"'),
        "planets[1] 'Freezer': the name stands twice",
    ),
    "planet number": (
        edit("scan = 2", "scan = 5"),
        "planets[1] 'Hazard': scan: expected a number from 1 to 4, not 5",
    ),
    "planet joker": (
        edit("jump = 1", 'jump = "?"'),
        "planets[0] 'Freezer': jump: expected a number from 1 to 4",
    ),
    "planet true": (edit("jump = 1", "jump = true"), "not True"),
    "planet number negative": (edit("jump = 1", "jump = -1"), "not -1"),
    "planet zero": (
        edit("jump = 1", "jump = 0"),
        "still to be filled in: planets: 1 value is empty or 0, the first is planets[0] 'Freezer': jump",
    ),
    "one landing": (edit("landing = [1, 2]", "landing = [1]"), "landing: expected two numbers, not [1]"),
    "three landings": (edit("landing = [1, 2]", "landing = [1, 2, 3]"), "'Freezer': landing"),
    "landing number": (edit("landing = [1, 2]", "landing = [1, 7]"), "'Freezer': landing"),
    "planet without scan": (
        edit("jump = 1\nscan = 1\nlanding", "jump = 1\nlanding"),
        "planets[0]: 'scan' is missing",
    ),
    "planet entry": (edit("jump = 1", "jump = 1\nmoons = 2"), "planets[0]: unknown entry 'moons'"),
    "planet name": (edit('name = "Freezer"', "name = 5"), "planets[0]: name: expected a text, not 5"),
    "planet name of two lines": (edit('name = "Freezer"', r'name = "a\nb"'), "planets[0]: name"),
    "planet origin": (edit('jump = "rulebook"', 'jump = "guess"'), "planets[0] 'Freezer': origin"),
    "one card less": (first_card(""), "cards: expected exactly 60 entries, got 59"),
    "one card more": (first_card('"J1S1", "J1S1",'), "cards: expected exactly 60 entries, got 61"),
    "cards no list": (edit("cards = [", "cards = 60\nx = ["), "unknown entry 'x'"),
    "card of one coordinate": (
        first_card(FIRST_CARD.replace("scan = 1, ", "")),
        "cards[0] 'J1S1': expected two of the colours jump, scan, landing, or two numbers of one, got 1",
    ),
    "card of three": (first_card(FIRST_CARD.replace("scan", "landing = 1, scan")), "got 3 coordinates"),
    "card of a pair and a colour": (first_card(FIRST_CARD.replace("1,", "[1, 2],", 1)), "got 3 coordinates"),
    "card of a list of one": (
        first_card('{ id = "a", jump = [1], scan = 1 },'),
        "cards[0] 'a': jump: expected two different numbers, not [1]",
    ),
    "card of a number twice": (
        first_card('{ id = "a", jump = [2, 2] },'),
        "two different numbers, not [2, 2]",
    ),
    "card of a number and a joker": (
        first_card('{ id = "a", jump = [2, "?"] },'),
        "cards[0] 'a': jump: expected a number from 1 to 4, not '?'",
    ),
    "card number": (first_card(FIRST_CARD.replace("scan = 1", "scan = 9")), "cards[0] 'J1S1': scan"),
    "card joker": (first_card(FIRST_CARD.replace("scan = 1", 'scan = "*"')), "not '*'"),
    "card entry": (
        first_card(FIRST_CARD.replace("id", "colour = 1, id")),
        "cards[0]: unknown entry 'colour'",
    ),
    "card without id": (first_card(FIRST_CARD.replace('id = "J1S1", ', "")), "cards[0]: 'id' is missing"),
    "card id": (first_card(FIRST_CARD.replace("J1S1", "")), "cards[0]: id: expected a text, not ''"),
    "card origin": (first_card(FIRST_CARD.replace('"ours"', '"mine"')), "cards[0] 'J1S1': origin"),
    "card neither id nor table": (
        first_card("7,"),
        "cards[0]: expected an id such as 'J1S3' or a table, not 7",
    ),
    "id for another card": (
        first_card('{ id = "a", jump = 1, scan = 1 }, { id = "a", jump = 1, scan = 2 },').replace(
            '"J1S2",', ""
        ),
        "cards[1] 'a': the same id stands for another card",
    ),
    "id against its numbers": (
        first_card(FIRST_CARD.replace("J1S1", "J1S3")),
        "cards[0] 'J1S3': the id reads as a face, but its numbers are J1S1",
    ),
    "id against its joker": (
        first_card('{ id = "J?S1", jump = 1, scan = 1 },'),
        "cards[0] 'J?S1': the id reads as a face, but its numbers are J1S1",
    ),
    "id in another order against its numbers": (first_card(FIRST_CARD.replace("J1S1", "S2J1")), "are J1S1"),
    "id of a number twice": (first_card(FIRST_CARD.replace("J1S1", "J1J1")), "but its numbers are J1S1"),
    "id that is no face": (first_card('"J1S5",'), "cards[0] 'J1S5': is no face: expected two coordinates"),
    "id empty": (first_card('"",'), "cards[0] '': is no face"),
    "id of one coordinate": (first_card('"J1",'), "cards[0] 'J1': is no face"),
    "id in another order": (first_card('"S3J1",'), "cards[0] 'S3J1': is written 'J1S3'"),
    "id of numbers in another order": (first_card('"L4L2",'), "cards[0] 'L4L2': is written 'L2L4'"),
    "id in small letters": (first_card('"j?l2",'), "cards[0] 'j?l2': is written 'J?L2'"),
    "id of one colour twice the same": (
        first_card('"J1J1",'),
        "cards[0] 'J1J1': is no face: two coordinates of one colour are two different numbers",
    ),
    "id of a joker beside its colour": (first_card('"S?S1",'), "cards[0] 'S?S1': is no face: two coord"),
    "origin": (
        edit('origin = { cards = "ours" }', 'origin = "mine"'),
        "the file: origin: expected one of rulebook, review, box, ours, not 'mine'",
    ),
    "origin of what is not there": (
        edit('origin = { cards = "ours" }', 'origin = { card = "ours" }'),
        "the file: origin: there is no entry 'card'",
    ),
}
STRANGE_FILES: dict[str, tuple[str, str]] = {
    "deep": ("x = " + "[" * 20_000, "not TOML"),
    "huge number": (
        edit("format = 1", "format = " + "1" * 5000),
        "not TOML",
    ),
    "format true": (edit("format = 1", "format = true"), "format"),
    "name of two lines": (edit('name = "default"', r'name = "a\nb"'), "name"),
    "origin of nothing": (
        edit('jump = "rulebook"', 'jmup = "rulebook"'),
        "origin",
    ),
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(pytest.param(text, said, id=name) for name, (text, said) in FILES.items()),
        *(pytest.param(text, said, id=name) for name, (text, said) in STRANGE_FILES.items()),
    ],
)
def test_bad_components_files(text: str | bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "my_box.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with refused(ComponentsError, "my_box.toml", said):
        load_components(file)
    with refused(ComponentsError, str(file), said):
        Game(3, components=str(file))


def test_the_unchanged_file_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "my_box.toml"
    file.write_text(DEFAULT, "utf-8")
    assert load_components(file).sha256 == load_components(None).sha256


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("no_such_file.toml", "'no_such_file.toml': No such file"),
        (".", "Is a directory"),
        ("", "'.'"),
        ("two\nlines.toml", "No such file"),
        (3, "expected a path or None, not 3"),
        (b"box.toml", "expected a path"),
        ({"name": "box"}, "expected a path"),
        case("nul\0.toml", "nul"),
        case(ARRAY, "expected a path"),
    ],
    ids=named,
)
def test_bad_components_sources(source: Any, said: str) -> None:
    if isinstance(source, str) and not source:
        said = "Is a directory"
    with refused(ComponentsError, "components", said):
        load_components(source)


def test_a_bad_components_file_whose_name_has_two_lines(tmp_path: Path) -> None:
    file = tmp_path / "two\nlines.toml"
    file.write_text("x")
    with refused(ComponentsError, "lines.toml"):
        load_components(file)


# ---------------------------------------------------------------- set-ups


def a_game() -> Game:
    """A game for three, some moves in."""
    game = Game(3)
    game.reset(seed=5)
    for action in (0, 3, 31):
        game.step(action)
    return game


def with_entry(**entries: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda setup: setup | entries


def without(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda setup: {name: value for name, value in setup.items() if name != key}


def at(key: str, *path: Any) -> Callable[[dict[str, Any]], Any]:
    """Replace the value at a path: `at("piles", 0, 3, "gold")`."""

    def change(setup: dict[str, Any]) -> dict[str, Any]:
        *way, last, value = path
        part = setup[key]
        for step in way:
            part = part[step]
        part[last] = value
        return setup

    return change


def swap_ring(setup: dict[str, Any]) -> dict[str, Any]:
    setup["ring"][2] = setup["ring"][5]
    return setup


def card_twice(setup: dict[str, Any]) -> dict[str, Any]:
    setup["hands"][0][0] = setup["hands"][1][0]
    return setup


def tile_for_another(setup: dict[str, Any]) -> dict[str, Any]:
    pile = setup["piles"][0]
    pile[pile.index("space")] = "medal"
    return setup


def shorter(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda setup: setup | {key: setup[key][:-1]}


SETUPS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a list": (lambda setup: [setup], "expected a dict, not list"),
    "a text": (lambda _: "setup", "not str"),
    "empty": (lambda _: {}, "'ring' is missing"),
    **{f"no {key}": (without(key), f"'{key}' is missing") for key in ("ring", "piles", "hands", "draw_pile")},
    "no start player": (without("start_player"), "'start_player' is missing"),
    "unknown entry": (with_entry(seed=3), "unknown entry 'seed'"),
    "ring of seven": (shorter("ring"), "ring: expected a list of 8 entries, got 7"),
    "unknown planet": (at("ring", 4, "Pluto"), "ring[4]: unknown planet 'Pluto'"),
    "planet index": (at("ring", 4, 3), "ring[4]: unknown planet 3"),
    "planet twice": (swap_ring, "ring: a planet stands twice"),
    "ring as text": (with_entry(ring="Freezer"), "ring: expected a list of 8 entries, got 'Freezer'"),
    "seven piles": (shorter("piles"), "piles: expected a list of 8 entries, got 7"),
    "short pile": (at("piles", 3, []), "piles[3]: expected a list of 8 entries, got 0"),
    "unknown tile": (at("piles", 2, 7, "gold"), "piles[2][7]: unknown tile 'gold'"),
    "tile as list": (at("piles", 2, 7, ["medal"]), "piles[2][7]: unknown tile"),
    "other tiles": (tile_for_another, "medal tiles, the box has 6"),
    "two hands": (shorter("hands"), "hands: expected a list of 3 entries, got 2"),
    "short hand": (at("hands", 1, []), "hands[1]: expected a list of 5 entries, got 0"),
    "no hand": (at("hands", 1, None), "hands[1]: expected a list of 5 entries, got None"),
    "unknown card": (at("hands", 2, 4, "J9S9"), "hands[2][4]: unknown card 'J9S9'"),
    "card twice": (card_twice, "the box has 1"),
    "short draw pile": (shorter("draw_pile"), "draw_pile: expected a list of 45 entries, got 44"),
    "unknown card to draw": (at("draw_pile", 0, "X"), "draw_pile[0]: unknown card 'X'"),
    "start player 3": (with_entry(start_player=3), "start_player: expected 0 to 2, not 3"),
    "start player -1": (with_entry(start_player=-1), "start_player: expected 0 to 2, not -1"),
    "start player true": (with_entry(start_player=True), "not True"),
    "start player name": (with_entry(start_player="player_0"), "not 'player_0'"),
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *(pytest.param(change, said, id=name) for name, (change, said) in SETUPS.items()),
        case(with_entry(ring=ARRAY), "ring", id="ring as array"),
        case(with_entry(start_player=ARRAY), "start_player", id="start player as array"),
    ],
)
def test_bad_setups(change: Callable[[dict[str, Any]], Any], said: str) -> None:
    game = a_game()
    before = state_bytes(game)
    good = Game(3)
    good.reset(seed=9)
    with refused(SetupError, "setup: ", said):
        game.reset(seed=1, setup=change(good.setup_json()))
    assert state_bytes(game) == before
    fresh = Game(3)
    with refused(SetupError, "setup: "):
        fresh.reset(seed=1, setup=change(good.setup_json()))
    assert state_bytes(fresh) == state_bytes(Game(3))


def test_a_setup_of_another_number_of_players() -> None:
    for_two = Game(2)
    for_two.reset(seed=1)
    game = a_game()
    before = state_bytes(game)
    with refused(SetupError, "hands: expected a list of 3 entries, got 2"):
        game.reset(setup=for_two.setup_json())
    assert state_bytes(game) == before


# ---------------------------------------------------------------- seeds and seats


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "7", True, [1], np.float64(2), case(ARRAY)], ids=named)
def test_bad_seeds(seed: Any) -> None:
    game = a_game()
    before = state_bytes(game)
    with refused(SeedError, "seed: expected an integer from 0 to 2**63 - 1"):
        game.reset(seed=seed)
    with refused(SeedError, "seed: "):
        game.reset(seed=seed, setup=game.setup_json())
    with refused(SeedError, "seed: "):
        game.determinize(0, seed)
    assert state_bytes(game) == before
    batch = BatchedGames(2, 3)
    with refused(SeedError, "seed: "):
        batch.deal(0, seed)
    assert not batch.states["num_players"].any()


@pytest.mark.parametrize("seat", [-1, 3, 4, 1.0, "0", "player_0", True, [0], case(ARRAY)], ids=named)
def test_bad_seats(seat: Any) -> None:
    game = a_game()
    before = state_bytes(game)
    for call in (
        game.observe,
        game.mask,
        game.information_state_key,
        lambda j: game.determinize(j, 1),
    ):
        with refused(SetupError, "seat: expected 0 to 2"):
            call(seat)
    assert state_bytes(game) == before


# ---------------------------------------------------------------- actions

ACTIONS: list[Any] = [
    (-1, "action -1: not in 0 to 100"),
    (101, "action 101: not in 0 to 100"),
    (10**30, "not in 0 to 100"),
    (0.0, "action 0.0: expected an integer"),
    ("0", "action '0': expected an integer"),
    ("top_up", "expected an integer"),
    (None, "action None: expected an integer"),
    (True, "action True: expected an integer"),
    (np.float32(0), "expected an integer"),
    (np.array([0]), "expected an integer"),
    ([0], "expected an integer"),
    (np.array(True), "expected an integer"),
    case(ARRAY, "expected an integer", id="array"),
]


@pytest.mark.parametrize(("action", "said"), ACTIONS)
def test_bad_actions(action: Any, said: str) -> None:
    game = a_game()
    before = state_bytes(game)
    with refused(IllegalActionError, said):
        game.step(action)
    assert state_bytes(game) == before


def test_numpy_integers_are_actions() -> None:
    for action in (np.int64(0), np.int8(0), np.array(0), np.uint64(0)):
        game, other = a_game(), a_game()
        game.step(action)  # type: ignore[arg-type]
        other.step(0)
        assert state_bytes(game) == state_bytes(other)


PICK, TURN = "at a pick", "at an action"


def illegal_position(name: str) -> Game:
    if name == "on the gate":
        return position("J1S1 J1L1", "", gate=(20,))
    if name == "developed":
        return position(
            "J1S1 J2L1 J3L2", "", ships={0: FREEZER}, taken={FREEZER: "0:water"}, stations={FREEZER: 1}
        )
    if name == "no chips":
        return position("J1S1 J2L1 J3L2", "", ships={0: FREEZER}, taken={FREEZER: "0:water"}, gate=(19,))
    game = position("J1S1 J2L1 J3L2", "", ships={0: FREEZER}, piles={FREEZER: "water*6 space*2"})
    if name == "pick":
        play(game, "scan J1S1")
    return game


@pytest.mark.parametrize(
    ("where", "action", "said"),
    [
        ("pick", 0, "action 0 (top_up) is illegal: a tile has to be picked now"),
        ("pick", 72, "action 72 (fly) is illegal: a tile has to be picked now"),
        ("pick", 99, "no medal tile may be taken"),
        ("pick", 100, "no space tile may be taken"),
        ("turn", 98, "action 98 (take) is illegal: there is no tile pick now"),
        ("turn", 8, "the hand has only 3 cards"),
        ("turn", 32 + 8 * 4, "action 64 (jump) is illegal: the hand has only 3 cards"),
        ("turn", 32, "the ship is already there"),
        ("turn", 32 + 3, "J1S1 does not show the planet's coordinates"),
        ("turn", 32 + 8, "(jump) is illegal"),
        ("turn", 75, "J2L1 does not show the planet's coordinates"),
        ("turn", 83, "this player has not scanned the planet"),
        ("turn", 89, "the planet is not developed"),
        ("on the gate", 72, "the ship is on the jump gate"),
        ("on the gate", 74, "the ship is on the jump gate"),
        ("on the gate", 79, "the ship is on the jump gate"),
        ("on the gate", 89, "the ship is on the jump gate"),
        ("on the gate", 32, "no chip is left in the supply"),
        ("developed", 74, "the planet is developed"),
        ("developed", 83, "the planet is developed"),
        ("no chips", 74, "no chip is left in the supply"),
        ("no chips", 83, "no chip is left in the supply"),
        ("no chips", 33, "no chip is left in the supply"),
    ],
)
def test_illegal_actions_say_why(where: str, action: int, said: str) -> None:
    game = illegal_position(where)
    before = state_bytes(game)
    with refused(IllegalActionError, f"player_0: action {action} (", said):
        game.step(action)
    assert state_bytes(game) == before


def test_no_action_after_the_end() -> None:
    game = Game(2, {"max_rounds": 1})
    game.reset(seed=1)
    for _ in range(4):
        game.step(0)
    before = state_bytes(game)
    for action in range(101):
        with refused(IllegalActionError, f"action {action}: the game is over"):
            game.step(action)
    assert state_bytes(game) == before


def test_no_action_before_the_first_reset() -> None:
    game = Game(2)
    before = state_bytes(game)
    for action in (0, 72, 100):
        with refused(IllegalActionError, f"action {action}: the game has not been reset"):
            game.step(action)
    assert state_bytes(game) == before


@pytest.mark.parametrize(
    "call",
    [
        lambda game: game.mask(),
        lambda game: game.legal_actions(),
        lambda game: game.observe(0),
        lambda game: game.scores(),
        lambda game: game.winners(),
        lambda game: game.determinize(0, 1),
        lambda game: game.setup_json(),
        lambda game: game.to_json(),
    ],
    ids=["mask", "legal_actions", "observe", "scores", "winners", "determinize", "setup_json", "to_json"],
)
def test_no_answers_before_the_first_reset(call: Callable[[Game], Any]) -> None:
    with pytest.raises(SpaceMissionError, match="reset"):
        call(Game(2))


@pytest.mark.parametrize("action", [101, -1, "0", None])
def test_words_for_no_action(action: Any) -> None:
    with refused(IllegalActionError, "action"):
        a_game().move(action)


# ---------------------------------------------------------------- batches


def a_batch() -> BatchedGames:
    batch = BatchedGames(3, 2)
    for i in range(3):
        batch.deal(i, i)
    return batch


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([0, 0, 72], "game 2: player_"),
        ([0, 101, 0], "game 1: action 101: not in 0 to 100"),
        ([-1, 0, 0], "game 0: action -1"),
        ([0, 98, 98], "game 1: player_"),
    ],
)
def test_an_illegal_action_in_a_batch_moves_no_game(actions: list[int], said: str) -> None:
    batch = a_batch()
    before = batch.states.tobytes()
    with refused(IllegalActionError, said):
        batch.step(batch.everyone, np.array(actions))
    assert batch.states.tobytes() == before


@pytest.mark.parametrize(
    "call",
    [
        lambda: BatchedGames(-1),
        lambda: BatchedGames(2.5),  # type: ignore[arg-type]
        lambda: a_batch().deal("0", 1),  # type: ignore[arg-type]
        lambda: a_batch().step(np.arange(3), np.zeros(3)),
    ],
    ids=["count -1", "count 2.5", "place", "float actions"],
)
def test_bad_arguments_of_a_batch(call: Callable[[], Any]) -> None:
    with pytest.raises(SpaceMissionError):
        call()


# ---------------------------------------------------------------- saved games


def saved(moves: int = 30) -> dict[str, Any]:
    """A saved game as it comes back from a file."""
    game = Game(3)
    game.reset(seed=21)
    for _ in range(moves):
        game.step(game.legal_actions()[-1])
    return json.loads(json.dumps(game.to_json()))


def state_with(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    def change(data: dict[str, Any]) -> dict[str, Any]:
        data["state"][name] = value(data["state"][name]) if callable(value) else value
        return data

    return change


def first(value: Any) -> Callable[[list[Any]], list[Any]]:
    """Replace the first entry of a list."""
    return lambda entries: [value, *entries[1:]]


def one_more(entries: list[Any]) -> list[Any]:
    return [entries[0] + 1, *entries[1:]]


def one_more_row(rows: list[list[int]]) -> list[list[int]]:
    return [[rows[0][0] + 1, *rows[0][1:]], *rows[1:]]


def epoch_of_an_empty_slot(data: dict[str, Any]) -> dict[str, Any]:
    """A game after a shuffle, in which a slot without a card has an epoch."""
    state = data["state"]
    seat = next(seat for seat in range(3) if state["hand_size"][seat] < 5)
    state["hand_epoch"][seat][4] = 1
    return data


def drop_field(data: dict[str, Any]) -> dict[str, Any]:
    del data["state"]["ship"]
    return data


SAVED: dict[str, tuple[Callable[[dict[str, Any]], Any], type[SpaceMissionError], str]] = {
    "a list": (lambda data: [data], SetupError, "expected a dict with type 'saved_game'"),
    "none": (lambda _: None, SetupError, "saved game: expected a dict"),
    "type": (with_entry(type="game"), SetupError, "type 'saved_game'"),
    "format": (with_entry(format=3), SetupError, "format 3 is not known, this version reads 2"),
    "format 1": (with_entry(format=1), SetupError, "format 1 is not known"),
    "no format": (without("format"), SetupError, "format None"),
    "no rules": (without("rules"), SetupError, "rules: expected a dict"),
    "rules name": (with_entry(rules="printed"), SetupError, "rules: expected a dict"),
    "unknown rule": (with_entry(rules={"x": 1}), RulesError, "unknown option 'x'"),
    "rule value": (with_entry(rules={"hand_size": 9}), RulesError, "hand_size"),
    "other chips": (with_entry(rules={"chips_per_player": 9}), SetupError, "chips are not those of the box"),
    "players 6": (with_entry(num_players=6), RulesError, "num_players: expected 2 to 5, not 6"),
    "players 2": (with_entry(num_players=2), SetupError, "num_players does not hold"),
    "no players": (without("num_players"), RulesError, "num_players"),
    "components": (with_entry(components="0" * 64), SetupError, "another components table"),
    "no state": (without("state"), SetupError, "state: the fields"),
    "state a list": (with_entry(state=[]), SetupError, "state: the fields"),
    "a field less": (drop_field, SetupError, "the fields are not those of this version"),
    "a field more": (state_with("score", 1), SetupError, "the fields are not those of this version"),
    "text": (state_with("player", "zero"), SetupError, "state: player: expected whole numbers"),
    "null": (state_with("ship", first(None)), SetupError, "state: ship: expected whole numbers"),
    "too large": (state_with("player", 300), SetupError, "state: player: shape or range"),
    "huge": (state_with("seed", 10**30), SetupError, "state: seed: expected whole numbers"),
    "shape": (state_with("ship", [0, 0]), SetupError, "state: ship: shape or range"),
    "ragged": (state_with("pile", lambda rows: [rows[0][:3], *rows[1:]]), SetupError, "state: pile"),
    "nested": (state_with("player", [0]), SetupError, "state: player: shape or range"),
    "player": (state_with("player", 3), SetupError, "player does not hold"),
    "start player": (state_with("start_player", -1), SetupError, "player does not hold"),
    "phase": (state_with("phase", 5), SetupError, "phase does not hold"),
    "over but not over": (state_with("over", 1), SetupError, "phase does not hold"),
    "phase over, running": (state_with("phase", 4), SetupError, "phase does not hold"),
    "actions left": (state_with("actions_left", 3), SetupError, "actions_left does not hold"),
    "round 0": (state_with("round_number", 0), SetupError, "round_number does not hold"),
    "round 101": (state_with("round_number", 101), SetupError, "round_number does not hold"),
    "planet twice": (state_with("ring", lambda ring: [ring[1], *ring[1:]]), SetupError, "ring does not hold"),
    "planet 12": (state_with("ring", first(12)), SetupError, "ring does not hold"),
    "station": (state_with("station", first(3)), SetupError, "station does not hold"),
    "ship": (state_with("ship", first(8)), SetupError, "ship does not hold"),
    "taken": (state_with("taken", first(9)), SetupError, "taken does not hold"),
    "taken by": (state_with("taken_by", lambda rows: [first(3)(rows[0]), *rows[1:]]), SetupError, "taken_by"),
    "taken kind": (
        state_with("taken_kind", lambda rows: [first(11)(rows[0]), *rows[1:]]),
        SetupError,
        "taken_kind",
    ),
    "looked": (
        state_with("looked", lambda rows: [first(8)(rows[0]), *rows[1:]]),
        SetupError,
        "looked does not hold",
    ),
    "a tile more": (state_with("pile", one_more_row), SetupError, "pile does not hold"),
    "a tile given": (state_with("tiles", one_more_row), SetupError, "tiles of the players"),
    "a tile reserved": (state_with("reserved", one_more_row), SetupError, "tiles of the players"),
    "a chip more": (state_with("supply", one_more), SetupError, "chips are not those of the box"),
    "a probe more": (state_with("gate", one_more), SetupError, "chips are not those of the box"),
    "hand size": (state_with("hand_size", first(6)), SetupError, "hand_size does not hold"),
    "a card less": (
        state_with("draw_size", lambda size: size - 1),
        SetupError,
        "cards are not those of the box",
    ),
    "discard count": (state_with("discard_size", lambda size: size + 1), SetupError, "discard does not hold"),
    "card 60": (state_with("draw", first(60)), SetupError, "draw does not hold"),
    "unsorted hand": (
        state_with("hand", lambda rows: [rows[0][::-1], *rows[1:]]),
        SetupError,
        "hand does not hold",
    ),
    "no random numbers": (state_with("rng", [0] * 6), SetupError, "rng does not hold"),
    "face up": (state_with("face_up", lambda flags: [1 - flags[0], *flags[1:]]), SetupError, "does not hold"),
    "revealed": (state_with("revealed", lambda count: count + 1), SetupError, "revealed does not hold"),
    "epoch to come": (
        state_with("hand_epoch", lambda rows: [first(20)(rows[0]), *rows[1:]]),
        SetupError,
        "hand_epoch does not hold",
    ),
    "epoch before the first": (
        state_with("hand_epoch", lambda rows: [first(-1)(rows[0]), *rows[1:]]),
        SetupError,
        "hand_epoch does not hold",
    ),
    "epoch of no card": (epoch_of_an_empty_slot, SetupError, "hand_epoch does not hold"),
    "another start player than agreed": (
        lambda data: with_entry(rules={"start_player": 1 - min(1, data["state"]["start_player"])})(data),
        SetupError,
        "start_player does not hold",
    ),
    "no such start player": (with_entry(rules={"start_player": 3}), RulesError, "there is no seat 3"),
    "last action": (state_with("last_kind", [[6, -1]] * 5), SetupError, "last_kind does not hold"),
    "last cards": (state_with("last_cards", [[6, 0]] * 5), SetupError, "last_cards does not hold"),
    "last place": (state_with("last_from", [8] * 5), SetupError, "last_from does not hold"),
    "salt": (state_with("salt", -1), SetupError, "salt does not hold"),
    "forgotten": (state_with("forgotten", 2), SetupError, "forgotten does not hold"),
}
STRANGE_GAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a fraction": state_with("round_number", 1.5),
    "a number as text": state_with("round_number", "1"),
    "true": state_with("round_number", True),
    "another environment": with_entry(env="chess_v6"),
    "unknown entry": with_entry(note=1),
    "format true": with_entry(format=True),
    "no action left": state_with("actions_left", 0),
    "a pick on the gate": lambda data: state_with("phase", 1)(
        state_with("ship", lambda ships: [-1] * 5)(data)
    ),
    "last round": state_with("last_round", 5),
    "last round too early": state_with("last_round", 1),
    "scanned": state_with("scanned", [[7] * 8] * 5),
    "looked in the future": state_with("looked_round", [[90] * 8] * 5),
    "seed": state_with("seed", -1),
    "decisions": state_with("decisions", -1),
    "shuffles": state_with("shuffles", -1),
    "player far away": lambda data: state_with("phase", 1)(state_with("player", 100)(data)),
    "ship far away": lambda data: state_with("phase", 1)(state_with("ship", [100] * 5)(data)),
    "chips of an absent seat": (state_with("gate", lambda gate: [*gate[:3], 5, 5])),
}


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        *(pytest.param(*case, id=name) for name, case in SAVED.items()),
        *(pytest.param(change, SetupError, "", id=name) for name, change in STRANGE_GAMES.items()),
    ],
)
def test_altered_saved_games(
    change: Callable[[dict[str, Any]], Any], error: type[SpaceMissionError], said: str
) -> None:
    data = saved()
    assert Game.from_json(data).rounds >= 1
    with refused(error, said):
        Game.from_json(change(data))


def test_a_saved_game_of_another_box(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text(edit("jump = 1", "jump = 2"), "utf-8")
    with refused(SetupError, "another components table"):
        Game.from_json(saved(), str(file))


def test_a_saved_game_keeps_its_observation_mode() -> None:
    game = Game(3, observation="table")
    game.reset(seed=21)
    for _ in range(30):
        game.step(game.legal_actions()[-1])
    assert Game.from_json(game.to_json()).recall == game.recall


# ---------------------------------------------------------------- agents


class Idle(Agent):
    """An agent for these tests: the first legal action."""

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        return int(mask.argmax())


HERE = __name__


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (None, "agent None: expected a name"),
        ("", "agent ''"),
        ("  ", "expected a name"),
        (7, "agent 7"),
        (["random"], "agent ['random']"),
        (Idle, "expected a name"),
        ("stockfish", "agent 'stockfish': unknown; known:"),
        ("Random", "agent 'Random': unknown"),
        ("two\nlines", "unknown"),
        ("no_such_module:Class", "cannot import module 'no_such_module'"),
        (":Class", "cannot import module ''"),
        ("..tests:Idle", "cannot import module '..tests'"),
        (f"{HERE}:Nobody", f"'{HERE}' has no Agent class 'Nobody'"),
        (f"{HERE}:", "has no Agent class ''"),
        (f"{HERE}:refused", "has no Agent class 'refused'"),
        ("json:JSONDecoder", "'json' has no Agent class 'JSONDecoder'"),
        (f"{HERE}:Idle:5", "takes no parameter, got '5'"),
        (f"{HERE}:Idle:", "takes no parameter, got ''"),
        case(ARRAY, "expected a name"),
    ],
    ids=named,
)
def test_bad_agents(spec: Any, said: str) -> None:
    with refused(AgentError, said):
        make_agent(spec)


def test_good_agents() -> None:
    assert type(make_agent(f"{HERE}:Idle")).__name__ == "Idle"
    agent = Idle()
    assert make_agent(agent) is agent


BROKEN_MODULES = {
    "syntax": ("def x(:", "cannot import module"),
    "import": ("import no_such_thing", "No module named 'no_such_thing'"),
    "raises": ("raise RuntimeError('went wrong')", "went wrong"),
    "leaves": ("import sys; sys.exit(0)", "cannot import module"),
    "leaves when asked for its class": (
        "def __getattr__(name):\n    raise SystemExit(0) if name == 'Broken' else AttributeError(name)\n",
        "SystemExit: 0",
    ),
}

# What the constructor of an agent does.
BROKEN_AGENTS = {
    "leaves": ("raise SystemExit(0)", "cannot be made: SystemExit: 0"),
    "leaves without a word": ("raise SystemExit", "cannot be made: SystemExit: no message"),
    "raises what is no Exception": ("raise BaseException('no')", "cannot be made: BaseException: no"),
    "ends like a generator": ("raise GeneratorExit", "cannot be made: GeneratorExit: no message"),
    "raises what cannot be shown": (
        "raise type('Odd', (BaseException,), {'__str__': lambda self: 1 // 0})()",
        "cannot be made: Odd: no message",
    ),
    "never returns from calling itself": ("self.__init__()", "cannot be made: RecursionError: maximum"),
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(pytest.param(text, said, id=name) for name, (text, said) in BROKEN_MODULES.items()),
        case(
            "raise RuntimeError('first line\\nsecond line')",
            "first line",
            id="raises with two lines",
        ),
        case(
            "from spacemission_env.core.agents import Agent\n"
            "class Broken(Agent):\n    def __init__(self): raise KeyError('weights')\n",
            "weights",
            id="constructor",
        ),
    ],
)
def test_agents_of_broken_modules(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    name = "broken_" + request.node.callspec.id.replace(
        " ", "_"
    )  # a module is imported once: one name a case
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with refused(AgentError, f"{name}:Broken", said):
        make_agent(f"{name}:Broken")


def broken_agent(folder: Path, kind: str, method: str = "__init__(self)") -> str:
    name = "broken_agent_" + kind.replace(" ", "_") + method.partition("(")[0]
    head = "from spacemission_env import Agent\nclass Broken(Agent):\n"
    (folder / f"{name}.py").write_text(f"{head}    def {method}:\n        {BROKEN_AGENTS[kind][0]}\n")
    return f"{name}:Broken"


@pytest.mark.parametrize("kind", BROKEN_AGENTS)
def test_whatever_an_agent_raises_as_it_is_made_is_one_line(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = broken_agent(tmp_path, kind)
    monkeypatch.syspath_prepend(tmp_path)
    with refused(AgentError, spec, BROKEN_AGENTS[kind][1]):
        make_agent(spec)


@pytest.mark.parametrize("kind", list(BROKEN_AGENTS)[:5])
def test_whatever_an_agent_raises_as_it_learns_the_game_is_one_line(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = broken_agent(tmp_path, kind, "prepare(self, info)")
    monkeypatch.syspath_prepend(tmp_path)
    agent = make_agent(spec)
    with refused(AgentError, "agent Broken: prepare: ", BROKEN_AGENTS[kind][1].partition(": ")[2]):
        prepare_agents([agent], Game(2).info)


def test_an_agent_that_is_another_thing_once_made_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "from spacemission_env import Agent\nclass Broken(Agent):\n    __new__ = lambda cls: 3\n"
    (tmp_path / "broken_new.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with refused(AgentError, "broken_new:Broken", "cannot be made: it is no Agent"):
        make_agent("broken_new:Broken")


def test_ctrl_c_while_an_agent_is_made_is_still_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BROKEN_AGENTS, "interrupted", ("raise KeyboardInterrupt", ""))
    spec = broken_agent(tmp_path, "interrupted")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        make_agent(spec)


@pytest.mark.parametrize("command", ["play", "arena"])
def test_a_command_whose_agent_leaves_ends_with_1(command: str, tmp_path: Path) -> None:
    spec = broken_agent(tmp_path, "leaves")
    ended = subprocess.run(
        [sys.executable, "-m", "spacemission_env", command, "--agents", f"random,{spec}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "cannot be made: SystemExit: 0" in " ".join(ended.stderr.split())


def test_the_positions_of_these_tests_have_moves() -> None:
    for name in ("pick", "turn", "on the gate", "developed", "no chips"):
        assert legal(illegal_position(name))
