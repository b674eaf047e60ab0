"""Bad input raises a typed error with a one-line message, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import resources
from pathlib import Path

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
    SetupError,
    SpaceMissionError,
)
from spacemission_env.core.reading import Json
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import make_rules
from tests.support.positions import FREEZER, play, position, state_bytes

ARRAY = np.zeros((2, 3), np.int64)  # its repr has two lines


@contextmanager
def refused(error: type[SpaceMissionError], *said: str) -> Iterator[None]:
    """Expect exactly this error type, with a one-line message that contains `said`."""
    with pytest.raises(SpaceMissionError) as caught:
        yield
    message = str(caught.value)
    assert type(caught.value) is error, f"{type(caught.value).__name__}: {message}"
    assert len(message.splitlines()) == 1, message
    for words in said:
        assert words in message, f"{words!r} is not in {message!r}"


def named(value: object) -> str | None:
    """A short test id, instead of the text of a whole array."""
    return type(value).__name__ if isinstance(value, np.ndarray | dict) or callable(value) else None


# ---------------------------------------------------------------- rules


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
        ("printed,a\nb=x", "cannot read"),
        ({"max_rounds": ARRAY}, "max_rounds"),
        (ARRAY, "rules"),
    ],
    ids=named,
)
def test_bad_rules(rules: object, said: str) -> None:
    if "no seat" not in said:  # this check needs the number of players
        with refused(RulesError, "rules: ", said):
            make_rules(rules)
    makers: tuple[Callable[..., object], ...] = (Game, space_mission_v0.env, LearnerEnv)
    for make in (*makers, partial(BatchedGames, 4), partial(LearnerVectorEnv, 4)):
        with refused(RulesError, "rules: ", said):
            make(num_players=3, rules=rules)


# ---------------------------------------------------------------- players, names, seeds, seats, actions


def a_game() -> Game:
    """A game of three players after some moves."""
    game = Game(3)
    game.reset(seed=5)
    for action in (0, 3, 31):
        game.step(action)
    return game


# ---------------------------------------------------------------- components files

DEFAULT = (
    resources.files("spacemission_env.games.space_mission.data").joinpath("default.toml").read_text("utf-8")
)
FIRST_CARD = '{ id = "J1S1", jump = 1, scan = 1, origin = "ours" },'  # as a table
FIRST_PLANET = DEFAULT[
    DEFAULT.index("[[planets]]") : DEFAULT.index("[[planets]]", DEFAULT.index("[[planets]]") + 1)
]

# Text in the default file, its replacement, and a part of the error message.
EDITS = (
    ('name = "default"', 'name = "a"\nname = "b"', "not TOML"),
    ("format = 1", "format = " + "1" * 5000, "not TOML"),
    ("[tiles]", "[tile_counts]", "unknown entry 'tile_counts'"),
    ("[tiles]", "tiles = 1\n[x]", "unknown entry 'x'"),
    ("format = 1", "format = 2", "format: 2 is not known"),
    ("format = 1", 'format = "1"', "format: '1'"),
    ("format = 1", "format = true", "format"),
    ("format = 1", "format = 1\nplayers = 2", "unknown entry 'players'"),
    ('name = "default"', "name = 3", "name: expected a text, not 3"),
    ('name = "default"', 'name = " "', "name"),
    ('name = "default"', r'name = "a\nb"', "name"),
    ("medal = 6", "medal = 7", "tiles: expected 48 point and 16 space tiles, got 49 and 16"),
    ("space = 16", "space = 15", "got 48 and 15"),
    ("medal = 6", "medal = -6", "tiles: medal: expected a count from 0 to 48, not -6"),
    ("medal = 6", "medal = true", "tiles: medal"),
    ("medal = 6\n", "", "tiles: 'medal' is missing"),
    ("medal = 6", "medal = 6\nstar = 0", "tiles: unknown entry 'star'"),
    (FIRST_PLANET, "", "planets: expected exactly 12 entries, got 11"),
    ('name = "Hazard"', 'name = "Freezer"', "planets[1] 'Freezer': the name stands twice"),
    ("scan = 2", "scan = 5", "planets[1] 'Hazard': scan: expected a number from 1 to 4, not 5"),
    ("jump = 1", 'jump = "?"', "planets[0] 'Freezer': jump: expected a number from 1 to 4"),
    ("jump = 1", "jump = true", "not True"),
    ("jump = 1", "jump = -1", "not -1"),
    ("jump = 1", "jump = 0", "to be filled in: planets: empty or 0 in 1 places, the first is planets[0] 'Fr"),
    ("landing = [1, 2]", "landing = [1]", "landing: expected two numbers, not [1]"),
    ("landing = [1, 2]", "landing = [1, 2, 3]", "'Freezer': landing"),
    ("landing = [1, 2]", "landing = [1, 7]", "'Freezer': landing"),
    ("jump = 1\nscan = 1\nlanding", "jump = 1\nlanding", "planets[0]: 'scan' is missing"),
    ("jump = 1", "jump = 1\nmoons = 2", "planets[0]: unknown entry 'moons'"),
    ('name = "Freezer"', "name = 5", "planets[0]: name: expected a text, not 5"),
    ('name = "Freezer"', r'name = "a\nb"', "planets[0]: name"),
    ('jump = "rulebook"', 'jump = "guess"', "planets[0] 'Freezer': origin"),
    ('jump = "rulebook"', 'jmup = "rulebook"', "origin"),
    ("cards = [", "cards = 60\nx = [", "unknown entry 'x'"),
    ('{ cards = "ours" }', '"mine"', "the file: origin: expected one of rulebook, review, box, ours, not 'm"),
    ('{ cards = "ours" }', '{ card = "ours" }', "the file: origin: there is no entry 'card'"),
)
# Replacements of the first card, the id "J1S1".
FIRST_CARDS = (
    ("", "cards: expected exactly 60 entries, got 59"),
    ('"J1S1", "J1S1",', "cards: expected exactly 60 entries, got 61"),
    ('{ id = "a", jump = [1], scan = 1 },', "cards[0] 'a': jump: expected two different numbers, not [1]"),
    ('{ id = "a", jump = [2, 2] },', "two different numbers, not [2, 2]"),
    ('{ id = "a", jump = [2, "?"] },', "cards[0] 'a': jump: expected a number from 1 to 4, not '?'"),
    ("7,", "cards[0]: expected an id such as 'J1S3' or a table, not 7"),
    ('{ id = "J?S1", jump = 1, scan = 1 },', "'J?S1': the id reads as a face, but its numbers are J1S1"),
    ('"J1S5",', "cards[0] 'J1S5': is no face: expected two coordinates"),
    ('"",', "cards[0] '': is no face"),
    ('"J1",', "cards[0] 'J1': is no face"),
    ('"S3J1",', "cards[0] 'S3J1': is written 'J1S3'"),
    ('"L4L2",', "cards[0] 'L4L2': is written 'L2L4'"),
    ('"j?l2",', "cards[0] 'j?l2': is written 'J?L2'"),
    ('"J1J1",', "'J1J1': is no face: two coordinates of one colour are two different numbers"),
    ('"S?S1",', "cards[0] 'S?S1': is no face: two coord"),
)
# Edits of the first card written as a table.
FIRST_TABLES = (
    ("scan = 1, ", "", "expected two of the colours jump, scan, landing, or two numbers of one, got 1"),
    ("scan", "landing = 1, scan", "got 3 coordinates"),
    ("1,", "[1, 2],", "got 3 coordinates"),
    ("scan = 1", "scan = 9", "cards[0] 'J1S1': scan"),
    ("scan = 1", 'scan = "*"', "not '*'"),
    ("id", "colour = 1, id", "cards[0]: unknown entry 'colour'"),
    ('id = "J1S1", ', "", "cards[0]: 'id' is missing"),
    ("J1S1", "", "cards[0]: id: expected a text, not ''"),
    ('"ours"', '"mine"', "cards[0] 'J1S1': origin"),
    ("J1S1", "J1S3", "cards[0] 'J1S3': the id reads as a face, but its numbers are J1S1"),
    ("J1S1", "S2J1", "are J1S1"),
    ("J1S1", "J1J1", "but its numbers are J1S1"),
)


def edit(old: str, new: str, text: str = DEFAULT) -> str:
    """Replace the first occurrence of a text in the default file."""
    assert old in text, old
    return text.replace(old, new, 1)


def bad_files() -> Iterator[tuple[str | bytes, str]]:
    """File contents, and a part of the error message."""
    yield b"\xff\xfe\x00", "not TOML"
    yield "planets = [", "not TOML"
    yield "x = " + "[" * 20_000, "not TOML"
    yield "", "'cards' is missing"
    yield edit("medal = 6", "medal = 5").replace("space = 16", "space = 17"), "got 47 and 17"
    yield from ((edit(old, new), said) for old, new, said in EDITS)
    yield from ((edit('"J1S1",', card), said) for card, said in FIRST_CARDS)
    yield from ((edit('"J1S1",', edit(old, new, FIRST_CARD)), said) for old, new, said in FIRST_TABLES)
    twice = '{ id = "a", jump = 1, scan = 1 }, { id = "a", jump = 1, scan = 2 },'
    yield edit('"J1S1",', twice).replace('"J1S2",', ""), "cards[1] 'a': the same id stands for another card"


def test_bad_components_files(tmp_path: Path) -> None:
    for name in ("my_box.toml", "two\nlines.toml"):
        file = tmp_path / name
        for text, said in bad_files():
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            with refused(ComponentsError, name.split("\n")[-1], said):
                load_components(file)
    with refused(ComponentsError, said):
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
        ("", "Is a directory"),
        ("two\nlines.toml", "No such file"),
        (3, "expected a path or None, not 3"),
        (b"box.toml", "expected a path"),
        ({"name": "box"}, "expected a path"),
        ("nul\0.toml", "nul"),
        (ARRAY, "expected a path"),
    ],
    ids=named,
)
def test_bad_components_sources(source: object, said: str) -> None:
    with refused(ComponentsError, "components", said):
        load_components(source)


# ---------------------------------------------------------------- set-ups

Data = Json
Change = Callable[[Data], object]


def with_entry(**entries: object) -> Change:
    return lambda data: data | entries


def without(key: str) -> Change:
    return lambda data: {name: value for name, value in data.items() if name != key}


def at(*path: object) -> Change:
    """Replace the value at a path: `at("piles", 0, 3, "gold")`."""

    def change(data: Data) -> Data:
        *way, last, value = path
        part = data
        for step in way:
            part = part[step]
        part[last] = value(part[last]) if callable(value) else value
        return data

    return change


def shorter(key: str) -> Change:
    return at(key, lambda entries: entries[:-1])


def card_twice(setup: Data) -> Data:
    setup["hands"][0][0] = setup["hands"][1][0]
    return setup


def tile_for_another(setup: Data) -> Data:
    pile = setup["piles"][0]
    pile[pile.index("space")] = "medal"
    return setup


SETUPS: list[tuple[Change, str]] = [
    (lambda setup: [setup], "expected a dict, not list"),
    (lambda _: "setup", "not str"),
    (lambda _: {}, "'ring' is missing"),
    *((without(key), f"'{key}' is missing") for key in ("ring", "piles", "hands", "draw_pile")),
    (without("start_player"), "'start_player' is missing"),
    (with_entry(seed=3), "unknown entry 'seed'"),
    (shorter("ring"), "ring: expected a list of 8 entries, got 7"),
    (at("ring", 4, "Pluto"), "ring[4]: unknown planet 'Pluto'"),
    (at("ring", 4, 3), "ring[4]: unknown planet 3"),
    (at("ring", lambda ring: [ring[1], *ring[1:]]), "ring: a planet stands twice"),
    (with_entry(ring="Freezer"), "ring: expected a list of 8 entries, got 'Freezer'"),
    (with_entry(ring=ARRAY), "ring"),
    (shorter("piles"), "piles: expected a list of 8 entries, got 7"),
    (at("piles", 3, []), "piles[3]: expected a list of 8 entries, got 0"),
    (at("piles", 2, 7, "gold"), "piles[2][7]: unknown tile 'gold'"),
    (at("piles", 2, 7, ["medal"]), "piles[2][7]: unknown tile"),
    (tile_for_another, "medal tiles, the box has 6"),
    (shorter("hands"), "hands: expected a list of 3 entries, got 2"),
    (at("hands", 1, []), "hands[1]: expected a list of 5 entries, got 0"),
    (at("hands", 1, None), "hands[1]: expected a list of 5 entries, got None"),
    (at("hands", 2, 4, "J9S9"), "hands[2][4]: unknown card 'J9S9'"),
    (card_twice, "the box has 1"),
    (shorter("draw_pile"), "draw_pile: expected a list of 45 entries, got 44"),
    (at("draw_pile", 0, "X"), "draw_pile[0]: unknown card 'X'"),
    (with_entry(start_player=3), "start_player: expected 0 to 2, not 3"),
    (with_entry(start_player=-1), "start_player: expected 0 to 2, not -1"),
    (with_entry(start_player=True), "not True"),
    (with_entry(start_player="player_0"), "not 'player_0'"),
    (with_entry(start_player=ARRAY), "start_player"),
]


@pytest.mark.parametrize(("change", "said"), SETUPS, ids=named)
def test_bad_setups(change: Change, said: str) -> None:
    game, good = a_game(), Game(3)
    before = state_bytes(game)
    good.reset(seed=9)
    with refused(SetupError, "setup: ", said):
        game.reset(seed=1, setup=change(good.setup_json()))
    assert state_bytes(game) == before
    fresh = Game(3)
    with refused(SetupError, "setup: "):
        fresh.reset(seed=1, setup=change(good.setup_json()))
    assert state_bytes(fresh) == state_bytes(Game(3))


# ---------------------------------------------------------------- illegal actions


def test_numpy_integers_are_actions() -> None:
    other = a_game()
    other.step(0)
    for action in (np.int64(0), np.int8(0), np.array(0), np.uint64(0)):
        game = a_game()
        game.step(action)  # type: ignore[arg-type]
        assert state_bytes(game) == state_bytes(other)


def on_freezer(hand: str = "J1S1 J2L1 J3L2", **more: object) -> Game:
    """A game whose first seat is on the planet Freezer, with these cards."""
    return position(hand, "", ships={0: FREEZER}, **more)


def a_pick() -> Game:
    game = on_freezer(piles={FREEZER: "water*6 space*2"})
    play(game, "scan J1S1")
    return game


TAKEN: Json = {"taken": {FREEZER: "0:water"}}
POSITIONS: dict[str, Callable[[], Game]] = {
    "pick": a_pick,
    "turn": lambda: on_freezer(piles={FREEZER: "water*6 space*2"}),
    "on the gate": lambda: position("J1S1 J1L1", "", gate=(20,)),
    "developed": lambda: on_freezer(**TAKEN, stations={FREEZER: 1}),
    "no chips": lambda: on_freezer(**TAKEN, gate=(19,)),
}


@pytest.mark.parametrize(
    ("where", "actions", "said"),
    [
        ("pick", (0,), "action 0 (top_up) is illegal: a tile has to be picked now"),
        ("pick", (72,), "action 72 (fly) is illegal: a tile has to be picked now"),
        ("pick", (99,), "no medal tile may be taken"),
        ("pick", (100,), "no space tile may be taken"),
        ("turn", (98,), "action 98 (take) is illegal: there is no tile pick now"),
        ("turn", (8,), "the hand has only 3 cards"),
        ("turn", (64,), "action 64 (jump) is illegal: the hand has only 3 cards"),
        ("turn", (32,), "the ship is already there"),
        ("turn", (35,), "the card does not show the planet's coordinates"),
        ("turn", (40,), "(jump) is illegal"),
        ("turn", (75,), "the card does not show the planet's coordinates"),
        ("turn", (83,), "this player has not scanned the planet"),
        ("turn", (89,), "the planet is not developed"),
        ("on the gate", (72, 74, 79, 89), "the ship is on the jump gate"),
        ("on the gate", (32,), "no chip is left in the supply"),
        ("developed", (74, 83), "the planet is developed"),
        ("no chips", (74, 83, 33), "no chip is left in the supply"),
    ],
)
def test_illegal_actions_say_why(where: str, actions: tuple[int, ...], said: str) -> None:
    game = POSITIONS[where]()
    before = state_bytes(game)
    assert game.legal_actions()
    for action in actions:
        with refused(IllegalActionError, f"player_0: action {action} (", said):
            game.step(action)
    assert state_bytes(game) == before


@pytest.mark.parametrize(("moves", "said"), [(4, "the game is over"), (None, "the game has not been reset")])
def test_no_action_before_the_first_reset_or_after_the_end(moves: int | None, said: str) -> None:
    game = Game(2, {"max_rounds": 1})
    if moves:
        game.reset(seed=1)
        for _ in range(moves):
            game.step(0)
    before = state_bytes(game)
    for action in range(101):
        with refused(IllegalActionError, f"action {action}: {said}"):
            game.step(action)
    assert state_bytes(game) == before


@pytest.mark.parametrize(
    ("index", "actions", "error", "said"),
    [
        ([0, 1, 2], [0, 0, 72], IllegalActionError, "game 2: player_"),
        ([3, 0, 2, 1], [0, 0, 0, 100], IllegalActionError, "game 1: player_"),
        ([0, 1, 2], [0, 101, 0], IllegalActionError, "game 1: action 101: not in 0 to 100"),
        ([0, 1, 2], [-1, 0, 0], IllegalActionError, "game 0: action -1"),
        ([0, 1, 2], [0, 98, 98], IllegalActionError, "game 1: player_"),
        ([3, 0], [0, 0, 0], IllegalActionError, "expected 2, one for each game, got 3"),
        ([3, 0, 3], [0, 0, 0], SetupError, "row 2: game 3 is listed twice"),
    ],
)
def test_one_bad_row_of_a_batch_moves_no_game(
    index: list[int], actions: list[int], error: type[SpaceMissionError], said: str
) -> None:
    batch = BatchedGames(4, 2)
    for i in range(4):
        batch.deal(i, i)
    before = batch.states.tobytes()
    with refused(error, said):
        batch.step(np.array(index), np.array(actions))
    assert batch.states.tobytes() == before


# ---------------------------------------------------------------- states


def first(value: object) -> Callable[[list[object]], list[object]]:
    """Replace the first entry of a list by a value, or by a function of it."""
    return lambda entries: [value(entries[0]) if callable(value) else value, *entries[1:]]


def more(number: int) -> int:
    return number + 1


# Field of the state, another value, part of the message (default: "FIELD does not hold").
FIELDS: list[tuple[object, ...]] = [
    ("player", 3),
    ("start_player", -1, "player does not hold"),
    ("phase", 5),
    ("phase", 4),
    ("over", 1, "phase does not hold"),
    ("actions_left", 3),
    ("actions_left", 0, ""),
    ("round_number", 0),
    ("round_number", 101),
    ("ring", lambda ring: [ring[1], *ring[1:]]),
    ("ring", first(12)),
    ("station", first(3)),
    ("ship", first(8)),
    ("taken", first(9)),
    ("taken_by", first(first(3)), "taken_by"),
    ("taken_kind", first(first(11)), "taken_kind"),
    ("looked", first(first(8))),
    ("pile", first(first(more))),
    ("tiles", first(first(more)), "tiles of the players"),
    ("reserved", first(first(more)), "tiles of the players"),
    ("supply", first(more), "chips are not those of the box"),
    ("gate", first(more), "chips are not those of the box"),
    ("hand_size", first(6)),
    ("draw_size", lambda size: size - 1, "cards are not those of the box"),
    ("discard_size", more, "discard does not hold"),
    ("draw", first(60)),
    ("hand", first(lambda row: row[::-1])),
    ("rng", [0] * 6),
    ("face_up", first(lambda flag: 1 - flag), "does not hold"),
    ("revealed", more),
    ("hand_epoch", first(first(20))),  # a later epoch
    ("hand_epoch", first(first(-1))),  # before the first epoch
    ("last_kind", [[6, -1]] * 5),
    ("last_cards", [[6, 0]] * 5),
    ("last_from", [8] * 5),
    ("last_round", 5, ""),
    ("last_round", 1, ""),
    ("scanned", [[7] * 8] * 5, ""),
    ("salt", -1),
    ("forgotten", 2),
    ("seed", -1, ""),
    ("decisions", -1, ""),
    ("shuffles", -1, ""),
]


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field[0])
def test_from_world_refuses_a_state_that_is_not_consistent(field: tuple[object, ...]) -> None:
    name, value, said = field if len(field) == 3 else (*field, f"{field[0]} does not hold")
    game = Game(3)
    game.reset(seed=21)
    for _ in range(30):
        game.step(game.legal_actions()[-1])
    world = game.states.copy()
    world[name][0] = value(world[name][0].tolist()) if callable(value) else value
    with refused(SetupError, said):
        game.from_world(world)


# ---------------------------------------------------------------- agents


class Idle(Agent):
    """Plays the first legal action."""

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
        (ARRAY, "expected a name"),
    ],
    ids=named,
)
def test_bad_agents(spec: object, said: str) -> None:
    with refused(AgentError, said):
        make_agent(spec)


def test_good_agents() -> None:
    assert type(make_agent(f"{HERE}:Idle")).__name__ == "Idle"
    agent = Idle()
    assert make_agent(agent) is agent


MODULES = {
    "syntax": ("def x(:", "cannot import module"),
    "import": ("import no_such_thing", "No module named 'no_such_thing'"),
    "raises": ("raise RuntimeError('went wrong')", "went wrong"),
    "two_lines": ("raise RuntimeError('first line\\nsecond line')", "first line"),
    "leaves": ("import sys; sys.exit(0)", "cannot import module"),
    "leaves_when_asked_for_its_class": (
        "def __getattr__(name):\n    raise SystemExit(0) if name == 'Broken' else AttributeError(name)\n",
        "SystemExit: 0",
    ),
    "is_no_agent": (
        "from spacemission_env import Agent\nclass Broken(Agent):\n    __new__ = lambda cls: 3\n",
        "cannot be made: it is no Agent",
    ),
}

# Body of an agent's method, and a part of the error message.
METHODS = {
    "leaves": ("raise SystemExit(0)", "SystemExit: 0"),
    "leaves_without_a_word": ("raise SystemExit", "SystemExit: no message"),
    "raises": ("raise KeyError('weights')", "weights"),
    "raises_what_is_no_exception": ("raise BaseException('no')", "BaseException: no"),
    "ends_like_a_generator": ("raise GeneratorExit", "GeneratorExit: no message"),
    "raises_what_cannot_be_shown": (
        "raise type('Odd', (BaseException,), {'__str__': lambda self: 1 // 0})()",
        "Odd: no message",
    ),
    "never_returns": ("self.__init__()", "RecursionError: maximum"),
    "interrupted": ("raise KeyboardInterrupt", ""),
}


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write a module with an agent and return its spec. Python imports a module once, so each case has its
    own name.
    """

    def write(name: str, text: str) -> str:
        (tmp_path / f"broken_{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        return f"broken_{name}:Broken"

    return write


def agent_text(kind: str, method: str = "__init__(self)") -> str:
    head = "from spacemission_env import Agent\nclass Broken(Agent):\n"
    return f"{head}    def {method}:\n        {METHODS[kind][0]}\n"


# What a module or an agent does as it is made: its text, and the words of the refusal.
AS_MADE: dict[str, tuple[str, ...]] = {
    **MODULES,
    **{
        f"agent_{kind}": (agent_text(kind), "cannot be made: ", said)
        for kind, (_, said) in list(METHODS.items())[:-1]
    },
}


@pytest.mark.parametrize("kind", AS_MADE)
def test_whatever_is_raised_as_an_agent_is_made_is_one_line(kind: str, broken: Callable[..., str]) -> None:
    text, *said = AS_MADE[kind]
    spec = broken(kind, text)
    with refused(AgentError, spec, *said):
        make_agent(spec)


@pytest.mark.parametrize("kind", list(METHODS)[:-2])
def test_whatever_an_agent_raises_as_it_learns_the_game_is_one_line(
    kind: str, broken: Callable[..., str]
) -> None:
    agent = make_agent(broken(f"prepared_{kind}", agent_text(kind, "prepare(self, info)")))
    with refused(AgentError, "agent Broken: prepare: ", METHODS[kind][1]):
        prepare_agents([agent], Game(2).info)


def test_ctrl_c_while_an_agent_is_made_is_still_ctrl_c(broken: Callable[..., str]) -> None:
    spec = broken("interrupted", agent_text("interrupted"))
    with pytest.raises(KeyboardInterrupt):
        make_agent(spec)
