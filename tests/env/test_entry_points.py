"""Every public function refuses dozens of kinds of wrong arguments, and changes nothing."""

import datetime
import decimal
import fractions
import io
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pettingzoo import AECEnv

import spacemission_env  # noqa: F401 (the Gymnasium ids)
from spacemission_env import space_mission_v0
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import (
    IllegalActionError,
    RulesError,
    SeedError,
    SetupError,
    SpaceMissionError,
    shown,
)
from spacemission_env.frontends.gym_env import LearnerEnv
from spacemission_env.frontends.vector_env import LearnerVectorEnv
from spacemission_env.games.space_mission.components import components_from_data, load_components
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.view import decode
from spacemission_env.records.writer import GameRecord, RecordWriter


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Indexable:
    def __index__(self) -> int:
        return 0


class BadArray:
    def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
        raise RuntimeError("no")


class BadLength:
    def __len__(self) -> int:
        return -1


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


# Kind to a function that makes a new value.
KINDS: dict[str, Callable[[], object]] = {
    "None": lambda: None,
    "True": lambda: True,
    "float": lambda: 1.0,
    "half": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "complex": lambda: 1j,
    "minus 1": lambda: -1,
    "minus 5": lambda: -5,
    "8": lambda: 8,
    "99": lambda: 99,
    "101": lambda: 101,
    "10**6": lambda: 10**6,
    "-2**31": lambda: -(2**31),
    "2**31": lambda: 2**31,
    "2**63-1": lambda: 2**63 - 1,
    "-2**63": lambda: -(2**63),
    "2**63": lambda: 2**63,
    "2**64": lambda: 2**64,
    "10**30": lambda: 10**30,
    "10**5000": lambda: 10**5000,
    "-10**5000": lambda: -(10**5000),
    "int8 -1": lambda: np.int8(-1),
    "uint64 huge": lambda: np.uint64(2**64 - 1),
    "numpy float": lambda: np.float64(1),
    "numpy float32": lambda: np.float32(1),
    "numpy bool": lambda: np.bool_(True),
    "numpy text": lambda: np.str_("1"),
    "numpy time": lambda: np.datetime64("2026-01-01"),
    "empty text": lambda: "",
    "digit": lambda: "1",
    "text": lambda: "no such thing",
    "long text": lambda: "x" * 100_000,
    "two lines": lambda: "a\nb",
    "zero byte": lambda: "\0",
    "control": lambda: "\x1b[31m",
    "surrogate": lambda: "\ud800",
    "bytes": lambda: b"1",
    "bytearray": lambda: bytearray(b"1"),
    "memoryview": lambda: memoryview(b"1"),
    "list": lambda: [0],
    "list of lists": lambda: [[0], [1, 2]],
    "tuple": lambda: (0, 1),
    "set": lambda: {0},
    "range": lambda: range(2),
    "dict": lambda: {"a": 1},
    "slice": lambda: slice(0, 2),
    "ellipsis": lambda: ...,
    "object": lambda: object(),
    "class": lambda: int,
    "function": lambda: lambda: 0,
    "generator": lambda: (i for i in range(2)),
    "module": lambda: types,
    "exception": lambda: ValueError("a"),
    "decimal": lambda: decimal.Decimal(1),
    "fraction": lambda: fractions.Fraction(1),
    "date": lambda: datetime.date(2026, 1, 1),
    "path": lambda: Path("no/such/file"),
    "binary stream": lambda: io.BytesIO(),
    "unshowable": lambda: Unshowable(),
    "index": lambda: Indexable(),
    "bad array": lambda: BadArray(),
    "bad length": lambda: BadLength(),
    "array float": lambda: np.zeros(3),
    "array bool": lambda: np.ones(3, bool),
    "array object": lambda: np.array([0, None, "a"], object),
    "array text": lambda: np.array(["0", "1", "2"]),
    "array complex": lambda: np.zeros(3, complex),
    "array time": lambda: np.zeros(3, "datetime64[s]"),
    "array record": lambda: np.zeros(3, [("a", "i8")]),
    "array nan": lambda: np.full(3, np.nan, np.float32),
    "array 2-D": lambda: np.zeros((3, 1), np.int64),
    "array 0-D": lambda: np.array(-1),
    "array 0-D bool": lambda: np.array(True),
    "array empty float": lambda: np.zeros(0),
    "array -1": lambda: np.array([0, 1, -1]),
    "array 3": lambda: np.array([0, 1, 3]),
    "array huge": lambda: np.array([0, 2**63 - 1, 1]),
    "array unsigned": lambda: np.array([0, 1, 2**64 - 1], np.uint64),
    "array -128": lambda: np.array([0, 1, -128], np.int8),
    "array too long": lambda: np.zeros(4, np.int64),
    "array gaps": lambda: np.array([0, 7, -9, 7, 1, 7])[::2],
    "array read-only": lambda: read_only(np.array([-1, -1, -1])),
    "array swapped": lambda: np.array([0, 1, 98], ">i8"),
    "array masked": lambda: np.ma.masked_array([0, 1, 98]),  # type: ignore[no-untyped-call]
    "matrix": lambda: np.asmatrix([0, 1, 2]),
}
TWICE = {"array twice": lambda: np.array([1, 0, 1]), "array all one": lambda: np.array([2, 2, 2])}

