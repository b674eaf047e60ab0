"""Rules options of Planet Hexx, declared once."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from spacemission_env.core.errors import ComponentsError, RecordError, RulesError, shown
from spacemission_env.core.reading import check_plain
from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.components.reading import components_from_data
from spacemission_env.games.planet_hexx.engine.constants import HAND

# Inclusive ranges of the whole-number options.
RANGES = {
    "max_turns": (1, 1000),
    "hand_size": (1, HAND),
    "actions_per_turn": (1, 6),
    "upload_cost": (0, 20),
    "immediate_upload_cost": (0, 20),
}


@dataclass(frozen=True)
class Rules:
    """Every rules option. Values are checked when made.

    Attributes:
        max_turns: turns of each player after which a game is truncated.
        equal_turns: a round is finished before the game ends (HX-54).
        always_ask: in windows everybody is asked, card or not, so that being asked tells nothing (HX-44).
        hand_size: cards of a hand at the start and at the end of a turn (HX-7, HX-9), at most 12.
        actions_per_turn: Actions in a turn (HX-8).
        upload_cost: Data that an Upload Action costs (HX-35).
        immediate_upload_cost: Data that an immediate Upload costs (HR-27).
        movable_bases: the Space Base and Delta Colony can be moved (HR-28).
        split_board: hexes can be taken away or moved though the board then falls apart (HR-29).
        copy_cancelled: an Event that was cancelled can still be copied (HR-30).
    """

    max_turns: int = 50
    equal_turns: bool = False
    always_ask: bool = False
    hand_size: int = 6
    actions_per_turn: int = 3
    upload_cost: int = 3
    immediate_upload_cost: int = 0
    movable_bases: bool = False
    split_board: bool = False
    copy_cancelled: bool = True

    def __post_init__(self) -> None:
        """Check every value; RulesError names the option and its range."""
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name in RANGES:
                low, high = RANGES[option.name]
                if type(value) is not int or not low <= value <= high:
                    expected = f"expected a whole number from {low} to {high}"
                    raise RulesError(f"rules: {option.name}: {expected}, not {shown(value)}")
            elif type(value) is not bool:
                raise RulesError(f"rules: {option.name}: expected true or false, not {shown(value)}")

    def for_players(self, num_players: int) -> Rules:
        """The same: nothing depends on the number of players."""
        return self

    def to_json(self) -> dict[str, Any]:
        """Every option and its value."""
        return asdict(self)


OPTIONS = tuple(option.name for option in fields(Rules))


def make_rules(rules: Any = None) -> Rules:
    """Options from None or "printed", a dict, ``"equal_turns=true,max_turns=30"``, or themselves.

    Raises:
        RulesError: naming the option.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str):
        rules = _from_text(rules)
    given = {} if rules is None else rules
    if not isinstance(given, dict):
        raise RulesError(f"rules: expected a preset name or a dict of options, not {shown(given)}")
    try:
        check_plain(given)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"rules: {error}") from None
    for name in given:
        if name not in OPTIONS:
            raise RulesError(f"rules: unknown option {shown(name)}; known: {', '.join(OPTIONS)}")
    return Rules(**given)


def _from_text(text: str) -> dict[str, Any]:
    """Options from ``"printed,option=value,…"``."""
    first, *parts = (part.strip() for part in text.split(","))
    if "=" in first:
        parts = [first, *parts]
    elif first != "printed":
        raise RulesError(f"rules: unknown preset {shown(first)}; known: printed")
    options: dict[str, Any] = {}
    words = {"true": True, "on": True, "false": False, "off": False}
    for part in parts:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise RulesError(f"rules: expected option=value, not {shown(part)}")
        try:
            options[name] = words[value.lower()] if value.lower() in words else int(value)
        except ValueError:
            raise RulesError(f"rules: {name}: cannot read the value {shown(value)}") from None
    return options


def recorded_rules(header: dict[str, Any]) -> Any:
    """The options in the first line of a record."""
    rules = header.get("rules")
    if not isinstance(rules, dict) or set(rules) != set(OPTIONS):
        raise RecordError(f"rules: expected an object with {', '.join(OPTIONS)}, not {shown(rules)}")
    return rules


def recorded_components(header: dict[str, Any]) -> Deck:
    """The deck in the first line of a record: made from what the line holds."""
    recorded = header.get("components")
    if not isinstance(recorded, dict):
        raise RecordError(f"components: expected an object, not {shown(recorded)}")
    data = {key: value for key, value in recorded.items() if key != "sha256"}
    try:
        return components_from_data(data, "components")
    except ComponentsError as error:
        raise RecordError(str(error)) from None
