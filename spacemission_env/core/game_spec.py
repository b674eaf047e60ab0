"""Describes each game to general code by one `GameSpec`, which is found by name.

Front ends, records, the arena and training take it as an argument. Only a game's own folders import the game.
Other packages add games through the entry-point group `spacemission.games`.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar, cast

import numpy as np

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.batch_template import Batch
from spacemission_env.core.constants import FINISHED
from spacemission_env.core.errors import RulesError, SetupError, did_you_mean, shown
from spacemission_env.core.layout import HEADER, Piece
from spacemission_env.core.reading import Json
from spacemission_env.version import __version__

GROUP = "spacemission.games"
DEFAULT_GAME = "space_mission"
PACKAGE = "spacemission-env"  # this distribution

OBSERVATIONS = ("table", "perfect_recall")  # an index is `recall` in compiled functions

# Attributes of every numpy record: without the JIT, `s.size` would not be a field of that name.
RESERVED_NAMES = frozenset(name for name in dir(np.record) if not name.startswith("_"))
RENAMED = frozenset({"round"})  # pieces that have another name in the observation's record

T = TypeVar("T")


class Rules(Protocol):
    """Options of a game: frozen and hashable."""

    def for_players(self, num_players: int) -> Self:
        """The same rules, resolved for a number of players; RulesError if that is impossible."""

    def to_json(self) -> Json:
        """Every option and its value."""


class Components(Protocol):
    """Components of a game, such as cards and tiles: frozen and hashable."""

    @property
    def name(self) -> str:
        """The name that people see."""

    @property
    def sha256(self) -> str:
        """Digest of all that affects the rules; it identifies the components in records and models."""

    def to_json(self) -> Json:
        """The entry in a record's first line."""


class Picture(Protocol):
    """A module that draws a game and maps moves to elements (docs/pictures.md).

    It may also have `draw_tall` (for narrow pages, as `draw`), `draw_small` (for few pixels, with `view` and
    `theme` only) and `prompt(view)` (what the seat to act is asked, in words, for the page).
    """

    def draw(
        self,
        view: Mapping[str, object],
        *,
        theme: str = ...,
        legal: Sequence[int] = ...,
        changed: Sequence[str] = ...,
    ) -> str:
        """Draw a view (`Game.seat_json`) as an SVG document."""

    def targets(self, view: Mapping[str, object], action: int) -> tuple[str, ...]:
        """Ids of the elements to click, in any order, to make a move of the view's seat."""


@dataclass(frozen=True)
class Limits:
    """Bounds of a game for libraries that ask for them (`openspiel.py`); the defaults hold for most games.

    Attributes:
        decisions: maximum number of decisions in a game.
        outcomes: maximum number of outcomes of a draw.
        rewards: lowest and highest reward by name; not needed for "win" and "rank".
        zero_sum: names of rewards that add up to 0.
    """

    decisions: int = 2**31 - 2**16
    outcomes: int = 1024
    rewards: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    zero_sum: tuple[str, ...] = ("rank",)

    def bounds(self, reward: str) -> tuple[float, float]:
        """The lowest and the highest reward."""
        most = 1.0 if reward in ("win", "rank") else 1e6
        return self.rewards.get(reward, (-most, most))


def any_limits(rules: Rules, num_players: int) -> Limits:
    """The bounds of a game that does not know its own."""
    return Limits()


def scale_of_parameters(parameters: np.ndarray) -> np.ndarray:
    """The field `scale` of the parameters: 1 / unit for each number of the observation."""
    return np.array(parameters[0].scale)


