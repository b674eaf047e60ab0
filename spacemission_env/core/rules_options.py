"""Reads and checks rules options given as text, dict, or frozen dataclass."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.errors import RulesError, SetupError, shown
from spacemission_env.core.reading import Json, check_plain

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R", bound="DataclassInstance")
START = "start_player"  # the option for the seat that begins; its value may be `RANDOM`
RANDOM = "random"  # the deal draws who begins
WORDS: dict[str, object] = {"true": True, "on": True, "false": False, "off": False, RANDOM: RANDOM}


def check_options(
    rules: DataclassInstance, ranges: Mapping[str, tuple[int, int]], skip: Collection[str] = ()
) -> None:
    """Check every field: a whole number in its range, or a boolean if it has no range.

    `START` may also be `RANDOM`.

    Args:
        rules: a rules dataclass.
        ranges: lowest and highest value by option.
        skip: options that the game has checked itself.

    Raises:
        RulesError: names the option and its allowed values.
    """
    for option in fields(rules):
        value = getattr(rules, option.name)
        if option.name in skip or (option.name == START and isinstance(value, str) and value == RANDOM):
            continue
        if option.name in ranges:
            low, high = ranges[option.name]
            if type(value) is not int or not low <= value <= high:
                expected = f"expected a whole number from {low} to {high}"
                if option.name == START:
                    expected = f"expected {RANDOM!r} or a seat, {low} to {high}"
                raise RulesError(f"rules: {option.name}: {expected}, not {shown(value)}")
        elif type(value) is not bool:
            raise RulesError(f"rules: {option.name}: expected true or false, not {shown(value)}")


def check_start(start: int | str, num_players: int) -> None:
    """Raise RulesError if the option `START` is no seat of a game for this many players."""
    if not isinstance(start, str) and start >= num_players:
        raise RulesError(f"rules: {START}: there is no seat {start} with {num_players} players")


def check_setup_start(start: object, agreed: int, num_players: int) -> None:
    """Check the start player of a set-up; `agreed`: the seat in the option `START`, negative for `RANDOM`.

    Raises:
        SetupError: `start` is no seat, or not the seat in the option.
    """
    if not is_whole(start) or not 0 <= start < num_players:
        raise SetupError(f"setup: {START}: expected 0 to {num_players - 1}, not {shown(start)}")
    if agreed >= 0 and start != agreed:
        raise SetupError(f"setup: {START}: {start}, but by the rules option seat {agreed} begins")


def read_options(given: object, presets: Mapping[str, R], words: Mapping[str, object] = WORDS) -> R:
    """Rules from None, a preset's name, a dict, ``"preset,option=value,…"``, or a rules object.

    Args:
        given: what a user or a record gives.
        presets: the game's presets by name; None and a dict start from the first one.
        words: the meaning of text values that are not numbers.

    Raises:
        RulesError: names the preset or the option.
    """
    rules = next(iter(presets.values()))
    if isinstance(given, type(rules)):
        return given
    if isinstance(given, str):
        first, *parts = (part.strip() for part in given.split(","))
        if "=" in first:
            parts = [first, *parts]
        elif first in presets:
            rules = presets[first]
        else:
            raise RulesError(f"rules: unknown preset {shown(first)}; known: {', '.join(presets)}")
        given = dict(_assignment(part, words) for part in parts)
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise RulesError(f"rules: expected a preset name or a dict of options, not {shown(given)}")
    try:
        check_plain(given)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"rules: {error}") from None
    known = [option.name for option in fields(rules)]
    for name in given:
        if name not in known:
            raise RulesError(f"rules: unknown option {shown(name)}; known: {', '.join(known)}")
    return replace(rules, **given)


def _assignment(part: str, words: Mapping[str, object]) -> tuple[str, object]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals:
        raise RulesError(f"rules: expected option=value, not {shown(part)}")
    try:
        return name, words[value.lower()] if value.lower() in words else int(value)
    except ValueError:
        raise RulesError(f"rules: {name}: cannot read the value {shown(value)}") from None


@dataclass(frozen=True)
class WholeNumberRules:
    """Base class of rules with whole numbers and booleans; a game adds the fields and their `RANGES`."""

    RANGES: ClassVar[Mapping[str, tuple[int, int]]]  # lowest and highest value of each whole number

    def __post_init__(self) -> None:
        """Check the values; RulesError names the option and its range."""
        check_options(self, self.RANGES)

    def for_players(self, num_players: int) -> Self:
        """The same rules; RulesError if the option `start_player` is no seat for so many players."""
        check_start(getattr(self, START, RANDOM), num_players)
        return self

    def to_json(self) -> Json:
        """Every option and its value."""
        return asdict(self)

    @classmethod
    def make(cls, rules: object = None) -> Self:
        """Options from None, "printed", a dict, ``"ante=2"`` or a rules object; otherwise RulesError."""
        return read_options(rules, {"printed": cls()})