FEWEST = 60  # fewest kinds that each entry point must refuse
SEEDS = ("8", "99", "101", "10**6", "2**31", "2**63-1")
NUMBERS = (*SEEDS, "2**63", "2**64", "10**30", "10**5000", "uint64 huge")
ALL = np.arange(3)


def a_game() -> Game:
    game = Game(3)
    game.reset(7)
    for _ in range(9):
        game.step(game.legal_actions()[-1])
    return game


def games(kind: type[BatchedGames] = BatchedGames) -> BatchedGames:
    table = kind(3, 3)
    for i in range(3):
        table.deal(i, i)
    return table


def an_env(make: Callable[..., AECEnv | LearnerEnv] = space_mission_v0.raw_env) -> AECEnv | LearnerEnv:
    env = make(num_players=3)
    env.reset(seed=7)
    return env


gym_env, wrapped_env = partial(an_env, LearnerEnv), partial(an_env, space_mission_v0.env)


def vector_env() -> LearnerVectorEnv:
    env = LearnerVectorEnv(3, 3)
    env.reset(seed=7)
    return env


def everything(thing: object) -> list[object]:
    """All plain values and arrays in an object and in the objects that it contains."""
    found: list[object] = []
    for name, value in sorted(vars(thing).items()) if hasattr(thing, "__dict__") else ():
        if name in ("_mask", "_masks", "_observations", "_floats", "_keys") and not isinstance(
            thing, LearnerVectorEnv
        ):
            continue  # buffers
        if isinstance(value, np.ndarray):
            found.append((name, value.tobytes()))
        elif isinstance(value, Game | BatchedGames):
            found.append((name, everything(value)))
        elif isinstance(value, np.random.Generator):
            found.append((name, str(value.bit_generator.state)))
        elif isinstance(value, int | float | str | list | dict | tuple | None):
            found.append((name, repr(value)))
    return found


@dataclass(frozen=True)
class EntryPoint:
    """A function with one argument to replace, called on what `make` returns.

    `takes`: kinds of `KINDS` that are valid there, such as None or an integer in range.
    """

    make: Callable[[], object]
    call: Callable[..., object]
    takes: tuple[str, ...] = ()


def new(make: Callable[..., object], name: str, *takes: str) -> EntryPoint:
    """A keyword argument of a constructor."""
    return EntryPoint(a_game, lambda _, value: make(**{name: value}), takes)


def why(game: Game, action: object) -> None:
    """`why_illegal` as an error."""
    raise IllegalActionError(game.why_illegal(action) or "legal")


def room(seat: object = 0, observation: object = None, mask: object = None) -> tuple[object, object, object]:
    """Arguments of `Game.view`; default: valid ones."""
    return (
        seat,
        np.zeros(OBSERVATION_SIZE, np.float32) if observation is None else observation,
        np.zeros(ACTION_COUNT, np.int8) if mask is None else mask,
    )


def a_record(game: Game) -> GameRecord:
    fresh = Game(3)
    fresh.reset(game.seed)
    return GameRecord(fresh, ["a", "b", "c"])


def write(call: Callable[[RecordWriter], object]) -> None:
    """Call a method of a writer, then close it."""
    with RecordWriter("record.jsonl") as writer:
        call(writer)


