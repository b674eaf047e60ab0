"""Bad input is refused by a typed error of one line, and changes nothing: one table, one runner.

`test_entry_points` tries dozens of kinds of wrong values at every public function; here are values that are
nearly right, with the words of their refusals.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import resources
from itertools import count
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from spacemission_env import belief, space_mission_v0
from spacemission_env.core.agents import Agent, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import (
    AgentError,
    ComponentsError,
    IllegalActionError,
    RulesError,
    SetupError,
    SpaceMissionError,
    shown,
)
from spacemission_env.core.game import Game as AnyGame
from spacemission_env.core.game import make_game
from spacemission_env.core.reading import Json
from spacemission_env.frontends import aec
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_env.games.space_mission.components import components_from_data, load_components
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import make_rules
from tests.support.front_ends import make_vector
from tests.support.positions import state_bytes

ARRAY = np.zeros((2, 3), np.int64)  # its repr has two lines
Row = tuple[object, str]  # a value, and words of its refusal


def unchanged(game: AnyGame, call: Callable[[], object]) -> None:
    """Call, and check that the state of the game is what it was."""
    before = game.states.tobytes()
    try:
        call()
    finally:
        assert game.states.tobytes() == before


def a_game(moves: tuple[int, ...] = (0, 3, 31)) -> Game:
    """A game of three players after some moves."""
    game = Game(3)
    game.reset(seed=5)
    for action in moves:
        game.step(action)
    return game


def kuhn(*moves: int) -> AnyGame:
    game = make_game("kuhn_poker", 2)
    game.reset(1)
    for action in moves:
        game.step(action)
    return game


# ---------------------------------------------------------------- options

RULES: list[Row] = [
    ("Printed", "'Printed'"),
    ("", "preset ''"),
    ("house", "known: printed, yucata"),
    ("printed,chips", "'chips'"),
    ("printed,chips=3", "unknown option 'chips'"),
    ("printed,hand_size=six", "hand_size: cannot read the value 'six'"),
    ("yucata,hand_size=6", "hand_size: expected a whole number from 1 to 5, not 6"),
    ("chips_per_player=101", "chips_per_player: expected a whole number from 1 to 100"),
    ("actions_per_turn=5", "actions_per_turn: expected a whole number from 1 to 4"),
    ("space_tiles_to_end=17", "space_tiles_to_end: expected a whole number from 1 to 16"),
    ("max_rounds=10001", "max_rounds: expected a whole number from 1 to 10000"),
    ("max_rounds=" + "9" * 30, "max_rounds"),
    ("space_tile_penalty=1", "space_tile_penalty: expected true or false, not 1"),
    ({"max_rounds": 2.0}, "max_rounds"),
    ({"max_rounds": "3"}, "not '3'"),
    ({"space_tile_penalty": None}, "not None"),
    ("start_player=5", "start_player: expected 'random' or a seat, 0 to 4, not 5"),
    ("start_player=first", "start_player: cannot read the value 'first'"),
    ("start_player=3", "start_player: there is no seat 3 with 3 players"),
    ({"start_player": "Random"}, "not 'Random'"),
    ({"start_player": True}, "not True"),
    ("empty_top_up=random", "empty_top_up: expected true or false, not 'random'"),
    ({"scan_face_up": "on"}, "scan_face_up: expected true or false, not 'on'"),
    ({"colour": 1}, "unknown option 'colour'"),
    ({1: 2}, "unknown option 1"),
    (["printed"], "['printed']"),
    ("printed\nyucata", "preset"),
    ("printed,a\nb=x", "cannot read"),
    ({"max_rounds": ARRAY}, "max_rounds"),
    (ARRAY, "rules"),
]
OPTIONS: list[Row] = [
    ({"shaping": -1}, "shaping: expected a number of at least 0, not -1"),
    ({"shaping": float("nan")}, "shaping: expected a number of at least 0, not nan"),
    ({"shaping": "1"}, "shaping: expected a number of at least 0, not '1'"),
    ({"shaping_discount": 1.5}, "shaping_discount: expected 0 to 1, not 1.5"),
    ({"at_round_limit": "stop"}, "at_round_limit: expected one of terminate, truncate, not 'stop'"),
    ({"ilegal": "lose"}, "ilegal: unknown option; did you mean 'illegal'?"),
    ({"zzz": 1}, "zzz: unknown option; known: "),
]
OPPONENTS: list[Row] = [
    ({"opponents": "greedy=0.5,random"}, "opponents: 'random': expected name=share"),
    ({"opponents": "nobody=1"}, "agent 'nobody': unknown"),
]
PICTURES: list[Row] = [
    *(
        ({"render_mode": mode}, "render_mode: expected None or one of ansi, rgb_array, human, not")
        for mode in ("html", 3, ["ansi"])
    ),
    (
        {"render_mode": "ansi", "render_theme": "page"},
        "render_theme: expected one of light, dark, not 'page'",
    ),
]


def in_all(makers: list[Callable[..., object]], options: Json) -> None:
    """All of these refuse the options in the same words; the last refusal is raised."""
    said = set()
    for make in makers:
        with pytest.raises(SpaceMissionError) as caught:
            make(**options)
        said.add((type(caught.value), str(caught.value).partition("; known")[0]))
    assert len(said) == 1, said
    raise caught.value


LEARNERS = [LearnerEnv, partial(make_vector, 1), partial(gymnasium.make, "SpaceMission-v0")]
ENVS = [*LEARNERS, space_mission_v0.env, space_mission_v0.raw_env, partial(aec.env, "planet_hexx")]
GAMES = [Game, partial(BatchedGames, 4), partial(LearnerVectorEnv, 4), LearnerEnv, space_mission_v0.env]

# ---------------------------------------------------------------- components

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
    ("format = 1", "format = 1\nplayers = 2", "unknown entry 'players'"),
    ('name = "default"', "name = 3", "name: expected a text, not 3"),
    ('name = "default"', r'name = "a\nb"', "name"),
    ("medal = 6", "medal = 7", "tiles: expected 48 point and 16 space tiles, got 49 and 16"),
    ("space = 16", "space = 15", "got 48 and 15"),
    ("medal = 6", "medal = -6", "tiles: medal: expected a count from 0 to 48, not -6"),
    ("medal = 6\n", "", "tiles: 'medal' is missing"),
    ("medal = 6", "medal = 6\nstar = 0", "tiles: unknown entry 'star'"),
    (FIRST_PLANET, "", "planets: expected exactly 12 entries, got 11"),
    ('name = "Hazard"', 'name = "Freezer"', "planets[1] 'Freezer': the name stands twice"),
    ("scan = 2", "scan = 5", "planets[1] 'Hazard': scan: expected a number from 1 to 4, not 5"),
    ("jump = 1", 'jump = "?"', "planets[0] 'Freezer': jump: expected a number from 1 to 4"),
    ("jump = 1", "jump = 0", "to be filled in: planets: empty or 0 in 1 places, the first is planets[0] 'Fr"),
    ("landing = [1, 2]", "landing = [1]", "landing: expected two numbers, not [1]"),
    ("landing = [1, 2]", "landing = [1, 7]", "'Freezer': landing"),
    ("jump = 1\nscan = 1\nlanding", "jump = 1\nlanding", "planets[0]: 'scan' is missing"),
    ("jump = 1", "jump = 1\nmoons = 2", "planets[0]: unknown entry 'moons'"),
    ('name = "Freezer"', "name = 5", "planets[0]: name: expected a text, not 5"),
    ('jump = "rulebook"', 'jump = "guess"', "planets[0] 'Freezer': origin"),
    ("cards = [", "cards = 60\nx = [", "unknown entry 'x'"),
    ('{ cards = "ours" }', '"mine"', "the file: origin: expected one of rulebook, review, box, ours, not 'm"),
    ('{ cards = "ours" }', '{ card = "ours" }', "the file: origin: there is no entry 'card'"),
)
# Replacements of the first card, the id "J1S1".
FIRST_CARDS = (
    ("", "cards: expected exactly 60 entries, got 59"),
    ('"J1S1", "J1S1",', "cards: expected exactly 60 entries, got 61"),
    ('{ id = "a", jump = [1], scan = 1 },', "cards[0] 'a': jump: expected two different numbers, not [1]"),
    ('{ id = "a", jump = [2, "?"] },', "cards[0] 'a': jump: expected a number from 1 to 4, not '?'"),
    ("7,", "cards[0]: expected an id such as 'J1S3' or a table, not 7"),
    ('{ id = "J?S1", jump = 1, scan = 1 },', "'J?S1': the id reads as a face, but its numbers are J1S1"),
    ('"J1S5",', "cards[0] 'J1S5': is no face: expected two coordinates"),
    ('"S3J1",', "cards[0] 'S3J1': is written 'J1S3'"),
    ('"j?l2",', "cards[0] 'j?l2': is written 'J?L2'"),
    ('"J1J1",', "'J1J1': is no face: two coordinates of one colour are two different numbers"),
    ('"S?S1",', "cards[0] 'S?S1': is no face: two coord"),
)
# Edits of the first card written as a table.
FIRST_TABLES = (
    ("scan = 1, ", "", "expected two of the colours jump, scan, landing, or two numbers of one, got 1"),
    ("1,", "[1, 2],", "got 3 coordinates"),
    ("scan = 1", "scan = 9", "cards[0] 'J1S1': scan"),
    ("id", "colour = 1, id", "cards[0]: unknown entry 'colour'"),
    ('id = "J1S1", ', "", "cards[0]: 'id' is missing"),
    ("J1S1", "", "cards[0]: id: expected a text, not ''"),
    ('"ours"', '"mine"', "cards[0] 'J1S1': origin"),
    ("J1S1", "J1S3", "cards[0] 'J1S3': the id reads as a face, but its numbers are J1S1"),
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


def in_a_file(text: str | bytes) -> None:
    Path("my_box.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    load_components(Path("my_box.toml"))


SOURCES: list[Row] = [
    ("no_such_file.toml", "'no_such_file.toml': No such file"),
    (".", "Is a directory"),
    ("two\nlines.toml", "No such file"),
    (3, "expected a path or None, not 3"),
    ({"name": "box"}, "expected a path"),
    ("nul\0.toml", "nul"),
    (ARRAY, "expected a path"),
]
TINY_BOXES: list[Row] = [
    (lambda box: box.update(ring=1), "ring: expected a number of planets from 2 to 8, not 1"),
    (lambda box: box.update(ring=True), "ring: expected a number of planets from 2 to 8, not True"),
    (lambda box: box.update(ring=3), "planets: expected 3 to 12 entries, got 2"),
    (lambda box: box.update(cards=[]), "cards: expected 1 to 60 entries, got 0"),
    (lambda box: box["tiles"].update(medal=1), "tiles: expected 1 to 8 tiles for each of 2 planets"),
    (lambda box: box["tiles"].update(space=17), "at most 16 space tiles, got 18 and 17"),
    (lambda box: box.pop("ring"), "planets: expected exactly 12 entries, got 2"),
]


def as_a_tiny_box(change: Callable[[Json], object]) -> None:
    data = load_components("tiny").to_json()
    del data["sha256"]
    data["tiles"] = dict(zip(KIND_NAMES, load_components("tiny").tiles, strict=True))
    change(data)
    components_from_data(data, "box")


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
    (lambda _: {}, "'ring' is missing"),
    *((without(key), f"'{key}' is missing") for key in ("ring", "piles", "hands", "draw_pile")),
    (without("start_player"), "'start_player' is missing"),
    (with_entry(seed=3), "unknown entry 'seed'"),
    (shorter("ring"), "ring: expected a list of 8 entries, got 7"),
    (at("ring", 4, "Pluto"), "ring[4]: unknown planet 'Pluto'"),
    (at("ring", lambda ring: [ring[1], *ring[1:]]), "ring: a planet stands twice"),
    (with_entry(ring="Freezer"), "ring: expected a list of 8 entries, got 'Freezer'"),
    (shorter("piles"), "piles: expected a list of 8 entries, got 7"),
    (at("piles", 3, []), "piles[3]: expected a list of 8 entries, got 0"),
    (at("piles", 2, 7, "gold"), "piles[2][7]: unknown tile 'gold'"),
    (tile_for_another, "medal tiles, the box has 6"),
    (shorter("hands"), "hands: expected a list of 3 entries, got 2"),
    (at("hands", 1, []), "hands[1]: expected a list of 5 entries, got 0"),
    (at("hands", 2, 4, "J9S9"), "hands[2][4]: unknown card 'J9S9'"),
    (card_twice, "the box has 1"),
    (shorter("draw_pile"), "draw_pile: expected a list of 45 entries, got 44"),
    (with_entry(start_player=3), "start_player: expected 0 to 2, not 3"),
    (with_entry(start_player=-1), "start_player: expected 0 to 2, not -1"),
    (with_entry(start_player=ARRAY), "start_player"),
]


def lay(change: Change) -> None:
    """Reset a running game to a changed set-up."""
    game, good = a_game(), Game(3)
    good.reset(seed=9)
    unchanged(game, lambda: game.reset(seed=1, setup=change(good.setup_json())))


# ---------------------------------------------------------------- moves


TEXTS: list[Row] = [  # of moves
    ("jump Hazrad J1L2", "no legal move begins with 'jump Hazrad'; nearest of 45: 'jump Hazard J1L2', "),
    ("jump hazard J9", "no legal move begins with 'jump hazard J9'; nearest of 45: 'jump Hazard J"),
    ("jump", "is only the beginning of legal moves; nearest of 45: 'jump "),
    ("35", "no legal move begins with '35'; nearest of 45: "),
    (" \t", "is empty; nearest of 45: "),
    (35, "move 35: expected a text"),
    (None, "move None: expected a text"),
    ("jump \x1b[2J" + "x" * 2**20, "no legal move begins with "),
]


def move_by_text(text: str) -> None:
    game = Game(2)
    game.reset(3)
    unchanged(game, lambda: game.parse_move(text))


def step_batch(rows: tuple[list[int], list[int]]) -> None:
    """Step some of four games at once."""
    batch = BatchedGames(4, 2)
    for i in range(4):
        batch.deal(i, i)
    before = batch.states.tobytes()
    try:
        batch.step(*map(np.array, rows))
    finally:
        assert batch.states.tobytes() == before


MANY = "chance: expected a list of at most 1024 outcomes"
CHANCE: list[Row] = [
    (lambda game: game.reset(1, chance=[0]), "chance: after 1 outcomes one of 2 is missing"),
    (lambda game: game.reset(1, chance=[]), "chance: after 0 outcomes one of 3 is missing"),
    (lambda game: game.reset(1, chance=[0, 1, 0]), "chance: expected 2 outcomes, not 3"),
    (lambda game: game.reset(1, chance=[3, 0]), "chance: outcome 0: expected 0 to 2, not 3"),
    (lambda game: game.reset(1, chance=[0, -1]), "chance: outcome 1: expected an integer from 0, not -1"),
    (lambda game: game.reset(1, chance=[0, 0.5]), "chance: outcome 1: expected an integer from 0, not 0.5"),
    (lambda game: game.reset(1, chance=[0] * 2000), f"{MANY}, not {shown([0] * 2000)}"),
    (lambda game: game.reset(1, chance=7), f"{MANY}, not 7"),
    (
        lambda game: game.reset(1, {"cards": ["J", "Q", "K"]}, [0, 0]),
        "chance: a set-up leaves nothing to chance",
    ),
    (lambda game: game.step(0, chance=[0]), "chance: expected 0 outcomes, not 1"),
    (
        lambda game: game.step(0, np.zeros(1, np.int8), [0]),
        "chance: expected either an order or outcomes, not both",
    ),
    (lambda game: game.chance_outcomes(0, [1]), "chance: expected 0 outcomes, not 1"),
    (lambda game: belief(game, 0, 0), "n: expected 1 to"),
    (lambda game: belief(game, 2, 1), "seat"),
    (lambda game: belief(game, 0, 1.5), "n: "),
]

# ---------------------------------------------------------------- views


def dealt(rows: int = 4) -> BatchedGames:
    table = BatchedGames(rows, 3, dtype="uint8")
    for i in range(rows):
        table.deal(i, i)
    return table


NUMBERS, MASKS = np.zeros((4, OBSERVATION_SIZE), np.uint8), np.zeros((4, 101), np.int8)
VIEWS: list[Row] = [  # seats and arrays
    (([0, 1, 3, 0], NUMBERS, MASKS), "row 2: game 2 has no seat 3"),
    (([0, 1, 2], NUMBERS, MASKS), "expected 4, one for each game, got 3"),
    (([0] * 4, NUMBERS.astype("f4"), MASKS), "observations: expected a writable contiguous array"),
    (([0] * 4, NUMBERS, MASKS[:3]), "masks: expected a writable contiguous array"),
]
FRESH: list[Callable[[], object]] = [  # before the first reset
    *(
        lambda name=name: getattr(Game(), name)()  # type: ignore[misc]
        for name in (
            *("mask", "legal_actions", "scores", "winners", "setup_json", "decision_key", "ask", "board"),
            *("last_shuffle", "open_board", "seat_json"),
        )
    ),
    *(
        lambda name=name: getattr(Game(), name)(0)  # type: ignore[misc]
        for name in ("step", "observe", "planet_name")
    ),
    lambda: Game().determinize(0, 1),
    lambda: space_mission_v0.raw_env().observe("player_0"),
    lambda: space_mission_v0.raw_env().last(),
    lambda: space_mission_v0.raw_env().step(0),
    lambda: space_mission_v0.raw_env(render_mode="ansi").render(),
    lambda: LearnerEnv(illegal="lose").step(0),
    lambda: LearnerEnv().action_masks(),
    lambda: LearnerEnv(render_mode="ansi").render(),
    lambda: LearnerVectorEnv(2, illegal="lose").step(np.zeros(2, np.int64)),
    lambda: LearnerVectorEnv(2).action_masks(),
    lambda: make_game("kuhn_poker", 2).parse_move("bet"),
]

# ---------------------------------------------------------------- agents


class Idle(Agent):
    """Plays the first legal action."""

    def choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        return int(mask.argmax())


HERE = __name__
AGENTS: list[Row] = [
    (None, "agent None: expected a name"),
    ("  ", "expected a name"),
    (["random"], "agent ['random']"),
    (Idle, "expected a name"),
    ("stockfish", "agent 'stockfish': unknown; known:"),
    ("two\nlines", "unknown"),
    ("no_such_module:Class", "cannot import module 'no_such_module'"),
    (":Class", "cannot import module ''"),
    ("..tests:Idle", "cannot import module '..tests'"),
    (f"{HERE}:Nobody", f"'{HERE}' has no Agent class 'Nobody'"),
    (f"{HERE}:", "has no Agent class ''"),
    (f"{HERE}:unchanged", "has no Agent class 'unchanged'"),
    ("json:JSONDecoder", "'json' has no Agent class 'JSONDecoder'"),
    (f"{HERE}:Idle:5", "takes no parameter, got '5'"),
    (f"{HERE}:Idle:", "takes no parameter, got ''"),
    (ARRAY, "expected a name"),
]
MODULES: list[Row] = [  # texts
    ("def x(:", "cannot import module"),
    ("import no_such_thing", "No module named 'no_such_thing'"),
    ("raise RuntimeError('first line\\nsecond line')", "first line"),
    ("import sys; sys.exit(0)", "cannot import module"),
    (
        "def __getattr__(name):\n    raise SystemExit(0) if name == 'Broken' else AttributeError(name)\n",
        "SystemExit: 0",
    ),
    (
        "from spacemission_env import Agent\nclass Broken(Agent):\n    __new__ = lambda cls: 3\n",
        "cannot be made: it is no Agent",
    ),
]
# Bodies of `__init__` and `prepare`.
METHODS: list[Row] = [
    ("raise SystemExit(0)", "SystemExit: 0"),
    ("raise SystemExit", "SystemExit: no message"),
    ("raise KeyError('weights')", "weights"),
    ("raise BaseException('no')", "BaseException: no"),
    ("raise GeneratorExit", "GeneratorExit: no message"),
    ("raise type('Odd', (BaseException,), {'__str__': lambda self: 1 // 0})()", "Odd: no message"),
]
UNUSED = count()  # Python imports a module once, so each has its own name


def in_a_module(text: str) -> Agent:
    name = f"broken_{next(UNUSED)}"
    Path(f"{name}.py").write_text(text)
    return make_agent(f"{name}:Broken")


def with_method(method: str, body: str) -> Agent:
    head = "from spacemission_env import Agent\nclass Broken(Agent):\n"
    return in_a_module(f"{head}    def {method}:\n        {body}\n")


# ---------------------------------------------------------------- the table

# Group: the error, words of each message, the call, and rows: a value and more words.
TABLE: dict[str, tuple[type[SpaceMissionError], str, Callable[[object], object], list[Row]]] = {
    "rules": (RulesError, "rules: ", lambda v: in_all(GAMES, {"num_players": 3, "rules": v}), RULES),
    "rules alone": (
        RulesError, "rules: ", make_rules, [row for row in RULES if "no seat" not in row[1]],
    ),
    "rules of Kuhn poker": (
        RulesError, "rules: ", lambda v: make_game("kuhn_poker", 2, v),
        [(v, "") for v in ("ante=9", "ante=x", "blind=1", {"ante": True}, 7)],
    ),
    "players of Kuhn poker": (
        RulesError, "", lambda v: make_game("kuhn_poker", v), [(4, "num_players: expected 2 to 3, not 4")],
    ),
    "option": (SetupError, "", lambda v: in_all(ENVS, v), OPTIONS),
    "opponents": (AgentError, "", lambda v: in_all(LEARNERS, v), OPPONENTS),
    "picture": (SetupError, "", lambda v: aec.env("space_mission", **v), PICTURES),
    "dtype": (
        SetupError, "dtype: expected one of float32, uint8, not ", lambda v: BatchedGames(2, 2, dtype=v),
        [(v, "") for v in ("float64", "int8", np.uint8, None, 8)],
    ),
    "threads": (
        SetupError, "threads: expected 1 to 256, not ",
        lambda v: LearnerVectorEnv(2, threads=v),
        [(v, "") for v in (0, -1, 257, True, 2.0, "2", None, [2])],
    ),
    "components file": (ComponentsError, "my_box.toml", in_a_file, list(bad_files())),
    "components": (ComponentsError, "components", load_components, SOURCES),
    "deck of Kuhn poker": (
        ComponentsError, "one deck", lambda v: make_game("kuhn_poker", 2, None, v), [("box.toml", "")],
    ),
    "tiny box": (ComponentsError, "", as_a_tiny_box, TINY_BOXES),
    "set-up": (SetupError, "setup: ", lay, SETUPS),
    "set-up of Kuhn poker": (
        SetupError, "setup: cards: expected J, Q, K in any order", lambda v: kuhn().reset(1, v),
        [(v, "") for v in ({}, 3, *({"cards": list(cards)} for cards in ("JQ", "JJQ", "JQA")))],
    ),
    "move over": (
        IllegalActionError, "the game is over", lambda v: v(kuhn(0, 0)),
        [(lambda game: game.step(0), "action 0"), (lambda game: game.parse_move("bet"), "move 'bet'"),
         (lambda game: game.move_text(0), "action 0")],
    ),
    "text of a move": (IllegalActionError, "", move_by_text, TEXTS),
    "moves": (IllegalActionError, "", step_batch, [
        (([0, 1, 2], [0, 0, 72]), "game 2: player_"),
        (([3, 0, 2, 1], [0, 0, 0, 100]), "game 1: player_"),
        (([0, 1, 2], [0, 101, 0]), "game 1: action 101: not in 0 to 100"),
        (([0, 1, 2], [-1, 0, 0]), "game 0: action -1"),
        (([0, 1, 2], [0, 98, 98]), "game 1: player_"),
        (([3, 0], [0, 0, 0]), "expected 2, one for each game, got 3"),
    ]),
    "games": (SetupError, "", step_batch, [(([3, 0, 3], [0, 0, 0]), "row 2: game 3 is listed twice")]),
    "chance": (SetupError, "", lambda v: unchanged(game := kuhn(), lambda: v(game)), CHANCE),
    "views": (SetupError, "", lambda v: dealt().seats_view(np.array(v[0]), *v[1:]), VIEWS),
    "fresh": (SpaceMissionError, "reset", lambda v: v(), [(v, "") for v in FRESH]),
    "agent": (AgentError, "", make_agent, AGENTS),
    "module": (AgentError, "broken_", in_a_module, MODULES),
    "agent made": (AgentError, "cannot be made: ", partial(with_method, "__init__(self)"), [
        *METHODS, ("self.__init__()", "RecursionError: maximum"),
    ]),
    "agent prepared": (
        AgentError, "agent Broken: prepare: ",
        lambda v: prepare_agents([with_method("prepare(self, info)", v)], Game(2).info), METHODS,
    ),
}  # fmt: skip
REFUSED = [
    pytest.param(*group[:3], *row, id=f"{name} {n}")
    for name, group in TABLE.items()
    for n, row in enumerate(group[3])
]


@pytest.mark.parametrize(("error", "always", "call", "value", "said"), REFUSED)
def test_bad_input_is_refused_in_one_line(
    error: type[SpaceMissionError], always: str, call: Callable[[object], object], value: object, said: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SpaceMissionError) as caught:
        call(value)
    message = str(caught.value)
    assert error in (type(caught.value), SpaceMissionError), f"{type(caught.value).__name__}: {message}"
    assert message.isprintable() and len(message) <= 600
    assert always in message and said in message


def test_ctrl_c_while_an_agent_is_made_is_still_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        with_method("__init__(self)", "raise KeyboardInterrupt")


def test_what_is_right_is_taken() -> None:
    assert type(make_agent(f"{HERE}:Idle")).__name__ == "Idle" and make_agent(agent := Idle()) is agent
    other = a_game()
    other.step(0)
    for action in (np.int64(0), np.int8(0), np.array(0), np.uint64(0)):
        game = a_game()
        game.step(action)  # type: ignore[arg-type]
        assert state_bytes(game) == state_bytes(other)
    game = kuhn()
    game.reset(1, {"cards": ["K", "J", "Q"]})
    assert game.setup_json() == {"cards": ["K", "J", "Q"]}
