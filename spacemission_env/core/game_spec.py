"""Describes a game to everything else: one `GameSpec`, found by the game's name.

Front ends, records, arena and training take it as an argument; nothing outside a game's own folders imports
that game. Other packages add games through the entry-point group `spacemission.games`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, Self, TypeVar, cast

import numpy as np

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.batch import Batch
from spacemission_env.core.constants import FINISHED
from spacemission_env.core.errors import RulesError, SetupError, did_you_mean, shown
from spacemission_env.core.layout import HEADER, Piece
from spacemission_env.core.reading import Json
from spacemission_env.version import __version__

GROUP = "spacemission.games"
DEFAULT_GAME = "space_mission"
PACKAGE = "spacemission-env"  # the distribution that this file is of

OBSERVATIONS = ("table", "perfect_recall")  # index: the `recall` argument of compiled functions

# What every numpy record has by itself. Compiled code reads a field of such a name, but without the JIT
# `s.size` is numpy's own.
RESERVED_NAMES = frozenset(name for name in dir(np.record) if not name.startswith("_"))
RENAMED = frozenset({"round"})  # pieces of a layout whose field in the observation's record has another name

BATCH_FUNCTIONS = tuple(function.name for function in fields(Batch))
T = TypeVar("T")


class Rules(Protocol):
    """Options of a game: frozen and hashable."""

    def for_players(self, num_players: int) -> Self:
        """The same with what depends on the number of players settled; RulesError where it cannot be."""

    def to_json(self) -> Json:
        """Every option and its value."""


class Components(Protocol):
    """What is in a game's box: frozen and hashable."""

    @property
    def name(self) -> str:
        """For people."""

    @property
    def sha256(self) -> str:
        """Digest of all that counts for the rules; records and models know the box by it."""

    def to_json(self) -> Json:
        """As a record's first line has it."""


class Picture(Protocol):
    """Draws a game and says what a move points at (docs/pictures.md). A module; it may also have `draw_tall`
    (for narrow pages, as `draw`) and `draw_small` (for few pixels, `view` and `theme` alone).
    """

    def draw(
        self,
        view: Mapping[str, object],
        *,
        theme: str = ...,
        legal: Sequence[int] = ...,
        changed: Sequence[str] = ...,
    ) -> str:
        """An SVG document of a view (`Game.seat_json`)."""

    def targets(self, view: Mapping[str, object], action: int) -> tuple[str, ...]:
        """Ids of the elements that one points at for a move of the view's seat, outermost first."""


def scale_of_parameters(parameters: np.ndarray) -> np.ndarray:
    """The field `scale` of the parameters: one over the unit of each number of the observation."""
    return np.array(parameters[0].scale)


