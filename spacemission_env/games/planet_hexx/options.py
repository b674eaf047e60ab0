"""Declares the rules options of Planet Hexx."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from spacemission_env.core.errors import ComponentsError, RecordError, shown
from spacemission_env.core.rules_options import check_options, read_options
from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.components.parse import components_from_data
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
        check_options(self, RANGES)

    def for_players(self, num_players: int) -> Rules:
        return self

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


PRESETS = {"printed": Rules()}


def make_rules(rules: Any = None) -> Rules:
    """Options from None or "printed", a dict, ``"equal_turns=true,max_turns=30"``, or themselves.

    Raises:
        RulesError: naming the option.
    """
    return read_options(rules, PRESETS)


def recorded_components(header: dict[str, Any]) -> Deck:
    """The deck in the first line of a record."""
    recorded = header.get("components")
    if not isinstance(recorded, dict):
        raise RecordError(f"components: expected an object, not {shown(recorded)}")
    data = {key: value for key, value in recorded.items() if key != "sha256"}
    try:
        return components_from_data(data, "components")
    except ComponentsError as error:
        raise RecordError(str(error)) from None