ENVS: dict[str, Callable[..., object]] = {
    "aec": space_mission_v0.raw_env,
    "gym": LearnerEnv,
    "vector": LearnerVectorEnv,
}
COMMON = ("num_players", "rules", "components", "observation", "reward", "illegal", "render_mode", "record")
# None is valid.
NONE = ("num_players", "rules", "components", "render_mode", "record", "seat", "render_seat", "record_agents")
TAKES_NONE: tuple[tuple[str, ...], ...] = ((), ("None",))
ONLY = {
    "aec": ("render_seat", "record_agents"),
    "gym": ("opponents", "seat", "learner_name"),
    "vector": ("opponents", "seat", "learner_name", "num_envs", "autoreset_mode"),
}
TAKES = {
    "opponents": ("function",),
    "rules": ("None",),
    "record": ("digit", "numpy text", "text", "two lines", "control"),  # valid file names
    "num_envs": ("8", "99", "101"),
    "learner_name": ("digit", "text", "empty text", "long text", "numpy text"),
}


def methods(thing: str, make: Callable[[], object], names: str, *takes: str) -> dict[str, EntryPoint]:
    """Methods that take the value alone."""
    return {
        thing + name: EntryPoint(make, lambda made, value, name=name: getattr(made, name)(value), takes)
        for name in names.split()
    }


ENTRY_POINTS: dict[str, EntryPoint] = {
    **methods("Game.", a_game, "step rewards planet_name"),
    **methods("Game.", a_game, "mask observe information_state_key board", "None"),
    **methods("Game.", a_game, "ask", "None", *SEEDS),
    **methods("Game.", a_game, "move_text words", "99"),
    **methods("Game.", a_game, "parse_move"),
    **methods("BatchedGames.", games, "deal_next view keys ask game next_seed dealt"),
    **methods("aec ", an_env, "step", "8"),
    **methods("aec ", an_env, "observe observation_space action_space"),
    **methods("wrapped aec ", wrapped_env, "step", "8"),
    **methods("wrapped aec ", wrapped_env, "observe"),
    **methods("gym ", gym_env, "step", "8"),
    **methods("vector ", vector_env, "step", "array 3"),
    "Game.step order": EntryPoint(a_game, lambda g, v: g.step(0, v)),
    "Game.view seat": EntryPoint(a_game, lambda g, v: g.view(*room(v)), ("None",)),
    "Game.view observation": EntryPoint(a_game, lambda g, v: g.view(0, v, room()[2])),
    "Game.view mask": EntryPoint(a_game, lambda g, v: g.view(0, room()[1], v)),
    "Game.determinize seat": EntryPoint(a_game, lambda g, v: g.determinize(v, 1), ("None",)),
    "Game.determinize seed": EntryPoint(a_game, lambda g, v: g.determinize(0, v), SEEDS),
    "Game.why_illegal": EntryPoint(a_game, why),
    "Game.reset seed": EntryPoint(a_game, lambda g, v: g.reset(v), ("None", *SEEDS)),
    "Game.reset setup": EntryPoint(a_game, lambda g, v: g.reset(1, v), ("None",)),
    "BatchedGames.deal place": EntryPoint(games, lambda t, v: t.deal(v, 1)),
    "BatchedGames.deal seed": EntryPoint(games, lambda t, v: t.deal(0, v), SEEDS),
    "BatchedGames.step index": EntryPoint(games, lambda t, v: t.step(v, np.zeros(3, np.int64))),
    "BatchedGames.step actions": EntryPoint(games, lambda t, v: t.step(ALL, v), ("array 3",)),
    "BatchedGames.margins index": EntryPoint(games, lambda t, v: t.margins(v, ALL)),
    "BatchedGames.margins seats": EntryPoint(games, lambda t, v: t.margins(ALL, v)),
    "aec reset seed": EntryPoint(an_env, lambda e, v: e.reset(v), ("None", *SEEDS)),
    "aec reset options": EntryPoint(an_env, lambda e, v: e.reset(1, v), ("None", "dict")),
    "aec reset setup": EntryPoint(an_env, lambda e, v: e.reset(1, {"setup": v}), ("None",)),
    "gym reset seed": EntryPoint(gym_env, lambda e, v: e.reset(seed=v), ("None", *SEEDS)),
    "gym reset options": EntryPoint(gym_env, lambda e, v: e.reset(options=v), ("None", "dict")),
    "vector reset seed": EntryPoint(
        vector_env,
        lambda e, v: e.reset(seed=v),
        ("None", "array 3", "array masked", "array huge", "array swapped", *SEEDS[:-1]),
    ),
    "vector reset options": EntryPoint(vector_env, lambda e, v: e.reset(options=v), ("None", "dict")),
    "decode observation": EntryPoint(a_game, lambda g, v: decode(v, g.components, g.rules)),
    "decode components": EntryPoint(a_game, lambda g, v: decode(g.observe(), v, g.rules)),
    "decode rules": EntryPoint(a_game, lambda g, v: decode(g.observe(), g.components, v)),
    "decode ring": EntryPoint(a_game, lambda g, v: decode(g.observe(), g.components, g.rules, v), ("None",)),
    "GameRecord game": EntryPoint(a_game, lambda g, v: GameRecord(v, ["a", "b", "c"])),
    "GameRecord agents": EntryPoint(a_game, lambda g, v: GameRecord(a_record(g)._game, v)),
    "GameRecord.before": EntryPoint(a_game, lambda g, v: a_record(g).before(v), ("8",)),
    "RecordWriter": EntryPoint(a_game, lambda g, v: RecordWriter(v), TAKES["record"]),
    "RecordWriter.add": EntryPoint(a_game, lambda g, v: write(lambda w: w.add(v))),
    "load_components": EntryPoint(a_game, lambda g, v: load_components(v), ("None",)),
    "components_from_data": EntryPoint(a_game, lambda g, v: components_from_data(v, "here")),
    **{f"Game({name})": new(Game, name, *TAKES_NONE[name in NONE]) for name in COMMON[:4]},
    "BatchedGames(count)": EntryPoint(a_game, lambda _, v: BatchedGames(v), ("8", "99", "101")),
    **{
        f"BatchedGames({name})": new(partial(BatchedGames, 3), name, *TAKES_NONE[name in NONE])
        for name in COMMON[:4]
    },
    **{
        f"{env}({name})": new(make, name, *TAKES.get(name, ()), *TAKES_NONE[name in NONE])
        for env, make in ENVS.items()
        for name in (*COMMON, *ONLY[env])
    },
}