def rank_by_total(scores: np.ndarray) -> np.ndarray:
    """The last category of scores (..., seats, categories), int64 (..., seats)."""
    return scores[..., -1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class GameSpec:
    """A game as everything else sees it.

    Attributes:
        name: as in `--game` and the entry point.
        env: name of the environment and its version, as in records and model cards.
        title: for people.
        min_players, max_players: how many can play.
        action_count: size of the flat action space.
        layout: pieces of the observation by name (`core/layout.py`); `observation_size` follows from it.
        layout_version: raised with each change of the layout.
        state: dtype of the record of one game; its fields contain `HEADER`.
        key_size: int32 numbers of an information-state key.
        score_names: categories of a score, the last one is the total; a game may have a single one.
        reward_names: ways to pay the end of a game; "win" is among them.
        batch: its compiled batch functions (`core/batch.py`).
        make_rules: options from a preset name, text, dict, or None.
        load_components: components from a path, or None for those that ship.
        make_parameters: (components, rules) to a read-only record (1,), which compiled functions take.
        recorded_components: (first line of a record) to an argument for `load_components`.
        state_problem: (state, parameters, num_players) to what cannot be of a state that was read, or None.
        game_class: "module:Class" of the game's `core.game.Game`.
        compact_units: (parameters) to float32 (observation_size,): what a 1 of the compact observation stands
            for in the float one. Whole numbers times these are the same as there, others within half of them.
        anchors: ratings of the agents by which the others are rated (arena), by number of players.
        rank_scores: scores (..., seats, categories) to int64 (..., seats): how they rank, larger is better,
            equal a tie; the same order as `ranks_batch` gives.
        default_players: how many sit at a table for which nobody says it; None: the fewest.
        only_finished_wins: nobody wins a game that was truncated; else who ranks first then wins.
        picture_module: a `Picture`; None: the text board is drawn (`pictures/plain.py`).
    """

    name: str
    env: str
    title: str
    min_players: int
    max_players: int
    action_count: int
    layout_version: int
    layout: Mapping[str, Piece]
    state: np.dtype[np.void]
    key_size: int
    score_names: tuple[str, ...]
    reward_names: tuple[str, ...]
    batch: Batch
    make_rules: Callable[[object], Rules]
    load_components: Callable[[object], Components]
    make_parameters: Callable[..., np.ndarray]  # of the game's own components and rules
    recorded_components: Callable[[Json], object]
    state_problem: Callable[[np.record, np.record, int], str | None]
    game_class: str
    compact_units: Callable[[np.ndarray], np.ndarray] = scale_of_parameters
    anchors: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    rank_scores: Callable[[np.ndarray], np.ndarray] = rank_by_total
    default_players: int | None = None
    only_finished_wins: bool = False
    picture_module: str | None = None

    def __post_init__(self) -> None:
        """Refuse a state that lacks a field of the header, or names that records have."""
        for name, (kind, shape) in HEADER.items():
            there = name in (self.state.names or ())
            if not there or self.state[name].base != np.dtype(kind) or self.state[name].shape != shape:
                raise SetupError(f"game {self.name}: state: expected a field {name!r} of {kind} {shape}")
        for what, names in (("state", self.state.names or ()), ("layout", set(self.layout) - RENAMED)):
            taken = sorted(RESERVED_NAMES.intersection(names))
            if taken:
                raise SetupError(
                    f"game {self.name}: {what}: numpy's records have a {taken[0]!r} of their own"
                )

    def __reduce__(self) -> tuple[Callable[[str], GameSpec], tuple[str]]:
        """Copies and pickles go by the name: a game is one object in each process."""
        return find_game, (self.name,)

    @cached_property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return sum(piece.size for piece in self.layout.values())

    def new_states(self, count: int) -> np.ndarray:
        """An array of so many blank games."""
        return np.zeros(count, self.state)

    @property
    def picture(self) -> Picture:
        """The drawing of a game, and what a move points at."""
        module = importlib.import_module(self.picture_module or "spacemission_env.pictures.plain")
        return cast(Picture, module)

    @property
    def player_numbers(self) -> str:
        """How many can play, as messages have it: "2 to 5", or "2"."""
        few, many = self.min_players, self.max_players
        return f"{few}" if few == many else f"{few} to {many}"

    def check_num_players(self, num_players: object) -> int:
        """The number of players, refused unless the game can be played by so many; of Python or numpy."""
        if not is_whole(num_players) or not self.min_players <= num_players <= self.max_players:
            raise RulesError(f"num_players: expected {self.player_numbers}, not {shown(num_players)}")
        return int(num_players)

    def table_players(self, num_players: int | None) -> int:
        """The number of players at a table: where nobody says (None), the game's own default."""
        default = self.default_players or self.min_players
        return self.check_num_players(default if num_players is None else num_players)

    def learner_players(self, num_players: int | None) -> int:
        """The same for who learns from others or is rated against them: where nobody says, the fewest."""
        return self.check_num_players(self.min_players if num_players is None else num_players)

    def default_parameters(self) -> np.ndarray:
        """The parameters of the box that ships with the rules as printed: one record (1,), read-only."""
        return _default_parameters(self)

    def winners(self, ranks: np.ndarray, over: np.ndarray) -> np.ndarray:
        """Who has won, bool (games, seats): who ranks first. Nobody has, where only a finished game is won.

        Args:
            ranks: int64 (games, seats), larger is better.
            over: how the games have ended, int8 (games,).
        """
        won: np.ndarray = ranks == ranks.max(1, keepdims=True)
        return won & (over == FINISHED)[:, None] if self.only_finished_wins else won

    def reward_mode(self, reward: str) -> int:
        """Index of a reward by its name; SetupError for another."""
        return check_choice("reward", reward, self.reward_names)


@lru_cache(maxsize=64)
def _default_parameters(spec: GameSpec) -> np.ndarray:
    return spec.make_parameters(spec.load_components(None), spec.make_rules(None))


def check_choice(what: str, value: object, choices: tuple[str, ...]) -> int:
    """Index of a named choice, refused with one line where it is unknown."""
    if not isinstance(value, str) or value not in choices:
        raise SetupError(f"{what}: expected one of {', '.join(choices)}, not {shown(value)}")
    return choices.index(value)


# ---------------------------------------------------------------- found by entry points


def entries_of(*groups: str) -> dict[str, EntryPoint]:
    """The entries of some groups by their names; of one name in two groups the later group's counts."""
    return {entry.name: entry for group in groups for entry in entry_points(group=group)}


def load_of_game(group: str, game: str, kind: type[T]) -> T | None:
    """What an entry-point group has of a game, by the game's name; None where it has nothing.

    Raises:
        SetupError: the entry is of another kind, or of another game.
    """
    entry = entries_of(group).get(game)
    if entry is None:
        return None
    found = entry.load()
    if not isinstance(found, kind) or getattr(found, "name", None) != game:
        raise SetupError(f"game {game!r}: {entry.value} is no {kind.__name__} of this name")
    return found


def game_names() -> list[str]:
    """Names of all games that are installed."""
    return sorted(entries_of(GROUP))


@lru_cache(maxsize=64)
def _loaded(name: str) -> GameSpec | None:
    return load_of_game(GROUP, name, GameSpec)


def find_game(game: object = DEFAULT_GAME) -> GameSpec:
    """A game by its name, or itself; SetupError where no game of this name is installed."""
    if isinstance(game, GameSpec):
        return game
    spec = _loaded(game) if isinstance(game, str) else None
    if spec is None:
        near = did_you_mean(str(game), game_names())
        raise SetupError(f"game: expected one of {', '.join(game_names())}, not {shown(game)}{near}")
    return spec


def version_of(spec: GameSpec) -> str:
    """Version of this package, and of the package that brings the game where that is another one."""
    entry = entries_of(GROUP).get(spec.name)
    if entry is None or entry.dist is None or entry.dist.name == PACKAGE:
        return __version__
    return f"{__version__}, {entry.dist.name} {entry.dist.version}"


def game_of_env(env: object) -> GameSpec | None:
    """The game whose records and models carry this `env`, or None."""
    return next((spec for spec in loadable_games() if spec.env == env), None)


def loadable_games() -> list[GameSpec]:
    """The installed games, without those that cannot be loaded: they must not be in the way of the others."""
    specs = []
    for name in game_names():
        with suppress(Exception):  # of whoever made the package
            specs.append(find_game(name))
    return specs
