"""Declares the observation layout: each piece's name, place, shape, range, meaning and rule.

Every number is a float32 in [0, 1]: a whole number (in `EXPECTED` pieces a mean) divided by the `unit` of its
piece. "Relative seat" k sits k places clockwise from the observer, who is 0; absent seats have zeros. Ring
positions are absolute, 0 to 7. docs/observation.md is generated from this module.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spacemission_env.core import layout as core
from spacemission_env.core.layout import as_record, mask_record, placed
from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    ACTION_KINDS,
    CARD_FEATURES,
    CARDS,
    KINDS,
    LAST_ACTIONS,
    MAX_PLAYERS,
    PILE,
    PLANET_FEATURES,
    RING,
    SLOTS,
    SPACE_TILES,
    TILES,
)

LAYOUT_VERSION = 2
MOST_ROUNDS = 10_000
OLDEST = 32  # maximum age of a memory, in rounds


@dataclass(frozen=True)
class Piece(core.Piece):
    """A named piece of the observation vector. A unit given by name is a field of `PARAMETERS`.

    Attributes:
        recall: whether the piece is memory, which is zero in `observation="table"`.
        ring_axis: the axis that runs around the ring of planets, if any.
    """

    recall: bool = False
    ring_axis: int | None = field(default=None, kw_only=True)


_SEATS = MAX_PLAYERS
_OTHERS = MAX_PLAYERS - 1
# fmt: off
_PIECES = (
    Piece("num_players", (4,), 1, "one-hot 2, 3, 4, 5", "number of players", "SM-01"),
    Piece("phase", (5,), 1, "one-hot",
          "action, pick to reserve, pick of the developer, pick to discover, over", "SM-70"),
    Piece("player_to_act", (_SEATS,), 1, "one-hot, relative seat; zero when over",
          "whose decision it is", "SM-70"),
    Piece("start_player", (_SEATS,), 1, "one-hot, relative seat", "who began", "SM-07"),
    Piece("actions_left", (1,), 4, "count", "actions still to be begun in this turn", "SM-20"),
    Piece("round", (1,), "max_rounds", "from 1", "the round", "SM-53"),
    Piece("max_rounds", (1,), MOST_ROUNDS, "count", "the round limit", "SM-53"),
    Piece("last_round", (1,), 1, "0 or 1", "the end has been triggered", "SM-50"),
    Piece("revealed", (1,), SPACE_TILES, "count", "space tiles lying face up", "SM-50"),
    Piece("space_tiles_to_end", (1,), SPACE_TILES, "count", "how many of them trigger the end", "SM-50"),
    Piece("draw_pile_size", (1,), CARDS, "count", "cards in the draw pile", "SM-70"),
    Piece("hand", (SLOTS, CARD_FEATURES), 1, "0 or 1: shows 1, 2, 3, 4, joker, for jump, scan, landing",
          "own hand by slot; an empty slot is zero", "SM-71"),
    Piece("planets", (RING, PLANET_FEATURES), 2, "one-hot jump, one-hot scan (as 2), count of landing 1 to 4",
          "coordinates of the planet at each ring position", "SM-11", ring_axis=0),
    Piece("ships", (_SEATS, RING), 1, "one-hot; all zero on the gate", "ship of each relative seat", "SM-70",
          ring_axis=1),
    Piece("stations", (_SEATS, RING), 1, "0 or 1", "the relative seat has its station there", "SM-43",
          ring_axis=1),
    Piece("scanned", (_SEATS, RING), 1, "0 or 1", "the relative seat has scanned there", "SM-40",
          ring_axis=1),
    Piece("seen", (_SEATS, RING), 1, "0 or 1", "the relative seat has looked through that pile", "SM-70",
          ring_axis=1),
    Piece("reserved", (_SEATS, RING), PILE, "count", "tiles the relative seat has reserved there", "SM-31",
          ring_axis=1),
    Piece("tiles_left", (RING,), PILE, "count", "tiles in the pile", "SM-70", ring_axis=0),
    Piece("face_up", (RING,), PILE, "count", "space tiles lying face up there", "SM-46", ring_axis=0),
    Piece("supply", (_SEATS,), "chips_per_player", "count",
          "chips in the supply of the relative seat", "SM-28"),
    Piece("gate", (_SEATS,), "chips_per_player", "count",
          "probes of the relative seat on the jump gate", "SM-24"),
    Piece("hand_size", (_SEATS,), SLOTS, "count", "cards in the hand of the relative seat", "SM-70"),
    Piece("tile_total", (_SEATS,), TILES, "count", "tiles the relative seat has collected", "SM-70"),
    Piece("discard", (CARDS,), "copies", "count",
          "discard pile by card, in the order of the components file (repeated cards at the first)", "SM-27"),
    Piece("tiles", (KINDS,), "tile_count", "count", "own collected tiles by kind", "SM-71"),
    Piece("pile_in_view", (KINDS,), PILE, "count", "at an own tile pick: the pile, by kind", "SM-71"),
    Piece("reserved_kinds", (RING, KINDS), PILE, "count",
          "own reserved tiles by kind (in table mode only with reserved_tiles_visible)", "SM-33", True,
          ring_axis=0),
    Piece("remembered", (RING, KINDS), PILE, "count",
          "what was left in the pile when this seat last looked (in table mode as the piece before)",
          "SM-71", True, ring_axis=0),
    Piece("remembered_age", (RING,), OLDEST, "rounds, at most 32", "how long ago that was", "SM-71", True,
          ring_axis=0),
    Piece("gone_since", (RING,), PILE, "count", "tiles gone from the pile since then", "SM-71", True,
          ring_axis=0),
    Piece("kept_cards", (CARDS,), "copies", "count",
          "cards that others have held since before the last shuffle: public then, for what was not in the "
          "discard pile was in the hands", "SM-27", True),
    Piece("kept_count", (_SEATS,), SLOTS, "count",
          "how many such cards the relative seat holds", "SM-27", True),
    Piece("kept_by", (_OTHERS, CARDS), "copies", "expected number",
          "of these cards, how many relative seat 1 to 4 holds on average; known is how many cards of each "
          "older draw pile each seat holds, and all deals that agree are equally likely", "SM-74", True),
    Piece("taken", (_SEATS, RING), PILE, "count",
          "tiles the relative seat has taken or reserved there in the whole game", "SM-74", True,
          ring_axis=1),
    Piece("last_taken", (_SEATS, RING), 1, "one-hot",
          "the relative seat took the last tile there", "SM-74", True, ring_axis=1),
    Piece("taken_kinds", (_OTHERS, RING, KINDS), PILE, "expected number",
          "of the tiles that relative seat 1 to 4 took there after the observer first looked, how many are "
          "of the kind in the mean; what else it took the observer never saw", "SM-74", True, ring_axis=1),
    Piece("last_actions", (_SEATS, LAST_ACTIONS, ACTION_KINDS), 1,
          "one-hot top up, jump, fly, scan, develop, discover",
          "the last two actions of the relative seat, latest first", "SM-70", True),
    Piece("last_cards", (_SEATS, LAST_ACTIONS), SLOTS, "count",
          "cards discarded or played in them", "SM-70", True),
    Piece("last_from", (_SEATS, RING), 1, "one-hot; all zero on the gate",
          "where the ship of the relative seat was before the latest of them", "SM-70", True, ring_axis=1),
)
# fmt: on


EXPECTED = ("kept_by", "taken_kinds")  # pieces of means, the only fractions
LAYOUT = placed(*_PIECES)
OBSERVATION_SIZE = sum(p.size for p in LAYOUT.values())


def _rows() -> list[tuple[str, Any, int]]:
    # Pieces with one byte for each ring position, read as one number of eight bytes.
    by_row = [p for p in LAYOUT.values() if p.ring_axis == len(p.shape) - 1]
    return [(f"{p.name}_row", ("<u8", p.shape[:-1]), p.start) for p in by_row]


OBSERVATION = as_record("f4", LAYOUT.values())
# The numbers before the division, one byte each; `EXPECTED` pieces in 255ths. A piece with one byte for each
# ring position also has the name NAME_row, under which it is one number of eight bytes.
COMPACT = as_record("u1", LAYOUT.values(), _rows())
MASK = mask_record(ACTION_COUNT)