# The error, words with the start of the value, and the entry points that refuse an argument so.
SAID: list[tuple[type[SpaceMissionError], str, tuple[str, ...]]] = [
    (RulesError, "num_players: expected 2 to 5, not {}", ("Game(num_players)", "BatchedGames(num_players)")),
    (SetupError, "observation: expected one of table, perfect_recall, not {}", ("Game(observation)",)),
    (SetupError, "reward: expected one of win, rank, score_margin, not {}", ("aec(reward)", "gym(reward)")),
    (
        SeedError,
        "seed: expected an integer from 0 to 2**63 - 1, not {}",
        ("Game.reset seed", "Game.determinize seed", "BatchedGames.deal seed", "aec reset seed"),
    ),
    (
        SetupError,
        "seat: expected 0 to 2, not {}",
        ("Game.observe", "Game.mask", "Game.information_state_key", "Game.determinize seat"),
    ),
    (IllegalActionError, "action ", ("Game.step", "Game.move_text", "aec step", "gym step")),
]


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_an_entry_point_refuses_what_is_wrong_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some calls write a file
    entry = ENTRY_POINTS[name]
    thing = entry.make()
    inner = getattr(thing, "unwrapped", thing)
    before = everything(inner)
    wrong = {kind: make for kind, make in KINDS.items() if kind not in entry.takes}
    if name in ("BatchedGames.deal_next", "BatchedGames.step index"):
        wrong |= TWICE
    said = [(error, words) for error, words, names in SAID if name in names]
    let_in = []
    for kind, make in wrong.items():
        try:
            entry.call(thing, make())
        except SpaceMissionError as error:
            text = str(error)
            assert text and text.isprintable() and len(text) <= 600, (kind, text)
            given = " ".join(shown(make()).split())[:9]
            if any(type(error) is not one or words.format(given) not in text for one, words in said):
                let_in.append(f"{kind}: {type(error).__name__}: {text}")
        except Exception as error:
            let_in.append(f"{kind}: {type(error).__name__}: {str(error)[:80]}")
        else:
            let_in.append(kind)
        assert everything(inner) == before, kind
    assert not let_in
    assert len(wrong) >= FEWEST
