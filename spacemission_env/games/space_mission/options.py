"""Declares the rules options and presets (docs/rules_options.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spacemission_env.core.rules_options import (
    RANDOM,
    WORDS,
    WholeNumberRules,
    check_options,
    read_options,
)
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS, SLOTS, SPACE_TILES

DEFAULT_END = {2: 6, 3: 8, 4: 10, 5: 12}  # SM-50

# Inclusive ranges of the whole-number options.
RANGES = {
    "chips_per_player": (1, 100),
    "hand_size": (1, SLOTS),
    "actions_per_turn": (1, 4),
    "space_tiles_to_end": (1, SPACE_TILES),
    "max_rounds": (1, 10_000),
    "start_player": (0, MAX_PLAYERS - 1),
}


@dataclass(frozen=True)
class Rules(WholeNumberRules):
    """All rules options. The values are checked; presets are values of this class.

    Attributes:
        reserved_tiles_visible: a player may look at any time at its reserved tiles, and at what was left in
            a pile at its last visit (SM-33, online rules). This matters only with
            `observation="table"`, because perfect recall remembers them anyway.
        space_tile_penalty: taking a space tile at a tile pick is legal and costs 10 points (SM-66).
        chips_per_player: chips of each player (SM-01).
        hand_size: number of cards to which a top-up fills the hand, at most 5 (SM-21).
        actions_per_turn: actions in a turn (SM-20).
        gate_points_without_probe: players without a probe on the gate are ranked there too (SM-61).
        space_tiles_to_end: number of revealed space tiles that triggers the end; None: 6, 8, 10 or 12
            with 2, 3, 4 or 5 players (SM-50).
        max_rounds: full rounds after which a game is truncated (SM-53).
        start_player: "random", or the seat that begins (0 to 4), if the group has agreed on one (SM-07).
        empty_top_up: topping up with a full hand and no discard is legal; it is in effect a pass (SM-22).
        scan_face_up: a planet whose pile is used up or lies face up may be scanned while it is
            undeveloped; such a scan gains only the right to develop (SM-35).
    """

    reserved_tiles_visible: bool = False
    space_tile_penalty: bool = False
    chips_per_player: int = 20
    hand_size: int = 5
    actions_per_turn: int = 2
    gate_points_without_probe: bool = False
    space_tiles_to_end: int | None = None
    max_rounds: int = 100
    start_player: int | str = RANDOM
    empty_top_up: bool = True
    scan_face_up: bool = False

    def __post_init__(self) -> None:
        """Check the values; RulesError names the option and its range."""
        check_options(self, RANGES, ("space_tiles_to_end",) if self.space_tiles_to_end is None else ())

    def for_players(self, num_players: int) -> Rules:
        """The same rules with `space_tiles_to_end` set to its number for this many players.

        Raises:
            RulesError: `start_player` is no seat of this game.
        """
        super().for_players(num_players)
        if self.space_tiles_to_end is not None:
            return self
        return replace(self, space_tiles_to_end=DEFAULT_END[num_players])


PRESETS: dict[str, Rules] = {
    "printed": Rules(),
    "yucata": Rules(reserved_tiles_visible=True),
    # For the components file "tiny". With two players, the whole tree of the game is small enough to walk.
    "tiny": Rules(
        chips_per_player=2,
        hand_size=2,
        actions_per_turn=1,
        space_tiles_to_end=1,
        max_rounds=3,
        start_player=0,
        empty_top_up=False,
    ),
}


def make_rules(rules: object = "printed") -> Rules:
    """Make rules from a preset name, ``"preset,option=value,…"``, a dict of options, or `Rules`.

    Raises:
        RulesError: one line that names the refused preset or option.
    """
    return read_options(rules, PRESETS, WORDS | {"none": None})
