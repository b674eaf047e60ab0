"""Declares the rules options of Planet Hexx."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spacemission_env.core.errors import ComponentsError, RecordError, shown
from spacemission_env.core.reading import Json
from spacemission_env.core.rules_options import RANDOM, WholeNumberRules, read_options
from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.components.parse import components_from_data
from spacemission_env.games.planet_hexx.engine.constants import HAND, MAX_PLAYERS


@dataclass(frozen=True)
class Rules(WholeNumberRules):
    """The rules options; creating a `Rules` checks all its values.

    Attributes:
        max_turns: a game is truncated after this number of turns of each player.
        equal_turns: the game ends only at the end of a round (HX-54).
        always_ask: windows ask every seat, even without a Surprise, so that asking reveals nothing (HX-44).
        hand_size: cards in a hand at the start and at the end of a turn (HX-7, HX-9).
        actions_per_turn: Actions in a turn (HX-8).
        upload_cost: cost of an Upload Action in Data (HX-35).
        immediate_upload_cost: cost of an immediate Upload in Data (HR-27).
        movable_bases: the Space Base and Delta Colony can be moved (HR-28).
        split_board: hexes can be removed or moved even if the board is not connected afterwards (HR-29).
        copy_cancelled: a cancelled Event can be copied (HR-30).
        start_player: "random", or the seat that begins, if the group has agreed on one (HX-3).
    """

    RANGES: ClassVar = {
        "max_turns": (1, 1000),
        "hand_size": (1, HAND),
        "actions_per_turn": (1, 6),
        "upload_cost": (0, 20),
        "immediate_upload_cost": (0, 20),
        "start_player": (0, MAX_PLAYERS - 1),
    }
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
    start_player: int | str = RANDOM


PRESETS = {
    "printed": Rules(),
    # For the deck "tiny": small enough to walk the whole game tree with two players.
    "tiny": Rules(max_turns=3, hand_size=1, actions_per_turn=1, upload_cost=0, start_player=0),
}


def make_rules(rules: object = None) -> Rules:
    """Make options from None, a preset's name, a dict, a text such as "max_turns=30", or `Rules`.

    Raises:
        RulesError: an option is unknown or out of range.
    """
    return read_options(rules, PRESETS)


def recorded_components(header: Json) -> Deck:
    """The deck in the header of a record."""
    recorded = header.get("components")
    if not isinstance(recorded, dict):
        raise RecordError(f"components: expected an object, not {shown(recorded)}")
    data = {key: value for key, value in recorded.items() if key != "sha256"}
    try:
        return components_from_data(data, "components")
    except ComponentsError as error:
        raise RecordError(str(error)) from None