@dataclass(frozen=True, eq=False)
class GameSpec:
    """Everything that general code needs to know about a game.

    Attributes:
        name: as in `--game` and the entry point.
        env: name and version of the environment, as in records and model cards.
        title: the name that people see.
        min_players, max_players: smallest and largest number of players.
        action_count: size of the flat action space.
        layout: pieces of the observation by name (`core/layout.py`).
        layout_version: increased with each change of the layout.
        state: dtype of the record of one game; its fields include `HEADER`.
        key_size: number of int32 values of an information-state key.
        score_names: categories of a score; the last one is the total.
        reward_names: kinds of final reward; "win" is one of them.
        batch: compiled batch functions (`core/batch_template.py`).
        make_rules: rules from a preset name, text, dict, or None.
        load_components: components from a path, or the default ones (None).
        make_parameters: (components, rules) → read-only record (1,) for compiled functions.
        recorded_components: (first line of a record) → argument of `load_components`.
        game_class: "module:Class" of the game's `core.game.Game`.
        compact_units: (parameters) → float32 (observation_size,): factors from compact to float
            observations, exact for whole numbers and otherwise within half a unit.
        anchors: fixed ratings of reference agents (arena), by number of players.
        default_players: number of players at a table by default; None: the minimum.
        only_finished_wins: whether a truncated game has no winner; otherwise the first in rank wins it.
        limits: (rules for this number of players, num_players) → bounds.
        picture_module: name of a module, a `Picture`; None: draw the text board (`pictures/plain.py`).
        how_to_play: text on the web page about the goal, a turn, the end and points. It may have paragraphs,
            "## " headings, "- " items and **bold** words; the first paragraph is the goal.
        rules_text: the rules with their ids, for language models: the short form, then a line "---", then
            what the long form adds.
        move_forms: forms of `Game.move_text` with their meanings: `("jump PLANET CARD", "…")`. Words in
            capitals stand for names; the first word is the kind of move.
        own_words: words by which the game could be recognised, besides its title and the names of its
            components; "|" separates the variants of a word ("fly|flies").
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
    make_parameters: Callable[..., np.ndarray]  # takes the game's own components and rules
    recorded_components: Callable[[Json], object]
    game_class: str
    compact_units: Callable[[np.ndarray], np.ndarray] = scale_of_parameters
    anchors: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    default_players: int | None = None
    only_finished_wins: bool = False
    limits: Callable[..., Limits] = any_limits  # takes the game's own rules
    picture_module: str | None = None
    how_to_play: str = ""
    rules_text: str = ""
    move_forms: tuple[tuple[str, str], ...] = ()
    own_words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a state without a header field, and names that numpy records reserve."""
        for name, (kind, shape) in HEADER.items():
            there = name in (self.state.names or ())
            if not there or self.state[name].base != np.dtype(kind) or self.state[name].shape != shape:
                raise SetupError(f"game {self.name}: state: expected a field {name!r} of {kind} {shape}")
        for what, names in (("state", self.state.names or ()), ("layout", set(self.layout) - RENAMED)):
            taken = sorted(RESERVED_NAMES.intersection(names))
            if taken:
                raise SetupError(f"game {self.name}: {what}: numpy records reserve the name {taken[0]!r}")

    def __reduce__(self) -> tuple[Callable[[str], GameSpec], tuple[str]]:
        """Copy and pickle by name: each process has one object per game."""
        return find_game, (self.name,)

    @cached_property
    def observation_size(self) -> int:
        """Length of an observation."""
        return sum(piece.size for piece in self.layout.values())

    def new_states(self, count: int) -> np.ndarray:
        """An array of `count` games that are not dealt."""
        return np.zeros(count, self.state)

    @property
    def picture(self) -> Picture:
        module = importlib.import_module(self.picture_module or "spacemission_env.pictures.plain")
        return cast(Picture, module)

    @property
    def player_numbers(self) -> str:
        """Allowed numbers of players in messages: "2 to 5", or "2"."""
        few, many = self.min_players, self.max_players
        return f"{few}" if few == many else f"{few} to {many}"

    def check_num_players(self, num_players: object) -> int:
        """A number of players as an int; RulesError if the game does not allow it."""
        if not is_whole(num_players) or not self.min_players <= num_players <= self.max_players:
            raise RulesError(f"num_players: expected {self.player_numbers}, not {shown(num_players)}")
        return int(num_players)

    def table_players(self, num_players: int | None) -> int:
        """The number of players of a game without a learner; None: the game's default."""
        default = self.default_players or self.min_players
        return self.check_num_players(default if num_players is None else num_players)

    def learner_players(self, num_players: int | None) -> int:
        """The number of players for a learner or a rating; None: the minimum."""
        return self.check_num_players(self.min_players if num_players is None else num_players)

    @cached_property
    def payoff(self) -> str:
        """The reward for exact solutions and OpenSpiel: the last reward that sums to zero, else "win"."""
        zero_sum = self.limits(self.make_rules(None), self.table_players(None)).zero_sum
        return next((name for name in reversed(self.reward_names) if name in zero_sum), "win")

    def default_parameters(self) -> np.ndarray:
        """Parameters of the default components and the printed rules: one record (1,), read-only."""
        return _default_parameters(self)

    def ranks(self, scores: np.ndarray) -> np.ndarray:
        """Convert scores (..., seats, categories) to the numbers that rank the seats, int64 (..., seats):
        larger is better, equal is a tie.
        """
        flat = np.ascontiguousarray(scores, np.int64).reshape(-1, *scores.shape[-2:])
        out = np.zeros(flat.shape[:2], np.int64)
        self.batch.ranks_batch(flat, out)
        return out.reshape(scores.shape[:-1])

    def winners(self, ranks: np.ndarray, over: np.ndarray) -> np.ndarray:
        """The winners, bool (games, seats): the seats ranked first; with `only_finished_wins`, an unfinished
        game has none.

        Args:
            ranks: int64 (games, seats), larger is better.
            over: the states' field `over`, int8 (games,).
        """
        won: np.ndarray = ranks == ranks.max(1, keepdims=True)
        return won & (over == FINISHED)[:, None] if self.only_finished_wins else won

    def reward_mode(self, reward: str) -> int:
        """Index of a reward by name; SetupError if it is unknown."""
        return check_choice("reward", reward, self.reward_names)


def read_texts(folder: Path) -> dict[str, Any]:
    """The texts of a `GameSpec` in a game's `data` folder: how_to_play.md, rules.md and texts.toml."""
    texts = tomllib.loads((folder / "texts.toml").read_text("utf-8"))
    return {
        "how_to_play": (folder / "how_to_play.md").read_text("utf-8"),
        "rules_text": (folder / "rules.md").read_text("utf-8"),
        "move_forms": tuple(texts["move_forms"].items()),
        "own_words": tuple(texts["own_words"]),
    }


@lru_cache(maxsize=64)
def _default_parameters(spec: GameSpec) -> np.ndarray:
    return spec.make_parameters(spec.load_components(None), spec.make_rules(None))


def check_choice(what: str, value: object, choices: tuple[str, ...]) -> int:
    """Index of a named choice; SetupError if it is unknown."""
    if not isinstance(value, str) or value not in choices:
        raise SetupError(f"{what}: expected one of {', '.join(choices)}, not {shown(value)}")
    return choices.index(value)


# ---------------------------------------------------------------- found by entry points


def entries_of(*groups: str) -> dict[str, EntryPoint]:
    """Entry points of some groups by name; a later group takes precedence."""
    return {entry.name: entry for group in groups for entry in entry_points(group=group)}


def load_of_game(group: str, game: str, kind: type[T]) -> T | None:
    """Load a game's entry of an entry-point group; None if the group has none for this game.

    Raises:
        SetupError: the entry has another type, or belongs to another game.
    """
    entry = entries_of(group).get(game)
    if entry is None:
        return None
    found = entry.load()
    if not isinstance(found, kind) or getattr(found, "name", None) != game:
        raise SetupError(f"game {game!r}: {entry.value} is no {kind.__name__} of this name")
    return found


def game_names() -> list[str]:
    """Names of all installed games."""
    return sorted(entries_of(GROUP))


@lru_cache(maxsize=64)
def _loaded(name: str) -> GameSpec | None:
    return load_of_game(GROUP, name, GameSpec)


def find_game(game: object = DEFAULT_GAME) -> GameSpec:
    """The game with this name, or the given `GameSpec` itself; SetupError if no such game is installed."""
    if isinstance(game, GameSpec):
        return game
    spec = _loaded(game) if isinstance(game, str) else None
    if spec is None:
        near = did_you_mean(str(game), game_names())
        raise SetupError(f"game: expected one of {', '.join(game_names())}, not {shown(game)}{near}")
    return spec


def version_of(spec: GameSpec) -> str:
    """Version of this package, and of the game's package if that is another one."""
    entry = entries_of(GROUP).get(spec.name)
    if entry is None or entry.dist is None or entry.dist.name == PACKAGE:
        return __version__
    return f"{__version__}, {entry.dist.name} {entry.dist.version}"


def game_of_env(env: object) -> GameSpec | None:
    """The game whose records and models have this `env`, or None."""
    return next((spec for spec in loadable_games() if spec.env == env), None)


def loadable_games() -> list[GameSpec]:
    """The installed games that load without an error."""
    specs = []
    for name in game_names():
        with suppress(Exception):  # another package may raise anything
            specs.append(find_game(name))
    return specs
